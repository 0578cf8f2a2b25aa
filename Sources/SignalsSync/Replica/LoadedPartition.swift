internal import Signals

/// What the log has of a partition, from its snapshot to its head.
struct LoadedPartition: Sendable {
  var snapshot = PartitionSnapshot()
  var sets: [SharedChangeSet] = []
  var head = LogHead.start

  /// The number of a replica's first set that isn't included.
  func nextSequence(of replica: ReplicaID) -> UInt64 {
    let last = sets.last { $0.replica == replica }?.sequence ?? 0
    return max(snapshot.next[replica] ?? 1, last + 1)
  }
}

/// Reads the entries of a partition as change sets.
struct PartitionReader: Sendable {
  let partition: Partition
  private(set) var head: LogHead
  private var coder = ChangeSetEntryCoder()

  init(_ partition: Partition, after head: LogHead) {
    self.partition = partition
    self.head = head
  }

  /// Decodes the entries after those read before.
  mutating func read(_ entries: [LogEntry]) throws(ReplicaError) -> [SharedChangeSet] {
    var sets: [SharedChangeSet] = []
    sets.reserveCapacity(entries.count)
    for entry in entries {
      do throws(WireError) {
        sets.append(try coder.decode(entry.bytes))
      } catch {
        throw .damaged(partition, entry.position, reason: "\(error)")
      }
      head = head.after(entry.bytes)
    }
    return sets
  }
}
