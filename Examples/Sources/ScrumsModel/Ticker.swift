package import Signals

/// Tells as time passes: of a clock, or whoever else says that it does.
package final class Ticker {
  private let start: (@escaping (Int) -> Void) -> any Cancellable

  /// Ticks each second of a clock; what was missed is told with the next tick.
  ///
  /// Make it on the actor of the app: its ticks come there.
  package init<C: Clock>(
    _ clock: C, isolation: isolated (any Actor)? = #isolation
  ) where C.Duration == Duration {
    let seconds = Every(.seconds(1), clock: clock, isolation: isolation)
    start = { tick in
      var last = clock.now
      return seconds.sink { now in
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
