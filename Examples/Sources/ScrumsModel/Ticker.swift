package import Signals

/// Tells as time passes: of a clock, or whoever else says that it does.
package final class Ticker {
  private let start: (@escaping (Int) -> Void) -> any Cancellable

  /// Ticks each second of a clock; what was missed is told with the next tick.
  ///
  /// The ticks come on the actor of the host whose view starts it.
  package init<C: Clock>(_ clock: C) where C.Duration == Duration {
    start = { tick in
      var last = clock.now
      return Every(.seconds(1), clock: clock).sink { now in
        tick(Int(last.duration(to: now) / .seconds(1)))
        last = now
      }
    }
  }

  /// Ticks when a subject says so, by as many seconds as it says.
  package init(_ seconds: Subject<Int, Never>) { start = { seconds.sink(receiveValue: $0) } }

  /// Calls `tick` with the seconds that have passed, until the token is cancelled or released.
  package func callAsFunction(_ tick: @escaping (Int) -> Void) -> any Cancellable { start(tick) }
}
