import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import SignalsSync

/// Stores that share a graph by way of a server.
@Suite @MainActor struct `Replicas` {
  @Test func `a commit made while pending ones are sent is sent too`() async throws {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    let board = try await sharing.start()
    sharing.connections[0]?.close()
    let gauge = Gauge()
    gauge.value = Fragile(100)
    try one.store.add(gauge)
    Fragile.hooks[100] = { board.title = "meanwhile" }
    sharing.connect(0)
    await sharing.settle()
    #expect(one.pendingCount == 0 && Fragile.hooks[100] == nil)
    #expect(sharing.server.store.object(Board.self, primaryKey: 1)?.title == "meanwhile")
    #expect(contents(one.store) == contents(sharing.server.store))
  }

  @Test func `a commit is here at once, and in every replica that has joined`() async throws {
    let sharing = Sharing(3)
    let (one, two, three) = (sharing.replicas[0], sharing.replicas[1], sharing.replicas[2])
    one.join("board=1")
    two.join("board=1")
    await sharing.settle()
    let board = makeBoard(1, "plans")
    try one.store.add(board)
    #expect(one.pendingCount == 1 && board.hasPendingChanges)
    await sharing.settle()
    #expect(one.pendingCount == 0 && !board.hasPendingChanges)
    #expect(contents(two.store) == contents(one.store) && contents(two.store).count == 1)
    #expect(contents(three.store).isEmpty && two.state(of: "board=1") == .joined)
    #expect(contents(sharing.server.store) == contents(one.store))
    three.join("board=1")
    await sharing.settle()
    #expect(contents(three.store) == contents(one.store))
  }

  @Test func `a reader of one object's mark runs when the mark changes`() async throws {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    one.join("board=1")
    let (board, card) = (makeBoard(1), makeCard(1))
    try one.store.add([board, card] as [Object])
    await sharing.settle()
    var marks: [Bool] = []
    let effect = Effect { marks.append(card.hasPendingChanges) }
    board.title = "other"
    await sharing.settle()
    #expect(marks == [false])
    card.text = "new"
    #expect(marks == [false, true])
    await sharing.settle()
    #expect(marks == [false, true, false])
    withExtendedLifetime(effect) {}
  }

  @Test func `two that write offline both live where they can, and the later write wins`()
    async throws
  {
    let sharing = Sharing(2)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    for replica in sharing.replicas { replica.join("board=1") }
    await sharing.settle()
    let board = makeBoard(1, "plans")
    try one.store.add(board)
    await sharing.settle()
    let copy = try #require(two.store.object(Board.self, primaryKey: 1))
    sharing.connections.forEach { $0?.close() }
    #expect(!one.isOnline && one.state(of: "board=1") == .joining(progress: 0))
    var losses: [String] = []
    let token = one.losses.sink { losses.append("\($0.property): \($0.value as? String ?? "")") }
    board.title = "one"
    board.visits += 2
    board.cards.append(makeCard(1, "milk"))
    sharing.time += 10
    copy.title = "two"
    copy.visits += 3
    copy.cards.append(makeCard(2, "bread"))
    let card = try #require(board.cards.first)
    for index in 0..<2 { sharing.connect(index) }
    await sharing.settle()
    #expect(contents(one.store) == contents(two.store))
    #expect(contents(one.store) == contents(sharing.server.store))
    #expect(board.title == "two" && board.visits == 5)
    #expect(board.cards.map(\.text) == ["milk", "bread"] && board.cards.first === card)
    #expect(losses == ["title: one"])
    withExtendedLifetime(token) {}
  }

  @Test func `links to what is pending are kept when facts arrive`() async throws {
    let sharing = Sharing(2)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    let board = try await sharing.start()
    let (card, desk) = (makeCard(1), Desk())
    sharing.connections[0]?.close()
    try one.store.write {
      board.cards.append(card)
      desk.card = card
      board.notes.append(makeNote("n"))
      try one.store.add(desk)
    }
    let note = try #require(board.notes.first)
    two.store.object(Board.self, primaryKey: 1)?.title = "two"
    await sharing.settle()
    var runs = 0
    let effect = Effect { runs += board.cards.count }
    sharing.connect(0)
    await sharing.settle()
    #expect(board.title == "two" && desk.card === card && board.cards.first === card)
    #expect(board.notes.first === note && !note.isDeleted && runs == 1)
    #expect(contents(one.store) == contents(two.store))
    withExtendedLifetime(effect) {}
  }

  @Test func `a pending object keeps its fields, parts and links when facts arrive`()
    async throws
  {
    let sharing = Sharing(2)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    let board = try await sharing.start()
    board.cards = [makeCard(1), makeCard(2)]
    await sharing.settle()
    let gone = try #require(two.store.object(Card.self, primaryKey: 1))
    sharing.connect(0, isHeld: true)
    await sharing.settle()
    let (first, second) = (makeCard(3, "three"), makeCard(4))
    (first.next, second.next) = (board.cards.first, board.cards.last)
    first.note = makeNote("a part")
    try one.store.add([first, second])
    first.votes = 7
    second.text = "four"
    let note = first.note
    try two.store.delete(gone)
    await sharing.server.handleMessages()
    // The fact arrives, and no answer.
    sharing.connections[0]?.deliver(toServer: 0, toReplica: .max)
    #expect(one.pendingCount == 3 && board.cards.map(\.key) == [2])
    #expect(first.text == "three" && first.votes == 7 && second.text == "four")
    #expect(first.note === note && note?.text == "a part" && note?.isDeleted == false)
    #expect(first.next == nil && second.next?.key == 2)
    #expect(one.store.brokenInvariants() == [])
    await sharing.settle()
    #expect(one.pendingCount == 0 && first.store === one.store)
    #expect(contents(one.store) == contents(two.store))
  }

  @Test func `an effect that answers a fact, and a sink that answers a refusal, are shared`()
    async throws
  {
    let sharing = Sharing(2) {
      MayWrite(Card.self) { change, _ in
        if change.new(\.text) == "no" { throw Refused("no") }
      }
    }
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    for replica in sharing.replicas { replica.join("board=1") }
    let board = makeBoard(1)
    try one.store.write {
      try one.store.add(board)
      try one.store.add(makeCard(1))
    }
    await sharing.settle()
    let copy = try #require(two.store.object(Board.self, primaryKey: 1))
    let card = try #require(two.store.object(Card.self, primaryKey: 1))
    let effect = Effect { if copy.title == "one" { copy.title = "two" } }
    let token = two.refusals.sink { _ in card.votes += 1 }
    board.title = "one"
    card.text = "no"
    await sharing.settle()
    #expect(board.title == "two" && card.votes == 1 && card.text == "")
    #expect(contents(one.store) == contents(two.store) && two.pendingCount == 0)
    withExtendedLifetime((effect, token)) {}
  }

  @Test func `a first submission whose answer was lost is answered after all`() async throws {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    one.join("board=1")
    await sharing.settle()
    sharing.connections[0]?.isHeld = true
    try one.store.add(makeBoard(1))
    sharing.connections[0]?.deliver(toServer: 9, toReplica: 0)
    await sharing.server.handleMessages()
    sharing.connect(0)
    await sharing.settle()
    #expect(one.pendingCount == 0 && contents(one.store) == contents(sharing.server.store))
  }

  @Test func `a commit with a value that can't be encoded is refused, and holds up no other`()
    async throws
  {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    one.join("board=1")
    let gauge = Gauge()
    try one.store.add(gauge)
    await sharing.settle()
    var refusals: [String] = []
    let token = one.refusals.sink { refusals.append($0.reason) }
    sharing.connections[0]?.isHeld = true
    gauge.value = Fragile(13)
    gauge.value = Fragile(14)
    await sharing.settle()
    #expect(refusals.count == 1 && refusals[0].contains("Gauge.value"), "\(refusals)")
    #expect(refusals[0].contains("13 is unlucky"))
    #expect(one.pendingCount == 0 && gauge.value == Fragile(14))
    #expect(contents(one.store) == contents(sharing.server.store))
    withExtendedLifetime(token) {}
  }

  @Test func `a commit that is too large is refused, and holds up no other`() async throws {
    let sharing = Sharing(2)
    let board = try await sharing.start("small")
    var reasons: [String] = []
    let token = sharing.replicas[0].refusals.sink { reasons.append($0.reason) }
    board.title = String(repeating: "x", count: 1 << 26)
    board.visits = 1
    #expect(sharing.replicas[0].pendingCount == 2)
    await sharing.settle()
    let limit = "bytes are more than can be written at once, which are 67108864"
    #expect(reasons.count == 1 && reasons[0].hasSuffix(limit), "\(reasons)")
    let copy = sharing.replicas[1].store.object(Board.self, primaryKey: 1)
    #expect(copy?.title == "small" && copy?.visits == 1)
    #expect(sharing.replicas[0].pendingCount == 0 && board.title == "small")
    withExtendedLifetime(token) {}
  }

  @Test func `facts are appended in groups that a log and a message can take`() {
    let partition = OpenPartition("board=1", number: 1)
    let fact = [UInt8](repeating: 0, count: 30)
    for next in [fact, fact, fact + fact + fact, fact, []] { partition.addNew(next, in: 0) }
    partition.addNew([], in: 1)
    partition.addNew([], in: 0)
    var groups: [Int] = []
    while let round = partition.new.first?.round {
      groups.append(partition.takeNew(in: round, atMost: 64).count)
    }
    #expect(groups == [2, 1, 2, 2])
  }

  @Test func `a move of a member that is gone is told as lost`() async throws {
    let sharing = Sharing(2)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    for replica in sharing.replicas { replica.join("board=1") }
    let board = makeBoard(1)
    try one.store.add(board)
    board.cards = List((0..<3).map { makeCard($0) })
    await sharing.settle()
    let copy = try #require(two.store.object(Board.self, primaryKey: 1))
    sharing.connections[1]?.isHeld = true
    board.cards.remove(at: 2)
    copy.cards.move(fromOffsets: [2], toOffset: 0)
    var losses: [SyncLoss] = []
    let token = two.losses.sink { losses.append($0) }
    await sharing.settle()
    #expect(losses.map(\.property) == ["cards"])
    #expect((losses.first?.value as? [ObjectID])?.count == 3)
    #expect(copy.cards.map(\.key) == [0, 1] && board.cards.map(\.key) == [0, 1])
    withExtendedLifetime(token) {}
  }

  @Test func `facts that can't be read end the membership, and say why`() async throws {
    let sharing = Sharing(2)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    let board = try await sharing.start()
    let before = contents(two.store)
    let facts = two.partitions["board=1"]?.facts ?? 0
    let number = try #require(two.partitions["board=1"]?.serverNumber)
    two.receive(ServerMessage.facts(number, from: facts, [[2, 0, 1, 1, 9, 9, 9]]).bytes)
    guard case .refused(let reason) = two.state(of: "board=1") else {
      Issue.record("\(two.state(of: "board=1"))")
      return
    }
    #expect(reason.hasPrefix("a message can't be read: "))
    #expect(two.isOnline && contents(two.store) == before)
    board.title = "later"
    two.join("board=1")
    await sharing.settle()
    #expect(contents(two.store) == contents(one.store))
  }

  @Test func `a join shows its progress, by bytes of a state and by facts`() async throws {
    let sharing = Sharing(2)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    one.join("board=1")
    let board = makeBoard(1)
    try one.store.add(board)
    // Several parts, whatever ids the cards have.
    for number in 0..<1_000 { board.cards.append(makeCard(number, "card \(number)")) }
    await sharing.settle()
    var states: [PartitionState] = []
    let effect = Effect { states.append(two.state(of: "board=1")) }
    sharing.connect(1, fullBacklog: 1)
    two.join("board=1")
    await sharing.settle()
    #expect(states.first == .notJoined && states.last == .joined && states.count > 4)
    #expect(progress(in: states).last ?? 0 > 0.7)
    #expect(contents(two.store) == contents(one.store))

    sharing.connections[1]?.close()
    for number in 0..<9 { board.title = "\(number)" }
    await sharing.settle()
    states = []
    sharing.connect(1, fullBacklog: 1)
    await sharing.settle()
    #expect(states.first == .joining(progress: 1 / 9.0) && states.last == .joined)
    #expect(progress(in: states) == (1...9).map { Double($0) / 9 })
    withExtendedLifetime(effect) {}
  }

  /// The shares, which must grow.
  private func progress(in states: [PartitionState]) -> [Double] {
    let shares = states.compactMap { state in
      if case .joining(let share) = state { share } else { nil }
    }
    #expect(zip(shares, shares.dropFirst()).allSatisfy { $0 < $1 })
    return shares
  }

  @Test func `an effect that writes when a partition is joined writes after what is pending`()
    async throws
  {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    let board = makeBoard(1)
    try one.store.add(board)
    let effect = Effect {
      if one.state(of: "board=1") == .joined { untracked { board.visits += 1 } }
    }
    one.join("board=1")
    await sharing.settle()
    #expect(one.isOnline && one.pendingCount == 0)
    #expect(sharing.server.store.object(Board.self, primaryKey: 1)?.visits == 1)
    withExtendedLifetime(effect) {}
  }

  @Test func `an effect that joins when the replica is online joins`() async throws {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    sharing.connections[0]?.close()
    let effect = Effect { if one.isOnline { untracked { one.join("board=1") } } }
    sharing.connect(0)
    await sharing.settle()
    #expect(one.state(of: "board=1") == .joined)
    withExtendedLifetime(effect) {}
  }

  @Test func `a part that moves to another partition is refused, and nothing is lost`() async throws
  {
    let sharing = Sharing(2)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    for name in ["board=1", "board=2"] {
      one.join(name)
      two.join(name)
    }
    let boards = [makeBoard(1), makeBoard(2)]
    for board in boards { try one.store.add(board) }
    boards[1].notes = [makeNote("a")]
    await sharing.settle()
    var reasons: [String] = []
    let token = one.refusals.sink { reasons.append($0.reason) }
    try one.store.write {
      let note = boards[1].notes.removeFirst()
      boards[0].notes.append(note)
    }
    await sharing.settle()
    let reason = "a part moves to Board.notes in board=1 from board=2"
    #expect(reasons == [reason, reason])
    #expect(boards.map(\.notes.count) == [0, 1] && boards[1].notes.first?.text == "a")
    for store in [one.store, two.store] {
      #expect(contents(store) == contents(sharing.server.store))
    }
    withExtendedLifetime(token) {}
  }

  @Test func `a deletion that is refused brings the same instances back, with their places`()
    async throws
  {
    let sharing = Sharing(2) {
      MayWrite(Card.self) { change, user in
        if change.kind == .deleted, user == "user0" { throw Refused("no") }
      }
    }
    let board = try await sharing.start()
    let (one, card, note) = (sharing.replicas[0], makeCard(1, "a"), makeNote("n"))
    card.note = note
    board.cards = [makeCard(2), card, makeCard(3)]
    board.best = card
    await sharing.settle()
    sharing.connections[0]?.close()
    try one.store.delete(card)
    #expect(card.isDeleted && note.isDeleted && board.best == nil)
    // A local write to a deleted object.
    card.text = "local"
    sharing.replicas[1].store.object(Card.self, primaryKey: 1)?.text = "b"
    await sharing.settle()
    sharing.connect(0)
    await sharing.settle()
    #expect(one.pendingCount == 0 && !card.isDeleted && !note.isDeleted)
    #expect(one.store.object(Card.self, primaryKey: 1) === card)
    #expect(card.text == "b" && card.note === note && board.best === card)
    #expect(board.cards.map(\.key) == [2, 1, 3])
    #expect(contents(one.store) == contents(sharing.server.store))
  }

  @Test func `an undo takes back one's own, and is shared`() async throws {
    let sharing = Sharing(2)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    let board = try await sharing.start()
    board.title = "mine"
    let copy = try #require(two.store.object(Board.self, primaryKey: 1))
    await sharing.settle()
    copy.visits = 5
    await sharing.settle()
    try one.store.undo()
    await sharing.settle()
    #expect(copy.title == "" && copy.visits == 5 && board.visits == 5)
    board.title = "mine"
    await sharing.settle()
    copy.title = "theirs"
    await sharing.settle()
    #expect(throws: ChangeConflictError.self) { try one.store.undo() }
    #expect(board.title == "theirs")
  }
}

struct Refused: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
