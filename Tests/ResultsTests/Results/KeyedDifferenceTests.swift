import Signals
import SignalsTesting
import TestSupport
import Testing

/// What turns one array of keys into another.
@Suite struct `Keyed differences` {
  @Test func `it names what went, what came, and what moved`() {
    let change = CollectionChange(from: ["a", "b", "c"], to: ["c", "a", "d"])
    #expect(change.description == "deletions [1], insertions [2], moves [2->0], modifications []")
    #expect(change.inserted == ["d"])
  }

  @Test func `equal arrays, empty ones and those with nothing in common`() {
    #expect(CollectionChange(from: [1, 2], to: [1, 2]).isEmpty)
    #expect(CollectionChange<Int>(from: [], to: []).isEmpty)
    let arrival = CollectionChange(from: [], to: [1, 2])
    #expect((arrival.deletions, arrival.insertions) == ([], [0, 1]))
    let exchange = CollectionChange(from: [1, 2], to: [3])
    #expect((exchange.deletions, exchange.insertions, exchange.moves) == ([0, 1], [0], []))
  }

  @Test func `one move is one move, wherever it goes`() {
    for (from, to) in [(0, 999), (999, 0), (10, 500), (500, 10), (3, 4)] {
      var new = Array(0..<1000)
      new.insert(new.remove(at: from), at: to)
      let change = CollectionChange(from: Array(0..<1000), to: new)
      #expect(change.moves.count == 1)
      #expect((change.deletions, change.insertions) == ([], []))
      var old = Array(0..<1000)
      change.apply(to: &old)
      #expect(old == new)
    }
  }

  @Test func `equal elements are told apart by their order`() {
    let change = CollectionChange(from: ["a", "a", "b"], to: ["b", "a"])
    #expect((change.deletions, change.insertions) == ([1], []))
    var old = ["a", "a", "b"]
    change.apply(to: &old)
    #expect(old == ["b", "a"])
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `applying it to the old array gives the new one`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for step in 0..<2000 {
      let range = 0..<[3, 10, 200][step % 3]
      func array() -> [Int] {
        (0..<Int.random(in: 0..<40, using: &random)).map { _ in
          Int.random(in: range, using: &random)
        }
      }
      let old = array()
      var new = array()
      if step % 2 == 0 {
        new = old.shuffled(using: &random)
        for _ in 0..<Int.random(in: 0..<3, using: &random) where !new.isEmpty { new.removeLast() }
      }
      let change = CollectionChange(from: old, to: new)
      var result = old
      change.apply(to: &result)
      #expect(result == new, "seed \(seed), step \(step): \(old) to \(new) by \(change)")
      let leaving = Set(change.deletions).union(change.moves.map(\.old))
      #expect(leaving.count == change.deletions.count + change.moves.count)
      #expect(change.insertions.map { new[$0] } == change.inserted)
      #expect(change.moves.allSatisfy { old[$0.old] == new[$0.new] })
    }
  }
}
