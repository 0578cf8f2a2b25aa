import SignalsTesting
import TestSupport

extension SeededRandom {
  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}

/// More in release, which is 20 times as fast.
#if DEBUG
  let effort = 1
#else
  let effort = 20
#endif

/// The number of histories that a test runs; `SIGNALS_STEPS` sets it.
///
/// A debug build runs a few, so that all suites together take seconds.
func historyCount(usually usual: Int) -> Int {
  runLength(usually: _isDebugAssertConfiguration() ? max(1, usual / 20) : usual)
}
