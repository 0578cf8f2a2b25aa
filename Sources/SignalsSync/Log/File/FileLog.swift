// Order of events: the first call for a partition opens and checks its file on the queue
// `openings`, so that two calls don't open it twice. `PartitionFile` does the rest.

import Dispatch
import Synchronization

/// A log in files that survives crashes and losses of power.
///
/// For each partition, the directory has a file with the entries and a file with the snapshot.
/// Truncation rewrites one partition only, and an unused partition isn't read.
///
/// ```swift
/// let log = try FileLog(at: "/var/lib/todos")
/// try await log.append([bytes], to: "todos")   // durable when it returns
/// ```
///
/// - Entries are durable when their append returns, or after an interval at the latest; see
///   ``Durability-swift.enum``. Without an interval, readers see durable entries only.
/// - Appends that arrive during an `fsync` share the next one.
/// - Entries that a crash left incomplete are removed when the file is opened; see
///   ``tornSize(of:)``. Other damage is an error, and nothing is changed then. Damage of the last
///   group of entries, written by a process that didn't close the log, can't be distinguished from
///   a crash.
/// - While the device is full, appends throw ``ChangeLogError/noSpace(path:)``. With an interval,
///   entries that were accepted before stay in memory until there is space.
/// - After another error, the last entries of a partition are in an unknown state on the device,
///   and nothing can be appended to it until the log is opened again.
/// - One log at a time can open the directory, in all processes.
///
/// Reads run on the caller's thread. The number of open files is limited.
package final class FileLog: ChangeLog {
  /// The time by which appended entries are durable.
  package enum Durability: Hashable, Sendable {
    /// Before the append returns.
    case each
    /// After an interval at the latest.
    ///
    /// An append returns at once. Its entries survive the end of the process only after the
    /// interval, after ``FileLog/sync(_:)``, or after ``FileLog/close()``.
    case interval(Duration)
  }

  private struct State {
    var partitions: [Partition: PartitionFile] = [:]
    var isClosed = false
  }

  let work: LogWork
  private let state = Mutex(State())
  private let openings = DispatchQueue(label: "signals.log.openings")

  /// Opens the log in a directory, which is created if it is missing.
  ///
  /// The files of partitions are checked when they are first used.
  ///
  /// - Parameters:
  ///   - path: The path of the directory. The directory that contains it must exist.
  ///   - durability: The time by which appended entries are durable.
  ///   - onFailure: Runs when accepted entries of a partition can't be written, when the error
  ///     changes, and, with `nil`, when the entries have been written. After
  ///     ``ChangeLogError/noSpace(path:)`` the entries stay in memory and are written when there is
  ///     space. After most other errors they are never written, and the log must be opened again.
  ///     The calls run on a queue of the log, one after the other.
  /// - Throws: ``ChangeLogError/locked(path:)`` if the log is open already, and errors of the file
  ///   system.
  package convenience init(
    at path: String, durability: Durability = .each,
    onFailure: @escaping @Sendable (Partition, ChangeLogError?) -> Void = { _, _ in }
  ) throws(ChangeLogError) {
    try self.init(
      at: path, durability: durability, files: POSIXFileSystem(), onFailure: onFailure)
  }

  /// Opens the log in a directory through replaceable calls of the operating system.
  package init(
    at path: String, durability: Durability, limits: SizeLimits = SizeLimits(),
    files: any FileSystem,
    onFailure: @escaping @Sendable (Partition, ChangeLogError?) -> Void = { _, _ in }
  ) throws(ChangeLogError) {
    let directory = try LogDirectory(path, in: files)
    // The process that created the directory may have been killed before it synced the name.
    if try directory.names().isEmpty { try directory.syncParent() }
    work = LogWork(directory, durability: durability, limits: limits, onFailure: onFailure)
  }

  /// The number of partitions in memory.
  package var keptCount: Int { state.withLock { $0.partitions.count } }

  /// Returns the number of calls that wait until entries of a partition are durable.
  package func waiterCount(of partition: Partition) -> Int {
    let file = state.withLock { $0.partitions[partition] }
    return file?.state.withLock { $0.waiters.count } ?? 0
  }

  /// Returns the file of a partition, and opens and checks it on the first call.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - isKept: Whether the object stays in memory even if the partition is empty. Pass `false`
  ///     for reads only.
  private func file(
    of partition: Partition, isKept: Bool = true
  ) async throws(ChangeLogError) -> PartitionFile {
    if let file = try known(partition) { return file }
    return try await openings.result { () throws(ChangeLogError) in
      try self.opened(partition, isKept: isKept)
    }
  }

  /// Returns the file of a partition, and blocks the calling thread while the file is opened.
  func blockingFile(
    of partition: Partition, isKept: Bool = true
  ) throws(ChangeLogError) -> PartitionFile {
    if let file = try known(partition) { return file }
    return try openings.sync {
      Result { () throws(ChangeLogError) in try self.opened(partition, isKept: isKept) }
    }.get()
  }

  /// Opens the file of a partition unless it is open.
  ///
  /// Runs on `openings`.
  private func opened(
    _ partition: Partition, isKept: Bool
  ) throws(ChangeLogError) -> PartitionFile {
    if let file = try known(partition) { return file }
    let file = try PartitionFile(partition, of: work)
    if isKept || !file.isEmpty { state.withLock { $0.partitions[partition] = file } }
    return file
  }

  private func known(_ partition: Partition) throws(ChangeLogError) -> PartitionFile? {
    try state.withLock { state throws(ChangeLogError) in
      if state.isClosed { throw .closed }
      return state.partitions[partition]
    }
  }
}

extension FileLog {
  package func head(of partition: Partition) async throws(ChangeLogError) -> LogHead {
    try await file(of: partition, isKept: false).head()
  }

  // After a crash the log has all entries of an append, or none. After a `system` error it may or
  // may not have them.
  @discardableResult
  package func append(
    _ entries: [[UInt8]], to partition: Partition, expecting head: LogHead?
  ) async throws(ChangeLogError) -> LogHead {
    try await file(of: partition).append(entries, expecting: head)
  }

  /// Appends at the same time, since each append waits for the device.
  package func append(_ all: [LogAppend]) async throws(ChangeLogError) -> [LogHead] {
    let results = await all.concurrentResults { [self] next throws(ChangeLogError) in
      try await append(next.entries, to: next.partition, expecting: next.head)
    }
    var heads: [LogHead] = []
    for result in results { heads.append(try result.get()) }
    return heads
  }

  package func entries(
    of partition: Partition, from position: LogPosition, limit: Int
  ) async throws(ChangeLogError) -> [LogEntry] {
    try await file(of: partition, isKept: false).entries(from: position, limit: limit)
  }

  package func snapshot(of partition: Partition) async throws(ChangeLogError) -> LogSnapshot? {
    let file = try await file(of: partition, isKept: false)
    return try await file.upkeep.result { () throws(ChangeLogError) in try file.readSnapshot() }
  }

  package func storeSnapshot(
    _ snapshot: LogSnapshot, of partition: Partition
  ) async throws(ChangeLogError) {
    try partition.check(snapshot, limits: work.limits)
    let file = try await file(of: partition)
    _ = try file.head(havingPosition: snapshot.head.position)
    try await file.sync()
    try await file.upkeep.result { () throws(ChangeLogError) in try file.storeSnapshot(snapshot) }
  }

  /// The remaining entries are copied to a new file while appends continue.
  package func truncate(
    _ partition: Partition, before position: LogPosition
  ) async throws(ChangeLogError) {
    let file = try await file(of: partition, isKept: false)
    try await file.upkeep.result { () throws(ChangeLogError) in
      try file.truncate(before: position)
    }
  }

  /// Waits until all appended entries of a partition are durable.
  ///
  /// - Throws: ``ChangeLogError/noSpace(path:)`` and other errors of the file system.
  package func sync(_ partition: Partition) async throws(ChangeLogError) {
    try await file(of: partition, isKept: false).sync()
  }

  /// Returns the number of bytes that were removed when the partition's file was opened, because a
  /// crash had left their entries incomplete.
  package func tornSize(of partition: Partition) async throws(ChangeLogError) -> Int {
    try await file(of: partition, isKept: false).tornSize
  }

  /// Closes the log after all appended entries are durable.
  ///
  /// From then on all calls throw ``ChangeLogError/closed``, including calls that wait. If a log is
  /// released without a call of this method, its directory is unlocked at the end of a running
  /// interval; see ``closeLater()``.
  ///
  /// - Throws: ``ChangeLogError/noSpace(path:)``, after which the log stays open, except for the
  ///   partitions that could be written. After any other error, including an error of an earlier
  ///   write, the log is closed, and accepted entries that aren't durable are lost.
  package func close() async throws(ChangeLogError) {
    try await openings.result { () throws(ChangeLogError) in try self.closeFiles() }
  }

  /// Closes the log in the background, because its last user is being released.
  ///
  /// A log that is opened at the same path in this process waits for the end. This also applies if no
  /// commit is due, because a commit that has ended may still refer to the directory.
  func closeLater() {
    if state.withLock({ $0.isClosed }) { return }
    openings.async(group: LogDirectory.closings) { try? self.closeFiles() }
  }

  /// Runs on `openings`.
  private func closeFiles() throws(ChangeLogError) {
    if state.withLock({ $0.isClosed }) { return }
    var failure: ChangeLogError?
    var stall: ChangeLogError?
    for file in state.withLock({ Array($0.partitions.values) }) {
      do throws(ChangeLogError) {
        // Runs after the pending work on the partition's queues.
        try file.upkeep.sync { file.commits.sync { Result(catching: file.close) } }.get()
      } catch {
        if error.leavesFile { stall = stall ?? error } else { failure = failure ?? error }
      }
    }
    if let stall { throw stall }
    state.withLock { $0.isClosed = true }
    work.directory.close()
    if let failure { throw failure }
  }
}

extension DispatchQueue {
  /// Runs a closure on the queue, and returns its result.
  fileprivate func result<Value: Sendable>(
    of body: @escaping @Sendable () throws(ChangeLogError) -> Value
  ) async throws(ChangeLogError) -> Value {
    let result = await withCheckedContinuation { continuation in
      async {
        let result = Result { () throws(ChangeLogError) in try body() }
        continuation.resume(returning: result)
      }
    }
    return try result.get()
  }
}
