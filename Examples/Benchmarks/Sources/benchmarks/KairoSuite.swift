/// The nine graphs of the kairo benchmark; the smallest of ten times 500 iterations of each.
enum KairoSuite {
  /// Makes a graph and returns one iteration, which keeps it.
  typealias Build = @Sendable (Report) -> () -> Void

  struct Case: Sendable {
    let name: String
    /// The batches of one iteration.
    let writes: Int
    let signals: Build
    var opencombine: Build?
  }

  static let cases = [
    Case(
      name: "avoidablePropagation", writes: 1001, signals: KairoGraphs.avoidable,
      opencombine: KairoPeers.avoidable),
    Case(
      name: "broadPropagation", writes: 51, signals: KairoGraphs.broad,
      opencombine: KairoPeers.broad),
    Case(
      name: "deepPropagation", writes: 51, signals: KairoGraphs.deep,
      opencombine: KairoPeers.deep),
    Case(name: "diamond", writes: 501, signals: KairoGraphs.diamond),
    Case(name: "mux", writes: 20, signals: KairoGraphs.mux),
    Case(name: "repeatedObservers", writes: 101, signals: KairoGraphs.repeated),
    Case(name: "triangle", writes: 101, signals: KairoGraphs.triangle),
    Case(name: "unstable", writes: 101, signals: KairoGraphs.unstable),
    Case(name: "molBench", writes: 2, signals: KairoGraphs.mol),
  ]

  private static let iterations = 500

  static func run(_ report: Report) {
    for one in cases { warmUp(one.signals(report), runs: 3) }
    for one in cases {
      var peers: [Peer: Double] = [:]
      if let build = one.opencombine { peers[.opencombine] = measure(build, report) }
      report.add(
        Row(
          name: one.name, unit: .milliseconds, signals: measure(one.signals, report),
          operations: iterations * one.writes, peers: peers))
    }
  }

  /// Nanoseconds of 500 iterations.
  private static func measure(_ build: Build, _ report: Report) -> Double {
    let iterate = build(report)
    warmUp(iterate, runs: 3)
    let count = report.isQuick ? 2 : iterations
    let time = fastest(of: report.isQuick ? 1 : 10) { for _ in 0..<count { iterate() } }
    return time * Double(iterations) / Double(count)
  }

  private static func warmUp(_ iterate: () -> Void, runs: Int) {
    for _ in 0..<runs { iterate() }
  }
}
