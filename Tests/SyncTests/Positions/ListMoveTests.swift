import SignalsSync
import Testing

@Suite("Moves in shared lists")
struct ListMoveTests {
  private let elements = (0..<5).map { ElementID(replica: 9, counter: $0) }

  private func makeReplicas() throws -> [ListReplica] {
    [ListReplica(1, of: try .five), ListReplica(2, of: try .five)]
  }

  private func exchange(_ replicas: inout [ListReplica]) throws {
    try replicas[0].pull(from: replicas[1])
    try replicas[1].pull(from: replicas[0])
    #expect(replicas[0].values == replicas[1].values)
    for replica in replicas { replica.check() }
  }

  @Test("an element is moved to any index", arguments: 0..<5)
  func anyIndex(source: Int) throws {
    for target in 0..<5 {
      var replicas = try makeReplicas()
      replicas[0].move(from: source, to: target)
      try exchange(&replicas)
      var expected = elements
      expected.insert(expected.remove(at: source), at: target)
      #expect(replicas[1].values == expected)
    }
  }

  @Test("of two moves of an element, the later one wins everywhere, and the loser is told")
  func laterWins() throws {
    var replicas = try makeReplicas()
    replicas[0].move(from: 0, to: 4)
    replicas[1].move(from: 0, to: 2)
    let (first, second) = (replicas[0].history[0], replicas[1].history[0])
    // Stamps of the same time: the greater replica's is later.
    #expect(
      try replicas[0].positions.apply(second)
        == [.moved(elements[0], from: 4, to: 2, replacing: 17)])
    #expect(
      try replicas[1].positions.apply(first)
        == [.moveLost(elements[0], stamp: 17, to: 18)])
    #expect(replicas[0].positions.state == replicas[1].positions.state)
    #expect(replicas[0].positions.index(of: elements[0]) == 2)
  }

  @Test("of two moves with the same stamp, one wins everywhere")
  func equalStamps() throws {
    let moves = [1, 2].map { replica in
      ListOperation<Int>.move(
        elements[0], to: ElementID(replica: replica, counter: 0),
        at: .after(elements[Int(replica)]),
        stamp: 7)
    }
    var (first, second) = (try ListPositions<Int>.five, try ListPositions<Int>.five)
    for move in moves { _ = try first.apply(move) }
    for move in moves.reversed() { _ = try second.apply(move) }
    #expect(first.state == second.state)
    #expect(first.index(of: elements[0]) == 2)
  }

  @Test("deleting wins over moving, in both orders, and the move is told as lost")
  func deletingWins() throws {
    var replicas = try makeReplicas()
    replicas[0].remove(at: 1..<2)
    replicas[1].move(from: 1, to: 3)
    try exchange(&replicas)
    #expect(replicas[0].values == [0, 2, 3, 4].map { elements[$0] })
    #expect(replicas[0].lost == [.moveLost(elements[1], stamp: 18, to: nil)])
    #expect(replicas[0].positions.state == replicas[1].positions.state)
    #expect(replicas[0].positions.isDeleted(elements[1]))
    #expect(!replicas[0].positions.isDeleted(elements[2]))
    #expect(replicas[0].positions.index(of: elements[1]) == nil)
  }

  @Test("what was inserted beside a moved element stays where it was inserted")
  func insertedBeside() throws {
    var replicas = try makeReplicas()
    replicas[0].move(from: 2, to: 0)
    let added = replicas[1].insert(at: 3)[0]
    try exchange(&replicas)
    #expect(
      replicas[0].values == [2, 0, 1].map { elements[$0] } + [added, elements[3], elements[4]])
  }

  @Test("elements inserted beside a position that lost stay in the list")
  func besideLostPosition() throws {
    var replicas = try makeReplicas()
    replicas[0].move(from: 0, to: 4)
    let added = replicas[0].insert(at: 5)[0]
    replicas[1].move(from: 0, to: 1)
    replicas[1].move(from: 1, to: 2)
    try exchange(&replicas)
    #expect(replicas[0].values.last == added)
    #expect(replicas[0].values.count == 6)
  }

  @Test("deleting a range takes elements from wherever they are")
  func deletedRange() throws {
    var replica = ListReplica(1, of: try .five)
    replica.move(from: 1, to: 4)
    replica.move(from: 1, to: 0)
    let range = ElementRange(first: elements[0], count: 4)
    #expect(
      try replica.positions.apply(.delete(range))
        == [.removed(1..<2), .removed(3..<4), .removed(0..<2)])
    #expect(replica.positions.element(at: 0) == elements[4])
    #expect(replica.positions.count == 1)
    #expect(try replica.positions.apply(.delete(range)) == [])
  }
}
