/// Why a replica couldn't do what it was asked to.
public enum ReplicaError: Error, Equatable {
  /// The log couldn't be read, and trying again later doesn't help.
  case log(ChangeLogError)
  /// An entry or the snapshot of the log isn't one that a replica has written.
  case damaged(Partition, LogPosition, reason: String)
  /// The partition has changes that the log doesn't have yet, and that would be lost.
  case pendingChanges(Partition, count: Int)
  /// The partition isn't joined.
  case notJoined(Partition)
  /// A transaction is open, or an intent, an effect or an observer is running.
  case transactionIsOpen
}

extension ReplicaError: CustomStringConvertible {
  /// A sentence that states the partition and the reason.
  public var description: String {
    switch self {
    case .log(let error): error.description
    case .damaged(let partition, let position, let reason):
      "the log of \(partition) has something at \(position) that isn't a change set: \(reason)"
    case .pendingChanges(let partition, let count):
      "\(partition) has \(count) \(count == 1 ? "commit" : "commits") that the log doesn't have yet"
    case .notJoined(let partition): "\(partition) isn't joined"
    case .transactionIsOpen: "a partition can't be joined or left inside a transaction"
    }
  }
}
