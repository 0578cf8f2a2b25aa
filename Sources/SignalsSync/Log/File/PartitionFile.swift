// The file of one partition, from accepting an append to truncation.
//
// State, in two mutexes. `state` is held for as long as memory is changed: the heads, the frames
// that are accepted and not yet written, the waiters, and whether the file has failed. `disk` is
// held while bytes are written, and while another file takes the place of this one: the open file,
// its end, and its index. `state` may be taken inside `disk`, never the reverse. Continuations are
// resumed, and arrivals notified, outside both.
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
// Snapshots and truncation run on the queue `upkeep`, beside appends.

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
  }

  struct Disk {
    /// The file, or `nil` before the first append.
    var file: OpenFile?
    /// The difference between offsets and those in the file.
    var shift = 0
    /// The offset after the frames that are written.
    var end: Int
    /// The head after these frames.
    var head: LogHead
    /// The places of some of these frames.
    var index: FrameIndex
    /// Whether frames were written since the file was opened.
    var hasNewFrames = false
  }

  let partition: Partition
  /// The number of bytes that opening has cut off, because they were written in part.
  let tornSize: Int
  /// The notifications that entries can be read, or that the log is closed.
  let arrivals = Arrivals()

  let directory: LogDirectory
  let identity: LogIdentity
  let durability: FileLog.Durability
  let logName: String
  let snapshotName: String
  let state: Mutex<State>
  let disk: Mutex<Disk>
  let commits: DispatchQueue
  let upkeep: DispatchQueue

  /// Opens and checks the file of a partition, if there is one.
  init(
    _ partition: Partition, in directory: LogDirectory, of identities: LogIdentityFile,
    durability: FileLog.Durability
  ) throws(ChangeLogError) {
    guard let logName = partition.logName, let snapshotName = partition.snapshotName else {
      throw .invalidName(partition)
    }
    let names = try directory.names()
    var opened = Opened()
    if names.contains(logName) {
      opened = try Opened(logName, of: partition, in: directory, identities)
    }
    var snapshot: LogHead?
    if names.contains(snapshotName) {
      let file = try directory.open(snapshotName)
      snapshot = try SnapshotHeader(of: file, partition: partition).head
    }
    let base = opened.index.first.head
    try Self.check(snapshot, of: partition, base: base, head: opened.head, in: directory)

    self.partition = partition
    tornSize = opened.tornSize
    (self.directory, self.durability, identity) = (directory, durability, identities.identity)
    (self.logName, self.snapshotName) = (logName, snapshotName)
    state = Mutex(
      State(
        accepted: opened.head, synced: opened.head, oldest: base.position, snapshot: snapshot,
        end: opened.end, settled: opened.end))
    disk = Mutex(
      Disk(file: opened.file, end: opened.end, head: opened.head, index: opened.index))
    commits = DispatchQueue(label: "signals.log.commits")
    upkeep = DispatchQueue(label: "signals.log.upkeep")
  }

  /// Checks that the snapshot replaces the truncated entries, and that the log has its entries.
  private static func check(
    _ snapshot: LogHead?, of partition: Partition, base: LogHead, head: LogHead,
    in directory: LogDirectory
  ) throws(ChangeLogError) {
    let position = snapshot?.position ?? .start
    if position < base.position {
      let file = "\(directory.path)/\(partition.snapshotName ?? "")"
      let reason = "entries before \(base.position) are truncated, which no snapshot replaces"
      throw .damaged(file: file, offset: 0, reason: reason)
    }
    if position > head.position {
      let file = "\(directory.path)/\(partition.logName ?? "")"
      let reason = "the entries end at \(head.position), before the snapshot at \(position)"
      throw .damaged(file: file, offset: 0, reason: reason)
    }
  }
}

/// A partition's file that was opened and checked, or the beginning of one that isn't there yet.
private struct Opened {
  var file: OpenFile?
  var head = LogHead.start
  var end = LogFileHeader.size
  var index = FrameIndex(FramePoint(head: .start, offset: LogFileHeader.size))
  var tornSize = 0

  init() {}

  /// Opens a file, and cuts off a group that was written in part.
  init(
    _ name: String, of partition: Partition, in directory: LogDirectory,
    _ identities: LogIdentityFile
  ) throws(ChangeLogError) {
    let file = try directory.open(name)
    let header = try LogFileHeader(of: file)
    let status = try file.status()
    guard header.name == partition.nameHash,
      identities.check(header, mark: status.mark).isKnown
    else { throw .damaged(file: file.path, offset: 0, reason: "it is the file of another log") }
    let scan = try LogFileScan(file, header: header, size: status.size)
    if scan.tornSize > 0 { try file.cut(to: scan.end) }
    // What a process wrote before it was killed may not be on the device yet.
    try file.sync()
    (self.file, head, end, index) = (file, scan.head, scan.end, scan.index)
    tornSize = scan.tornSize
  }
}

/// An append or a call that waits until frames are on the device.
struct SyncWaiter {
  enum Outcome {
    /// The frames up to the head are on the device.
    case synced(LogHead)
    /// The group that ran has ended; the call has to look again.
    case over
    case failed(ChangeLogError)
  }

  /// The outcome if all goes well.
  let outcome: Outcome
  /// The position up to which frames have to be on the device.
  let position: LogPosition
  let continuation: CheckedContinuation<Outcome, Never>

  /// Resumes the call.
  func resume() { continuation.resume(returning: outcome) }

  /// Resumes the call after its group has failed.
  func resume(throwing error: ChangeLogError) {
    if case .over = outcome { resume() } else { continuation.resume(returning: .failed(error)) }
  }
}
