public import Signals

/// The reason why a store's file can't be opened, or doesn't have the last commits.
public enum StoreFileError: Error, Sendable {
  /// The file can't be read or written.
  case log(ChangeLogError)
  /// An entry isn't what the library has written: the place in bytes, and the reason.
  ///
  /// Nothing is loaded, and the file is left as it is.
  case damaged(entry: LogPosition, offset: Int, reason: String)
  /// The objects don't fit the classes of this process.
  ///
  /// Nothing is loaded, and the file is left as it is.
  case objects(GraphDecodingError)
  /// A name in `Object.renamed`, or one of the renamed classes, isn't what the file and the classes
  /// have: the class, the property, and the reason.
  ///
  /// Nothing is loaded, and the file is left as it is.
  case renaming(className: String, property: String?, reason: String)
  /// The file has the objects of a later version of the app's classes.
  ///
  /// Nothing is loaded, and the file is left as it is.
  case laterVersion(file: Int, app: Int)
  /// A migration to a version has thrown an error.
  ///
  /// Nothing is loaded, and the file is left as it is.
  case migration(version: Int, error: any Error)
  /// A value can't be encoded, so the file keeps the one before, or the initial one.
  case valueRefused(className: String, property: String, reason: String)
  /// There is a store's file at the path to which a store is to be saved.
  case exists(path: String)
  /// The file has all commits, but grows with each, because its entries couldn't be joined to a
  /// checkpoint; that is tried again when it has twice as many of them.
  case growing(reason: String)
}

extension StoreFileError {
  /// Creates the error of objects that can't be decoded.
  init(decoding error: any Error) {
    self =
      switch error {
      case let error as StoreFileError: error
      case let error as GraphDecodingError: .objects(error)
      default: .damaged(entry: .start, offset: 0, reason: "\(error)")
      }
  }
}

extension StoreFileError: CustomStringConvertible {
  /// A sentence that states the place and the reason.
  public var description: String {
    switch self {
    case .log(let error): "\(error)"
    case .damaged(let entry, let offset, let reason):
      "the file is damaged in entry \(entry) at byte \(offset): \(reason)"
    case .objects(let error): "\(error)"
    case .renaming(let className, let property, let reason):
      "\(className)\(property.map { ".\($0)" } ?? "") can't be renamed: \(reason)"
    case .laterVersion(let file, let app):
      "the file has version \(file) of the classes, and the app has version \(app)"
    case .migration(let version, let error):
      "the migration to version \(version) has failed: \(error)"
    case .valueRefused(let className, let property, let reason):
      "\(className).\(property) can't be kept: \(reason)"
    case .exists(let path):
      "there is a store's file at \(path) already"
    case .growing(let reason):
      "the file has all commits, but can't be made smaller: \(reason)"
    }
  }
}
