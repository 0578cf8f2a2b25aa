// Operators that wait for a pause in the values, or limit their rate.

struct Debounce<Upstream: Publisher, C: Clock>: Publisher where C.Duration == Duration {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let interval: Duration
  let clock: C
  let isolation: TaskIsolation

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let gate = Gate(downstream)
    let state = DebounceState(gate, interval, Alarm(clock, isolation))
    gate.onEnd { state.end() }
    gate.connect { upstream.subscribe(TimedSink(gate: gate, input: $0, state: state)) }
    return gate.connection
  }
}

/// The state of a timed operator, which handles the events of its input.
protocol TimedState<Input, Failure> {
  associatedtype Input
  associatedtype Failure: Error
  func receive(_ value: Input)
  func finish(_ completion: Completion<Failure>)
}

/// The sink of every timed operator.
struct TimedSink<Downstream: Subscriber, State: TimedState>: Subscriber
where State.Input == Downstream.Input, State.Failure == Downstream.Failure {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  let gate: Gate<Downstream>
  let input: GateInput
  let state: State

  func receive(_ value: Input) -> Bool {
    guard unsafe input.isOpen else { return false }
    state.receive(value)
    return unsafe gate.isActive
  }

  func finish(_ completion: Completion<Failure>) {
    if gate.close(input) { state.finish(completion) }
  }
}

/// Holds the last value back until a pause.
///
/// State: `waiting`, the last value, until `due`, which each value postpones. The alarm isn't set
/// again for that: when it rings early, it is set for the remaining time.
final class DebounceState<Downstream: Subscriber, C: Clock>: TimedState
where C.Duration == Duration {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private let gate: Gate<Downstream>
  private let interval: Duration
  private let alarm: Alarm<C>
  private var waiting: Input?
  private var due: Deadline<C.Instant>

  init(_ gate: Gate<Downstream>, _ interval: Duration, _ alarm: Alarm<C>) {
    self.gate = gate
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
    if let value = waiting.take() { gate.send(value) }
  }

  func finish(_ completion: Completion<Failure>) {
    alarm.cancel()
    if !completion.isFailure { flush() }
    gate.finish(completion)
  }

  func end() {
    _ = waiting.take()
    alarm.cancel()
  }
}

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
    let gate = Gate(downstream)
    let state = ThrottleState(gate, interval, isLatest, Alarm(clock, isolation))
    gate.onEnd { state.end() }
    gate.connect { upstream.subscribe(TimedSink(gate: gate, input: $0, state: state)) }
    return gate.connection
  }
}

/// Limits the rate of values.
///
/// State: `alarm`, which is set while a window is open; `waiting`, the value to be sent at its end.
final class ThrottleState<Downstream: Subscriber, C: Clock>: TimedState
where C.Duration == Duration {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private let gate: Gate<Downstream>
  private let interval: Duration
  private let isLatest: Bool
  private let alarm: Alarm<C>
  private var waiting: Input?

  init(_ gate: Gate<Downstream>, _ interval: Duration, _ isLatest: Bool, _ alarm: Alarm<C>) {
    self.gate = gate
    self.interval = interval
    self.isLatest = isLatest
    self.alarm = alarm
  }

  func receive(_ value: Input) {
    if !alarm.isSet {
      openWindow()
      gate.send(value)
    } else if isLatest || waiting == nil {
      // Releasing the previous value may send or cancel.
      _ = exchange(&waiting, with: value)
    }
  }

  private func openWindow() {
    alarm.set(alarm.deadline(after: interval)) { [self] in
      guard let value = waiting.take() else { return }
      openWindow()
      gate.send(value)
    }
  }

  func finish(_ completion: Completion<Failure>) {
    alarm.cancel()
    if let value = waiting.take(), !completion.isFailure { gate.send(value) }
    gate.finish(completion)
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
  public func debounce(
    for interval: Duration, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation
  ) -> some Publisher<Output, Failure> {
    checkInterval(interval, "debounce")
    return Debounce(
      upstream: self, interval: interval, clock: clock,
      isolation: TaskIsolation(isolation, "debounce"))
  }

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
  /// - Parameter latest: Whether the latest value of a window is sent, rather than the first.
  public func throttle(
    for interval: Duration, latest: Bool, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation
  ) -> some Publisher<Output, Failure> {
    checkInterval(interval, "throttle")
    return Throttle(
      upstream: self, interval: interval, clock: clock, isLatest: latest,
      isolation: TaskIsolation(isolation, "throttle"))
  }
}
