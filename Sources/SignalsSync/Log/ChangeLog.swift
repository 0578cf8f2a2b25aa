/// An ordered log of entries for each partition, which stores in several places share.
///
/// An entry is bytes at a position. A log only grows at its end. Entries before a snapshot can be
/// truncated. All calls are safe from any task and any thread.
///
/// An append states the head that it expects, so that one of two concurrent appends fails and can
/// be made again after its author has read the other:
///
/// ```swift
/// let head = try await log.head(of: "todos")
/// try await log.append([bytes], to: "todos", expecting: head)
/// for try await batch in log.tail(of: "todos", from: .start) {
///   for entry in batch { apply(entry.bytes) }
/// }
/// ```
///
/// A partition without entries exists without being created: its head is ``LogHead/start``.
package protocol ChangeLog: Sendable {
  /// Returns the end of a partition's log.
  ///
  /// What the head includes isn't lost in a crash, as far as the log promises it for appends.
  ///
  /// - Throws: ``ChangeLogError/damaged(file:offset:reason:)`` and other errors of the storage.
  func head(of partition: Partition) async throws(ChangeLogError) -> LogHead

  /// Appends entries at the end of a partition's log: all of them or, if it throws, none.
  ///
  /// Cancelling the task doesn't take back the append.
  ///
  /// - Parameters:
  ///   - entries: The contents of the entries, in order.
  ///   - partition: The partition.
  ///   - head: The end of the log as its author knows it, or `nil` to append wherever it is.
  /// - Returns: The head after the entries.
  /// - Throws: ``ChangeLogError/headMoved(_:to:)`` if the log doesn't end at the expected head,
  ///   ``ChangeLogError/tooLarge(_:size:limit:)`` and
  ///   ``ChangeLogError/nameTooLarge(_:size:limit:)`` for what exceeds ``LogLimits``, and errors of
  ///   the storage.
  @discardableResult
  func append(
    _ entries: [[UInt8]], to partition: Partition, expecting head: LogHead?
  ) async throws(ChangeLogError) -> LogHead

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

  /// Waits until the log doesn't end at a position anymore.
  ///
  /// Returns without an error if the task is cancelled.
  ///
  /// - Throws: ``ChangeLogError/closed``, also if the log is closed meanwhile, and errors of the
  ///   storage.
  func waitForEntries(
    of partition: Partition, after position: LogPosition
  ) async throws(ChangeLogError)

  /// Returns the snapshot of a partition, if one is stored.
  func snapshot(of partition: Partition) async throws(ChangeLogError) -> LogSnapshot?

  /// Stores a snapshot of a partition, in place of the one before.
  ///
  /// - Throws: ``ChangeLogError/truncated(_:oldest:)``,
  ///   ``ChangeLogError/beyondHead(_:position:head:)`` or
  ///   ``ChangeLogError/otherHistory(_:position:)`` if the snapshot's head isn't one of the log,
  ///   ``ChangeLogError/tooLarge(_:size:limit:)``, and errors of the storage.
  func storeSnapshot(
    _ snapshot: LogSnapshot, of partition: Partition
  ) async throws(ChangeLogError)

  /// Replaces all of a partition's log by a snapshot of a longer one, as a replica does that joins
  /// late.
  ///
  /// The log has the snapshot and no entries afterwards, and continues at the snapshot's head. The
  /// entries that it had are gone: their author must know that the snapshot includes them, or
  /// append them again. Their readers get ``ChangeLogError/truncated(_:oldest:)``.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - snapshot: A snapshot after the end of the log.
  ///   - head: The end of the log as its author knows it, or `nil` to replace it wherever it is.
  /// - Throws: ``ChangeLogError/headMoved(_:to:)`` if the log doesn't end at the expected head,
  ///   ``ChangeLogError/notBeyondHead(_:position:head:)`` if the snapshot isn't after the end,
  ///   ``ChangeLogError/tooLarge(_:size:limit:)``, and errors of the storage.
  func start(
    _ partition: Partition, from snapshot: LogSnapshot, expecting head: LogHead?
  ) async throws(ChangeLogError)

  /// Removes the entries before a position, which a snapshot must replace.
  ///
  /// Positions of the other entries and the head stay as they are.
  ///
  /// - Throws: ``ChangeLogError/notCovered(_:position:snapshot:)`` if the position is after the
  ///   snapshot, and errors of the storage.
  func truncate(
    _ partition: Partition, before position: LogPosition
  ) async throws(ChangeLogError)

  /// Returns the partitions that have entries or had some, in the order of their
  /// names' UTF-8.
  func partitions() async throws(ChangeLogError) -> [Partition]
}

extension ChangeLog {
  /// Appends entries at the end of a partition's log, wherever it is.
  ///
  /// - Returns: The head after the entries.
  @discardableResult
  package func append(
    _ entries: [[UInt8]], to partition: Partition
  ) async throws(ChangeLogError) -> LogHead {
    try await append(entries, to: partition, expecting: nil)
  }

  /// Returns the entries from a position on: those of the log, then those that are appended.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - position: The position of the first entry.
  package func tail(of partition: Partition, from position: LogPosition) -> LogTail {
    LogTail(log: self, partition: partition, position: position)
  }
}
