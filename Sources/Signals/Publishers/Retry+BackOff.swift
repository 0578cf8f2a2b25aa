extension Publisher {
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
  /// - Parameters:
  ///   - count: The maximum number of new attempts.
  ///   - clock: The clock that measures the time.
  ///   - isolation: The actor on which the timer runs; by default, that of the caller.
  ///   - backOff: Returns the pause before an attempt, numbered from 1; there is no pause if it is
  ///     zero.
  /// - Returns: A publisher of the values of all attempts.
  public func retry(
    _ count: Int, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation, backOff: @escaping (Int) -> Duration
  ) -> some Publisher<Output, Failure> {
    checkCount(count, of: "retry")
    let isolation = TaskIsolation(isolation, of: "retry")
    return Retry(self, count: count) { attempt, start in
      let pause = backOff(attempt)
      if pause < .zero { trap("retry after \(pause): a pause can't be negative") }
      guard pause > .zero else {
        start()
        return nil
      }
      let timer = ClockTimer(on: isolation, action: start)
      timer.start(clock, until: Deadline(clock.now.advanced(by: pause)))
      return timer
    }
  }
}
