// Operators that involve time: `delay`, `timeout`, and `retry` with pauses.

struct Delay<Upstream: Publisher, C: Clock>: Publisher where C.Duration == Duration {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let interval: Duration
  let clock: C
  let isolation: TaskIsolation

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let gate = Gate(downstream)
    let state = DelayState(gate, interval, Alarm(clock, isolation))
    gate.onEnd { state.end() }
    gate.connect { upstream.subscribe(TimedSink(gate: gate, input: $0, state: state)) }
    return gate.connection
  }
}

/// Delays events.
///
/// State: `waiting`, the delayed events in order; the alarm is set for the first of them.
final class DelayState<Downstream: Subscriber, C: Clock>: TimedState where C.Duration == Duration {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private let gate: Gate<Downstream>
  private let interval: Duration
  private let alarm: Alarm<C>
  private var waiting = Queue<(due: Deadline<C.Instant>, event: Event<Input, Failure>)>()

  init(_ gate: Gate<Downstream>, _ interval: Duration, _ alarm: Alarm<C>) {
    self.gate = gate
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
        case .value(let value): gate.send(value)
        case .completion(let completion): gate.finish(completion)
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
    let gate = Gate(downstream)
    let state = TimeoutState(gate, interval, completion, Alarm(clock, isolation))
    gate.onEnd { state.end() }
    state.wait()
    gate.connect { upstream.subscribe(TimedSink(gate: gate, input: $0, state: state)) }
    return gate.connection
  }
}

/// Ends a subscription that has received no value for an interval.
///
/// State: `due`, which each value postpones. When the alarm rings early, it is set for the
/// remaining time.
final class TimeoutState<Downstream: Subscriber, C: Clock>: TimedState
where C.Duration == Duration {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private let gate: Gate<Downstream>
  private let interval: Duration
  private let completion: () -> Completion<Failure>
  private let alarm: Alarm<C>
  private var due: Deadline<C.Instant>

  init(
    _ gate: Gate<Downstream>, _ interval: Duration,
    _ completion: @escaping () -> Completion<Failure>, _ alarm: Alarm<C>
  ) {
    self.gate = gate
    self.interval = interval
    self.completion = completion
    self.alarm = alarm
    due = alarm.deadline(after: interval)
  }

  func wait() {
    alarm.set(due) { [self, due] in
      if self.due == due { gate.finish(completion()) } else { wait() }
    }
  }

  func receive(_ value: Input) {
    due = alarm.deadline(after: interval)
    gate.send(value)
  }

  func finish(_ completion: Completion<Failure>) { gate.finish(completion) }

  func end() { alarm.cancel() }
}

extension Publisher {
  /// Sends all values and the completion later, by an interval.
  ///
  /// It must be used on an actor, on which its timer runs. It traps without an actor, and if the
  /// interval isn't positive.
  public func delay(
    for interval: Duration, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation
  ) -> some Publisher<Output, Failure> {
    checkInterval(interval, "delay")
    return Delay(
      upstream: self, interval: interval, clock: clock,
      isolation: TaskIsolation(isolation, "delay"))
  }

  /// Ends when no value has arrived for an interval, by finishing or with an error.
  ///
  /// - The time is measured from the subscription, and again from each value.
  /// - Upstream is released when the time is over.
  ///
  /// It must be used on an actor, on which its timer runs. It traps without an actor, and if the
  /// interval isn't positive.
  ///
  /// - Parameter error: Returns the error to fail with; if nil, the publisher finishes.
  public func timeout(
    _ interval: Duration, clock: some Clock<Duration> = ContinuousClock(),
    error: (() -> Failure)? = nil, isolation: isolated (any Actor)? = #isolation
  ) -> some Publisher<Output, Failure> {
    checkInterval(interval, "timeout")
    return Timeout(
      upstream: self, interval: interval, clock: clock,
      completion: { error.map { .failure($0()) } ?? .finished },
      isolation: TaskIsolation(isolation, "timeout"))
  }

  /// Subscribes again after a failure, at most `count` times, each time after a pause.
  ///
  /// - Values that were sent before a failure remain sent. The last failure is sent.
  ///
  /// It must be used on an actor, on which its timer runs. It traps without an actor, and if the
  /// count or a pause is negative.
  ///
  /// ```swift
  /// load.retry(5) { attempt in .milliseconds(100) * (1 << attempt) }
  /// ```
  ///
  /// - Parameter backOff: Returns the pause before an attempt, numbered from 1; there is no pause
  ///   if it is zero.
  public func retry(
    _ count: Int, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation, backOff: @escaping (Int) -> Duration
  ) -> some Publisher<Output, Failure> {
    checkCount(count, "retry")
    let isolation = TaskIsolation(isolation, "retry")
    return Retry(self, count) { attempt, start in
      let pause = backOff(attempt)
      if pause < .zero { trap("retry after \(pause): a pause can't be negative") }
      guard pause > .zero else {
        start()
        return nil
      }
      let timer = ClockTimer(isolation, start)
      timer.start(clock, until: Deadline(clock.now.advanced(by: pause)))
      return timer
    }
  }
}
