// The log of a store's file, and its checkpoints.
//
// State, behind one mutex: `tailSize`, the bytes of the entries after the checkpoint; `dueSize`, the
// number of them at which they are joined to it; `isCompacting`; `isClosed`. The isolation domain of
// the store uses it, and the log's queue for upkeep.
//
// Order of events of a compaction, which runs on that queue: the checkpoint and the entries are
// read from the file and added up, and the sum is stored as the checkpoint; then the entries are
// truncated. Commits go on meanwhile.

internal import Dispatch
internal import Synchronization

/// What a store's file consists of.
final class StoreFileKeeper: Sendable {
  private struct State {
    var tailSize = 0
    var dueSize: Int
    var isCompacting = false
    var isClosed = false
  }

  /// Fewer bytes of entries aren't worth a checkpoint.
  private let smallestTail: Int
  private let log: FileLog
  /// The partition of the log that has a store.
  static let partition = Partition("store")
  private let state: Mutex<State>
  let problems = StoreFileProblems()

  /// Opens the log of a file.
  init(
    at path: String, interval: Duration, smallestTail: Int, limits: SizeLimits,
    files: any FileSystem
  ) throws(StoreFileError) {
    self.smallestTail = smallestTail
    state = Mutex(State(dueSize: smallestTail))
    do throws(ChangeLogError) {
      log = try FileLog(
        at: path, durability: .interval(interval), limits: limits, files: files,
        onFailure: { [problems] _, error in
          problems.note(error.map { error in .log(error) }, .log)
        })
    } catch {
      throw .log(error)
    }
  }

  // MARK: - Opening

  /// Reads the objects that the file has.
  func contents() throws(StoreFileError) -> StoredContents {
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

  /// Makes the entry of all objects of a store the only one of the file.
  ///
  /// If the device has failed, it is written to other files beside those in doubt.
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
        // As if the entry were the last one, so that none of the others, which may be damaged, is
        // read.
        let snapshot = LogSnapshot(head: try file.head().after(entry), bytes: entry)
        isDone = try file.upkeep.sync {
          Result { () throws(ChangeLogError) in try file.start(from: snapshot, expecting: nil) }
        }.get()
      }
    }
    state.withLock { ($0.tailSize, $0.dueSize) = (0, max(smallestTail, entry.count)) }
  }

  // MARK: - Commits

  /// Adds the entry of a commit.
  ///
  /// - Returns: Whether the file has it, or will have it. If not, no entry can follow.
  func accept(_ entry: [UInt8]) -> Bool {
    if problems.problem(.missing) != nil { return false }
    do throws(ChangeLogError) {
      try log.accept([entry], in: Self.partition)
    } catch {
      problems.note(.log(error), .missing)
      return false
    }
    let isDue = state.withLock { state in
      state.tailSize += entry.count
      if state.isCompacting || state.tailSize < state.dueSize { return false }
      state.isCompacting = true
      return true
    }
    if isDue, let file = try? file() { file.upkeep.async { self.compact(file) } }
    return true
  }

  var canReplace: Bool {
    if case .log(.noSpace)? = problems.problem(.log) { false } else { true }
  }

  var isBehind: Bool {
    (problems.problem(.missing) != nil || hasFailed) && !state.withLock { $0.isClosed }
  }

  /// Whether the device has failed, so that only other files can be written.
  var hasFailed: Bool { failure != nil }

  private var failure: ChangeLogError? { (try? file())?.failure }

  /// Whether nothing was kept in the file before.
  func isEmpty() throws(StoreFileError) -> Bool { try file().isEmpty }

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

  func note(_ problem: StoreFileError?) { problems.note(problem, .value) }

  /// Returns when all entries that were accepted are on the device.
  func flushEntries() throws(StoreFileError) {
    try logged { () throws(ChangeLogError) in try log.flush(Self.partition) }
  }

  /// Returns when all entries that were accepted are on the device, without blocking a thread.
  func flushEntriesLater() async throws(StoreFileError) {
    do throws(ChangeLogError) { try await log.sync(Self.partition) } catch { throw .log(error) }
  }

  /// Throws the reason for which the file lacks a commit.
  func checkMissing() throws(StoreFileError) {
    if let missing = problems.problem(.missing) { throw missing }
    if let failure { throw .log(failure) }
  }

  /// Closes the file, unless commits wait for space.
  func close() async throws(StoreFileError) {
    if case .log(.noSpace) = problems.problem(.missing) { try checkMissing() }
    do throws(ChangeLogError) {
      try await log.close()
    } catch {
      if case .noSpace = error { throw .log(error) }
      state.withLock { $0.isClosed = true }
      problems.finish()
      throw .log(error)
    }
    state.withLock { $0.isClosed = true }
    problems.finish()
    try checkMissing()
  }

  // MARK: - Checkpoints

  /// What the checkpoint and the entries after it add up to.
  fileprivate struct Sum {
    var contents = StoredContents()
    /// The head of the log after these entries.
    var head = LogHead.start
    var checkpointSize = 0
    var tailSize = 0
  }

  private func sum(of file: PartitionFile) throws(StoreFileError) -> Sum {
    var sum = Sum()
    if let snapshot = try logged({ () throws(ChangeLogError) in try file.readSnapshot() }) {
      try sum.add(snapshot.bytes, at: snapshot.head.position)
      (sum.head, sum.checkpointSize) = (snapshot.head, snapshot.bytes.count)
    }
    while true {
      let entries = try logged { () throws(ChangeLogError) in
        try file.entries(from: sum.head.position, limit: .max)
      }
      if entries.isEmpty { return sum }
      for entry in entries {
        try sum.add(entry.bytes, at: entry.position)
        sum.head = sum.head.after(entry.bytes)
        sum.tailSize += entry.bytes.count
      }
    }
  }

  /// Joins the entries to the checkpoint.
  private func compact(_ file: PartitionFile) {
    var joined = 0
    var size: Int?
    do throws(StoreFileError) {
      let sum = try sum(of: file)
      let entry = try sum.encoded()
      try logged { () throws(ChangeLogError) in
        // Some of the entries may have been accepted only.
        try file.flush()
        try file.storeSnapshot(LogSnapshot(head: sum.head, bytes: entry))
        try file.truncate(before: sum.head.position)
      }
      (joined, size) = (sum.tailSize, entry.count)
      if problems.problem(.growing) != nil { problems.note(nil, .growing) }
    } catch {
      // Without a checkpoint the file has all commits nevertheless, unless it is damaged.
      switch error {
      case .damaged, .log(.damaged): problems.note(error, .missing)
      case .log(.closed): break
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
    do throws(ChangeLogError) { return try body() } catch { throw .log(error) }
  }
}

extension StoreFileKeeper.Sum {
  fileprivate mutating func add(
    _ entry: [UInt8], at position: LogPosition
  ) throws(StoreFileError) {
    do throws(StoredContentsError) {
      try contents.apply(entry)
    } catch {
      throw .damaged(entry: position, offset: error.offset, reason: error.reason)
    }
  }

  fileprivate func encoded() throws(StoreFileError) -> [UInt8] {
    do { return try contents.encoded() } catch {
      throw .damaged(entry: head.position, offset: 0, reason: "\(error)")
    }
  }
}
