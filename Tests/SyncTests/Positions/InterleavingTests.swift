import SignalsSync
import Testing

@Suite("Runs in shared lists")
struct InterleavingTests {
  /// How somebody writes a run.
  enum Typing: CaseIterable {
    case atOnce, forward, backward, middle

    func write(_ count: Int, at index: Int, in replica: inout ListReplica) -> Set<ElementID> {
      var ids: Set<ElementID> = []
      switch self {
      case .atOnce: ids.formUnion(replica.insert(count, at: index))
      case .forward:
        for step in 0..<count { ids.formUnion(replica.insert(at: index + step)) }
      case .backward:
        for _ in 0..<count { ids.formUnion(replica.insert(at: index)) }
      case .middle:
        for step in 0..<count { ids.formUnion(replica.insert(at: index + step / 2)) }
      }
      return ids
    }
  }

  @Test(
    "runs that were written at the same place don't mix",
    arguments: Typing.allCases, Typing.allCases)
  func noMixing(first: Typing, second: Typing) throws {
    for index in 0...4 {
      for removed in [nil, 0..<1, 1..<3, 2..<4, 0..<4] {
        var start = ListReplica(5, of: try .five)
        if let removed { start.remove(at: removed) }
        guard index <= start.values.count else { continue }
        var replicas = [ListReplica(1, of: try .five), ListReplica(2, of: try .five)]
        for number in replicas.indices { try replicas[number].pull(from: start) }
        let runs = [
          first.write(6, at: index, in: &replicas[0]), second.write(6, at: index, in: &replicas[1]),
        ]
        try replicas[0].pull(from: replicas[1])
        try replicas[1].pull(from: replicas[0])
        #expect(replicas[0].values == replicas[1].values)
        let written = replicas[0].values[index..<index + 12].map { runs[0].contains($0) }
        let isFirstBefore = written.first == true
        #expect(
          written
            == [Bool](repeating: isFirstBefore, count: 6)
            + [Bool](repeating: !isFirstBefore, count: 6),
          "at \(index), without \(removed ?? 0..<0)")
      }
    }
  }

  @Test("a run keeps its order and stays where it was written when others edit around it")
  func edgesStay() throws {
    var (first, second) = (ListReplica(1, of: try .five), ListReplica(2, of: try .five))
    let run = first.insert(3, at: 2)
    second.remove(at: 1..<3)
    second.insert(at: 1)
    try first.pull(from: second)
    try second.pull(from: first)
    #expect(first.values == second.values)
    #expect(first.values.filter { run.contains($0) } == run)
  }

  @Test("what others wrote at the ends that a run once had is in one order on all replicas")
  func formerEnds() throws {
    var writer = ListReplica(3)
    var readers = [1, 2, 4, 5].map { ListReplica($0) }
    for number in readers.indices.reversed() {
      writer.insert(at: writer.values.count)
      try readers[number].pull(from: writer)
    }
    writer.insert(2, at: writer.values.count)
    let base = writer.history
    for number in readers.indices { readers[number].insert(at: readers[number].values.count) }
    let added = readers.map { $0.history.suffix(1) }
    let expected = ListModel(base + added.joined()).elements
    for order in added.permutations {
      for isLate in [false, true] {
        var replica = ListReplica(9)
        let operations = isLate ? Array(order.joined()) + base : base + Array(order.joined())
        for operation in operations { try replica.receive(operation) }
        #expect(replica.values == expected, "\(order)")
      }
    }
  }

  @Test("a list that was written in order is kept as one piece")
  func onePiece() throws {
    var replica = ListReplica(1, of: try .five)
    for step in 0..<1_000 { replica.insert(at: 5 + step) }
    #expect(replica.positions.pieceCount == 2)
    #expect(replica.positions.state.bunches.count == 2)
  }

  @Test("elements that are deleted one by one are kept as one piece again")
  func deletedInPieces() throws {
    var replica = ListReplica(1)
    replica.insert(1_000, at: 0)
    for index in stride(from: 998, through: 0, by: -2) { replica.remove(at: index..<index + 1) }
    #expect(replica.positions.pieceCount == 1_000)
    for _ in 0..<499 { replica.remove(at: 0..<1) }
    #expect(replica.positions.pieceCount == 2)
    #expect(replica.positions.state.deleted.map(\.count) == [999])
    replica.check()
  }

  @Test("a run that is sent again after it has grown adds what is new")
  func grownRun() throws {
    let ids = ElementRange(first: ElementID(replica: 1, counter: 0), count: 3)
    let grown = ElementRange(first: ids.first, count: 5)
    var positions = try ListPositions<Int>(elements: ids)
    let effects = try positions.apply(.insert(grown, at: .start))
    let rest = ElementRange(first: ElementID(replica: 1, counter: 3), count: 2)
    #expect(effects == [.inserted(rest, at: 3)])
    #expect(try positions.apply(.insert(ids, at: .start)) == [])
    #expect(try positions.state == ListPositions<Int>(elements: grown).state)
  }
}

extension ListPositions<Int> {
  /// A list of five elements.
  static var five: Self {
    get throws(PositionsError) {
      try Self(elements: ElementRange(first: ElementID(replica: 9, counter: 0), count: 5))
    }
  }
}
