/// Runs the suites named on the command line, or all of them.
///
/// Nothing here is asserted: numbers depend on the machine, ratios within one run less so.
@main
struct Benchmarks {
  static let suites: [(name: String, run: @Sendable () throws -> Void)] = [
    ("fields", { try FieldsSuite.run() }), ("results", { try ResultsSuite.run() }),
  ]

  static func main() throws {
    let names = CommandLine.arguments.dropFirst()
    for name in names where !suites.contains(where: { $0.name == name }) {
      print("unknown suite \(name); there are: \(suites.map(\.name).joined(separator: ", "))")
      return
    }
    for suite in suites where names.isEmpty || names.contains(suite.name) {
      print("\n\(suite.name)")
      try suite.run()
    }
  }
}
