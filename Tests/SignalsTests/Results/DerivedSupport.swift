import Signals
import Testing

// What the suites of derived results have in common.

extension Store {
  /// Adds tales with these titles, and 1, 2, 3… pages.
  func addTales(titled titles: [String]) throws -> [Tale] {
    let tales = try addTales(1...titles.count)
    try write { for (tale, title) in zip(tales, titles) { tale.title = title } }
    return tales
  }
}

/// What sections of tales show, as text.
func text<Key>(_ sections: Sections<Key, Tale>) -> [String] {
  sections.map { "\($0.key): \($0.map(\.pages))" }
}

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
