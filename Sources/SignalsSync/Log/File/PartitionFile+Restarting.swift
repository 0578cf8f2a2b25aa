// Continuing after a failure of the device.
//
// The contents of the file on the device are unknown, and a later successful `fsync` proves
// nothing, because the system may have dropped bytes that it couldn't write. So the file isn't used
// anymore. A new file with contents from memory replaces it once the new file is durable. The
// snapshot and the file are written as by `start(from:expecting:)`, which handles a crash between
// the two names.

import Synchronization

extension PartitionFile {
  /// The error after which nothing can be appended to the file.
  var failure: ChangeLogError? { state.withLock { $0.failure } }

  /// Replaces the file, whose device has failed, by a snapshot and a file without entries.
  ///
  /// Runs on `commits` inside `upkeep`, after the pending work.
  ///
  /// - Throws: ``ChangeLogError``. The call can be repeated then.
  func restart(from bytes: [UInt8]) throws(ChangeLogError) {
    let head = try state.withLock { state throws(ChangeLogError) in
      if state.isClosed { throw .closed }
      // The new head is after all earlier ones, even those of an attempt that failed between the
      // names.
      state.accepted = state.accepted.after(bytes)
      (state.frames, state.points) = ([], [])
      return state.accepted
    }
    directory.forgetFailure()
    let file: OpenFile
    do {
      try prepare(LogSnapshot(head: head, bytes: bytes), isStart: true)
      file = try OpenedLogFile.prepare(partition, startingAt: head, of: work)
      try directory.put(snapshotName)
      try directory.put(logName)
    } catch {
      removePrepared()
      throw error
    }
    disk.withLock { disk in
      setFile(file, in: &disk)
      state.withLock { state in
        (state.synced, state.snapshot, state.oldest) = (head, head, head.position)
        (state.settled, state.stall, state.failure) = (state.end, nil, nil)
        disk.end = state.end
      }
      (disk.head, disk.hasNewFrames) = (head, false)
      disk.shift = disk.end - LogFileHeader.size
      disk.index = FrameIndex(FramePoint(head: head, offset: disk.end))
    }
    report()
  }
}
