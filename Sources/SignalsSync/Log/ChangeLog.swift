/// An ordered log of entries for each partition, which several stores can share.
///
/// An entry is bytes at a position. A log only grows at its end. Entries before a snapshot can be
/// truncated. All calls are safe from any task and any thread.
///
/// An append can state the head that it expects. Then one of two concurrent appends fails, and can
/// be repeated after reading the entries of the other:
///
/// ```swift
/// let head = try await log.head(of: "todos")
/// try await log.append([bytes], to: "todos", expecting: head)
/// for entry in try await log.entries(of: "todos", from: .start, limit: 1_000) { apply(entry.bytes) }
/// ```
///
/// A partition needn't be created. The head of a partition without entries is ``LogHead/start``.
package protocol ChangeLog: Sendable {
  /// Returns the head of a partition's log.
  ///
  /// The entries before the head are as durable as the log promises for appends.
  ///
  /// - Throws: ``ChangeLogError/damaged(file:offset:reason:)`` and other errors of the storage.
  func head(of partition: Partition) async throws(ChangeLogError) -> LogHead

  /// Appends entries at the end of a partition's log: all of them or, if the call throws, none.
  ///
  /// Cancelling the task doesn't cancel the append.
  ///
  /// - Parameters:
  ///   - entries: The contents of the entries, in order.
  ///   - partition: The partition.
  ///   - head: The head that the log must have, or `nil` to append at any head.
  /// - Returns: The head after the entries.
  /// - Throws: ``ChangeLogError/headMoved(_:to:)`` if the log doesn't end at the expected head,
  ///   ``ChangeLogError/tooLarge(_:size:limit:)`` and
  ///   ``ChangeLogError/nameTooLarge(_:size:limit:)`` if ``LogLimits`` are exceeded, and errors of
  ///   the storage.
  @discardableResult
  func append(
    _ entries: [[UInt8]], to partition: Partition, expecting head: LogHead?
  ) async throws(ChangeLogError) -> LogHead

  /// Appends entries to the logs of several partitions, each as by ``append(_:to:expecting:)``.
  ///
  /// - Returns: The heads after the entries.
  /// - Throws: The first error. The entries of some of the partitions may be appended then.
  func append(_ all: [LogAppend]) async throws(ChangeLogError) -> [LogHead]

  /// Returns entries from a position on, in order.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - position: The position of the first entry.
  ///   - limit: The largest number of entries. A log may return fewer, but at least one if there
  ///     is one and the limit isn't 0.
  /// - Returns: The entries, or none at the end of the log.
  /// - Throws: ``ChangeLogError/truncated(_:oldest:)`` or
  ///   ``ChangeLogError/beyondHead(_:position:head:)`` if the log doesn't have the position, and
  ///   errors of the storage.
  func entries(
    of partition: Partition, from position: LogPosition, limit: Int
  ) async throws(ChangeLogError) -> [LogEntry]

  /// Returns the snapshot of a partition.
  ///
  /// - Returns: The snapshot, or `nil` if none is stored.
  /// - Throws: ``ChangeLogError/damaged(file:offset:reason:)`` and other errors of the storage.
  func snapshot(of partition: Partition) async throws(ChangeLogError) -> LogSnapshot?

  /// Stores a snapshot of a partition, and replaces the previous one.
  ///
  /// - Throws: ``ChangeLogError/truncated(_:oldest:)``,
  ///   ``ChangeLogError/beyondHead(_:position:head:)`` or
  ///   ``ChangeLogError/otherHistory(_:position:)`` if the snapshot's head isn't one of the log,
  ///   ``ChangeLogError/tooLarge(_:size:limit:)``, and errors of the storage.
  func storeSnapshot(
    _ snapshot: LogSnapshot, of partition: Partition
  ) async throws(ChangeLogError)

  /// Replaces a partition's log by a snapshot of a longer log, for a replica that joins late.
  ///
  /// Afterwards the log has the snapshot and no entries, and continues at the snapshot's head. If
  /// the snapshot doesn't include an entry that the log had, the author must append it again.
  /// Readers of the removed entries get ``ChangeLogError/truncated(_:oldest:)``.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - snapshot: A snapshot after the end of the log.
  ///   - head: The head that the log must have, or `nil` to replace it at any head.
  /// - Throws: ``ChangeLogError/headMoved(_:to:)`` if the log doesn't end at the expected head,
  ///   ``ChangeLogError/notBeyondHead(_:position:head:)`` if the snapshot isn't after the end,
  ///   ``ChangeLogError/tooLarge(_:size:limit:)``, and errors of the storage.
  func start(
    _ partition: Partition, from snapshot: LogSnapshot, expecting head: LogHead?
  ) async throws(ChangeLogError)

  /// Removes the entries before a position, which a snapshot must replace.
  ///
  /// The positions of the other entries, and the head, don't change.
  ///
  /// - Throws: ``ChangeLogError/notCovered(_:position:snapshot:)`` if the position is after the
  ///   snapshot, and errors of the storage.
  func truncate(
    _ partition: Partition, before position: LogPosition
  ) async throws(ChangeLogError)
}

/// Entries to append to the log of a partition.
package struct LogAppend: Sendable {
  package let entries: [[UInt8]]
  package let partition: Partition
  /// The head that the log must have, or `nil` for any.
  package let head: LogHead?

  package init(_ entries: [[UInt8]], to partition: Partition, expecting head: LogHead? = nil) {
    (self.entries, self.partition, self.head) = (entries, partition, head)
  }
}

extension ChangeLog {
  /// Appends the entries of one partition after the other.
  package func append(_ all: [LogAppend]) async throws(ChangeLogError) -> [LogHead] {
    var heads: [LogHead] = []
    for next in all {
      heads.append(try await append(next.entries, to: next.partition, expecting: next.head))
    }
    return heads
  }

  /// Appends entries at the end of a partition's log, at any head.
  ///
  /// - Returns: The head after the entries.
  /// - Throws: The errors of ``append(_:to:expecting:)``.
  @discardableResult
  package func append(
    _ entries: [[UInt8]], to partition: Partition
  ) async throws(ChangeLogError) -> LogHead {
    try await append(entries, to: partition, expecting: nil)
  }
}
