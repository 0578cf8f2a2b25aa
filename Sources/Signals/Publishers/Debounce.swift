struct Debounce<Upstream: Publisher, C: Clock>: Publisher where C.Duration == Duration {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let interval: Duration
  let clock: C
  let isolation: TaskIsolation

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let subscriber = SerializedSubscriber(downstream)
    let state = DebounceState(subscriber, interval: interval, alarm: Alarm(clock, on: isolation))
    return subscriber.connect(upstream, through: state)
  }
}

/// Holds the last value back until a pause.
///
/// Each value postpones `due`, but doesn't set the alarm again: when the alarm rings early, it is set
/// for the remaining time. While a value waits, the alarm is set.
final class DebounceState<Downstream: Subscriber, C: Clock>: TimedState
where C.Duration == Duration {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private let subscriber: SerializedSubscriber<Downstream>
  private let interval: Duration
  private let alarm: Alarm<C>
  /// The last value, until it is due.
  private var waiting: Input?
  /// The time at which `waiting` is sent.
  private var due: Deadline<C.Instant>

  init(_ subscriber: SerializedSubscriber<Downstream>, interval: Duration, alarm: Alarm<C>) {
    self.subscriber = subscriber
    self.interval = interval
    self.alarm = alarm
    due = Deadline(alarm.clock.now)
  }

  func receive(_ value: Input) {
    let replaced = exchange(&waiting, with: value)
    due = alarm.deadline(after: interval)
    if !alarm.isSet { wait() }
    // Released last, because releasing the value may send or cancel.
    withExtendedLifetime(replaced) {}
  }

  private func wait() {
    alarm.set(due) { [self, due] in
      if self.due == due { flush() } else { wait() }
    }
  }

  private func flush() {
    if let value = waiting.take() { subscriber.send(value) }
  }

  func finish(_ completion: Completion<Failure>) {
    alarm.cancel()
    if !completion.isFailure { flush() }
    subscriber.finish(completion)
  }

  func end() {
    _ = waiting.take()
    alarm.cancel()
  }
}

extension Publisher {
  /// Sends a value once no other has arrived for an interval.
  ///
  /// - Of values that arrive in quick succession, only the last is sent.
  /// - When upstream finishes, a waiting value is sent first (Combine drops it). A failure is sent
  ///   immediately and drops the waiting value.
  /// - If several debounced publishers are due at the same time, the one whose last value arrived
  ///   first sends first.
  ///
  /// It must be used on an actor, on which its timer runs. It traps without an actor, and if the
  /// interval isn't positive.
  ///
  /// - Parameters:
  ///   - interval: The length of the pause.
  ///   - clock: The clock that measures the interval.
  ///   - isolation: The actor on which the timer runs; leave it to the compiler.
  /// - Returns: A publisher of the values.
  public func debounce(
    for interval: Duration, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation
  ) -> some Publisher<Output, Failure> {
    checkInterval(interval, of: "debounce")
    return Debounce(
      upstream: self, interval: interval, clock: clock,
      isolation: TaskIsolation(isolation, of: "debounce"))
  }
}
