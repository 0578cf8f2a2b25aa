import Synchronization

extension PartitionFile {
  /// Closes the file after all accepted entries are durable.
  ///
  /// Runs on `commits`.
  ///
  /// - Throws: ``ChangeLogError/noSpace(path:)``, after which the file stays open. After any other
  ///   error, the file is closed, and accepted entries that aren't durable are lost.
  func close() throws(ChangeLogError) {
    // No entry may be accepted after the last write.
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    do {
      if isFirst { try writeLastFrames() }
    } catch {
      let staysOpen = state.withLock { state in
        if error.leavesFile {
          state.isClosed = false
        } else {
          state.failure = state.failure ?? error
        }
        return !state.isClosed
      }
      if staysOpen { throw error }
    }
    disk.withLock { $0.file = nil }
    let (waiters, failure) = state.withLock { ($0.takeWaiters(), $0.failure) }
    for waiter in waiters { waiter.resume(throwing: failure ?? .closed) }
    if let failure { throw failure }
  }

  /// Makes the accepted frames durable, and writes a last frame that states so.
  private func writeLastFrames() throws(ChangeLogError) {
    let waiters = try disk.withLock { disk throws(ChangeLogError) -> [SyncWaiter] in
      try write(&disk)
      guard disk.hasNewFrames, let file = disk.file else { return [] }
      try file.sync()
      try markSettled(&disk)
      return state.withLock { $0.settle(at: disk.head, end: disk.end) }
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Writes a last frame that states that all frames before it are durable.
  ///
  /// With this frame, damage of any earlier frame is detected. The next frame overwrites it.
  private func markSettled(_ disk: inout Disk) throws(ChangeLogError) {
    guard disk.hasNewFrames, let file = disk.file else { return }
    var mark: [UInt8] = []
    _ = mark.append(frameOf: [], size: 0, after: disk.head, distance: 0)
    let end = disk.end - disk.shift
    // If there is no space for it, less damage is detected, but the log is complete.
    if (try? file.write(mark, at: end)) == nil { try file.cut(to: end) }
    disk.hasNewFrames = false
  }

  /// Closes the file until its next use, if all accepted frames are durable.
  ///
  /// After a failure the file stays open, because another file may have its name.
  ///
  /// - Returns: Whether the file is closed.
  func closeIdle() -> Bool {
    disk.withLock { disk in
      let isIdle = state.withLock { $0.isSettled && $0.failure == nil }
      guard isIdle else { return false }
      do throws(ChangeLogError) {
        try markSettled(&disk)
      } catch {
        state.withLock { $0.failure = error }
        return false
      }
      disk.file = nil
      return true
    }
  }
}
