/// An endless sequence of batches of entries of a partition's log, from a position on.
///
/// A batch is read from the log on request, so a slow reader uses no memory and gets larger
/// batches. The sequence ends if its task is cancelled. It throws if the log is closed or doesn't
/// have the position, for instance because it was truncated.
///
/// Each iterator begins at the position.
package struct LogTail: AsyncSequence, Sendable {
  let log: any ChangeLog
  let partition: Partition
  let position: LogPosition

  /// Reads batches of entries.
  package struct AsyncIterator: AsyncIteratorProtocol {
    private let log: any ChangeLog
    private let partition: Partition
    private var position: LogPosition

    init(_ tail: LogTail) {
      (log, partition, position) = (tail.log, tail.partition, tail.position)
    }

    /// Returns the next entries, at least one, as soon as the log has them.
    ///
    /// - Returns: The entries, or `nil` if the task is cancelled.
    /// - Throws: ``ChangeLogError`` if the log is closed or doesn't have the position.
    package mutating func next() async throws(ChangeLogError) -> [LogEntry]? {
      while !Task.isCancelled {
        let batch = try await log.entries(of: partition, from: position, limit: 1_000)
        if let last = batch.last {
          position = last.position.advanced(by: 1)
          return batch
        }
        try await log.waitForEntries(of: partition, after: position)
      }
      return nil
    }

    /// Returns the next entries, at least one, as soon as the log has them.
    ///
    /// - Returns: The entries, or `nil` if the task is cancelled.
    /// - Throws: ``ChangeLogError`` if the log is closed or doesn't have the position.
    package mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(ChangeLogError) -> [LogEntry]? {
      try await next()
    }
  }

  /// Returns an iterator that begins at the position.
  package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
