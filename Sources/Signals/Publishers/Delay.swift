// Operators that let time pass.

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

/// State: `waiting`, in order; the alarm is set for the first.
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

/// State: `due`, which each value puts off; the alarm that rings early is set for the rest.
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
  /// Sends everything so much later, the completion too.
  ///
  /// It must be used on an actor, where its timer runs: without one it traps, as it does if the
  /// interval is not positive.
  public func delay(
    for interval: Duration, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation
  ) -> some Publisher<Output, Failure> {
    checkInterval(interval, "delay")
    return Delay(
      upstream: self, interval: interval, clock: clock,
      isolation: TaskIsolation(isolation, "delay"))
  }

  /// Ends when nothing has come for so long: it finishes, or fails with the error of a closure.
  ///
  /// - The time counts from the subscription and anew from each value.
  /// - Upstream is released when the time is over.
  ///
  /// It must be used on an actor, where its timer runs: without one it traps, as it does if the
  /// interval is not positive.
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
  /// - `backOff` makes the pause before an attempt, numbered from 1; none if it is zero.
  /// - Values that were sent before a failure stay sent; the last failure is sent.
  ///
  /// It must be used on an actor, where its timer runs: without one it traps, as it does if the count
  /// or a pause is negative.
  ///
  /// ```swift
  /// load.retry(5) { attempt in .milliseconds(100) * (1 << attempt) }
  /// ```
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
