public import Signals

/// The reason why a store file can't be opened or lacks the latest commits.
public enum StoreFileError: Error, Sendable {
  /// The file is open already, in this process or in another.
  case alreadyOpen(path: String)
  /// The device is full.
  ///
  /// Commits stay in memory, and are written as soon as there is space for all of them.
  case noSpace(path: String)
  /// A call of the operating system has failed. `code` is its `errno`.
  case system(path: String, call: String, code: Int)
  /// The bytes of the file differ from those that the library has written.
  ///
  /// When a file is opened, nothing is loaded, and the file isn't changed.
  /// ``StoreFile/recover(at:to:)`` reads the intact parts. If the damage is found while the file is
  /// open, the next commit or flush replaces the file by the objects of the store.
  case damaged(path: String, reason: String)
  /// The files in the directory belong to two stores, for instance because only some files of a
  /// backup were restored.
  ///
  /// Nothing is loaded, and the files aren't changed.
  case mixedFiles(path: String)
  /// The file was written by another version of this library, which has another format.
  ///
  /// Nothing is loaded, and the file isn't changed.
  case otherFormat(path: String, version: Int)
  /// A commit, or all objects together, have more bytes than can be written at once.
  case tooLarge(size: Int, limit: Int)
  /// The file is closed.
  case closed
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
  init(decoding error: any Error, at path: String) {
    self =
      switch error {
      case let error as StoreFileError: error
      case let error as GraphDecodingError: .objects(error)
      default: .damaged(path: path, reason: "\(error)")
      }
  }

  /// Creates the error for an error of the log in the directory at a path.
  init(_ error: ChangeLogError, at path: String) {
    self =
      switch error {
      case .locked(let path): .alreadyOpen(path: path)
      case .noSpace(let path): .noSpace(path: path)
      case .system(let path, let call, let code): .system(path: path, call: call, code: code)
      case .otherVersion(let path, let version): .otherFormat(path: path, version: version)
      case .otherHistory: .mixedFiles(path: path)
      case .tooLarge(_, let size, let limit): .tooLarge(size: size, limit: limit)
      case .closed: .closed
      case .damaged(let path, let offset, let reason):
        .damaged(path: path, reason: "\(reason) at byte \(offset)")
      case .headMoved, .truncated, .beyondHead, .notBeyondHead, .notCovered, .nameTooLarge,
        .unavailable:
        // The only writer of the log expects no head, and names no position that the log lacks.
        .damaged(path: path, reason: "\(error)")
      }
  }
}

extension StoreFileError: CustomStringConvertible {
  /// A sentence that states the location and the reason.
  public var description: String {
    switch self {
    case .alreadyOpen(let path): "the file at \(path) is open already"
    case .noSpace(let path): "there is no space for \(path)"
    case .system(let path, let call, let code): "\(call) failed for \(path) with error \(code)"
    case .damaged(let path, let reason): "\(path) is damaged: \(reason)"
    case .mixedFiles(let path): "the files in \(path) belong to two stores"
    case .otherFormat(let path, let version):
      "\(path) has version \(version) of its format, which this library can't read"
    case .tooLarge(let size, let limit):
      "\(size) bytes are more than can be written at once, which are \(limit)"
    case .closed: "the file is closed"
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
