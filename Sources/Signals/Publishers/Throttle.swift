struct Throttle<Upstream: Publisher, C: Clock>: Publisher where C.Duration == Duration {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let interval: Duration
  let clock: C
  let isLatest: Bool
  let isolation: TaskIsolation

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let subscriber = SerializedSubscriber(downstream)
    let state = ThrottleState(
      subscriber, interval: interval, isLatest: isLatest, alarm: Alarm(clock, on: isolation))
    return subscriber.connect(upstream, through: state)
  }
}

/// Limits the rate of values.
final class ThrottleState<Downstream: Subscriber, C: Clock>: TimedState
where C.Duration == Duration {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private let subscriber: SerializedSubscriber<Downstream>
  private let interval: Duration
  private let isLatest: Bool
  /// The alarm, set while a window is open.
  private let alarm: Alarm<C>
  /// The value to be sent at the end of the window.
  private var waiting: Input?

  init(
    _ subscriber: SerializedSubscriber<Downstream>, interval: Duration, isLatest: Bool,
    alarm: Alarm<C>
  ) {
    self.subscriber = subscriber
    self.interval = interval
    self.isLatest = isLatest
    self.alarm = alarm
  }

  func receive(_ value: Input) {
    if !alarm.isSet {
      openWindow()
      subscriber.send(value)
    } else if isLatest || waiting == nil {
      // Releasing the previous value may send or cancel.
      _ = exchange(&waiting, with: value)
    }
  }

  private func openWindow() {
    alarm.set(alarm.deadline(after: interval)) { [self] in
      guard let value = waiting.take() else { return }
      openWindow()
      subscriber.send(value)
    }
  }

  func finish(_ completion: Completion<Failure>) {
    alarm.cancel()
    if let value = waiting.take(), !completion.isFailure { subscriber.send(value) }
    subscriber.finish(completion)
  }

  func end() {
    _ = waiting.take()
    alarm.cancel()
  }
}

extension Publisher {
  /// Sends at most one value per interval.
  ///
  /// - The first value is sent immediately and opens a window. Values that arrive in the window
  ///   wait for its end: then the latest or the first of them is sent, and opens the next window.
  /// - When upstream finishes, a waiting value is sent immediately, before the completion (Combine
  ///   sends it at the window's end). A failure is sent immediately and drops the waiting value
  ///   (Combine sends it first).
  ///
  /// It must be used on an actor, on which its timer runs. It traps without an actor, and if the
  /// interval isn't positive.
  ///
  /// - Parameters:
  ///   - interval: The length of a window.
  ///   - latest: Whether the latest value of a window is sent, rather than the first.
  ///   - clock: The clock that measures the time.
  ///   - isolation: The actor on which the timer runs; by default, that of the caller.
  /// - Returns: A publisher of the values that pass.
  public func throttle(
    for interval: Duration, latest: Bool, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation
  ) -> some Publisher<Output, Failure> {
    checkInterval(interval, of: "throttle")
    return Throttle(
      upstream: self, interval: interval, clock: clock, isLatest: latest,
      isolation: TaskIsolation(isolation, of: "throttle"))
  }
}
