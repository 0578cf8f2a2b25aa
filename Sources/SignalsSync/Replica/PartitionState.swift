public import Signals

/// The state of a partition in a replica.
public enum PartitionState: Hashable, Sendable {
  /// The replica hasn't joined the partition, or has left it.
  case notJoined
  /// The objects haven't arrived since the replica joined the partition or lost its connection, but
  /// for a share from 0 to 1.
  case joining(progress: Double)
  /// The replica receives the facts of the partition.
  case joined
  /// The server can't reach the partition, for a reason; the replica receives the facts as soon as it can.
  ///
  /// Other partitions aren't concerned. Commits are kept, and sent then.
  case delayed(String)
  /// The user may not read the partition, or it can't be opened, for a reason.
  case refused(String)

  /// Whether the objects will arrive.
  var isUnderWay: Bool {
    switch self {
    case .joining, .delayed: true
    case .notJoined, .joined, .refused: false
    }
  }
}

/// A commit that the server has refused as a whole.
public struct SyncRefusal: Sendable {
  /// The name of the partition.
  public let partition: String
  /// The refused changes, which have been taken back.
  public let changes: ChangeSet
  /// The reason, as the server states it.
  public let reason: String
}

/// A value that has lost a conflict with a write of another replica.
public struct SyncLoss: Sendable {
  /// The name of the partition.
  public let partition: String
  /// The object.
  public let object: ObjectID
  /// The name of the property.
  public let property: String
  /// The value that was lost.
  public let value: (any FieldValue)?
}
