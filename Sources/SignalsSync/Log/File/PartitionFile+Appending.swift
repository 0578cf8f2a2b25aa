import Dispatch
import Synchronization

extension PartitionFile {
  /// The size of accepted frames at which an append with `Durability.interval` writes them.
  private static let largestBacklog = 1 << 20

  /// Appends entries in one frame.
  ///
  /// - Throws: ``ChangeLogError``. Unless the state of the file is unknown, nothing is appended then.
  func append(
    _ entries: [[UInt8]], expecting expected: LogHead?
  ) async throws(ChangeLogError) -> LogHead {
    let size = try partition.checkedSize(of: entries, limits: work.limits)
    if case .interval(let interval) = durability {
      return try append(entries, size: size, expecting: expected, interval: interval)
    }
    while true {
      let outcome = await commit { state, continuation in
        state.accept(
          entries, size: size, expecting: expected, of: partition, continuation: continuation)
      }
      switch outcome {
      case .synced(let head): return head
      case .over: continue
      case .failed(let error): throw error
      }
    }
  }

  /// Waits until all accepted entries are durable.
  func sync() async throws(ChangeLogError) {
    let outcome = await commit { state, continuation in
      state.refusal ?? state.outcome(after: continuation)
    }
    if case .failed(let error) = outcome { throw error }
  }

  /// Changes the state, queues a commit, and waits for the outcome.
  ///
  /// - Parameter body: Returns the outcome, or adds a waiter with the continuation.
  private func commit(
    _ body: (inout State, CheckedContinuation<SyncWaiter.Outcome, Never>) -> SyncWaiter.Outcome?
  ) async -> SyncWaiter.Outcome {
    await withCheckedContinuation { continuation in
      let (outcome, isFirst) = state.withLock { state in
        if let outcome = body(&state, continuation) { return (Optional(outcome), false) }
        defer { state.isCommitting = true }
        return (nil, !state.isCommitting)
      }
      if let outcome { continuation.resume(returning: outcome) }
      if isFirst { commits.async { self.commitWaiting() } }
    }
  }

  /// Accepts entries, which are written later, unless earlier entries can't be written.
  private func append(
    _ entries: [[UInt8]], size: Int, expecting expected: LogHead?, interval: Duration
  ) throws(ChangeLogError) -> LogHead {
    while true {
      let accepted = try add(
        entries, size: size, expecting: expected, interval: interval, largestStall: 0)
      guard let accepted else {
        try writeAccepted()
        continue
      }
      // These entries are accepted, so the next append throws the error.
      if accepted.isLarge { try? writeAccepted() }
      return accepted.head
    }
  }

  /// Accepts entries, which are written later, without waiting for the device.
  ///
  /// If earlier entries couldn't be written, more are accepted until their size exceeds the size of
  /// one append.
  ///
  /// - Throws: ``ChangeLogError``. Nothing is accepted then.
  func accept(
    _ entries: [[UInt8]], expecting expected: LogHead?, interval: Duration
  ) throws(ChangeLogError) -> LogHead {
    let size = try partition.checkedSize(of: entries, limits: work.limits)
    let accepted = try add(
      entries, size: size, expecting: expected, interval: interval,
      largestStall: work.limits.append)
    guard let accepted else {
      throw state.withLock { $0.stall } ?? .noSpace(path: directory.path)
    }
    if accepted.isLarge { commitSoon() }
    return accepted.head
  }

  /// Adds entries to the accepted ones, which are written at the end of the interval.
  ///
  /// - Parameters:
  ///   - entries: The entries.
  ///   - size: Their size in a frame.
  ///   - expected: The head that the log must have, or `nil` to append at any head.
  ///   - interval: The interval.
  ///   - largestStall: The largest size of accepted frames if the last write failed.
  /// - Returns: The head after the entries, or `nil` if nothing was added because the last write
  ///   failed.
  /// - Throws: ``ChangeLogError``. Nothing is added then.
  private func add(
    _ entries: [[UInt8]], size: Int, expecting expected: LogHead?, interval: Duration,
    largestStall: Int
  ) throws(ChangeLogError) -> Accepted? {
    let accepted = try state.withLock { state throws(ChangeLogError) -> Accepted? in
      try state.check()
      let isStalled = state.stall != nil
      if isStalled, state.frames.count + size > largestStall { return nil }
      if let expected, expected != state.accepted {
        throw .headMoved(partition, to: state.accepted)
      }
      state.add(entries, size: size)
      defer { state.isTicking = true }
      return Accepted(
        head: state.accepted, isFirst: !state.isTicking,
        isLarge: !isStalled && state.frames.count >= Self.largestBacklog)
    }
    guard let accepted else { return nil }
    if accepted.isFirst { commitLater(after: interval) }
    return accepted
  }

  private struct Accepted {
    let head: LogHead
    let isFirst: Bool
    let isLarge: Bool
  }
}

extension PartitionFile.State {
  /// The outcome of each call after a failure, or of a closed log.
  fileprivate var refusal: SyncWaiter.Outcome? {
    isClosed ? .failed(.closed) : failure.map { .failed($0) }
  }

  /// Accepts entries of an append that waits until they are durable.
  ///
  /// While frames are being written, the final head isn't known. An append that expects another
  /// head is checked again afterwards.
  ///
  /// - Returns: The outcome, or `nil` if a waiter was added with the continuation.
  fileprivate mutating func accept(
    _ entries: [[UInt8]], size: Int, expecting expected: LogHead?, of partition: Partition,
    continuation: CheckedContinuation<SyncWaiter.Outcome, Never>
  ) -> SyncWaiter.Outcome? {
    if let refusal { return refusal }
    if let expected, expected != accepted {
      if isSettled { return .failed(.headMoved(partition, to: accepted)) }
      let position = accepted.position
      waiters.append(SyncWaiter(outcome: .over, position: position, continuation: continuation))
      return nil
    }
    add(entries, size: size)
    return outcome(after: continuation)
  }

  /// Returns the outcome if all accepted frames are durable, or adds a waiter with the
  /// continuation.
  fileprivate mutating func outcome(
    after continuation: CheckedContinuation<SyncWaiter.Outcome, Never>
  ) -> SyncWaiter.Outcome? {
    let outcome = SyncWaiter.Outcome.synced(accepted)
    if isSettled { return outcome }
    waiters.append(
      SyncWaiter(outcome: outcome, position: accepted.position, continuation: continuation))
    return nil
  }

  /// Adds a frame with entries to the accepted frames.
  fileprivate mutating func add(_ entries: [[UInt8]], size: Int) {
    if entries.isEmpty { return }
    points.append(FramePoint(head: accepted, offset: end))
    accepted = frames.append(
      frameOf: entries, size: size, after: accepted, distance: end - settled)
    end += FrameHeader.size + size
  }
}
