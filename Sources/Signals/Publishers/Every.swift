/// Sends the time again and again, at an interval on a clock.
///
/// - The first value comes one interval after the subscription; each subscription counts by itself.
/// - Ticks do not drift: each is due one interval after the one before was due. Those that were missed
///   are left out.
/// - It never finishes.
///
/// It must be made on an actor, where its timer runs: without one it traps, as it does if the interval
/// is not positive. In the bodies, intents and other synchronous closures of views that is the actor of their host, and
/// in what a timer runs that of the timer.
///
/// ```swift
/// let token = Every(.seconds(1)).sink { _ in model.refresh() }
/// ```
public struct Every<C: Clock>: Publisher where C.Duration == Duration {
  /// When the tick was due.
  public typealias Output = C.Instant
  /// It can't fail.
  public typealias Failure = Never

  let interval: Duration
  let clock: C
  let isolation: TaskIsolation

  /// Creates a publisher of ticks; an interval that is not positive traps.
  public init(
    _ interval: Duration, clock: C = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation
  ) {
    checkInterval(interval, "Every")
    self.interval = interval
    self.clock = clock
    self.isolation = TaskIsolation(isolation, "Every")
  }

  /// Starts to tick.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Never {
    let ticker = Ticker(Gate(downstream), interval, Alarm(clock, isolation))
    ticker.gate.onEnd { ticker.alarm.cancel() }
    ticker.wait(until: clock.now.advanced(by: interval))
    return ticker.gate
  }
}

final class Ticker<Downstream: Subscriber, C: Clock>
where C.Duration == Duration, Downstream.Input == C.Instant {
  let gate: Gate<Downstream>
  let alarm: Alarm<C>
  private let interval: Duration

  init(_ gate: Gate<Downstream>, _ interval: Duration, _ alarm: Alarm<C>) {
    self.gate = gate
    self.interval = interval
    self.alarm = alarm
  }

  func wait(until due: C.Instant) {
    alarm.set(Deadline(due)) { [self] in
      // Set before it is sent, so that a cancellation finds it.
      var next = due.advanced(by: interval)
      let now = alarm.clock.now
      if next <= now {
        let missed = (next.duration(to: now) / interval).rounded(.down)
        next = next.advanced(by: interval * missed).advanced(by: interval)
      }
      wait(until: next)
      gate.send(due)
    }
  }
}
