// State: `partitions`, the partitions whose files are open, and `isClosed`, behind one mutex.
//
// Order of events: the first call for a partition opens and checks its file on the queue
// `openings`, so that two calls don't open it twice. The rest is in `PartitionFile`.

import Dispatch
import Synchronization

/// A log in files, which a crash or a loss of power leaves intact.
///
/// A directory holds a file of entries and a file with the snapshot for each partition: truncation
/// rewrites one partition only, and a partition that isn't used isn't read.
///
/// ```swift
/// let log = try FileLog(at: "/var/lib/todos")
/// try await log.append([bytes], to: "todos")   // on the device when it returns
/// ```
///
/// - What an append wrote is on the device when it returns, or at the latest after an interval. See
///   ``Durability-swift.enum``. Readers see no entry that a crash of the appending process could
///   take back, except with an interval.
/// - Appends that arrive during an `fsync` share the next one.
/// - Entries that a crash left in part are cut off when the file is opened; see
///   ``tornSize(of:)``. Other damage is an error, and then nothing is changed. Damage of the group
///   of entries that was written last, by a process that didn't close the log, looks like a crash.
/// - A full device makes appends throw ``ChangeLogError/noSpace(path:)``. They work again when
///   there is space. With an interval, what was accepted before stays in memory until then.
/// - After other errors a partition can't be appended to until the log is opened again: what the
///   device has of its last entries isn't known.
/// - One log at a time has the directory open, in all processes together.
///
/// Reads use the caller's thread. Of the files that aren't used, few are open.
package final class FileLog: ChangeLog {
  /// When appended entries are on the device.
  package enum Durability: Hashable, Sendable {
    /// Before the append returns.
    case each
    /// At the latest after a time. An append returns at once, and its entries survive the end of
    /// the process only when the time is over, after ``FileLog/sync(_:)``, or after
    /// ``FileLog/close()``.
    case interval(Duration)
  }

  /// The identity of the log.
  ///
  /// A replica that remembers another identity than this one works on a copy, and must take a new
  /// name: two replicas of one name would overwrite each other's changes.
  package let identity: LogIdentity
  /// The log that this one is a copy of, if that was detected when it was opened this time.
  ///
  /// A directory that was copied, or restored from a backup, gets a new identity when it is opened.
  /// So does one in which a partition's file was replaced, or from which the identity is missing. A file whose content was overwritten in
  /// place isn't detected: its ``LogHead`` differs from that of other logs.
  package let copiedFrom: LogIdentity?

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
  ///   - durability: When appended entries are on the device.
  ///   - onFailure: Runs when entries of a partition that were accepted can't be written, when the
  ///     error becomes another, and, without an error, when they are written after all. After
  ///     ``ChangeLogError/noSpace(path:)`` they stay in memory and are written when there is space;
  ///     after most other errors they never are, and the log has to be opened again. It runs on a
  ///     queue of the log, one call after the other.
  /// - Throws: ``ChangeLogError/locked(path:)`` if the log is open already, and errors of the file
  ///   system.
  package convenience init(
    at path: String, durability: Durability = .each,
    onFailure: @escaping @Sendable (Partition, ChangeLogError?) -> Void = { _, _ in }
  ) throws(ChangeLogError) {
    try self.init(
      at: path, durability: durability, files: POSIXFileSystem(), onFailure: onFailure)
  }

  /// Opens the log in a directory, with other calls than those of the operating system.
  package init(
    at path: String, durability: Durability, limits: SizeLimits = SizeLimits(),
    files: any FileSystem,
    onFailure: @escaping @Sendable (Partition, ChangeLogError?) -> Void = { _, _ in }
  ) throws(ChangeLogError) {
    let directory = try LogDirectory(path, in: files)
    let names = try directory.names()
    try directory.removeLeftover(of: LogIdentityFile.name)
    let identities: LogIdentityFile
    (identities, copiedFrom) = try Self.identities(in: directory, among: names)
    identity = identities.identity
    work = LogWork(
      directory, identities: identities, durability: durability, limits: limits,
      onFailure: onFailure)
  }

  /// Returns the identities of a log, which is a new one in a new directory or a copy.
  private static func identities(
    in directory: LogDirectory, among names: [String]
  ) throws(ChangeLogError) -> (LogIdentityFile, copiedFrom: LogIdentity?) {
    guard names.contains(LogIdentityFile.name) else {
      // The process that made the directory may have been killed before it wrote the name.
      try directory.syncParent()
      // Whether the files are where they were made can't be known: they count as a copy.
      let former = try formerIdentities(among: names, in: directory)
      return (try LogIdentityFile.create(ancestors: former, in: directory), former.last)
    }
    let (found, isOriginal) = try LogIdentityFile.open(in: directory)
    let isCopy = try hasCopies(among: names, in: directory, of: found)
    if isOriginal, !isCopy { return (found, nil) }
    let ancestors = found.ancestors + [found.identity]
    return (try LogIdentityFile.create(ancestors: ancestors, in: directory), found.identity)
  }

  /// Returns the identities of the logs that made the files of partitions.
  ///
  /// A file that can't be read is reported when its partition is used.
  private static func formerIdentities(
    among names: [String], in directory: LogDirectory
  ) throws(ChangeLogError) -> [LogIdentity] {
    var found: Set<LogIdentity> = []
    for name in names where Partition(logName: name) != nil {
      let file = try directory.open(name)
      if let header = try? LogFileHeader(of: file) { found.insert(header.identity) }
    }
    return found.sorted { $0.rawValue < $1.rawValue }
  }

  /// Returns whether a partition's file was replaced by a copy.
  ///
  /// A file that can't be read is reported when its partition is used.
  private static func hasCopies(
    among names: [String], in directory: LogDirectory, of identities: LogIdentityFile
  ) throws(ChangeLogError) -> Bool {
    for name in names where Partition(logName: name) != nil {
      let file = try directory.open(name)
      guard let header = try? LogFileHeader(of: file) else { continue }
      if try identities.check(header, mark: file.status().mark).isCopy { return true }
    }
    return false
  }

  /// The number of partitions that take memory.
  package var keptCount: Int { state.withLock { $0.partitions.count } }

  /// Returns the number of calls that wait until entries of a partition are on the device.
  package func waiterCount(of partition: Partition) -> Int {
    let file = state.withLock { $0.partitions[partition] }
    return file?.state.withLock { $0.waiters.count } ?? 0
  }

  /// Returns the file of a partition, which the first call opens and checks.
  ///
  /// - Parameter isKept: Whether it is kept if there is nothing of the partition yet. Only reads,
  ///   which find nothing, can do without.
  private func file(
    of partition: Partition, isKept: Bool = true
  ) async throws(ChangeLogError) -> PartitionFile {
    if let file = try known(partition) { return file }
    return try await openings.result { () throws(ChangeLogError) in
      try self.opened(partition, isKept: isKept)
    }
  }

  /// Returns the file of a partition, and blocks the thread while the first call opens it.
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

  /// Appends entries at the end of a partition's log.
  ///
  /// All entries of an append are there after a crash, or none.
  ///
  /// - Throws: ``ChangeLogError/headMoved(_:to:)``, ``ChangeLogError/noSpace(path:)``,
  ///   ``ChangeLogError/tooLarge(_:size:limit:)``, and ``ChangeLogError/system(path:call:code:)``,
  ///   after which it isn't known whether the entries are in the log.
  @discardableResult
  package func append(
    _ entries: [[UInt8]], to partition: Partition, expecting head: LogHead?
  ) async throws(ChangeLogError) -> LogHead {
    try await file(of: partition).append(entries, expecting: head)
  }

  package func entries(
    of partition: Partition, from position: LogPosition, limit: Int
  ) async throws(ChangeLogError) -> [LogEntry] {
    try await file(of: partition, isKept: false).entries(from: position, limit: limit)
  }

  package func waitForEntries(
    of partition: Partition, after position: LogPosition
  ) async throws(ChangeLogError) {
    try await file(of: partition).waitForEntries(after: position)
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

  /// Replaces all of a partition's log by a snapshot of a longer one.
  ///
  /// After a crash there is either the log as it was or the one that starts from the snapshot.
  package func start(
    _ partition: Partition, from snapshot: LogSnapshot, expecting head: LogHead?
  ) async throws(ChangeLogError) {
    try partition.check(snapshot, limits: work.limits)
    let file = try await file(of: partition)
    var isDone = false
    while !isDone {
      // Entries that are accepted between the two make another round necessary.
      try await file.sync()
      isDone = try await file.upkeep.result { () throws(ChangeLogError) in
        try file.start(from: snapshot, expecting: head)
      }
    }
  }

  /// Removes the entries before a position, which a snapshot must replace.
  ///
  /// The file is written again without them, while appends go on.
  package func truncate(
    _ partition: Partition, before position: LogPosition
  ) async throws(ChangeLogError) {
    let file = try await file(of: partition, isKept: false)
    try await file.upkeep.result { () throws(ChangeLogError) in
      try file.truncate(before: position)
    }
  }

  /// Returns the partitions that have entries or had some, in the order of their
  /// names' UTF-8.
  ///
  /// A crash during the first append to a partition can leave it here without entries.
  package func partitions() async throws(ChangeLogError) -> [Partition] {
    let isClosed = state.withLock { $0.isClosed }
    if isClosed { throw .closed }
    let stored = try work.directory.names().compactMap { Partition(logName: $0) }
    var partitions = Set(stored)
    for (partition, file) in state.withLock({ $0.partitions }) {
      if try file.head() != .start { partitions.insert(partition) }
    }
    return partitions.sorted(by: Partition.precedes)
  }

  /// Waits until all that was appended to a partition is on the device.
  ///
  /// - Throws: ``ChangeLogError/noSpace(path:)`` and other errors of the file system.
  package func sync(_ partition: Partition) async throws(ChangeLogError) {
    try await file(of: partition, isKept: false).sync()
  }

  /// Returns how many bytes were cut off when the partition's file was opened, because a crash had
  /// left them in part.
  package func tornSize(of partition: Partition) async throws(ChangeLogError) -> Int {
    try await file(of: partition, isKept: false).tornSize
  }

  /// Closes the log after all that was appended is on the device.
  ///
  /// All calls throw ``ChangeLogError/closed`` from then on, also those that wait. The directory of
  /// a log that is released without a call of this method is unlocked too, when an interval that
  /// runs is over.
  ///
  /// - Throws: ``ChangeLogError/noSpace(path:)``: the log then stays open, except for the partitions
  ///   that could be written. After any other error, also one of an earlier write, the log is
  ///   closed, and the entries are lost that were accepted and aren't on the device.
  package func close() async throws(ChangeLogError) {
    try await openings.result { () throws(ChangeLogError) in
      if self.state.withLock({ $0.isClosed }) { return }
      var failure: ChangeLogError?
      var stall: ChangeLogError?
      for file in self.state.withLock({ Array($0.partitions.values) }) {
        do throws(ChangeLogError) {
          // After the work under way on the partition's queues.
          try file.upkeep.sync { file.commits.sync { Result(catching: file.close) } }.get()
        } catch {
          if error.leavesFile { stall = stall ?? error } else { failure = failure ?? error }
        }
      }
      if let stall { throw stall }
      self.state.withLock { $0.isClosed = true }
      self.work.directory.close()
      if let failure { throw failure }
    }
  }
}

extension DispatchQueue {
  /// Runs a closure on the queue and returns its result.
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
