import Dispatch
import Synchronization

extension PartitionFile {
  /// The size of accepted frames from which an append writes them, with `Durability.interval`.
  private static let largestBacklog = 1 << 20

  /// Appends entries in one frame.
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

  /// Waits until all that was accepted is on the device.
  func sync() async throws(ChangeLogError) {
    let outcome = await commit { state, continuation in
      state.refusal ?? state.outcome(after: continuation)
    }
    if case .failed(let error) = outcome { throw error }
  }

  /// Makes a change of the state, and waits for the outcome, for which a commit is queued.
  ///
  /// - Parameter body: Returns the outcome, or keeps the continuation as that of a waiter.
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

  /// Accepts entries, which are written later, unless those before them can't be written.
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
      // An error is that of the next append: these entries are accepted.
      if accepted.isLarge { try? writeAccepted() }
      return accepted.head
    }
  }

  /// Accepts entries, which are written later, without a wait for the device.
  ///
  /// Entries are accepted although those before them couldn't be written, until they take more
  /// memory than one append can.
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

  /// Adds entries to those that are written when the interval is over.
  ///
  /// - Parameters:
  ///   - entries: The entries.
  ///   - size: Their size in a frame.
  ///   - expected: The head that their author expects.
  ///   - interval: The interval.
  ///   - largestStall: The size of accepted frames above which nothing is added if the last write
  ///     failed.
  /// - Returns: `nil` if nothing was added, since the last write failed.
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
    if !entries.isEmpty { arrivals.notify() }
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

  /// Accepts entries, whose append waits until they are on the device.
  ///
  /// While frames are on their way to the device the head isn't known: the append is looked at
  /// again afterwards.
  ///
  /// - Returns: The outcome, or `nil` if the continuation is that of a waiter.
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

  /// Returns the outcome for the frames on the device, or makes a waiter of the continuation.
  fileprivate mutating func outcome(
    after continuation: CheckedContinuation<SyncWaiter.Outcome, Never>
  ) -> SyncWaiter.Outcome? {
    let outcome = SyncWaiter.Outcome.synced(accepted)
    if isSettled { return outcome }
    waiters.append(
      SyncWaiter(outcome: outcome, position: accepted.position, continuation: continuation))
    return nil
  }

  /// Adds the frame of entries to those that are to be written.
  fileprivate mutating func add(_ entries: [[UInt8]], size: Int) {
    if entries.isEmpty { return }
    points.append(FramePoint(head: accepted, offset: end))
    accepted = frames.append(
      frameOf: entries, size: size, after: accepted, distance: end - settled)
    end += FrameHeader.size + size
  }
}
