struct Timeout<Upstream: Publisher, C: Clock>: Publisher where C.Duration == Duration {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let interval: Duration
  let clock: C
  let completion: () -> Completion<Failure>
  let isolation: TaskIsolation

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let subscriber = SerializedSubscriber(downstream)
    let state = TimeoutState(
      subscriber, interval: interval, completion: completion, alarm: Alarm(clock, on: isolation))
    state.wait()
    return subscriber.connect(upstream, through: state)
  }
}

/// Ends a subscription that has received no value for an interval.
///
/// Each value postpones `due`, but doesn't set the alarm again: when the alarm rings early, it is set
/// for the remaining time.
final class TimeoutState<Downstream: Subscriber, C: Clock>: TimedState
where C.Duration == Duration {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private let subscriber: SerializedSubscriber<Downstream>
  private let interval: Duration
  private let completion: () -> Completion<Failure>
  private let alarm: Alarm<C>
  /// The time at which the subscription ends.
  private var due: Deadline<C.Instant>

  init(
    _ subscriber: SerializedSubscriber<Downstream>, interval: Duration,
    completion: @escaping () -> Completion<Failure>, alarm: Alarm<C>
  ) {
    self.subscriber = subscriber
    self.interval = interval
    self.completion = completion
    self.alarm = alarm
    due = alarm.deadline(after: interval)
  }

  func wait() {
    alarm.set(due) { [self, due] in
      if self.due == due { subscriber.finish(completion()) } else { wait() }
    }
  }

  func receive(_ value: Input) {
    due = alarm.deadline(after: interval)
    subscriber.send(value)
  }

  func finish(_ completion: Completion<Failure>) { subscriber.finish(completion) }

  func end() { alarm.cancel() }
}

extension Publisher {
  /// Ends when no value has arrived for an interval, by finishing or with an error.
  ///
  /// - The time is measured from the subscription, and again from each value.
  /// - Upstream is released when the time is over.
  ///
  /// It must be used on an actor, on which its timer runs. It traps without an actor, and if the
  /// interval isn't positive.
  ///
  /// - Parameters:
  ///   - interval: The longest time without a value.
  ///   - clock: The clock that measures the time.
  ///   - error: Returns the error to fail with; if nil, the publisher finishes.
  ///   - isolation: The actor on which the timer runs; by default, that of the caller.
  /// - Returns: A publisher of the same values.
  public func timeout(
    _ interval: Duration, clock: some Clock<Duration> = ContinuousClock(),
    error: (() -> Failure)? = nil, isolation: isolated (any Actor)? = #isolation
  ) -> some Publisher<Output, Failure> {
    checkInterval(interval, of: "timeout")
    return Timeout(
      upstream: self, interval: interval, clock: clock,
      completion: { error.map { .failure($0()) } ?? .finished },
      isolation: TaskIsolation(isolation, of: "timeout"))
  }
}
