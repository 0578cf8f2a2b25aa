// One subscription for many subscribers.
//
// State of a share, which all subscribers keep alive: `hub` sends to them; `upstream` while it is
// subscribed to; `buffer`, the last values, for those who come late; `run` counts the subscriptions to
// upstream, so that a late message of an old one is known as such.

final class Share<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  private let source: Upstream
  private let bufferSize: Int
  private var hub = Subject<Output, Failure>()
  private var subscribers = 0
  private var upstream: (any Cancellable)?
  private var buffer: [Output] = []
  private var isConnected = false
  private var isFinished = false
  private var run = 0

  init(_ source: Upstream, bufferSize: Int) {
    self.source = source
    self.bufferSize = bufferSize
  }

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let member = Replaying(downstream, isReplaying: !buffer.isEmpty)
    let connection = hub.subscribe(member)
    if !member.replay(buffer) {
      connection?.cancel()
      return nil
    }
    guard let connection, member.isActive else { return nil }
    subscribers += 1
    let leave = Cancellation { [self] in
      connection.cancel()
      self.leave()
    }
    member.onEnd = { leave.cancel() }
    if !isConnected, !isFinished { connect() }
    return member.isActive ? leave : nil
  }

  private func connect() {
    isConnected = true
    run += 1
    let run = run
    let connection = source.subscribe(ShareSink(share: self, run: run))
    if isConnected, self.run == run { upstream = connection } else { connection?.cancel() }
  }

  private func leave() {
    subscribers -= 1
    guard subscribers == 0, isConnected else { return }
    isConnected = false
    buffer = []
    hub = Subject()
    upstream.take()?.cancel()
  }

  fileprivate func receive(_ value: Output, _ run: Int) -> Bool {
    guard isConnected, self.run == run else { return false }
    if bufferSize > 0 {
      if buffer.count == bufferSize { buffer.removeFirst() }
      buffer.append(value)
    }
    hub.send(value)
    return isConnected && self.run == run
  }

  fileprivate func finish(_ completion: Completion<Failure>, _ run: Int) {
    guard isConnected, self.run == run else { return }
    isConnected = false
    isFinished = true
    upstream = nil
    hub.send(completion: completion)
  }
}

struct ShareSink<Upstream: Publisher>: Subscriber {
  typealias Input = Upstream.Output
  typealias Failure = Upstream.Failure

  let share: Share<Upstream>
  let run: Int

  func receive(_ value: Input) -> Bool { share.receive(value, run) }
  func finish(_ completion: Completion<Failure>) { share.finish(completion, run) }
}

/// One subscriber of a share: gets the buffer first, and what comes meanwhile after it.
final class Replaying<Downstream: Subscriber>: Subscriber {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private let downstream: Downstream
  private var isReplaying: Bool
  private var waiting: [Event<Input, Failure>] = []
  private(set) var isActive = true
  /// Called when it ends by itself.
  var onEnd: (() -> Void)?

  init(_ downstream: Downstream, isReplaying: Bool) {
    self.downstream = downstream
    self.isReplaying = isReplaying
  }

  /// Sends the buffer; the answer is whether more is wanted.
  func replay(_ buffer: [Input]) -> Bool {
    for value in buffer where isActive { isActive = downstream.receive(value) }
    isReplaying = false
    let events = waiting
    waiting = []
    for event in events where isActive {
      switch event {
      case .value(let value): isActive = downstream.receive(value)
      case .completion(let completion): finish(completion)
      }
    }
    return isActive
  }

  func receive(_ value: Input) -> Bool {
    if isReplaying {
      waiting.append(.value(value))
      return true
    }
    guard isActive else { return false }
    if downstream.receive(value) { return true }
    end()
    return false
  }

  func finish(_ completion: Completion<Failure>) {
    if isReplaying { return waiting.append(.completion(completion)) }
    guard isActive else { return }
    end()
    downstream.finish(completion)
  }

  private func end() {
    isActive = false
    onEnd.take()?()
  }
}

extension Publisher {
  /// Subscribes once for all subscribers, when the first comes, and until the last has gone.
  ///
  /// - Who subscribes later gets what comes then; after the completion, the completion.
  /// - When the last has gone, upstream is released; the next one who comes starts it again.
  public func share() -> some Publisher<Output, Failure> { Share(self, bufferSize: 0) }

  /// Shares, and sends the last `bufferSize` values first to those who subscribe later.
  ///
  /// - After the completion the last values are still sent, and then the completion.
  /// - When the last subscriber has gone before the completion, upstream and the values are released.
  /// - A buffer of 0 is ``share()``; a negative one traps.
  public func replay(_ bufferSize: Int) -> some Publisher<Output, Failure> {
    checkCount(bufferSize, "replay")
    return Share(self, bufferSize: bufferSize)
  }
}
