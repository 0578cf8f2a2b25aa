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
///   there is space.
/// - One log at a time has the directory open, in all processes together.
///
/// Reads use the caller's thread.
public final class FileLog: ChangeLog {
  /// When appended entries are on the device.
  public enum Durability: Hashable, Sendable {
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
  public let identity: LogIdentity
  /// The log that this one is a copy of, if that was detected when it was opened this time.
  ///
  /// A directory that was copied, or restored from a backup, gets a new identity when it is opened.
  /// So does one in which a partition's file was replaced. A file whose content was overwritten in
  /// place isn't detected: its ``LogHead`` differs from that of other logs.
  public let copiedFrom: LogIdentity?

  private struct State {
    var partitions: [Partition: PartitionFile] = [:]
    var isClosed = false
  }

  private let directory: LogDirectory
  private let identities: LogIdentityFile
  private let durability: Durability
  private let state = Mutex(State())
  private let openings = DispatchQueue(label: "signals.log.openings")

  /// Opens the log in a directory, which is created if it is missing.
  ///
  /// The files of partitions are checked when they are first used.
  ///
  /// - Parameters:
  ///   - path: The path of the directory. The directory that contains it must exist.
  ///   - durability: When appended entries are on the device.
  /// - Throws: ``ChangeLogError/locked(path:)`` if the log is open already, and errors of the file
  ///   system.
  public convenience init(
    at path: String, durability: Durability = .each
  ) throws(ChangeLogError) {
    try self.init(at: path, durability: durability, files: POSIXFileSystem())
  }

  /// Opens the log in a directory, with other calls than those of the operating system.
  package init(
    at path: String, durability: Durability, files: any FileSystem
  ) throws(ChangeLogError) {
    directory = try LogDirectory(path, in: files)
    self.durability = durability
    try directory.removeLeftovers()
    let names = try directory.names()
    guard names.contains(LogIdentityFile.name) else {
      identities = try LogIdentityFile.create(in: directory)
      (identity, copiedFrom) = (identities.identity, nil)
      return
    }
    let (found, isOriginal) = try LogIdentityFile.open(in: directory)
    let isCopy = try Self.hasCopies(among: names, in: directory, of: found)
    if isOriginal, !isCopy {
      identities = found
      (identity, copiedFrom) = (found.identity, nil)
      return
    }
    identities = try LogIdentityFile.create(
      ancestors: found.ancestors + [found.identity], in: directory)
    (identity, copiedFrom) = (identities.identity, found.identity)
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

  /// Returns the file of a partition, which the first call opens and checks.
  private func file(of partition: Partition) async throws(ChangeLogError) -> PartitionFile {
    if let file = try known(partition) { return file }
    return try await openings.result { () throws(ChangeLogError) in
      if let file = try self.known(partition) { return file }
      let file = try PartitionFile(
        partition, in: self.directory, of: self.identities, durability: self.durability)
      self.state.withLock { $0.partitions[partition] = file }
      return file
    }
  }

  private func known(_ partition: Partition) throws(ChangeLogError) -> PartitionFile? {
    try state.withLock { state throws(ChangeLogError) in
      if state.isClosed { throw .closed }
      return state.partitions[partition]
    }
  }
}

extension FileLog {
  /// Returns the end of a partition's log.
  public func head(of partition: Partition) async throws(ChangeLogError) -> LogHead {
    try await file(of: partition).head()
  }

  /// Appends entries at the end of a partition's log.
  ///
  /// All entries of an append are there after a crash, or none.
  ///
  /// - Throws: ``ChangeLogError/headMoved(_:to:)``, ``ChangeLogError/noSpace(path:)``,
  ///   ``ChangeLogError/tooLarge(_:size:limit:)``, and ``ChangeLogError/system(path:call:code:)``,
  ///   after which it isn't known whether the entries are in the log.
  @discardableResult
  public func append(
    _ entries: [[UInt8]], to partition: Partition, expecting head: LogHead?
  ) async throws(ChangeLogError) -> LogHead {
    try await file(of: partition).append(entries, expecting: head)
  }

  /// Returns entries from a position on, in order.
  public func entries(
    of partition: Partition, from position: LogPosition, limit: Int
  ) async throws(ChangeLogError) -> [LogEntry] {
    try await file(of: partition).entries(from: position, limit: limit)
  }

  /// Waits until the log doesn't end at a position anymore.
  public func waitForEntries(
    of partition: Partition, after position: LogPosition
  ) async throws(ChangeLogError) {
    try await file(of: partition).waitForEntries(after: position)
  }

  /// Returns the snapshot of a partition, if one is stored.
  public func snapshot(of partition: Partition) async throws(ChangeLogError) -> LogSnapshot? {
    let file = try await file(of: partition)
    return try await file.upkeep.result { () throws(ChangeLogError) in try file.readSnapshot() }
  }

  /// Stores a snapshot of a partition, in place of the one before.
  public func storeSnapshot(
    _ snapshot: LogSnapshot, of partition: Partition
  ) async throws(ChangeLogError) {
    let file = try await file(of: partition)
    _ = try file.head(havingPosition: snapshot.head.position)
    try await file.sync()
    try await file.upkeep.result { () throws(ChangeLogError) in try file.storeSnapshot(snapshot) }
  }

  /// Removes the entries before a position, which a snapshot must replace.
  ///
  /// The file is written again without them, while appends go on.
  public func truncate(
    _ partition: Partition, before position: LogPosition
  ) async throws(ChangeLogError) {
    let file = try await file(of: partition)
    try await file.upkeep.result { () throws(ChangeLogError) in
      try file.truncate(before: position)
    }
  }

  /// Returns the partitions that have entries or had some, in the order of their names.
  ///
  /// A crash during the first append to a partition can leave it here without entries.
  public func partitions() async throws(ChangeLogError) -> [Partition] {
    let isClosed = state.withLock { $0.isClosed }
    if isClosed { throw .closed }
    let stored = try directory.names().compactMap { Partition(logName: $0) }
    var partitions = Set(stored)
    for (partition, file) in state.withLock({ $0.partitions }) {
      if try file.head() != .start { partitions.insert(partition) }
    }
    return partitions.sorted { $0.name < $1.name }
  }

  /// Waits until all that was appended to a partition is on the device.
  ///
  /// - Throws: ``ChangeLogError/noSpace(path:)`` and other errors of the file system.
  public func sync(_ partition: Partition) async throws(ChangeLogError) {
    try await file(of: partition).sync()
  }

  /// Returns how many bytes were cut off when the partition's file was opened, because a crash had
  /// left them in part.
  public func tornSize(of partition: Partition) async throws(ChangeLogError) -> Int {
    try await file(of: partition).tornSize
  }

  /// Closes the log after all that was appended is on the device.
  ///
  /// All calls throw ``ChangeLogError/closed`` from then on, also those that wait. The directory of
  /// a log that is released without a call of this method is unlocked too, when an interval that
  /// runs is over.
  ///
  /// - Throws: ``ChangeLogError/noSpace(path:)`` and other errors of the file system. The log then
  ///   stays open, except for the partitions that could be written.
  public func close() async throws(ChangeLogError) {
    try await openings.result { () throws(ChangeLogError) in
      for file in self.state.withLock({ Array($0.partitions.values) }) {
        // After the work under way on the partition's queues.
        try file.upkeep.sync { file.commits.sync { Result(catching: file.close) } }.get()
      }
      self.state.withLock { $0.isClosed = true }
      self.directory.close()
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
