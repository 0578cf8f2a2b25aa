/// Rectangular graphs of sums, some of which drop a source that depends on a value.
///
/// Each iteration writes one source and reads the leaves; the smallest of five runs. The sum of the
/// leaves and the number of evaluations are known.
enum DynamicSuite {
  struct Configuration {
    let name: String
    let width: Int
    /// Rows, that of the sources included.
    let rows: Int
    let staticFraction: Double
    /// How many nodes of the row before each node reads.
    let reads: Int
    let readFraction: Double
    let iterations: Int
    let sum: Double
    let evaluations: Int
  }

  private static let configurations = [
    Configuration(
      name: "2-10x5 - lazy80%", width: 10, rows: 5, staticFraction: 1, reads: 2,
      readFraction: 0.2, iterations: 600_000, sum: 19_199_968, evaluations: 3_480_000),
    Configuration(
      name: "6-10x10 - dyn25% - lazy80%", width: 10, rows: 10, staticFraction: 0.75, reads: 6,
      readFraction: 0.2, iterations: 15_000, sum: 302_310_782_860, evaluations: 1_155_000),
    Configuration(
      name: "4-1000x12 - dyn5%", width: 1000, rows: 12, staticFraction: 0.95, reads: 4,
      readFraction: 1, iterations: 7000, sum: 29_355_933_696_000, evaluations: 1_463_000),
    Configuration(
      name: "25-1000x5", width: 1000, rows: 5, staticFraction: 1, reads: 25,
      readFraction: 1, iterations: 3000, sum: 1_171_484_375_000, evaluations: 732_000),
    Configuration(
      name: "3-5x500", width: 5, rows: 500, staticFraction: 1, reads: 3,
      readFraction: 1, iterations: 500, sum: 3.023_964_267_689_846_4e241,
      evaluations: 1_246_500),
    Configuration(
      name: "6-100x15 - dyn50%", width: 100, rows: 15, staticFraction: 0.5, reads: 6,
      readFraction: 1, iterations: 2000, sum: 15_664_996_402_790_400, evaluations: 1_078_000),
  ]

  /// Small ones, counted from the first iteration on.
  private static let probes = [
    Configuration(
      name: "2-3x3", width: 3, rows: 3, staticFraction: 1, reads: 2, readFraction: 1,
      iterations: 2, sum: 16, evaluations: 11),
    Configuration(
      name: "2-3x3 - lazy33%", width: 3, rows: 3, staticFraction: 1, reads: 2,
      readFraction: 2.0 / 3, iterations: 10, sum: 72, evaluations: 41),
    Configuration(
      name: "2-4x2 - dyn50%", width: 4, rows: 2, staticFraction: 0.5, reads: 2,
      readFraction: 1, iterations: 10, sum: 72, evaluations: 22),
  ]

  static func run(_ report: Report) {
    PseudoRandom.check(report)
    for probe in probes {
      let graph = DynamicGraph(probe)
      check(report, probe, graph.run(0..<probe.iterations), graph)
    }
    for one in configurations {
      let graph = DynamicGraph(one)
      let all = 0..<one.iterations
      // The last iterations alone leave the sources as all do.
      if report.isQuick { _ = graph.run(one.iterations - one.width..<one.iterations) }
      for _ in 0..<(report.isQuick ? 0 : 3) { _ = graph.run(all) }
      let time = fastest(of: report.isQuick ? 1 : 5) {
        graph.evaluations.count = 0
        check(report, one, graph.run(all), graph)
      }
      report.add(
        Row(
          name: one.name, unit: .milliseconds, signals: time, operations: one.iterations,
          note: "\(digits(time / Double(one.evaluations))) ns per evaluation"))
    }
  }

  private static func check(
    _ report: Report, _ one: Configuration, _ sum: Double, _ graph: DynamicGraph
  ) {
    let count = graph.evaluations.count
    report.expect(sum == one.sum, "\(one.name): the sum is \(sum), not \(one.sum)")
    report.expect(
      count == one.evaluations, "\(one.name): \(count) evaluations, not \(one.evaluations)")
  }
}
