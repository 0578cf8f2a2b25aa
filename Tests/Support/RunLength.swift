import Foundation

/// How long a random history, a chain or a fuzzing run is.
///
/// `SIGNALS_STEPS` (or the variable given) sets it; else it is what is usual, of which
/// `SIGNALS_SHARE=10` takes a tenth, for builds that are slow and look for something else: but not less than
/// 60, so that what a history must have met has come.
package func runLength(_ variable: String = "SIGNALS_STEPS", usually usual: Int) -> Int {
  let environment = ProcessInfo.processInfo.environment
  if let given = environment[variable].flatMap({ Int($0) }) { return given }
  let share = environment["SIGNALS_SHARE"].flatMap { Int($0) } ?? 1
  return max(min(usual, 60), usual / share)
}

/// Where tests that try one seed after the other begin: at `SIGNALS_SEED`, or at 1.
package let firstSeed =
  ProcessInfo.processInfo.environment["SIGNALS_SEED"].flatMap { UInt64($0) } ?? 1
