import Dispatch
import Synchronization

extension PartitionFile {
  /// Writes and syncs groups of frames until nothing waits for one.
  ///
  /// Runs on `commits`.
  func commitWaiting() {
    var isWaitedFor = true
    while isWaitedFor {
      commit()
      isWaitedFor = state.withLock { state in
        state.isCommitting = !state.waiters.isEmpty
        return state.isCommitting
      }
    }
  }

  /// Commits when the interval is over, and again if there is more then.
  func commitLater(after interval: Duration) {
    let limit = Duration.seconds(1_000_000_000)
    let (seconds, attoseconds) = min(max(interval, .zero), limit).components
    let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    commits.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
      self.commit()
      let isDue = self.state.withLock { state in
        state.isTicking = !state.isSettled && state.failure == nil
        return state.isTicking
      }
      if isDue { self.commitLater(after: interval) }
    }
  }

  /// Writes all frames that are accepted to the device, by one sync of the file.
  ///
  /// Runs on `commits`.
  private func commit() {
    let waiters: [SyncWaiter]
    do {
      let (file, head, end) = try disk.withLock { disk throws(ChangeLogError) in
        try write(&disk)
        return (disk.file, disk.head, disk.end)
      }
      try file?.sync()
      waiters = state.withLock { $0.settle(at: head, end: end) }
    } catch {
      fail(error)
      return
    }
    if durability == .each { arrivals.notify() }
    for waiter in waiters { waiter.resume() }
  }

  /// Writes the accepted frames without an `fsync`.
  func writeAccepted() throws(ChangeLogError) {
    try disk.withLock { disk throws(ChangeLogError) in try write(&disk) }
  }

  /// Writes the accepted frames, or leaves file and frames as they were.
  func write(_ disk: inout Disk) throws(ChangeLogError) {
    let (frames, points, head) = state.withLock { $0.takeFrames() }
    if frames.isEmpty { return }
    do {
      if disk.file == nil { disk.file = try makeFile() }
      try disk.file?.write(frames, at: disk.end - disk.shift)
    } catch {
      state.withLock { $0.putBack(frames, points, stall: error) }
      // Frames of the group that are whole must not precede those of a later one.
      do {
        try disk.file?.cut(to: disk.end - disk.shift)
      } catch {
        state.withLock { $0.failure = error }
      }
      throw error
    }
    disk.end += frames.count
    disk.head = head
    for point in points { disk.index.add(point) }
    disk.hasNewFrames = true
    state.withLock { $0.stall = nil }
  }

  /// Ends all calls that wait, after their frames couldn't be written.
  ///
  /// If the device is full, the frames whose appends haven't returned are dropped. After any other
  /// error the state of the file isn't known, and nothing can be appended until it's opened again.
  private func fail(_ error: ChangeLogError) {
    let waiters = state.withLock { state in
      if case .noSpace = error {} else { state.failure = state.failure ?? error }
      if durability == .each, state.failure == nil { state.dropFrames() }
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume(throwing: error) }
  }

  /// Makes the file for the first entries.
  private func makeFile() throws(ChangeLogError) -> OpenFile {
    let file = try directory.prepare(logName) { file throws(ChangeLogError) in
      try writeHeader(of: file, base: .start, settled: LogFileHeader.size)
    }
    try directory.put(logName)
    return file
  }

  /// Writes the header of a new file.
  func writeHeader(
    of file: OpenFile, base: LogHead, settled: Int
  ) throws(ChangeLogError) {
    let mark = try file.status().mark
    let header = LogFileHeader(
      identity: identity, mark: mark, partition: partition, base: base, settled: settled)
    try file.write(header.bytes, at: 0)
  }

  /// Closes the file after all that was accepted is on the device.
  ///
  /// Runs on `commits`. If it throws, the file stays open.
  func close() throws(ChangeLogError) {
    // Nothing may be accepted after the last write.
    let hasFailed = state.withLock { state in
      defer { state.failure = .closed }
      return state.failure != nil
    }
    do {
      if !hasFailed { try writeLastFrames() }
    } catch {
      state.withLock { if $0.failure == .closed { $0.failure = nil } }
      throw error
    }
    arrivals.notify()
    for waiter in state.withLock({ $0.takeWaiters() }) { waiter.resume(throwing: .closed) }
  }

  /// Writes the accepted frames to the device, and a last frame that states that they are on it.
  ///
  /// With the last frame, damage of any frame before it is detected.
  private func writeLastFrames() throws(ChangeLogError) {
    let waiters = try disk.withLock { disk throws(ChangeLogError) -> [SyncWaiter] in
      try write(&disk)
      guard disk.hasNewFrames, let file = disk.file else { return [] }
      try file.sync()
      var mark: [UInt8] = []
      _ = mark.append(frameOf: [], size: 0, after: disk.head, distance: 0)
      let end = disk.end - disk.shift
      // Without space for it, less damage is detected; the log is whole.
      if (try? file.write(mark, at: end)) == nil { try file.cut(to: end) }
      disk.hasNewFrames = false
      return state.withLock { $0.settle(at: disk.head, end: disk.end) }
    }
    for waiter in waiters { waiter.resume() }
  }
}

extension PartitionFile.State {
  fileprivate mutating func takeFrames() -> ([UInt8], [FramePoint], LogHead) {
    defer { (frames, points) = ([], []) }
    return (frames, points, accepted)
  }

  fileprivate mutating func putBack(
    _ frames: [UInt8], _ points: [FramePoint], stall: ChangeLogError
  ) {
    self.frames = frames + self.frames
    self.points = points + self.points
    self.stall = stall
  }

  /// Drops the frames that aren't on the device.
  fileprivate mutating func dropFrames() {
    end -= frames.count
    (frames, points, accepted, stall) = ([], [], synced, nil)
  }

  fileprivate mutating func takeWaiters() -> [SyncWaiter] {
    defer { waiters = [] }
    return waiters
  }

  /// Records the frames that are on the device, and returns the waiters for them.
  fileprivate mutating func settle(at head: LogHead, end: Int) -> [SyncWaiter] {
    (synced, settled) = (head, end)
    let firstLeft = waiters.firstIndex { $0.position > head.position } ?? waiters.count
    defer { waiters.removeFirst(firstLeft) }
    return Array(waiters[..<firstLeft])
  }
}
