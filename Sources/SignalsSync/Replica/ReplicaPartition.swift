internal import Signals

/// A partition of a replica.
final class ReplicaPartition {
  let partition: Partition
  let state = Signal(PartitionState.notJoined, name: "the state of a partition")
  var isWanted = false
  /// Whether the app has joined it.
  var isAsked = false
  /// The number of views that show it.
  var users = 0
  /// The number of facts that are in the store, and their hash.
  var head = LogHead.start
  /// The number of the last submission.
  var number: UInt64 = 0
  /// The users that are present, with their status.
  let present = Signal([String: String](), name: "the users of a partition")
  /// The status of this replica's user.
  var status = ""
  /// The names in the facts.
  var names = ChangeReader()
  /// The number that the server uses for the partition on the present connection.
  var serverNumber: UInt64?
  /// The numbers of facts from which and with which the partition is joined.
  var (begin, expected) = (UInt64(0), UInt64.max)
  /// The bytes of a state that have arrived.
  var arriving: (head: LogHead, bytes: [UInt8])?

  init(_ partition: Partition) { self.partition = partition }

  /// The number of facts that are in the store.
  var facts: UInt64 { head.position.rawValue }

  func setProgress(_ progress: Double) {
    if case .joining = state.peek() { state.value = .joining(progress: min(progress, 1)) }
  }
}
