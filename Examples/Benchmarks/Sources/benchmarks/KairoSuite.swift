/// The nine graphs of the kairo benchmark; the smallest of ten times 500 iterations of each.
enum KairoSuite {
  /// Makes a graph and returns one iteration, which keeps it.
  typealias Build = @Sendable (Report) -> () -> Void

  struct Case: Sendable {
    let name: String
    /// The batches of one iteration.
    let writes: Int
    let signals: Build
    var peers: [Peer: Build] = [:]
  }

  static let cases = [
    Case(
      name: "avoidablePropagation", writes: 1001, signals: KairoGraphs.avoidable,
      peers: [.opencombine: KairoPeers.avoidable]),
    Case(
      name: "broadPropagation", writes: 51, signals: KairoGraphs.broad,
      peers: [
        .opencombine: { KairoPeers.broad(OpenCombineEngine(), $0) },
        .observation: { KairoPeers.broad(ObservationEngine(), $0) },
      ]),
    Case(
      name: "deepPropagation", writes: 51, signals: KairoGraphs.deep,
      peers: [
        .opencombine: { KairoPeers.deep(OpenCombineEngine(), $0) },
        .observation: { KairoPeers.deep(ObservationEngine(), $0) },
      ]),
    Case(
      name: "diamond", writes: 501, signals: KairoGraphs.diamond,
      peers: [.observation: KairoPeers.diamond]),
    Case(name: "mux", writes: 20, signals: KairoGraphs.mux),
    Case(
      name: "repeatedObservers", writes: 101, signals: KairoGraphs.repeated,
      peers: [.observation: KairoPeers.repeated]),
    Case(
      name: "triangle", writes: 101, signals: KairoGraphs.triangle,
      peers: [.observation: KairoPeers.triangle]),
    Case(
      name: "unstable", writes: 101, signals: KairoGraphs.unstable,
      peers: [.observation: KairoPeers.unstable]),
    Case(name: "molBench", writes: 2, signals: KairoGraphs.mol),
  ]

  private static let iterations = 500

  static func run(_ report: Report) {
    for one in cases { warmUp(one.signals(report), runs: 3) }
    for one in cases {
      // What peers compute is uncached and slow: a tenth of the iterations, three times.
      let peers = one.peers.mapValues { build in
        measure(build, report, iterations: iterations / 10, runs: 3)
      }
      report.add(
        Row(
          name: one.name, unit: .milliseconds,
          signals: measure(one.signals, report, iterations: iterations, runs: 10),
          operations: iterations * one.writes, peers: peers))
    }
  }

  /// Nanoseconds of 500 iterations.
  private static func measure(
    _ build: Build, _ report: Report, iterations: Int, runs: Int
  ) -> Double {
    let iterate = build(report)
    warmUp(iterate, runs: 3)
    let count = report.isQuick ? 2 : iterations
    let time = fastest(of: report.isQuick ? 1 : runs) { for _ in 0..<count { iterate() } }
    return time * Double(Self.iterations) / Double(count)
  }

  private static func warmUp(_ iterate: () -> Void, runs: Int) {
    for _ in 0..<runs { iterate() }
  }
}
