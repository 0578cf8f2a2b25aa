import Signals
import SignalsTesting
import TestSupport
import Testing

/// Effects for each row, which end when the row leaves.
@Suite struct `Effects for each row` {
  let store = Store()

  @Test func `no effect of a deleted object runs again, and its cleanup runs`() throws {
    let tales = try store.addTales(0..<3)
    var log: [String] = []
    let rows = Effect.forEach(store.results(Tale.self)) { tale in
      _ = Effect { log.append("\(tale.title) \(tale.pages) \(tale.isDeleted)") }
      onCleanup { log.append("end \(tale.title)") }
    }
    #expect(log == ["0 0 false", "1 1 false", "2 2 false"])
    log = []
    try store.write {
      tales[1].pages = 9
      try store.delete(tales[1])
    }
    #expect(log == ["end 1"])
    tales[1].pages = 10
    #expect(log == ["end 1"])
    try store.undo()
    #expect(log == ["end 1", "1 1 false"])
    tales[1].pages = 4
    #expect(log.last == "1 4 false")
    rows.cancel()
    #expect(
      log.suffix(3) == ["end 2", "end 1", "end 0"] || log.suffix(3) == ["end 1", "end 2", "end 0"])
    tales[0].pages = 7
    #expect(log.last?.hasPrefix("end") == true)
  }

  @Test func `moves make nothing, and what a body reads is no dependency`() throws {
    let tales = try store.addTales(0..<3)
    var (made, ended) = (0, 0)
    let rows = Effect.forEach(store.results(Tale.self).sorted(by: \.pages)) { tale in
      _ = tale.title
      made += 1
      onCleanup { ended += 1 }
    }
    tales[0].pages = 9
    tales[1].title = "x"
    #expect(made == 3 && ended == 0)
    tales[1].pages = 0
    try store.delete(tales[2])
    #expect(made == 3 && ended == 1)
    rows.cancel()
    #expect(ended == 3)
  }

  @Test func `an element that stands twice in a list has two scopes`() throws {
    let tales = try store.addTales(0..<2)
    let shelf = TaleShelf()
    shelf.novels = List([tales[0], tales[1], tales[0]])
    try store.add(shelf)
    var shown: [String: Int] = [:]
    let rows = Effect.forEach(shelf.novels) { tale in
      shown[tale.title, default: 0] += 1
      onCleanup { shown[tale.title, default: 0] -= 1 }
    }
    #expect(shown == ["0": 2, "1": 1])
    shelf.novels.remove(at: 2)
    #expect(shown == ["0": 1, "1": 1])
    try store.delete(shelf)
    #expect(shown == ["0": 0, "1": 0])
    rows.cancel()
  }

  @Test func `in another effect they end with its run`() throws {
    _ = try store.addTales(0..<2)
    let turn = Signal(0)
    var (made, ended) = (0, 0)
    let outer = Effect {
      _ = turn.value
      _ = Effect.forEach(store.results(Tale.self)) { _ in
        made += 1
        onCleanup { ended += 1 }
      }
    }
    turn.value = 1
    #expect(made == 4 && ended == 2)
    outer.cancel()
    #expect(made == 4 && ended == 4)
  }

  /// Random deletions, undos, moves and changes, made in commits, effects and observers.
  @Test(arguments: firstSeed...(firstSeed + 3))
  func `scopes are those of the rows, whatever happens`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    let (nodes, edges) = (ReactiveGraph.liveNodes, ReactiveGraph.liveEdges)
    do {
      let store = Store(undoLimit: 5)
      var tales = try store.addTales(0..<6)
      let results = store.results(Tale.self).where { $0.pages < 8 }.sorted(by: \.pages)
      var shown: [Tale: Int] = [:]
      var failures = 0
      let rows = Effect.forEach(results) { tale in
        _ = Effect {
          if tale.isDeleted || tale.pages >= 8 { failures += 1 }
          shown[tale] = tale.pages
        }
        onCleanup { shown[tale] = nil }
      }
      for step in 0..<runLength(usually: 400) {
        try store.write {
          for _ in 0...below(3) {
            let present = tales.filter { $0.store === store }
            switch below(8) {
            case 0 where present.count > 3: try store.delete(present[below(present.count)])
            case 1: if present.count < 12 { tales += try store.addTales([below(10)]) }
            default: present.randomElement(using: &random)?.pages = below(10)
            }
            if below(3) == 0 { _ = results.count }
          }
        }
        if below(5) == 0 { _ = try? store.undo() }
        let expected = Dictionary(uniqueKeysWithValues: results.map { ($0, $0.pages) })
        if shown != expected || failures > 0 {
          Issue.record("seed \(seed), step \(step): \(failures) effects of rows that had left")
          break
        }
      }
      rows.cancel()
      #expect(shown.isEmpty)
    }
    #expect(ReactiveGraph.liveNodes == nodes)
    #expect(ReactiveGraph.liveEdges == edges)
  }
}
