import Dispatch
import Synchronization

extension PartitionFile {
  /// Writes and syncs groups of frames as long as calls wait for them.
  ///
  /// Runs on `commits`.
  func commitWaiting() {
    commit()
    let isWaitedFor = state.withLock { state in
      state.isCommitting = !state.waiters.isEmpty
      return state.isCommitting
    }
    // Queued again, so that the other partitions of the queue get their turn.
    if isWaitedFor { commits.async { self.commitWaiting() } }
  }

  /// Queues a commit, unless one is queued.
  func commitSoon() {
    let isFirst = state.withLock { state in
      defer { state.isCommitting = true }
      return !state.isCommitting
    }
    if isFirst { commits.async { self.commitWaiting() } }
  }

  /// Waits until all accepted entries are durable, and blocks the calling thread.
  func flush() throws(ChangeLogError) {
    try state.withLock { state throws(ChangeLogError) in try state.check() }
    try commits.sync {
      Result { () throws(ChangeLogError) in
        if let error = self.commit() { throw error }
      }
    }.get()
  }

  /// Commits at the end of the interval, and repeats that as long as there are new frames.
  func commitLater(after interval: Duration) {
    let limit = Duration.seconds(1_000_000_000)
    let (seconds, attoseconds) = min(max(interval, .zero), limit).components
    let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    commits.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
      self.commit()
      let (isDue, isStalled) = self.state.withLock { state in
        state.isTicking = !state.isSettled && state.failure == nil
        return (state.isTicking, state.stall != nil)
      }
      if isDue { self.commitLater(after: isStalled ? max(interval, Self.pause) : interval) }
    }
  }

  /// The time after an attempt for which there was no space.
  private static let pause = Duration.milliseconds(100)

  /// Makes all accepted frames durable by one sync of the file.
  ///
  /// Runs on `commits`.
  ///
  /// - Returns: The error, which the waiting calls have received.
  @discardableResult
  private func commit() -> ChangeLogError? {
    let isDone = state.withLock { $0.isSettled && $0.waiters.isEmpty && $0.failure == nil }
    if isDone { return nil }
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
      report()
      return error
    }
    for waiter in waiters { waiter.resume() }
    report()
    return nil
  }

  /// Reports the failure or stall if it has changed since the last report.
  func report() {
    let change = state.withLock { state -> ChangeLogError?? in
      let current = state.failure ?? state.stall
      guard current != state.reported else { return nil }
      state.reported = current
      return .some(current)
    }
    if let change { work.report(change, of: partition) }
  }

  /// Writes the accepted frames without an `fsync`.
  func writeAccepted() throws(ChangeLogError) {
    try disk.withLock { disk throws(ChangeLogError) in try write(&disk) }
  }

  /// Writes the accepted frames, or changes neither the file nor the frames.
  ///
  /// - Throws: An error of the file system, or the failure of an earlier write.
  func write(_ disk: inout Disk) throws(ChangeLogError) {
    let (frames, points, head) = try state.withLock { state throws(ChangeLogError) in
      if let failure = state.failure { throw failure }
      return state.takeFrames()
    }
    if frames.isEmpty { return }
    do throws(ChangeLogError) {
      let opened = try openFile(&disk)
      let file = if let opened { opened } else { try makeFile(&disk) }
      try file.write(frames, at: disk.end - disk.shift)
    } catch {
      let failure = error.leavesFile ? cutBack(disk) : error
      state.withLock { state in
        state.putBack(frames, points, stall: error)
        state.failure = state.failure ?? failure
      }
      throw error
    }
    disk.end += frames.count
    disk.head = head
    for point in points { disk.index.add(point) }
    disk.hasNewFrames = true
    state.withLock { $0.stall = nil }
  }

  /// Creates the file for the first entries.
  private func makeFile(_ disk: inout Disk) throws(ChangeLogError) -> OpenFile {
    let file = try OpenedLogFile.prepare(partition, startingAt: .start, of: work)
    try directory.put(logName)
    setFile(file, in: &disk)
    return file
  }

  /// Removes the frames of a partly written group.
  ///
  /// Complete frames of the group must not precede the frames of a later group, and must not
  /// survive a loss of power if their appends throw.
  ///
  /// - Returns: The error after which the contents of the file are unknown, or `nil`.
  private func cutBack(_ disk: borrowing Disk) -> ChangeLogError? {
    guard let file = disk.file else { return nil }
    do {
      try file.cut(to: disk.end - disk.shift)
      if durability == .each { try file.sync() }
      return nil
    } catch {
      return error
    }
  }

  /// Resumes all waiting calls with an error, because their frames couldn't be written.
  ///
  /// If the device is full, the frames whose appends haven't returned are dropped. After any other
  /// error the state of the file is unknown, and nothing can be appended until it is opened again.
  private func fail(_ error: ChangeLogError) {
    let waiters = state.withLock { state in
      if !error.leavesFile { state.failure = state.failure ?? error }
      if durability == .each, state.failure == nil { state.dropFrames() }
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume(throwing: error) }
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
    self.frames = self.frames.isEmpty ? frames : frames + self.frames
    self.points = self.points.isEmpty ? points : points + self.points
    self.stall = stall
  }

  /// Drops the frames that aren't durable.
  fileprivate mutating func dropFrames() {
    end -= frames.count
    (frames, points, accepted, stall) = ([], [], synced, nil)
  }

  mutating func takeWaiters() -> [SyncWaiter] {
    defer { waiters = [] }
    return waiters
  }

  /// Records the durable frames, and removes and returns the waiters for them.
  mutating func settle(at head: LogHead, end: Int) -> [SyncWaiter] {
    (synced, settled) = (head, end)
    let firstLeft = waiters.firstIndex { $0.position > head.position } ?? waiters.count
    defer { waiters.removeFirst(firstLeft) }
    return Array(waiters[..<firstLeft])
  }
}
