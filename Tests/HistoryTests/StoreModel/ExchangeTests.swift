import Signals
import SignalsTesting
import TestSupport
import Testing

/// Stores that are all written to, and tell each other by change sets alone.
///
/// One is the hub, whose commits are the truth. Another takes back what it has done since it last
/// listened, makes what the hub has done meanwhile, and does its own again over that, where conflicts are
/// resolved one way; what came of it the hub is told.
@Suite struct `Stores that exchange change sets` {
  @Test(arguments: seeds(4))
  func `at rest they are equal, whatever was written where`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    let sides = try (0..<3).map { try ExchangeSide(seed: seed * 10 + $0) }
    let hub = sides[0]
    var log: [ChangeSet] = []
    var conflicts: Set<String> = []

    func sync(_ side: ExchangeSide, _ place: Comment) throws {
      let policy: ConflictPolicy = number(2) == 0 ? .mine : .theirs
      let own = batches(side.pending, &random)
      #expect(try side.apply(own.reversed().map { $0.inverted() }) == [], place)
      let news = batches(Array(log[side.seen...]), &random)
      #expect(try side.apply(news.map(coded)) == [], place)
      #expect(side.model.nodes == hub.model.nodes, place)
      side.last = []
      for conflict in try side.apply(own, policy) { conflicts.insert(name(conflict.reason)) }
      hub.last = []
      #expect(try hub.apply(batches(side.last, &random).map(coded)) == [], place)
      log += hub.last
      (side.pending, side.seen) = ([], log.count)
      #expect(side.model.nodes == hub.model.nodes, place)
    }

    for step in 0..<exchangeSteps {
      let place: Comment = "seed \(seed), step \(step)"
      let side = sides[number(3)]
      if side !== hub, number(4) == 0 {
        try sync(side, place)
      } else {
        side.edit()
        if side === hub { log += side.pending }
        if side === hub { side.pending = [] }
      }
      let broken = sides.flatMap { $0.store.brokenInvariants() }
      try #require(broken == [], place)
      guard step % 40 == 39 else { continue }
      for side in sides[1...] { try sync(side, place) }
      for side in sides[1...] { try sync(side, place) }
      for side in sides {
        #expect(side.store.results(Being.self).count == hub.model.ordered(\.isBeing).count)
      }
      let states = sides.map(\.model.nodes)
      try #require(states[0] == states[1] && states[1] == states[2], place)
    }
    // Whoever only hears of it all at once has the same.
    let late = Store()
    try late.apply(log.reduce(ChangeSet()) { $0.merging($1) })
    #expect(late.snapshot() == hub.store.snapshot())
    #expect(late.brokenInvariants() == [])
    if exchangeSteps > 1000 {
      #expect(conflicts.isSuperset(of: ["changed", "missing"]), "\(conflicts)")
    }
    for side in sides { side.end() }
  }

  @Test(arguments: seeds(4))
  func `two that apply each other's changes with opposite policies are equal`(
    seed: UInt64
  ) throws {
    var random = SeededRandom(seed: seed)
    var conflicts: Set<String> = []
    for step in 0..<exchangeSteps / 4 {
      let place: Comment = "seed \(seed), step \(step)"
      let sides = try (0..<2).map { try ExchangeSide(seed: seed * 10_000 + UInt64(step) * 10 + $0) }
      let (one, other) = (sides[0], sides[1])
      for _ in 0..<8 { one.edit() }
      let base = ChangeSet.sum(of: one.pending)
      #expect(throws: Never.self, "\(place): \(one.pending)") { _ = try other.apply([base]) }
      (one.pending, other.pending) = ([], [])
      let count = Int.random(in: 1...6, using: &random)
      for _ in 0..<count { sides.forEach { $0.edit() } }
      let made = sides.map { ChangeSet.sum(of: $0.pending) }
      let reports = [
        try one.apply([coded(made[1])], .mine), try other.apply([coded(made[0])], .theirs),
      ]
      for conflict in reports.joined() { conflicts.insert(name(conflict.reason)) }
      try #require(
        one.model.nodes == other.model.nodes, "\(place):\n\(made[0])\n--\n\(made[1])\n\(reports)")
      #expect(sides.flatMap { $0.store.brokenInvariants() } == [], place)
      for side in sides { side.end() }
    }
    #expect(conflicts.isSuperset(of: ["changed", "missing"]), "\(conflicts)")
  }

  /// The same changes, some of them merged.
  private func batches(_ changes: [ChangeSet], _ random: inout SeededRandom) -> [ChangeSet] {
    var batches: [ChangeSet] = []
    for change in changes {
      if !batches.isEmpty, Bool.random(using: &random) {
        batches[batches.count - 1] = batches[batches.count - 1].merging(change)
      } else {
        batches.append(change)
      }
    }
    return batches
  }

  private func name(_ reason: ChangeConflict.Reason) -> String {
    "\(reason)".prefix { $0 != "(" }.description
  }
}

private func coded(_ change: ChangeSet) throws -> ChangeSet { try change.coded() }

private let exchangeSteps = runLength(usually: 120)
