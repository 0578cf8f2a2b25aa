import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import SignalsSync

/// Replicas that are saved in files.
@Suite @MainActor struct `Replicas in files` {
  @Test
  func `a replica that is opened again has its facts, its pending commits and its own objects`()
    async throws
  {
    let sharing = Sharing(1, inFiles: true)
    let one = sharing.replicas[0]
    one.join("board=1")
    let (board, card, desk) = (makeBoard(1, "a"), makeCard(1, "b"), Desk())
    try one.store.add(board)
    board.cards.append(card)
    await sharing.settle()
    sharing.connections[0]?.close()
    card.text = "c"
    board.visits += 2
    board.cards.insert(makeCard(2), at: 0)
    try one.store.write {
      desk.card = board.cards[0]
      try one.store.add(desk)
    }
    try await one.flush()
    try sharing.reopen(0, from: sharing.files[0].afterKill())
    let again = sharing.replicas[0]
    #expect(contents(again.store) == contents(one.store))
    #expect(again.pendingCount == 3)
    #expect(again.store.results(Desk.self).first?.card?.key == 2)
    let copy = try #require(again.store.object(Card.self, primaryKey: 1))
    #expect(copy.hasPendingChanges)
    sharing.connect(0)
    await sharing.settle()
    #expect(again.pendingCount == 0)
    #expect(contents(sharing.server.store) == contents(one.store))
    #expect(again.store.results(Desk.self).first?.card?.key == 2)
  }

  @Test
  func
    `an object that isn't shared keeps its links to pending objects, and newer ones, when facts arrive`()
    async throws
  {
    let sharing = Sharing(2, inFiles: true)
    let one = sharing.replicas[0]
    try await sharing.start()
    let first = try #require(one.store.object(Board.self, primaryKey: 1))
    sharing.connections[0]?.close()
    try one.store.write {
      let cards = [makeCard(2), makeCard(3)]
      first.cards.append(contentsOf: cards)
      try one.store.add((0..<3).map { _ in Desk() })
      for desk in one.store.results(Desk.self) { desk.card = cards[0] }
    }
    try await one.flush()
    try sharing.reopen(0, from: sharing.files[0].afterKill())
    let again = sharing.replicas[0]
    let desks = Array(again.store.results(Desk.self))
    let other = try #require(again.store.object(Card.self, primaryKey: 3))
    desks[0].card = other
    desks[1].name = "second"
    sharing.replicas[1].store.object(Board.self, primaryKey: 1)?.title = "a fact"
    sharing.connections[0] = nil
    sharing.connect(0)
    await sharing.settle()
    #expect(again.pendingCount == 0)
    #expect(desks.map { $0.card?.key } == [3, 2, 2])
    try await again.flush()
    try sharing.reopen(0, from: sharing.files[0].afterKill())
    let last = sharing.replicas[0].store.results(Desk.self)
    #expect(last.map { $0.card?.key } == [3, 2, 2] && last.map(\.name) == ["", "second", ""])
  }

  @Test(arguments: [false, true])
  func `the file is complete again when a value that can't be encoded is replaced`(
    whilePending isPending: Bool
  ) async throws {
    let sharing = Sharing(1, inFiles: true)
    let one = sharing.replicas[0]
    let board = try await sharing.start()
    if isPending {
      sharing.connections[0]?.close()
      board.visits += 1
    }
    let drawers = [Drawer(), Drawer()]
    drawers[1].value = Fragile(13)
    try one.store.add(drawers)
    await #expect(throws: StoreFileError.self) { try await one.flush() }
    drawers[1].value = Fragile(14)
    try await one.flush()
    #expect(one.problem == nil)
    try sharing.reopen(0, from: sharing.files[0].afterKill())
    let again = sharing.replicas[0]
    #expect(again.store.results(Drawer.self).map(\.value) == [Fragile(0), Fragile(14)])
    #expect(again.pendingCount == (isPending ? 1 : 0))
  }

  @Test func `a submission whose answer was lost is sent again, and counts once`() async throws {
    let sharing = Sharing(1, inFiles: true)
    let one = sharing.replicas[0]
    let board = try await sharing.start()
    sharing.connections[0]?.isHeld = true
    board.visits += 1
    try await one.flush()
    sharing.connections[0]?.deliver(toServer: 9, toReplica: 0)
    await sharing.server.handleMessages()
    try sharing.reopen(0, from: sharing.files[0].afterKill())
    #expect(sharing.replicas[0].pendingCount == 1)
    sharing.connect(0)
    await sharing.settle()
    let again = sharing.replicas[0].store.object(Board.self, primaryKey: 1)
    #expect(sharing.replicas[0].pendingCount == 0 && again?.visits == 1)
  }

  @Test
  func `a commit that was sent and didn't reach the file comes back, and no number is used twice`()
    async throws
  {
    let sharing = Sharing(1, inFiles: true)
    let one = sharing.replicas[0]
    let board = try await sharing.start()
    try await one.flush()
    board.visits += 1
    board.title = "sent"
    await sharing.server.handleMessages()
    try sharing.reopen(0, from: sharing.files[0].afterKill())
    let again = sharing.replicas[0]
    let copy = try #require(again.store.object(Board.self, primaryKey: 1))
    #expect(copy.visits == 0 && again.pendingCount == 0)
    copy.visits += 10
    sharing.connect(0)
    await sharing.settle()
    #expect(copy.visits == 11 && copy.title == "sent" && again.pendingCount == 0)
    #expect(contents(again.store) == contents(sharing.server.store))
  }

  @Test func `a refusal and a loss are told by the replica that is opened again`() async throws {
    let sharing = Sharing(2, inFiles: true) {
      MayWrite(Card.self) { change, _ in
        if change.new(\.text) == "no" { throw Refused("no cards like that") }
      }
    }
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    let board = try await sharing.start()
    sharing.connections[0]?.close()
    try one.store.add(makeCard(7, "no"))
    board.title = "mine"
    try await one.flush()
    sharing.time += 5
    two.store.object(Board.self, primaryKey: 1)?.title = "theirs"
    await sharing.settle()
    try sharing.reopen(0, from: sharing.files[0].afterKill())
    let again = sharing.replicas[0]
    var told: [String] = []
    let tokens: [any Cancellable] = [
      again.refusals.sink { told.append($0.reason) },
      again.losses.sink { told.append("\($0.property): \($0.value.map { "\($0)" } ?? "nil")") },
    ]
    sharing.connect(0)
    await sharing.settle()
    #expect(told == ["no cards like that", "title: mine"])
    #expect(again.store.results(Card.self).isEmpty && again.pendingCount == 0)
    withExtendedLifetime(tokens) {}
  }

  @Test func `a commit that can't be encoded is refused after a restart, and holds up no other`()
    async throws
  {
    let sharing = Sharing(1, inFiles: true)
    let one = sharing.replicas[0]
    one.join("board=1")
    let gauge = Gauge()
    try one.store.add(gauge)
    await sharing.settle()
    sharing.connections[0]?.close()
    gauge.value = Fragile(12)
    gauge.value = Fragile(13)
    gauge.value = Fragile(14)
    try await one.flush()
    try sharing.reopen(0, from: sharing.files[0].afterKill())
    let again = sharing.replicas[0]
    #expect(again.pendingCount == 3)
    var reasons: [String] = []
    let token = again.refusals.sink { reasons.append($0.reason) }
    sharing.connect(0)
    await sharing.settle()
    #expect(again.pendingCount == 0 && reasons.count == 1)
    #expect(reasons.first?.contains("13 is unlucky") == true)
    #expect(again.store.object(Gauge.self, primaryKey: 0)?.value == Fragile(14))
    #expect(contents(again.store) == contents(sharing.server.store))
    withExtendedLifetime(token) {}
  }

  @Test func `a replica can be opened by an intent and by an effect`() async throws {
    let sharing = Sharing(1, inFiles: true)
    let one = sharing.replicas[0]
    let board = try await sharing.start("a")
    sharing.connections[0]?.close()
    board.title = "b"
    try await one.flush()
    let opens = Signal(false)
    var failure: (any Error)?
    let effect = Effect {
      guard opens.value else { return }
      do { try sharing.reopen(0, from: sharing.files[0].afterKill()) } catch { failure = error }
    }
    opens.value = true
    #expect(failure == nil)
    let again = sharing.replicas[0]
    #expect(again.pendingCount == 1 && again.store.results(Board.self).first?.title == "b")
    sharing.connect(0)
    await sharing.settle()
    #expect(again.pendingCount == 0)
    #expect(contents(again.store) == contents(sharing.server.store))
    withExtendedLifetime(effect) {}
  }

  @Test func `the file doesn't grow with the number of commits`() async throws {
    let sharing = Sharing(2, inFiles: true)
    let one = sharing.replicas[0]
    for replica in sharing.replicas { replica.join("board=1") }
    let board = makeBoard(1)
    let desk = Desk()
    try one.store.add(board)
    try one.store.add(desk)
    for step in 0..<20 {
      for number in 0..<100 { board.title = "\(step) \(number)" }
      desk.card = nil
      await sharing.settle()
      try await one.flush()
    }
    for files in sharing.files { #expect(files.size(at: "/cache") < 20_000) }
    for index in 0..<2 {
      let before = contents(sharing.replicas[index].store)
      try await sharing.replicas[index].flush()
      try sharing.reopen(index, from: sharing.files[index].afterKill())
      #expect(contents(sharing.replicas[index].store) == before)
    }
    #expect(sharing.replicas[0].store.results(Desk.self).count == 1)
    sharing.replicas[0].store.object(Board.self, primaryKey: 1)?.title = "after"
    for index in 0..<2 { sharing.connect(index) }
    await sharing.settle()
    #expect(sharing.replicas[1].store.object(Board.self, primaryKey: 1)?.title == "after")
  }

  @Test func `nor with that of facts and objects of the app while a commit is pending`()
    async throws
  {
    let sharing = Sharing(2, inFiles: true)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    try await sharing.start()
    let board = try #require(two.store.object(Board.self, primaryKey: 1))
    for replica in sharing.replicas { replica.join("board=2") }
    try two.store.add(makeBoard(2))
    await sharing.settle()
    one.leave("board=2")
    await sharing.settle()
    sharing.connections[0]?.close()
    // A commit of a partition that isn't joined any more stays pending.
    one.join("board=3")
    try one.store.add(makeBoard(3, "pending"))
    let desk = Desk()
    try one.store.add(desk)
    desk.card = nil
    try await one.flush()
    for step in 0..<20 {
      for number in 0..<100 { desk.name = "\(step) \(number)" }
      try await one.flush()
      #expect(sharing.files[0].size(at: "/cache") < 20_000)
    }
    one.leave("board=3")
    board.title = "a fact"
    #expect(one.pendingCount == 1)
    let before = contents(one.store)
    try sharing.reopen(0, from: sharing.files[0].afterKill())
    let again = sharing.replicas[0]
    #expect(contents(again.store) == before && again.pendingCount == 1)
    #expect(again.store.results(Desk.self).first?.name == "19 99")
    sharing.connect(0)
    again.join("board=3")
    await sharing.settle()
    #expect(again.pendingCount == 0)
    #expect(again.store.object(Board.self, primaryKey: 1)?.title == "a fact")
    #expect(sharing.server.store.object(Board.self, primaryKey: 3)?.title == "pending")
  }

  @Test func `links to objects of a partition that isn't here wait across a restart`() async throws
  {
    let sharing = Sharing(2, inFiles: true)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    for replica in sharing.replicas { replica.join("board=1") }
    one.join("board=2")
    let board = makeBoard(1)
    try one.store.add(board)
    let (near, far) = (makeCard(1), makeCard(2, "far", board: 2))
    try one.store.write {
      board.cards = [near, far]
      board.best = far
    }
    await sharing.settle()
    try await two.flush()
    for step in 0..<2 {
      try sharing.reopen(1, from: sharing.files[1].afterKill())
      sharing.connect(1)
      // So that the second file has a checkpoint.
      for number in 0..<100 { board.title = "\(step) \(number)" }
      await sharing.settle()
      try await sharing.replicas[1].flush()
    }
    let copy = try #require(sharing.replicas[1].store.object(Board.self, primaryKey: 1))
    #expect(copy.best == nil && copy.cards.map(\.key) == [1])
    sharing.replicas[1].join("board=2")
    await sharing.settle()
    #expect(copy.best?.text == "far" && copy.cards.map(\.key) == [1, 2])
  }

  @Test func `an older file that was restored catches up`() async throws {
    let sharing = Sharing(2, inFiles: true)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    let board = try await sharing.start()
    try await one.flush()
    let backup = sharing.files[0].afterKill()
    board.title = "newer"
    two.store.object(Board.self, primaryKey: 1)?.visits = 3
    await sharing.settle()
    try sharing.reopen(0, from: backup)
    sharing.connect(0)
    await sharing.settle()
    #expect(contents(sharing.replicas[0].store) == contents(sharing.server.store))
  }

  @Test func `a log that isn't the one of the file is named, and not merged`() async throws {
    let sharing = Sharing(1, inFiles: true)
    let one = sharing.replicas[0]
    try await sharing.start("here")
    // A log that was lost, and in which others have written as much.
    let other = SyncServer(sharing: sharedBoards())
    let stranger = Replica(sharing: sharedBoards())
    stranger.connect(other.connection(for: "stranger"))
    stranger.join("board=1")
    await other.handleMessages()
    try stranger.store.add(makeBoard(1, "there"))
    await other.handleMessages()
    one.connect(other.connection(for: "user0"))
    await other.handleMessages()
    #expect(
      one.state(of: "board=1") == .refused("the 1 facts of board=1 aren't those of the replica"))
    #expect(one.store.object(Board.self, primaryKey: 1)?.title == "here")
  }

  @Test(arguments: seeds(3))
  func `a damaged file is an error, or has what was there at a time`(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let sharing = Sharing(1, inFiles: true)
    let one = sharing.replicas[0]
    one.join("board=1")
    try one.store.add(makeBoard(1, "a"))
    for number in 0..<30 { try one.store.add(makeCard(number)) }
    await sharing.settle()
    try await one.flush()
    let names = sharing.files[0].names(at: "/cache")
    for _ in 0..<damageCount {
      let files = sharing.files[0].afterKill()
      let name = try #require(names.randomElement(using: &random))
      let (place, byte) = (
        Int.random(in: 0..<10_000, using: &random), UInt8.random(in: 0...255, using: &random)
      )
      files.edit("/cache/\(name)") { if !$0.isEmpty { $0[place % $0.count] = byte } }
      do throws(StoreFileError) {
        let again = try Replica(
          at: "/cache", sharing: sharedBoards(), interval: .seconds(1), author: 99,
          smallestTail: 2_000, files: files
        ) { 0 }
        #expect(again.store.brokenInvariants() == [])
        #expect(again.store.results(Card.self).count <= 30)
      } catch {
        #expect(!"\(error)".isEmpty)
      }
    }
  }

  @Test func `a server in a file continues its log`() async throws {
    try await LogKind.withDirectory { path in
      let replica = Replica(sharing: sharedBoards())
      for number in 0..<3 {
        let server = try SyncServer(at: path, sharing: sharedBoards())
        replica.connect(server.connection(for: "anna"))
        replica.join("board=1")
        try replica.store.add(makeBoard(1 + number * 10_000, "\(number)"))
        try replica.store.add(makeCard(number))
        await server.handleMessages()
        await server.handleMessages()
        #expect(replica.pendingCount == number)
        #expect(server.store.results(Card.self).count == number + 1)
        try await server.close()
      }
    }
  }
}

private let damageCount = runLength(usually: 200)
