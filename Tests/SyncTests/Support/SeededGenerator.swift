import TestSupport

extension SeededGenerator {
  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}

/// More in release, which is 20 times as fast.
#if DEBUG
  let effort = 1
#else
  let effort = 20
#endif
