// The file of one partition, from accepting an append to truncation.
//
// Two mutexes guard the state. `state` is locked while memory is changed. `disk` is locked while
// bytes are written, and while another file replaces this one. `state` may be locked inside `disk`,
// never the reverse. Continuations are resumed outside of both.
//
// Offsets in `state` and `disk` count all bytes since the file was opened or created. Truncation
// doesn't change them. It changes `shift`, which is subtracted to get the offset in the file.
//
// Order of events of an append: its frame is added to `state.frames`, which moves `accepted`. The
// queue `commits` writes all accepted frames by one call, syncs the file once, moves `synced`, and
// resumes the appends up to it. Frames that are accepted during the call are the next group. With
// `Durability.interval`, an append returns when it is accepted, and a group is written at the end
// of the interval, when a reader needs it, or when it is large.
//
// After a failure that leaves the contents of the device unknown, nothing is written anymore:
// `failure` is set once, and each write checks it while `disk` is locked. After any other failure,
// frames whose appends have returned stay in `state.frames`, `stall` is set, and the next commit
// writes them.
//
// Snapshots and truncation run on the queue `upkeep`, concurrently with appends. Partitions share
// the queues. A file that isn't used for a long time is closed, and opened again at the next use.

import Dispatch
import Synchronization

/// The file of one partition of a ``FileLog``.
final class PartitionFile: Sendable {
  struct State {
    /// The head after all accepted frames.
    var accepted: LogHead
    /// The head after the durable frames.
    var synced: LogHead
    /// The position of the first entry.
    var oldest: LogPosition
    /// The head of the snapshot.
    var snapshot: LogHead?
    /// The offset after all accepted frames.
    var end: Int
    /// The offset after the durable frames.
    var settled: Int
    /// The accepted frames that aren't written.
    var frames: [UInt8] = []
    /// The locations of these frames.
    var points: [FramePoint] = []
    /// The calls that wait for durable frames.
    var waiters: [SyncWaiter] = []
    /// Whether a commit is queued or runs.
    var isCommitting = false
    /// Whether a commit is due at the end of the interval.
    var isTicking = false
    /// The error of the last attempt to write accepted frames, which will be repeated.
    var stall: ChangeLogError?
    /// The error after which nothing can be appended until the log is opened again.
    var failure: ChangeLogError?
    /// The failure or stall that was reported last.
    var reported: ChangeLogError?
    /// Whether the file is closed, so that all calls throw.
    var isClosed = false
  }

  struct Disk {
    /// The file, or `nil` if it isn't open.
    var file: OpenFile?
    /// Whether there is a file.
    var exists: Bool
    /// The difference between offsets here and offsets in the file.
    var shift = 0
    /// The offset after the written frames.
    var end: Int
    /// The head after these frames.
    var head: LogHead
    /// The locations of some of these frames.
    var index: FrameIndex
    /// Whether frames were written since the file was opened.
    ///
    /// If so, the file is open.
    var hasNewFrames = false
  }

  let partition: Partition
  /// The number of bytes of incomplete frames that opening has removed.
  let tornSize: Int
  /// The number of the last use of the file, which `OpenFiles` compares.
  let lastUse = Atomic<UInt64>(0)

  let work: LogWork
  let state: Mutex<State>
  let disk: Mutex<Disk>
  let commits: DispatchQueue
  let upkeep: DispatchQueue

  var directory: LogDirectory { work.directory }
  var durability: FileLog.Durability { work.durability }
  var logName: String { partition.logName }
  var snapshotName: String { partition.snapshotName }

  /// Opens and checks the file of a partition, if there is one.
  init(_ partition: Partition, of work: LogWork) throws(ChangeLogError) {
    try partition.checkLimits()
    for name in [partition.logName, partition.snapshotName] {
      try work.directory.removeLeftover(of: name)
    }
    var opened = try OpenedLogFile(partition, of: work)
    var snapshot: LogHead?
    if let file = try work.directory.openIfPresent(partition.snapshotName) {
      let header = try SnapshotHeader(of: file, partition: partition)
      snapshot = header.head
      if header.isStart, header.head.position > opened.head.position {
        // A crash has interrupted the start from this snapshot.
        opened = try OpenedLogFile(partition, startingAt: header.head, of: work)
      }
    }
    let base = opened.index.first.head
    try Self.check(
      snapshot, of: partition, base: base, head: opened.head, in: work.directory)

    (self.partition, self.work, tornSize) = (partition, work, opened.tornSize)
    state = Mutex(
      State(
        accepted: opened.head, synced: opened.head, oldest: base.position, snapshot: snapshot,
        end: opened.end, settled: opened.end))
    disk = Mutex(
      Disk(
        file: opened.file, exists: opened.file != nil, end: opened.end, head: opened.head,
        index: opened.index))
    (commits, upkeep) = (work.commits(of: partition), work.upkeep(of: partition))
    if opened.file != nil { work.openFiles.add(self) }
    // The positions alone would let a restored checkpoint precede the entries of another log.
    if let snapshot, try find(snapshot.position)?.head ?? .start != snapshot {
      throw .otherHistory(partition, position: snapshot.position)
    }
  }

  /// Checks that the snapshot replaces the truncated entries, and that the log has its entries.
  private static func check(
    _ snapshot: LogHead?, of partition: Partition, base: LogHead, head: LogHead,
    in directory: LogDirectory
  ) throws(ChangeLogError) {
    let position = snapshot?.position ?? .start
    if position < base.position {
      let file = "\(directory.path)/\(partition.snapshotName)"
      let reason = "entries before \(base.position) are truncated, which no snapshot replaces"
      throw .damaged(file: file, offset: 0, reason: reason)
    }
    if position > head.position {
      let file = "\(directory.path)/\(partition.logName)"
      let reason = "the entries end at \(head.position), before the snapshot at \(position)"
      throw .damaged(file: file, offset: 0, reason: reason)
    }
  }

  /// Whether the directory has no files of the partition.
  var isEmpty: Bool {
    state.withLock { $0.snapshot == nil } && disk.withLock { !$0.exists }
  }

  /// Returns the file, and opens it if necessary, or returns `nil` if there is none.
  func openFile(_ disk: inout Disk) throws(ChangeLogError) -> OpenFile? {
    lastUse.store(work.openFiles.nextUse(), ordering: .relaxed)
    if let file = disk.file { return file }
    guard disk.exists else { return nil }
    let file = try directory.open(logName)
    setFile(file, in: &disk)
    return file
  }

  /// Replaces the open file.
  func setFile(_ file: OpenFile, in disk: inout Disk) {
    let wasOpen = disk.file != nil
    (disk.file, disk.exists) = (file, true)
    if !wasOpen { work.openFiles.add(self) }
  }
}

extension PartitionFile.State {
  /// Whether all accepted frames are durable.
  var isSettled: Bool { accepted == synced }

  /// Checks that the log isn't closed and can be written.
  ///
  /// - Throws: ``ChangeLogError/closed``, or the error of an earlier write.
  func check() throws(ChangeLogError) {
    if isClosed { throw .closed }
    if let failure { throw failure }
  }
}
