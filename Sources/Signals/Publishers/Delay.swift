struct Delay<Upstream: Publisher, C: Clock>: Publisher where C.Duration == Duration {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let interval: Duration
  let clock: C
  let isolation: TaskIsolation

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let subscriber = SerializedSubscriber(downstream)
    let state = DelayState(subscriber, interval: interval, alarm: Alarm(clock, on: isolation))
    return subscriber.connect(upstream, through: state)
  }
}

/// Delays events.
final class DelayState<Downstream: Subscriber, C: Clock>: TimedState where C.Duration == Duration {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private let subscriber: SerializedSubscriber<Downstream>
  private let interval: Duration
  private let alarm: Alarm<C>
  /// The delayed events in order; the alarm is set for the first of them.
  private var waiting = Queue<(due: Deadline<C.Instant>, event: Event<Input, Failure>)>()

  init(_ subscriber: SerializedSubscriber<Downstream>, interval: Duration, alarm: Alarm<C>) {
    self.subscriber = subscriber
    self.interval = interval
    self.alarm = alarm
  }

  func receive(_ value: Input) { append(.value(value)) }

  func finish(_ completion: Completion<Failure>) { append(.completion(completion)) }

  private func append(_ event: Event<Input, Failure>) {
    waiting.append((alarm.deadline(after: interval), event))
    if !alarm.isSet { wait() }
  }

  private func wait() {
    guard let first = waiting.first else { return }
    alarm.set(first.due) { [self] in
      let now = alarm.clock.now
      while let next = waiting.first, next.due.instant <= now {
        _ = waiting.popFirst()
        switch next.event {
        case .value(let value): subscriber.send(value)
        case .completion(let completion): subscriber.finish(completion)
        }
      }
      if !alarm.isSet { wait() }
    }
  }

  func end() {
    let dropped = exchange(&waiting, with: Queue())
    alarm.cancel()
    withExtendedLifetime(dropped) {}
  }
}

extension Publisher {
  /// Sends all values and the completion later, by an interval.
  ///
  /// It must be used on an actor, on which its timer runs. It traps without an actor, and if the
  /// interval isn't positive.
  ///
  /// - Parameters:
  ///   - interval: The time by which events are delayed.
  ///   - clock: The clock that measures the interval.
  ///   - isolation: The actor on which the timer runs; leave it to the compiler.
  /// - Returns: A publisher of the delayed values.
  public func delay(
    for interval: Duration, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation
  ) -> some Publisher<Output, Failure> {
    checkInterval(interval, of: "delay")
    return Delay(
      upstream: self, interval: interval, clock: clock,
      isolation: TaskIsolation(isolation, of: "delay"))
  }
}
