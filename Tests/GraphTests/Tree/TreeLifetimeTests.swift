// State: `Census.live`, the number of living `Counted` objects of one test. Only their `init` and
// `deinit` change it.

import Signals
import SignalsTesting
import TestSupport
import Testing

/// Nothing outlives the last version that contains it.
@Suite struct `Tree, lifetime` {
  @Test func `a tree releases its elements with its last copy`() {
    let census = Census()
    do {
      let tree = Tree((0..<10_000).map { Counted($0, census) })
      var copy = tree
      copy.remove(at: 5_000)
      copy.append(Counted(0, census))
      #expect(census.live == 10_001)
    }
    #expect(census.live == 0)
  }

  @Test(arguments: [0, 63, 4_000])
  func `a removed element is released at once`(place: Int) {
    let census = Census()
    var tree = Tree((0..<5_000).map { Counted($0, census) })
    while !tree.isEmpty {
      tree.remove(at: min(place, tree.count - 1))
      #expect(census.live == tree.count)
    }
  }

  @Test func `an exchanged element is released at once`() {
    let census = Census()
    var tree = Tree((0..<5_000).map { Counted($0, census) })
    for index in 0..<5_000 {
      tree.replace(at: index, with: Counted(-index, census))
      #expect(census.live == 5_000)
    }
    tree.checkInvariants(===)
  }

  @Test func `a version holds what it contains and no more`() {
    let seed: UInt64 = 21
    var random = SeededRandom(seed: seed)
    let census = Census()
    var tree = Tree((0..<3_000).map { Counted($0, census) })
    var kept: Tree<Counted>?
    for step in 0..<historySteps {
      let start = Int.random(in: 0...tree.count, using: &random)
      let end = Int.random(in: start...min(tree.count, start + 300), using: &random)
      let count = Int.random(in: 0...300, using: &random)
      tree.replaceSubrange(start..<end, with: (0..<count).map { Counted($0, census) })
      tree.insert(Counted(step, census), at: start)
      tree.checkInvariants(===)
      var contained = Set(tree.map { ObjectIdentifier($0) })
      contained.formUnion((kept ?? Tree()).map { ObjectIdentifier($0) })
      #expect(census.live == contained.count, "seed \(seed), step \(step)")
      kept = step % 3 == 0 ? tree : kept
    }
    kept = nil
    #expect(census.live == tree.count)
    tree = Tree()
    #expect(census.live == 0)
  }

  @Test func `an iterator holds its version and gives it back`() {
    let census = Census()
    do {
      var iterator = Tree((0..<200).map { Counted($0, census) }).makeIterator()
      #expect(iterator.next()?.number == 0)
      #expect(census.live == 200)
      while iterator.next() != nil {}
    }
    #expect(census.live == 0)
  }
}

/// Counts the living objects of one test.
private final class Census {
  var live = 0
}

/// An object that is counted for as long as it lives.
private final class Counted {
  let number: Int
  private let census: Census

  init(_ number: Int, _ census: Census) {
    self.number = number
    self.census = census
    census.live += 1
  }

  deinit {
    census.live -= 1
  }
}
