import SignalsSync
import Synchronization

/// The place of a database in the list of a log.
struct DatabasePlace: Sendable {
  /// The number, counted from 0.
  let number: Int
  /// The number of databases.
  let count: Int
  /// The identifier of the log.
  let log: LogIdentifier
}

/// The identifier of a log, which database 0 makes, and all databases have.
final class LogIdentifier: Sendable {
  private let text = Mutex<String?>(nil)

  /// The identifier, or `nil` before database 0 was reached.
  var value: String? {
    get { text.withLock { $0 } }
    set { text.withLock { $0 = newValue } }
  }
}

/// Why a database of a log hasn't completed a call.
enum DatabaseError: Error {
  case failed(ChangeLogError)
  /// An append is in no database, and can be repeated.
  case declined(ChangeLogError)
  /// The partition is in the database with a number. An append at `tried` may be there already, because it was
  /// sent before on a connection that ended.
  case moved(Partition, to: Int, tried: [LogHead]? = nil)
}

extension DatabaseError {
  /// The error of a call that isn't made again elsewhere.
  var logError: ChangeLogError {
    switch self {
    case .failed(let error), .declined(let error): error
    case .moved(let partition, let number, _):
      .unavailable(log: "\(partition)", reason: "it was moved to database \(number)")
    }
  }
}
