import Synchronization

extension PartitionFile {
  /// Closes the file after all that was accepted is on the device.
  ///
  /// Runs on `commits`. If it throws because the device is full, the file stays open. If it throws
  /// another error, the file is closed and what the error is about is lost.
  func close() throws(ChangeLogError) {
    // Nothing may be accepted after the last write.
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
    arrivals.notify()
    let (waiters, failure) = state.withLock { ($0.takeWaiters(), $0.failure) }
    for waiter in waiters { waiter.resume(throwing: failure ?? .closed) }
    if let failure { throw failure }
  }

  /// Writes the accepted frames to the device, and a last frame that states that they are on it.
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

  /// Writes a last frame that states that those before it are on the device, as they are.
  ///
  /// With it, damage of any frame before it is detected. The next frame is written over it.
  private func markSettled(_ disk: inout Disk) throws(ChangeLogError) {
    guard disk.hasNewFrames, let file = disk.file else { return }
    var mark: [UInt8] = []
    _ = mark.append(frameOf: [], size: 0, after: disk.head, distance: 0)
    let end = disk.end - disk.shift
    // Without space for it, less damage is detected; the log is whole.
    if (try? file.write(mark, at: end)) == nil { try file.cut(to: end) }
    disk.hasNewFrames = false
  }

  /// Closes the file until it is used again, if all that was accepted is on the device.
  ///
  /// After a failure the file stays open, since another one may have its name.
  ///
  /// - Returns: Whether the file isn't open.
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
