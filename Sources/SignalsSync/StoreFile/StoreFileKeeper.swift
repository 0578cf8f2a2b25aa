// The state is behind one mutex: the isolation domain of the store and the log's queue for upkeep
// use it.
//
// Order of events of a compaction, which runs on that queue while commits continue: the checkpoint
// and the entries are read from the file and merged; the result is stored as the new checkpoint;
// then the entries are truncated.

internal import Dispatch
internal import Synchronization

/// Manages the log and the checkpoints of a store file.
final class StoreFileKeeper: Sendable {
  private struct State {
    /// The size of the entries after the checkpoint, in bytes.
    var tailSize = 0
    /// The size of the entries at which they are merged into the checkpoint.
    var dueSize: Int
    var isCompacting = false
    var isClosed = false
  }

  /// The smallest size of the entries, in bytes, at which a checkpoint is written.
  private let smallestTail: Int
  private let path: String
  private let log: FileLog
  /// The partition of the log that contains the store.
  static let partition = Partition("store")
  private let state: Mutex<State>
  let problems = StoreFileProblems()

  /// Opens the log of a file.
  ///
  /// A checkpoint is written when the entries have `smallestTail` bytes, or more.
  init(
    at path: String, interval: Duration, smallestTail: Int, limits: SizeLimits,
    files: any FileSystem
  ) throws(StoreFileError) {
    (self.path, self.smallestTail) = (path, smallestTail)
    state = Mutex(State(dueSize: smallestTail))
    do throws(ChangeLogError) {
      log = try FileLog(
        at: path, durability: .interval(interval), limits: limits, files: files,
        onFailure: { [problems] _, error in
          problems.note(error.map { error in StoreFileError(error, at: path) }, .log)
        })
    } catch {
      throw StoreFileError(error, at: path)
    }
  }

  deinit { log.closeLater() }

  // MARK: - Opening

  /// Reads the contents of the file.
  func contents() throws(StoreFileError) -> FileContents {
    let sum = try sum(of: file())
    state.withLock { state in
      state.tailSize = sum.tailSize
      state.dueSize = max(smallestTail, sum.checkpointSize)
    }
    return sum.contents
  }

  private func file() throws(StoreFileError) -> PartitionFile {
    try logged { () throws(ChangeLogError) in try log.blockingFile(of: Self.partition) }
  }

  /// Replaces the checkpoint and the entries by one entry with all objects of a store.
  ///
  /// If the device has failed, the entry is written to new files, which replace the present ones.
  func replaceEntries(by entry: [UInt8]) throws(StoreFileError) {
    let file = try file()
    try logged { () throws(ChangeLogError) in
      if file.failure != nil {
        return try file.upkeep.sync {
          file.commits.sync {
            Result { () throws(ChangeLogError) in try file.restart(from: entry) }
          }
        }.get()
      }
      var isDone = false
      while !isDone {
        try file.flush()
        // The entry counts as the last one, so that the others, which may be damaged, aren't read.
        let snapshot = LogSnapshot(head: try file.head().after(entry), bytes: entry)
        isDone = try file.upkeep.sync {
          Result { () throws(ChangeLogError) in try file.start(from: snapshot, expecting: nil) }
        }.get()
      }
    }
    state.withLock { ($0.tailSize, $0.dueSize) = (0, max(smallestTail, entry.count)) }
  }

  // MARK: - Commits

  /// Appends the entry of a commit.
  ///
  /// - Returns: Whether the entry was accepted, or needn't be. If not, no later entry can be accepted.
  func accept(_ entry: [UInt8]) -> Bool {
    if problems.problem(.missing) != nil { return false }
    do throws(ChangeLogError) {
      try log.accept([entry], in: Self.partition)
    } catch {
      // While the file is being closed, later commits aren't saved, which isn't a problem.
      if case .closed = error { return true }
      problems.note(StoreFileError(error, at: path), .missing)
      return false
    }
    let isDue = state.withLock { state in
      state.tailSize += entry.count
      if state.isCompacting || state.tailSize < state.dueSize { return false }
      state.isCompacting = true
      return true
    }
    if isDue, let file = try? file() {
      // The keeper may be released with the closure, and then closes the log.
      file.upkeep.async(group: LogDirectory.closings) { self.compact(file) }
    }
    return true
  }

  /// Whether the device has space for a new checkpoint.
  var canReplace: Bool {
    if case .noSpace? = problems.problem(.log) { false } else { true }
  }

  /// Whether the open file lacks commits.
  var isBehind: Bool {
    (problems.problem(.missing) != nil || hasFailed) && !state.withLock { $0.isClosed }
  }

  /// Whether the device has failed, so that only new files can be written.
  var hasFailed: Bool { failure != nil }

  private var failure: ChangeLogError? { (try? file())?.failure }

  /// Returns whether the file has neither a checkpoint nor entries.
  func isEmpty() throws(StoreFileError) -> Bool { try file().isEmpty }

  /// Replaces the contents of the file, and records the outcome as a problem.
  ///
  /// - Parameter entry: The entry with all objects of the store.
  /// - Returns: Whether the contents were replaced.
  func replace(by entry: [UInt8]) -> Bool {
    do throws(StoreFileError) {
      try replaceEntries(by: entry)
      problems.note(nil, .missing)
      return true
    } catch {
      problems.note(error, .missing)
      return false
    }
  }

  /// Waits until all accepted entries are durable, and blocks the calling thread.
  func flushEntries() throws(StoreFileError) {
    try logged { () throws(ChangeLogError) in try log.flush(Self.partition) }
  }

  /// Waits until all accepted entries are durable, without blocking a thread.
  func flushEntriesLater() async throws(StoreFileError) {
    do throws(ChangeLogError) {
      try await log.sync(Self.partition)
    } catch {
      throw StoreFileError(error, at: path)
    }
  }

  /// Throws if the file lacks a commit or a value.
  ///
  /// The problems are the present ones afterwards.
  ///
  /// - Throws: The error that keeps it out of the file.
  func checkMissing() throws(StoreFileError) {
    log.awaitReports()
    if let missing = problems.problem(.missing) { throw missing }
    if let failure { throw StoreFileError(failure, at: path) }
    if let refused = problems.problem(.value) { throw refused }
  }

  /// Closes the file, unless commits wait for space.
  func close() async throws(StoreFileError) {
    if case .noSpace? = problems.problem(.missing) { try checkMissing() }
    do throws(ChangeLogError) {
      try await log.close()
    } catch {
      if case .noSpace = error { throw StoreFileError(error, at: path) }
      state.withLock { $0.isClosed = true }
      problems.finish()
      throw StoreFileError(error, at: path)
    }
    state.withLock { $0.isClosed = true }
    problems.finish()
    try checkMissing()
  }

  // MARK: - Checkpoints

  /// The contents that result from the checkpoint and the entries after it.
  fileprivate struct Sum {
    var contents = FileContents()
    /// The head of the log after these entries.
    var head = LogHead.start
    /// The size of the checkpoint, in bytes.
    var checkpointSize = 0
    /// The size of the entries, in bytes.
    var tailSize = 0
  }

  private func sum(of file: PartitionFile) throws(StoreFileError) -> Sum {
    var sum = Sum()
    try forEachEntry(of: file) { entry, head throws(StoreFileError) in
      try sum.add(entry.bytes, at: entry.position, in: path)
      sum.head = head
      if entry.position == head.position {
        sum.checkpointSize = entry.bytes.count
      } else {
        sum.tailSize += entry.bytes.count
      }
    }
    return sum
  }

  /// Calls a closure with the checkpoint, if there is one, and with each entry after it.
  ///
  /// - Parameter body: Called with an entry and the head after it. The checkpoint has the position of
  ///   that head.
  func forEachEntry(
    _ body: (LogEntry, LogHead) throws(StoreFileError) -> Void
  ) throws(StoreFileError) { try forEachEntry(of: file(), body) }

  private func forEachEntry(
    of file: PartitionFile, _ body: (LogEntry, LogHead) throws(StoreFileError) -> Void
  ) throws(StoreFileError) {
    var head = LogHead.start
    if let snapshot = try logged({ () throws(ChangeLogError) in try file.readSnapshot() }) {
      head = snapshot.head
      try body(LogEntry(position: head.position, bytes: snapshot.bytes), head)
    }
    while true {
      let entries = try logged { () throws(ChangeLogError) in
        try file.entries(from: head.position, limit: .max)
      }
      if entries.isEmpty { return }
      for entry in entries {
        head = head.after(entry.bytes)
        try body(entry, head)
      }
    }
  }

  /// Merges the entries into the checkpoint.
  private func compact(_ file: PartitionFile) {
    var joined = 0
    var size: Int?
    do throws(StoreFileError) {
      let sum = try sum(of: file)
      let entry = try sum.encoded(in: path)
      try logged { () throws(ChangeLogError) in
        // Some of the entries may not be written yet.
        try file.flush()
        try file.storeSnapshot(LogSnapshot(head: sum.head, bytes: entry))
        try file.truncate(before: sum.head.position)
      }
      (joined, size) = (sum.tailSize, entry.count)
      if problems.problem(.growing) != nil { problems.note(nil, .growing) }
    } catch {
      // Unless the file is damaged, it has all commits even without a new checkpoint.
      switch error {
      case .damaged: problems.note(error, .missing)
      case .closed: break
      default: problems.note(.growing(reason: "\(error)"), .growing)
      }
    }
    state.withLock { state in
      state.isCompacting = false
      state.tailSize -= joined
      state.dueSize = size.map { max(smallestTail, $0) } ?? 2 * state.tailSize
    }
  }

  private func logged<Result>(
    _ body: () throws(ChangeLogError) -> Result
  ) throws(StoreFileError) -> Result {
    do throws(ChangeLogError) { return try body() } catch { throw StoreFileError(error, at: path) }
  }
}

extension StoreFileKeeper.Sum {
  fileprivate mutating func add(
    _ entry: [UInt8], at position: LogPosition, in path: String
  ) throws(StoreFileError) {
    if let version = entry.first, version != FileContents.version {
      throw .otherFormat(path: path, version: Int(version))
    }
    do throws(FileContentsError) {
      try contents.apply(entry)
    } catch {
      throw .damaged(
        path: path, reason: "\(error.reason), in entry \(position) at byte \(error.offset)")
    }
  }

  fileprivate func encoded(in path: String) throws(StoreFileError) -> [UInt8] {
    do { return try contents.encoded() } catch { throw .damaged(path: path, reason: "\(error)") }
  }
}
