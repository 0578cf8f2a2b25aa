import Foundation

/// How long a random history, a chain or a fuzzing run is.
///
/// `SIGNALS_STEPS` (or the variable given) sets it; else it is what is usual, of which
/// `SIGNALS_SHARE=10` takes a tenth, for builds that are slow and look for something else.
func runLength(_ variable: String = "SIGNALS_STEPS", usually usual: Int) -> Int {
  let environment = ProcessInfo.processInfo.environment
  if let given = environment[variable].flatMap({ Int($0) }) { return given }
  return max(1, usual / (environment["SIGNALS_SHARE"].flatMap { Int($0) } ?? 1))
}
