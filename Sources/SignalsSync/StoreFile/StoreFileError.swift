public import Signals

/// The reason why a store file can't be opened or lacks the latest commits.
public enum StoreFileError: Error, Sendable {
  /// The file can't be read or written.
  case log(ChangeLogError)
  /// An entry differs from the one that the library has written. `offset` is in bytes of the entry.
  ///
  /// Nothing is loaded, and the file isn't changed.
  case damaged(entry: LogPosition, offset: Int, reason: String)
  /// The objects can't be decoded by the classes of this process.
  ///
  /// Nothing is loaded, and the file isn't changed.
  case objects(GraphDecodingError)
  /// A name in `Object.renamed`, or a renamed class, matches neither the file nor the classes.
  ///
  /// Nothing is loaded, and the file isn't changed.
  case renaming(className: String, property: String?, reason: String)
  /// The file was written by a later version of the app's classes.
  ///
  /// Nothing is loaded, and the file isn't changed.
  case laterVersion(file: Int, app: Int)
  /// The migration to a version has thrown an error.
  ///
  /// Nothing is loaded, and the file isn't changed.
  case migration(version: Int, error: any Error)
  /// A value can't be encoded. The file has the previous value, or the initial one.
  ///
  /// The file has all other values, and this one as soon as a commit replaces it by a value that can
  /// be encoded.
  case valueRefused(StoreError.Subject, reason: String)
  /// There is a store file at the path to which a store is saved.
  case exists(path: String)
  /// The file has all commits, but grows with each, because its entries couldn't be merged into a
  /// checkpoint.
  ///
  /// The next attempt is made when the entries have twice the size.
  case growing(reason: String)
}

extension StoreFileError {
  /// Creates the error for objects that can't be decoded.
  ///
  /// - Parameter error: The error of the decoding.
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
  /// A sentence that states the location and the reason.
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
    case .valueRefused(let value, let reason): "\(value) can't be saved: \(reason)"
    case .exists(let path):
      "there is a store's file at \(path) already"
    case .growing(let reason):
      "the file has all commits, but can't be made smaller: \(reason)"
    }
  }
}
