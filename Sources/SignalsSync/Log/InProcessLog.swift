// The state is behind one mutex, inside of which nothing is notified and nothing suspends.
//
// Order of events: an append stores its entries inside the mutex, then notifies the waiters.

import Synchronization

/// A log in memory, for stores of one process and for tests.
///
/// Its entries last as long as the process.
package final class InProcessLog: ChangeLog {
  private struct Contents {
    var base = LogHead.start
    var entries: [(bytes: [UInt8], chain: UInt64)] = []
    var snapshot: LogSnapshot?

    var head: LogHead {
      LogHead(
        position: base.position.advanced(by: entries.count),
        chain: entries.last?.chain ?? base.chain)
    }

    func chain(at position: LogPosition) -> UInt64 {
      let count = base.position.distance(to: position)
      return count == 0 ? base.chain : entries[count - 1].chain
    }

    func check(_ position: LogPosition, in partition: Partition) throws(ChangeLogError) {
      if position < base.position { throw .truncated(partition, oldest: base.position) }
      if position > head.position {
        throw .beyondHead(partition, position: position, head: head)
      }
    }
  }

  private struct State {
    var partitions: [Partition: Contents] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Creates a log without partitions.
  package init() {}

  /// Closes the log.
  ///
  /// From then on all calls throw ``ChangeLogError/closed``.
  package func close() async throws(ChangeLogError) { state.withLock { $0.isClosed = true } }

  package func head(of partition: Partition) async throws(ChangeLogError) -> LogHead {
    try read(partition) { $0.head }
  }

  /// Appends all entries, or none.
  package func append(_ all: [LogAppend]) async throws(ChangeLogError) -> [LogHead] {
    for next in all { try next.checkLimits() }
    return try state.withLock { state throws(ChangeLogError) in
      if state.isClosed { throw .closed }
      for next in all {
        let present = state.partitions[next.partition]?.head ?? .start
        if let head = next.head, head != present { throw .headMoved(next.partition, to: present) }
      }
      return all.map { next in
        var end = state.partitions[next.partition]?.head ?? .start
        if next.entries.isEmpty { return end }
        for bytes in next.entries {
          end = end.after(bytes)
          state.partitions[next.partition, default: Contents()].entries.append((bytes, end.chain))
        }
        return end
      }
    }
  }

  package func entries(
    of partition: Partition, from position: LogPosition, limit: Int
  ) async throws(ChangeLogError) -> [LogEntry] {
    try read(partition) { contents throws(ChangeLogError) in
      try contents.check(position, in: partition)
      let start = contents.base.position.distance(to: position)
      let count = min(max(limit, 0), contents.entries.count - start)
      return (0..<count).map {
        LogEntry(
          position: position.advanced(by: $0), bytes: contents.entries[start + $0].bytes)
      }
    }
  }

  package func snapshot(of partition: Partition) async throws(ChangeLogError) -> LogSnapshot? {
    try read(partition) { $0.snapshot }
  }

  package func storeSnapshot(
    _ snapshot: LogSnapshot, of partition: Partition
  ) async throws(ChangeLogError) {
    try partition.check(snapshot)
    try access(partition) { contents throws(ChangeLogError) in
      let position = snapshot.head.position
      try contents.check(position, in: partition)
      guard contents.chain(at: position) == snapshot.head.chain else {
        throw .otherHistory(partition, position: position)
      }
      contents.snapshot = snapshot
    }
  }

  package func truncate(
    _ partition: Partition, before position: LogPosition
  ) async throws(ChangeLogError) {
    try access(partition) { contents throws(ChangeLogError) in
      let covered = contents.snapshot?.head.position
      guard position <= covered ?? .start else {
        throw .notCovered(partition, position: position, snapshot: covered)
      }
      let count = contents.base.position.distance(to: position)
      guard count > 0 else { return }
      contents.base = LogHead(position: position, chain: contents.chain(at: position))
      contents.entries.removeFirst(count)
    }
  }

  /// The number of partitions in memory.
  package var keptCount: Int { state.withLock { $0.partitions.count } }

  /// Reads a partition.
  ///
  /// An empty partition isn't stored.
  private func read<Result>(
    _ partition: Partition,
    _ body: (Contents) throws(ChangeLogError) -> Result
  ) throws(ChangeLogError) -> Result {
    try partition.checkLimits()
    return try state.withLock { state throws(ChangeLogError) in
      if state.isClosed { throw .closed }
      return try body(state.partitions[partition] ?? Contents())
    }
  }

  private func access<Result>(
    _ partition: Partition,
    _ body: (inout Contents) throws(ChangeLogError) -> Result
  ) throws(ChangeLogError) -> Result {
    try partition.checkLimits()
    return try state.withLock { state throws(ChangeLogError) in
      if state.isClosed { throw .closed }
      return try body(&state.partitions[partition, default: Contents()])
    }
  }
}
