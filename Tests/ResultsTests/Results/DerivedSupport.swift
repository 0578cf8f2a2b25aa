import Signals
import TestSupport
import Testing

// What the suites of derived results have in common.

/// Runs something on a store of fifty tales and expects that nothing of it stays, the first tale neither.
func expectNothingLeft(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: (Store, [Tale]) throws -> Void
) throws {
  let nodes = ReactiveGraph.liveNodes
  let edges = ReactiveGraph.liveEdges
  weak var weakTale: Tale?
  do {
    let store = Store(undoLimit: 0)
    let tales = try store.addTales(0..<50)
    weakTale = tales[0]
    try body(store, tales)
  }
  #expect(weakTale == nil, sourceLocation: sourceLocation)
  #expect(ReactiveGraph.liveNodes == nodes, sourceLocation: sourceLocation)
  #expect(ReactiveGraph.liveEdges == edges, sourceLocation: sourceLocation)
}
