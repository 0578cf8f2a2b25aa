import Foundation

/// Returns the length of a random history, a chain or a fuzzing run.
///
/// `SIGNALS_STEPS`, or the variable given, sets it. Otherwise, it is a share of `usual`: a third in
/// debug builds, or as `SIGNALS_SHARE` says (10 for a tenth), for builds that are slow. It is at
/// least 60, so that a history meets all kinds of operations.
package func runLength(_ variable: String = "SIGNALS_STEPS", usually usual: Int) -> Int {
  let environment = ProcessInfo.processInfo.environment
  if let given = environment[variable].flatMap({ Int($0) }) { return given }
  let share =
    environment["SIGNALS_SHARE"].flatMap { Int($0) }
    ?? (_isDebugAssertConfiguration() ? 3 : 1)
  return max(min(usual, 60), usual / share)
}

private let givenSeed =
  ProcessInfo.processInfo.environment["SIGNALS_SEED"].flatMap { UInt64($0) }

/// The first seed of tests that try one seed after the other: `SIGNALS_SEED`, or 1.
package let firstSeed = givenSeed ?? 1

/// Returns the seeds of a test that runs several histories, one test case for each.
///
/// - Parameters:
///   - count: The number of seeds.
///   - first: The first seed if `SIGNALS_SEED` isn't set.
package func seeds(_ count: UInt64, from first: UInt64 = 1) -> Range<UInt64> {
  let start = givenSeed ?? first
  return start..<start + count
}
