// The file of one partition, from accepting an append to truncation.
//
// State, in two mutexes. `state` is held for as long as memory is changed: the heads, the frames
// that are accepted and not yet written, the waiters, and whether the file has failed. `disk` is
// held while bytes are written, and while another file takes the place of this one: the open file,
// its end, and its index. `state` may be taken inside `disk`, never the reverse. Continuations are
// resumed, and arrivals notified, outside both. `lastUse` is a number that `OpenFiles` compares.
//
// Offsets in `state` and `disk` count all bytes since the file was opened or made: truncation
// leaves them as they are, and changes `shift`, which is subtracted to get the offset in the file.
//
// Order of events of an append: its frame is added to `state.frames`, which moves `accepted`. The
// queue `commits` writes all frames that are there by one call, syncs the file once, moves
// `synced`, and resumes the appends up to it; frames accepted meanwhile are the next group. With
// `Durability.interval` an append ends when it is accepted, and a group is written when the
// interval is over, when a reader wants it, or when it is large.
//
// After a failure that leaves the content of the device unknown nothing is written any more:
// `failure` is set, once, and each write looks for it while it holds `disk`. After any other
// failure, frames whose appends have returned stay in `state.frames`, `stall` is set, and the next
// commit writes them.
//
// Snapshots and truncation run on the queue `upkeep`, beside appends. Other partitions share the
// queues. The file is closed if it isn't used for long, and opened again when it is.

import Dispatch
import Synchronization

/// The file of one partition of a ``FileLog``.
final class PartitionFile: Sendable {
  struct State {
    /// The head after all frames that were accepted.
    var accepted: LogHead
    /// The head after the frames that are on the device.
    var synced: LogHead
    /// The position of the first entry.
    var oldest: LogPosition
    /// The head of the snapshot.
    var snapshot: LogHead?
    /// The offset after all frames that were accepted.
    var end: Int
    /// The offset after the frames that are on the device.
    var settled: Int
    /// The frames that are accepted and not written.
    var frames: [UInt8] = []
    /// The places of these frames.
    var points: [FramePoint] = []
    /// What waits for frames to be on the device.
    var waiters: [SyncWaiter] = []
    /// Whether a commit is queued or runs.
    var isCommitting = false
    /// Whether a commit is due when the interval is over.
    var isTicking = false
    /// Why accepted frames couldn't be written the last time.
    var stall: ChangeLogError?
    /// Why nothing can be appended until the log is opened again.
    var failure: ChangeLogError?
    /// The failure or stall that was reported last.
    var reported: ChangeLogError?
    /// Whether nothing can be called any more.
    var isClosed = false
  }

  struct Disk {
    /// The file, or `nil` if it isn't open.
    var file: OpenFile?
    /// Whether there is a file.
    var exists: Bool
    /// The difference between offsets and those in the file.
    var shift = 0
    /// The offset after the frames that are written.
    var end: Int
    /// The head after these frames.
    var head: LogHead
    /// The places of some of these frames.
    var index: FrameIndex
    /// Whether frames were written since the file was opened, which it then is.
    var hasNewFrames = false
  }

  let partition: Partition
  /// The number of bytes that opening has cut off, because they were written in part.
  let tornSize: Int
  /// The notifications that entries can be read, or that the log is closed.
  let arrivals = Arrivals()
  /// The number of the last use of the file.
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
    try partition.checkName()
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

  /// Whether there is nothing of the partition in the directory.
  var isEmpty: Bool {
    state.withLock { $0.snapshot == nil } && disk.withLock { !$0.exists }
  }

  /// Returns the file, which is opened if there is one.
  func openFile(_ disk: inout Disk) throws(ChangeLogError) -> OpenFile? {
    lastUse.store(work.openFiles.nextUse(), ordering: .relaxed)
    if let file = disk.file { return file }
    guard disk.exists else { return nil }
    let file = try directory.open(logName)
    setFile(file, in: &disk)
    return file
  }

  /// Makes a file the open one.
  func setFile(_ file: OpenFile, in disk: inout Disk) {
    let wasOpen = disk.file != nil
    (disk.file, disk.exists) = (file, true)
    if !wasOpen { work.openFiles.add(self) }
  }
}

extension PartitionFile.State {
  /// Whether all that was accepted is on the device.
  var isSettled: Bool { accepted == synced }

  /// Checks that the log isn't closed and can be written.
  func check() throws(ChangeLogError) {
    if isClosed { throw .closed }
    if let failure { throw failure }
  }
}
