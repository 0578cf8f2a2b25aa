import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// Random histories: change sets obey their laws, and carry a store over to another.
@Suite struct `Graph, random histories of change sets` {
  @Test(arguments: seeds(4))
  func `stores that exchange change sets stay equal`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let sides = [RandomSide(), RandomSide()]
    var merged = ChangeSet()
    let late = Store()
    for step in 0..<changeSteps {
      let from = Int.random(in: 0...1, using: &random)
      let place: Comment = "seed \(seed), step \(step)"
      let commit = try sides[from].edit(&random)
      #expect(commit.merging(commit.inverted()).isEmpty, place)
      #expect(commit.inverted().inverted() == commit, place)
      #expect(try sides[1 - from].store.apply(coded(commit)).isClean, place)
      #expect(sides[0].state == sides[1].state, place)
      // Forth and back again, on the store that was told.
      let before = sides[1 - from].state
      try sides[1 - from].store.apply(commit.inverted())
      #expect(try sides[1 - from].store.apply(commit).isClean, place)
      #expect(sides[1 - from].state == before, place)
      let next = merged.merging(commit)
      #expect(next.inverted() == commit.inverted().merging(merged.inverted()), place)
      merged = next
      if Int.random(in: 0..<8, using: &random) == 0 {
        #expect(try late.apply(merged).isClean, place)
        merged = ChangeSet()
        #expect(RandomSide.state(of: late) == sides[0].state, place)
      }
      #expect(sides.flatMap { $0.store.brokenInvariants() } == [], place)
      #expect(late.brokenInvariants() == [], place)
    }
    for side in sides { side.token?.cancel() }
  }

  @Test(arguments: seeds(2))
  func `merging is associative`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let side = RandomSide()
    let commits = try (0..<60).map { _ in try side.edit(&random) }
    for start in stride(from: 0, to: 57, by: 3) {
      let (a, b, c) = (commits[start], commits[start + 1], commits[start + 2])
      #expect(a.merging(b).merging(c) == a.merging(b.merging(c)), "seed \(seed), \(start)")
    }
    let all = commits.reduce(ChangeSet()) { $0.merging($1) }
    let replica = Store()
    try replica.apply(all)
    #expect(RandomSide.state(of: replica) == side.state, "seed \(seed)")
    try side.store.apply(all.inverted())
    #expect(side.state.isEmpty, "seed \(seed)")
  }

  @Test(arguments: seeds(4))
  func `the chosen changes of a commit are those of its change set`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let sides = [RandomSide(), RandomSide()]
    var checks = 0
    let tokens = sides.map { side in
      side.store.commitObservers.addSynchronousObserver { commit in
        let all = commit.changes
        for remainder in UInt64(0)..<2 {
          var asked: [ObjectID: ObjectChange.Kind] = [:]
          let some = commit.changes { id, kind, object in
            #expect(asked.updateValue(kind, forKey: id) == nil, "seed \(seed)")
            #expect(kind == .deleted ? object == nil : object?.objectID == id, "seed \(seed)")
            return id.counter % 2 == remainder
          }
          let expected = all.changes.filter { $0.id.counter % 2 == remainder }
          #expect(some.changes == expected && some.origin == all.origin, "seed \(seed)")
          for change in all.changes { #expect(asked[change.id] == change.kind, "seed \(seed)") }
          checks += expected.count
        }
      }
    }
    for _ in 0..<changeSteps {
      let commit = try sides[0].edit(&random)
      try sides[1].store.apply(commit)
      // Other instances with the same ids, in one commit.
      try sides[1].store.write(origin: "again") {
        try sides[1].store.apply(commit.inverted())
        try sides[1].store.apply(commit)
        if let thing = sides[1].store.results(Thing.self).first { thing.name += "x" }
      }
      if Bool.random(using: &random) { try sides[0].store.undo() }
      try sides[1].store.apply(
        sides[1].store.snapshot().changes(to: sides[0].store.snapshot()), onConflict: .theirs)
    }
    #expect(checks > changeSteps)
    for token in tokens { token.cancel() }
    for side in sides { side.token?.cancel() }
  }

  private func coded(_ change: ChangeSet) throws -> ChangeSet {
    try JSONDecoder().decode(ChangeSet.self, from: JSONEncoder().encode(change))
  }
}

private let changeSteps = runLength(usually: 60)
