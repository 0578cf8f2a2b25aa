// One subscription for many subscribers, all of which keep the share's state alive.
//
// A new subscriber is counted before it receives anything, so that one that leaves during that time
// isn't the last.
//
// A send runs user code, in which the last subscriber may leave and `hub` is replaced. So the sink
// of each subscription to upstream has its own reference to its hub, which outlives the send.
// Nothing that sends is inlined into clients: there, the optimizer assumed that `hub` and
// `isConnected` don't change across a send, didn't retain the hub, and didn't check again whether
// the share is connected.

@usableFromInline
struct Share<Upstream: Publisher>: Publisher {
  @usableFromInline typealias Output = Upstream.Output
  @usableFromInline typealias Failure = Upstream.Failure

  @usableFromInline let source: Upstream
  @usableFromInline let state: ShareState<Output, Failure>

  @inlinable
  init(_ source: Upstream, bufferSize: Int) {
    self.source = source
    state = ShareState(bufferSize: bufferSize)
  }

  @inlinable
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let member = ShareMember(state)
    let relay = CatchUpSubscriber(MemberSink(downstream, member: member))
    let hub = state.hub
    member.start(hub.subscribe(relay))
    guard relay.catchUp(with: state.buffer.elements) else {
      member.cancel()
      return nil
    }
    if let run = state.beginConnecting() {
      state.endConnecting(run, with: source.subscribe(ShareSink(state, hub: hub, run: run)))
    }
    return member.isActive ? member : nil
  }
}

@usableFromInline
final class ShareState<Output, Failure: Error> {
  /// Sends to the subscribers; replaced after the last has left.
  @safe @exclusivity(unchecked) @usableFromInline var hub = Subject<Output, Failure>()
  @usableFromInline let bufferSize: Int
  /// The last values, for subscribers that join later.
  @safe @exclusivity(unchecked) @usableFromInline var buffer = Queue<Output>()
  /// The number of subscribers.
  @safe @exclusivity(unchecked) private var subscribers = 0
  /// The connection to upstream.
  @safe @exclusivity(unchecked) private var upstream: (any Cancellable)?
  /// Whether upstream has completed.
  @safe @exclusivity(unchecked) private var isFinished = false
  /// The number of subscriptions to upstream, by which a late event of an earlier one is
  /// recognized.
  @safe @exclusivity(unchecked) private var run = 0
  /// Whether there is a subscription to upstream.
  @safe @exclusivity(unchecked) private var isConnected = false

  @usableFromInline
  init(bufferSize: Int) { self.bufferSize = bufferSize }

  fileprivate func join() { subscribers += 1 }

  fileprivate func leave() {
    subscribers -= 1
    guard subscribers == 0, isConnected else { return }
    isConnected = false
    let dropped = buffer
    buffer = Queue()
    hub = Subject()
    upstream.take()?.cancel()
    // Released last, because releasing the values may subscribe.
    withExtendedLifetime(dropped) {}
  }

  /// Begins a connection if one is due.
  ///
  /// - Returns: The number of the connection, or nil if none is due.
  @usableFromInline
  func beginConnecting() -> Int? {
    guard !isConnected, !isFinished else { return nil }
    isConnected = true
    run += 1
    return run
  }

  @usableFromInline
  func endConnecting(_ run: Int, with connection: (any Cancellable)?) {
    if isUnderWay(run) { upstream = connection } else { connection?.cancel() }
  }

  private func isUnderWay(_ run: Int) -> Bool { isConnected && self.run == run }

  /// Sends a value to the subscribers.
  ///
  /// - Returns: Whether more values are wanted.
  @usableFromInline
  @inline(never)
  func receive(_ value: Output, for hub: Subject<Output, Failure>, run: Int) -> Bool {
    guard isUnderWay(run) else { return false }
    if bufferSize > 0 {
      let dropped = buffer.count == bufferSize ? buffer.popFirst() : nil
      buffer.append(value)
      withExtendedLifetime(dropped) {}
    }
    hub.send(value)
    return isUnderWay(run)
  }

  @usableFromInline
  @inline(never)
  func finish(
    _ completion: Completion<Failure>, for hub: Subject<Output, Failure>, run: Int
  ) {
    guard isUnderWay(run) else { return }
    isConnected = false
    isFinished = true
    upstream = nil
    hub.send(completion: completion)
  }
}

@usableFromInline
struct ShareSink<Input, Failure: Error>: Subscriber {
  @usableFromInline let share: ShareState<Input, Failure>
  @usableFromInline let hub: Subject<Input, Failure>
  @usableFromInline let run: Int

  @inlinable
  init(_ share: ShareState<Input, Failure>, hub: Subject<Input, Failure>, run: Int) {
    self.share = share
    self.hub = hub
    self.run = run
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool { share.receive(value, for: hub, run: run) }

  @inlinable
  func finish(_ completion: Completion<Failure>) { share.finish(completion, for: hub, run: run) }
}

/// One subscriber of a share, until it leaves.
@usableFromInline
final class ShareMember<Output, Failure: Error>: Cancellable {
  private let share: ShareState<Output, Failure>
  private var connection: (any Cancellable)?
  @safe @exclusivity(unchecked) @usableFromInline private(set) var isActive = true

  @usableFromInline
  init(_ share: ShareState<Output, Failure>) {
    self.share = share
    share.join()
  }

  @usableFromInline
  func start(_ connection: (any Cancellable)?) { self.connection = connection }

  @usableFromInline
  func cancel() {
    guard isActive else { return }
    isActive = false
    connection.take()?.cancel()
    share.leave()
  }
}

@usableFromInline
struct MemberSink<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let member: ShareMember<Input, Failure>

  @inlinable
  init(_ downstream: Downstream, member: ShareMember<Input, Failure>) {
    self.downstream = downstream
    self.member = member
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool {
    if downstream.receive(value) { return true }
    member.cancel()
    return false
  }

  @inlinable
  func finish(_ completion: Completion<Failure>) {
    member.cancel()
    downstream.finish(completion)
  }
}

extension Publisher {
  /// Shares one upstream subscription among all subscribers, from the first to the last.
  ///
  /// - A later subscriber receives only later values; after the completion, only the completion.
  /// - When the last subscriber leaves, upstream is released. The next subscriber starts it again.
  ///
  /// - Returns: A publisher for any number of subscribers.
  @inlinable
  public func share() -> some Publisher<Output, Failure> { Share(self, bufferSize: 0) }

  /// Shares one upstream subscription, and sends the last `bufferSize` values first to later
  /// subscribers.
  ///
  /// - After the completion, the last values are still sent, followed by the completion.
  /// - When the last subscriber leaves before the completion, upstream and the values are released.
  /// - A buffer size of 0 is equivalent to ``share()``; a negative size traps.
  ///
  /// - Parameter bufferSize: The number of values that a later subscriber receives first.
  /// - Returns: A publisher for any number of subscribers.
  @inlinable
  public func replay(_ bufferSize: Int) -> some Publisher<Output, Failure> {
    checkCount(bufferSize, of: "replay")
    return Share(self, bufferSize: bufferSize)
  }
}
