import SignalsSync
import TestSupport
import Testing

@Suite("Shared lists against a model")
struct PositionsHistoryTests {
  @Test("replicas that edit, lose order and hear twice are equal in the end")
  func randomHistories() throws {
    for seed in firstSeed..<firstSeed + UInt64(historyCount(usually: 600)) {
      var history = RandomHistory(seed: seed)
      try history.run(steps: 60)
      try history.checkConvergence()
    }
  }

  @Test("long histories converge")
  func longHistories() throws {
    for seed in firstSeed..<firstSeed + UInt64(max(1, historyCount(usually: 90) / 30)) {
      var history = RandomHistory(seed: seed)
      try history.run(steps: _isDebugAssertConfiguration() ? 250 : 600)
      try history.checkConvergence()
    }
  }

  @Test("replicas that compact at the same operation go on alike")
  func compaction() throws {
    for seed in firstSeed..<firstSeed + UInt64(historyCount(usually: 300)) {
      var history = RandomHistory(seed: seed)
      try history.run(steps: 40)
      try history.checkConvergence()
      history.compact()
      try history.run(steps: 40)
      try history.checkConvergence()
    }
  }
}

/// Random edits of several replicas that hear of each other at times.
struct RandomHistory {
  let seed: UInt64
  private(set) var replicas: [ListReplica]
  private var random: SeededGenerator
  /// What all replicas began with, or had when they were compacted.
  private var base: [ListOperation<Int>]
  /// The operations before that.
  private var compacted: Set<ListOperation<Int>> = []

  init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    let length = Int.random(in: 0...12, using: &random)
    let elements = ElementRange(first: ElementID(replica: 9, counter: 5), count: length)
    let original = (try? ListPositions<Int>(elements: elements)) ?? ListPositions()
    base = original.state.bunches.map { .insert($0.ids, at: $0.place) }
    replicas = (1...UInt64.random(in: 2...4, using: &random)).map { ListReplica($0, of: original) }
  }

  mutating func run(steps: Int) throws {
    for _ in 0..<steps {
      let number = Int.random(in: replicas.indices, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0..<5: edit(number)
      default:
        let other = Int.random(in: replicas.indices, using: &random)
        try replicas[number].pull(from: replicas[other])
      }
      replicas[number].check("seed \(seed)")
    }
  }

  private mutating func edit(_ number: Int) {
    let count = replicas[number].values.count
    // Many edits are at the start or the end, where they meet and go on from each other.
    let index =
      switch Int.random(in: 0..<3, using: &random) {
      case 0: Int.random(in: 0...min(count, 2), using: &random)
      case 1: Int.random(in: 0...count, using: &random)
      default: count
      }
    switch Int.random(in: 0..<8, using: &random) {
    case 0..<3: replicas[number].insert(at: index)
    case 3: replicas[number].insert(Int.random(in: 2...5, using: &random), at: index)
    case 4..<6 where index < count:
      let end = min(count, index + Int.random(in: 1...3, using: &random))
      replicas[number].remove(at: index..<end)
    case 6..<8 where index < count:
      replicas[number].move(from: index, to: Int.random(in: 0..<count, using: &random))
    default: replicas[number].insert(at: index)
    }
  }

  /// Brings all operations to all replicas, in different orders and some twice.
  mutating func checkConvergence() throws {
    var seen = compacted
    let operations = replicas.flatMap(\.history).filter { seen.insert($0).inserted }
    for number in replicas.indices {
      let known = Set(replicas[number].history)
      let missing = operations.filter { !known.contains($0) }
      let twice = operations.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
      for operation in (missing + twice).shuffled(using: &random) {
        try replicas[number].receive(operation)
      }
      replicas[number].check("seed \(seed)")
      #expect(replicas[number].waiting.isEmpty, "seed \(seed)")
      #expect(replicas[number].positions.state == replicas[0].positions.state, "seed \(seed)")
    }
    let state = replicas[0].positions.state
    #expect(try ListPositions(state).state == state, "seed \(seed)")
    #expect(replicas[0].values == ListModel(base + operations).elements, "seed \(seed)")
  }

  mutating func compact() {
    for number in replicas.indices {
      compacted.formUnion(replicas[number].history)
      let values = replicas[number].values
      replicas[number].compact()
      #expect(replicas[number].values == values, "seed \(seed)")
      replicas[number].check("seed \(seed), after compaction")
    }
    let state = replicas[0].positions.state
    #expect(state.deleted.isEmpty && state.moves.isEmpty, "seed \(seed)")
    base = state.bunches.map { .insert($0.ids, at: $0.place) }
  }
}
