/// An ordered log of entries for each partition, which several stores can share.
///
/// A ``SyncServer`` keeps its facts in one. The library has logs in memory and in files; a type that
/// conforms to this protocol keeps them elsewhere, for instance in a database. The scenarios
/// `LogScenario` of SignalsTesting prove that it does what the server needs.
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
/// A partition needn't be created. The head of a partition without entries is ``LogHead/start``. Names
/// and sizes beyond the ``LogLimits`` are refused by all calls.
public protocol ChangeLog: Sendable {
  /// Returns the head of a partition's log.
  ///
  /// The entries before the head are as durable as the log promises for appends.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The position after the last entry, with the hash of all entries.
  /// - Throws: ``ChangeLogError/damaged(file:offset:reason:)`` and other errors of the storage.
  func head(of partition: Partition) async throws(ChangeLogError) -> LogHead

  /// Appends entries at the ends of the logs of several partitions: for each partition all of its
  /// entries or none.
  ///
  /// Cancelling the task doesn't cancel the append.
  ///
  /// - Parameter all: The entries, for each partition at most once.
  /// - Returns: The heads after the entries.
  /// - Throws: The first error, after which the entries of other partitions may be appended:
  ///   ``ChangeLogError/headMoved(_:to:)`` if a log doesn't end at the expected head,
  ///   ``ChangeLogError/tooLarge(_:size:limit:)`` and
  ///   ``ChangeLogError/nameTooLarge(_:size:limit:)`` if ``LogLimits`` are exceeded, and errors of
  ///   the storage.
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
  /// - Parameter partition: The partition.
  /// - Returns: The snapshot, or `nil` if none is stored.
  /// - Throws: ``ChangeLogError/damaged(file:offset:reason:)`` and other errors of the storage.
  func snapshot(of partition: Partition) async throws(ChangeLogError) -> LogSnapshot?

  /// Stores a snapshot of a partition, and replaces the previous one.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot.
  ///   - partition: The partition.
  /// - Throws: ``ChangeLogError/truncated(_:oldest:)``,
  ///   ``ChangeLogError/beyondHead(_:position:head:)`` or
  ///   ``ChangeLogError/otherHistory(_:position:)`` if the snapshot's head isn't one of the log,
  ///   ``ChangeLogError/tooLarge(_:size:limit:)``, and errors of the storage.
  func storeSnapshot(
    _ snapshot: LogSnapshot, of partition: Partition
  ) async throws(ChangeLogError)

  /// Removes the entries before a position, which a snapshot must replace.
  ///
  /// The positions of the other entries, and the head, don't change.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - position: The position of the first entry to keep.
  /// - Throws: ``ChangeLogError/notCovered(_:position:snapshot:)`` if the position is after the
  ///   snapshot, and errors of the storage.
  func truncate(
    _ partition: Partition, before position: LogPosition
  ) async throws(ChangeLogError)

  /// Closes the log, after all appended entries are durable.
  ///
  /// From then on all calls throw ``ChangeLogError/closed``, except for this one.
  ///
  /// - Throws: Errors of the storage.
  func close() async throws(ChangeLogError)
}

/// Entries to append to the log of a partition.
public struct LogAppend: Sendable {
  /// The contents of the entries, in order.
  public let entries: [[UInt8]]
  /// The partition.
  public let partition: Partition
  /// The head that the log must have, or `nil` for any.
  public let head: LogHead?

  /// Creates an append.
  ///
  /// - Parameters:
  ///   - entries: The contents of the entries, in order.
  ///   - partition: The partition.
  ///   - head: The head that the log must have, or `nil` to append at any head.
  public init(_ entries: [[UInt8]], to partition: Partition, expecting head: LogHead? = nil) {
    (self.entries, self.partition, self.head) = (entries, partition, head)
  }
}

extension ChangeLog {
  /// Appends entries at the end of a partition's log: all of them or, if the call throws, none.
  ///
  /// - Parameters:
  ///   - entries: The contents of the entries, in order.
  ///   - partition: The partition.
  ///   - head: The head that the log must have, or `nil` to append at any head.
  /// - Returns: The head after the entries.
  /// - Throws: The errors of ``append(_:)``.
  @discardableResult
  public func append(
    _ entries: [[UInt8]], to partition: Partition, expecting head: LogHead? = nil
  ) async throws(ChangeLogError) -> LogHead {
    try await append([LogAppend(entries, to: partition, expecting: head)])[0]
  }
}

extension Array where Element: Sendable {
  /// Returns the results of calls with the elements, which are made at the same time.
  func concurrentResults<Value: Sendable>(
    of call: @escaping @Sendable (Element) async throws(ChangeLogError) -> Value
  ) async -> [Result<Value, ChangeLogError>] {
    @Sendable func result(of element: Element) async -> Result<Value, ChangeLogError> {
      do throws(ChangeLogError) { return .success(try await call(element)) } catch {
        return .failure(error)
      }
    }
    // One call needs no task.
    if count == 1 { return [await result(of: self[0])] }
    return await withTaskGroup(of: (Int, Result<Value, ChangeLogError>).self) { tasks in
      for (index, element) in enumerated() {
        tasks.addTask { (index, await result(of: element)) }
      }
      return await tasks.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }
}
