/// Sends the time repeatedly, at an interval on a clock.
///
/// - The first value is sent one interval after the subscription. Each subscription has its own
///   ticks.
/// - Ticks don't drift: each is due one interval after the previous one was due. Missed ticks are
///   left out.
/// - It never finishes.
///
/// It must be created on an actor, on which its timer runs. It traps without an actor, and if the
/// interval isn't positive. In the bodies, intents and other synchronous closures of views, the
/// actor is that of their host; in code that a timer runs, it is that of the timer.
///
/// ```swift
/// let token = Every(.seconds(1)).sink { _ in model.refresh() }
/// ```
public struct Every<C: Clock>: Publisher where C.Duration == Duration {
  /// The time at which the tick was due.
  public typealias Output = C.Instant
  /// The publisher can't fail.
  public typealias Failure = Never

  let interval: Duration
  let clock: C
  let isolation: TaskIsolation

  /// Creates a publisher of ticks; an interval that isn't positive traps.
  ///
  /// - Parameters:
  ///   - interval: The time between two ticks.
  ///   - clock: The clock that measures the interval.
  ///   - isolation: The actor on which the timer runs; leave it to the compiler.
  public init(
    _ interval: Duration, clock: C = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation
  ) {
    checkInterval(interval, of: "Every")
    self.interval = interval
    self.clock = clock
    self.isolation = TaskIsolation(isolation, of: "Every")
  }

  /// Starts to send ticks.
  ///
  /// - Parameter downstream: The subscriber to connect.
  /// - Returns: The object that disconnects the subscriber, or `nil` if the subscription has
  ///   already ended.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Never {
    let ticker = Ticker(
      SerializedSubscriber(downstream), interval: interval, alarm: Alarm(clock, on: isolation))
    ticker.subscriber.onEnd { ticker.alarm.cancel() }
    ticker.wait(until: clock.now.advanced(by: interval))
    return ticker.subscriber
  }
}

final class Ticker<Downstream: Subscriber, C: Clock>
where C.Duration == Duration, Downstream.Input == C.Instant {
  let subscriber: SerializedSubscriber<Downstream>
  let alarm: Alarm<C>
  private let interval: Duration

  init(_ subscriber: SerializedSubscriber<Downstream>, interval: Duration, alarm: Alarm<C>) {
    self.subscriber = subscriber
    self.interval = interval
    self.alarm = alarm
  }

  func wait(until due: C.Instant) {
    alarm.set(Deadline(due)) { [self] in
      // The alarm is set before the value is sent, so that a cancellation finds it.
      var next = due.advanced(by: interval)
      let now = alarm.clock.now
      if next <= now {
        let missed = (next.duration(to: now) / interval).rounded(.down)
        next = next.advanced(by: interval * missed).advanced(by: interval)
      }
      wait(until: next)
      subscriber.send(due)
    }
  }
}
