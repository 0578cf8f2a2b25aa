// Going on after a failure of the device.
//
// What the device has of the file isn't known, and a later `fsync` that succeeds proves nothing:
// the system may have dropped what it couldn't write. So nothing of the file is used again. Another
// one is made beside it, whose content comes from memory, and gets its name when all of it is on
// the device. The files of a start are written: see `start(from:expecting:)` for a crash between
// the two names.

import Synchronization

extension PartitionFile {
  /// Why nothing can be appended to the file.
  var failure: ChangeLogError? { state.withLock { $0.failure } }

  /// Replaces the file, whose device has failed, by one that has only a snapshot.
  ///
  /// Runs on `commits` inside `upkeep`, after the work under way.
  ///
  /// - Throws: An error after which this can be tried again.
  func restart(from bytes: [UInt8]) throws(ChangeLogError) {
    let head = try state.withLock { state throws(ChangeLogError) in
      if state.isClosed { throw .closed }
      // After an attempt that failed between the names, too, the next head is after all others.
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
    arrivals.notify()
    report()
  }
}
