/// The median of several runs of `body`, each after `prepare`, in nanoseconds per operation.
func median(
  runs: Int = 5, operations: Int = 1, prepare: () -> Void = {}, _ body: () throws -> Void
) rethrows -> Double {
  var times: [Double] = []
  for _ in 0..<runs {
    prepare()
    let time = try ContinuousClock().measure(body)
    let (seconds, attoseconds) = time.components
    times.append((Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(operations))
  }
  return times.sorted()[runs / 2]
}

/// Prints one line of the table.
func report(_ what: String, _ nanoseconds: Double, _ note: String = "") {
  let (value, unit) =
    switch nanoseconds {
    case ..<1e3: (nanoseconds, "ns")
    case ..<1e6: (nanoseconds / 1e3, "us")
    default: (nanoseconds / 1e6, "ms")
    }
  let number = "\((value * 100).rounded() / 100) \(unit)"
  let gap = String(repeating: " ", count: max(1, 62 - what.count) + max(0, 12 - number.count))
  print("  \(what)\(gap)\(number)  \(note)")
}

/// A ratio with two decimals.
func ratio(_ value: Double, to base: Double) -> String {
  "\((value / base * 100).rounded() / 100)x"
}

/// Keeps the optimizer from leaving out what computes a value.
@inline(never)
func use<Value>(_ value: Value) { withExtendedLifetime(value) {} }
