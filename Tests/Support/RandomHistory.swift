import Signals
package import Testing

/// A random history that checks its results against a model after each step.
package protocol RandomHistory: AnyObject {
  init(seed: UInt64)

  var seed: UInt64 { get }
  /// The differences from the model.
  var failures: [String] { get }

  func step()
}

extension RandomHistory {
  /// Takes a number of steps, records the first failures with the seed, and expects that no node
  /// and no edge is left.
  ///
  /// A check costs more the longer the history is, so another one begins after 200 steps.
  package static func run(
    seed: UInt64, steps: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let (nodes, edges) = (ReactiveGraph.liveNodes, ReactiveGraph.liveEdges)
    for start in stride(from: 0, to: steps, by: 200) {
      let history = Self(seed: seed &+ UInt64(start) &* 1000)
      for step in 0..<min(200, steps - start) {
        history.step()
        if history.failures.isEmpty { continue }
        for failure in history.failures.prefix(3) {
          Issue.record(
            "seed \(history.seed), step \(step): \(failure)", sourceLocation: sourceLocation)
        }
        return
      }
    }
    #expect(ReactiveGraph.liveNodes == nodes, sourceLocation: sourceLocation)
    #expect(ReactiveGraph.liveEdges == edges, sourceLocation: sourceLocation)
  }
}
