import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import SignalsSync

/// Logs whose early facts were replaced by the state.
@Suite @MainActor struct `Logs without their early facts` {
  @Test func `a replica that was away for too long gets the state, below what is pending`()
    async throws
  {
    let sharing = Sharing(2)
    let board = try await sharing.start("plans")
    board.cards.append(makeCard(1, "milk"))
    board.cards.append(makeCard(2, "bread"))
    await sharing.settle()
    let two = sharing.replicas[1]
    let copy = try #require(two.store.object(Board.self, primaryKey: 1))
    let (milk, bread) = (copy.cards[0], copy.cards[1])
    var losses: [String] = []
    let token = two.losses.sink { losses.append("\($0.property): \($0.value as? String ?? "")") }
    sharing.connections[1]?.close()
    // Nothing else has written the text, and the title has another value since.
    bread.text = "rye"
    copy.title = "two"
    copy.title = "two again"
    copy.visits += 2
    copy.cards.append(makeCard(3, "tea"))
    sharing.time += 10
    board.title = "one"
    board.visits += 3
    try sharing.replicas[0].store.delete(board.cards[0])
    board.cards.insert(makeCard(4, "salt"), at: 0)
    await sharing.settle()
    await sharing.shortenLog()
    sharing.connect(1)
    await sharing.settle()
    #expect(contents(two.store) == contents(sharing.replicas[0].store))
    #expect(two.pendingCount == 0 && two.state(of: "board=1") == .joined)
    #expect(copy.title == "one" && copy.visits == 5)
    #expect(copy.cards.map(\.text) == ["salt", "rye", "tea"])
    #expect(milk.isDeleted && copy.cards[1] === bread)
    #expect(losses == ["title: two", "title: two again"])
    withExtendedLifetime(token) {}
  }

  @Test func `refusals and losses in facts that are gone are told once`() async throws {
    let sharing = Sharing(2) {
      MayWrite(Card.self) { change, _ in
        if change.new(\.text) == "no" { throw Refused("no") }
      }
    }
    let board = try await sharing.start()
    let two = sharing.replicas[1]
    var told: [String] = []
    let tokens: [any Cancellable] = [
      two.refusals.sink { told.append("\($0.reason): \($0.changes.changes.count)") },
      two.losses.sink { told.append("\($0.property): \($0.value as? String ?? "")") },
    ]
    let copy = try #require(two.store.object(Board.self, primaryKey: 1))
    sharing.connections[1]?.isHeld = true
    sharing.connections[0]?.isHeld = true
    copy.cards.append(makeCard(1, "no"))
    copy.title = "two"
    sharing.time += 10
    board.title = "one"
    // The server has decided, and the replica isn't told.
    for index in [1, 0] { sharing.connections[index]?.deliver(toServer: .max, toReplica: 0) }
    await sharing.server.handleMessages()
    await sharing.shortenLog()
    #expect(told.isEmpty && two.pendingCount == 2)
    sharing.connect(1)
    await sharing.settle()
    #expect(told == ["no: 2", "title: two"])
    #expect(two.pendingCount == 0 && copy.title == "one" && copy.cards.isEmpty)
    sharing.connect(1)
    await sharing.settle()
    #expect(told.count == 2)
    withExtendedLifetime(tokens) {}
  }

  @Test func `a replica in a file keeps what it has based on a state`() async throws {
    let sharing = Sharing(2, inFiles: true)
    let board = try await sharing.start()
    await sharing.settle()
    let copy = try #require(
      sharing.replicas[1].store.object(Board.self, primaryKey: 1))
    sharing.connections[1]?.close()
    copy.title = "two"
    copy.visits += 1
    board.title = "one"
    await sharing.settle()
    await sharing.shortenLog()
    sharing.connect(1, isHeld: true)
    for _ in 0..<2 {
      sharing.connections[1]?.deliver(toServer: .max, toReplica: 0)
      await sharing.server.handleMessages()
      sharing.connections[1]?.deliver(toServer: 0, toReplica: .max)
    }
    #expect(copy.title == "one" && copy.visits == 1)
    try await sharing.replicas[1].flush()
    try sharing.reopen(1, from: sharing.files[1].afterKill())
    let again = try #require(sharing.replicas[1].store.object(Board.self, primaryKey: 1))
    #expect(again.title == "one" && again.visits == 1)
    #expect(sharing.replicas[1].pendingCount == 2)
    sharing.connect(1)
    await sharing.settle()
    #expect(again.title == "one" && board.visits == 1 && sharing.replicas[1].pendingCount == 0)
  }

  @Test
  func `a commit that was answered before a state isn't pending when the file is opened again`()
    async throws
  {
    let sharing = Sharing(2, inFiles: true)
    let board = try await sharing.start()
    try await sharing.replicas[1].flush()
    sharing.connections[1]?.close()
    sharing.replicas[1].store.object(Board.self, primaryKey: 1)?.visits += 1
    func reopen() async throws {
      try await sharing.replicas[1].flush()
      try sharing.reopen(1, from: sharing.files[1].afterKill())
    }
    // The commit is one of a former author from now on.
    try await reopen()
    sharing.connect(1)
    await sharing.settle()
    #expect(board.visits == 1 && sharing.replicas[1].pendingCount == 0)
    try await reopen()
    board.title = "later"
    await sharing.settle()
    await sharing.shortenLog()
    sharing.connect(1)
    await sharing.settle()
    try await reopen()
    #expect(sharing.replicas[1].pendingCount == 0)
    sharing.connect(1)
    await sharing.settle()
    #expect(board.visits == 1)
    #expect(contents(sharing.replicas[1].store) == contents(sharing.replicas[0].store))
  }

  @Test func `a server that is opened again knows the writes in the facts that remain`()
    async throws
  {
    let sharing = Sharing(2)
    let board = try await sharing.start()
    let two = sharing.replicas[1]
    let copy = try #require(two.store.object(Board.self, primaryKey: 1))
    await sharing.shortenLog()
    var lost = 0
    let token = two.losses.sink { _ in lost += 1 }
    sharing.connections[1]?.close()
    copy.title = "two"
    sharing.time += 10
    board.title = "one"
    await sharing.settle()
    // This fact and its state are in the log.
    let partition = try #require(sharing.server.partitions["board=1"])
    await sharing.server.replaceSnapshot(of: partition)
    sharing.restart()
    for index in 0..<2 { sharing.connect(index) }
    await sharing.settle()
    #expect(board.title == "one" && copy.title == "one" && lost == 1)
    board.visits += 1
    await sharing.settle()
    #expect(copy.visits == 1)
    withExtendedLifetime(token) {}
  }

  @Test func `a write that may be older than the facts that are gone is lost, and told`()
    async throws
  {
    let sharing = Sharing(2)
    let board = try await sharing.start("plans")
    let two = sharing.replicas[1]
    let copy = try #require(two.store.object(Board.self, primaryKey: 1))
    var lost = 0
    let token = two.losses.sink { _ in lost += 1 }
    sharing.connections[1]?.isHeld = true
    copy.title = "two"
    copy.visits += 1
    sharing.time += 10
    board.title = "one"
    await sharing.server.handleMessages()
    await sharing.shortenLog()
    // It has the fact, and its submissions don't arrive before the server is another one.
    sharing.connections[1]?.deliver(toServer: 0, toReplica: .max)
    sharing.restart()
    for index in 0..<2 { sharing.connect(index) }
    await sharing.settle()
    #expect(contents(two.store) == contents(sharing.replicas[0].store))
    #expect(board.title == "one" && board.visits == 1 && lost == 1)
    withExtendedLifetime(token) {}
  }

  @Test func `commits that make the log shorter lose nothing by it`() async throws {
    let sharing = Sharing(2, smallestTail: 600)
    let board = try await sharing.start()
    for key in 0..<100 { board.cards.append(makeCard(key)) }
    await sharing.settle()
    let copy = try #require(sharing.replicas[1].store.object(Board.self, primaryKey: 1))
    var lost = 0
    let token = sharing.replicas[1].losses.sink { _ in lost += 1 }
    sharing.connections[1]?.close()
    for key in 100..<200 {
      copy.cards.append(makeCard(key, "new"))
      copy.cards.last?.text = "newer"
    }
    sharing.time += 10
    board.title = "later"
    await sharing.settle()
    sharing.connect(1, isHeld: true)
    for _ in 0..<30 {
      sharing.connections[1]?.deliver(toServer: 20, toReplica: .max)
      await sharing.server.handleMessages()
      await sharing.shortenLog()
    }
    await sharing.settle()
    #expect(lost == 0 && sharing.replicas[1].pendingCount == 0)
    #expect(board.cards.count == 200 && copy.title == "later")
    #expect(board.cards.dropFirst(100).allSatisfy { $0.text == "newer" })
    await #expect(throws: ChangeLogError.self) {
      try await sharing.log.entries(of: "board=1", from: 200, limit: 1)
    }
    withExtendedLifetime(token) {}
  }

  @Test func `a state ends the waits for objects that it doesn't name`() async throws {
    let sharing = Sharing(2)
    let board = try await sharing.start()
    let two = sharing.replicas[1]
    sharing.replicas[0].join("board=2")
    let (far, near) = (makeCard(1, board: 2), makeCard(2))
    try sharing.replicas[0].store.add(far)
    board.best = far
    board.cards = [near, far]
    await sharing.settle()
    let copy = try #require(two.store.object(Board.self, primaryKey: 1))
    #expect(copy.best == nil && copy.cards.count == 1)
    sharing.connections[1]?.close()
    board.best = nil
    board.cards = [near]
    await sharing.settle()
    await sharing.shortenLog()
    sharing.connect(1)
    await sharing.settle()
    two.join("board=2")
    await sharing.settle()
    #expect(two.store.object(Card.self, primaryKey: 1) != nil)
    #expect(copy.best == nil && copy.cards.map(\.key) == [2])
    #expect(contents(two.store) == contents(sharing.replicas[0].store))
  }

  @Test func `a loss of a commit before the last restart is told`() async throws {
    let sharing = Sharing(2, inFiles: true)
    let board = try await sharing.start()
    for connection in sharing.connections { connection?.isHeld = true }
    board.title = "one"
    sharing.time += 10
    sharing.replicas[1].store.object(Board.self, primaryKey: 1)?.title = "two"
    sharing.connections[0]?.deliver(toServer: .max, toReplica: 0)
    await sharing.server.handleMessages()
    sharing.connections[0]?.deliver(toServer: 0, toReplica: .max)
    #expect(sharing.replicas[0].pendingCount == 0)
    try await sharing.replicas[0].flush()
    try sharing.reopen(0, from: sharing.files[0].afterKill())
    await sharing.settle()
    await sharing.shortenLog()
    var lost: [String] = []
    let token = sharing.replicas[0].losses.sink { lost.append($0.value as? String ?? "") }
    sharing.connect(0)
    await sharing.settle()
    #expect(lost == ["one"])
    #expect(contents(sharing.replicas[0].store) == contents(sharing.replicas[1].store))
    withExtendedLifetime(token) {}
  }

  @Test func `classes that a state describes have no numbers in facts`() async throws {
    // As after an update of a class: the names of the facts lack it, and the state describes it.
    let (store, table, log) = (Store(), PartitionTable(sharedBoards()), InProcessLog())
    var last = ChangeSet()
    let token = store.commitObservers.addSynchronousObserver { commit in
      last = commit.changes
      _ = table.split(&commit, in: store)
    }
    try store.add(makeBoard(1, "plans"))
    let card = makeCard(1)
    try store.add(card)
    let state = try table.state(of: "board=1", in: store, ChangeWriter())
    let partition = OpenPartition("board=1", number: 1)
    var names = ChangeWriter()
    let first = try Fact(author: 0, number: 0, time: 0).encoded(with: ChangeSet(), &names)
    partition.head = try await log.append([first], to: "board=1")
    partition.addChains(of: [first])
    try await log.storeSnapshot(partition.snapshot(with: state), of: "board=1")
    card.text = "later"
    let second = try Fact(author: 0, number: 0, time: 0).encoded(with: last, &names)
    try await log.append([second], to: "board=1")
    let replicas = (0..<2).map { _ in Replica(sharing: sharedBoards()) }
    for (round, replica) in replicas.enumerated() {
      let server = SyncServer(log: log, sharing: sharedBoards())
      for known in replicas[...round] {
        known.connect(server.connection(for: "anna"))
        known.join("board=1")
      }
      for _ in 0..<3 { await server.handleMessages() }
      let text = server.store.object(Card.self, primaryKey: 1)?.text
      #expect(text == (round == 0 ? "later" : "0"))
      replica.store.object(Card.self, primaryKey: 1)?.text = "\(round)"
      try replica.store.add(makeCard(10 + round))
      for _ in 0..<3 { await server.handleMessages() }
      #expect(replica.state(of: "board=1") == .joined && replica.pendingCount == 0)
      #expect(server.store.object(Card.self, primaryKey: 1)?.text == "\(round)")
      #expect(server.store.results(Card.self).count == 2 + round)
    }
    #expect(contents(replicas[0].store) == contents(replicas[1].store))
    token.cancel()
  }

  @Test func `a user who has lost the right gets no state`() async throws {
    let sharing = Sharing(2) {
      MayRead { user, _, store in
        if user == "user1", store.object(Board.self, primaryKey: 1)?.title == "secret" {
          throw Refused("it is secret")
        }
      }
    }
    let board = try await sharing.start()
    let copy = sharing.replicas[1].store.object(Board.self, primaryKey: 1)
    sharing.connections[1]?.close()
    sharing.connect(1, isHeld: true, fullBacklog: 1)
    board.visits = 7
    sharing.connections[1]?.deliver(toServer: .max, toReplica: 0)
    await sharing.settle()
    sharing.connections[1]?.isHeld = true
    board.visits = 8
    board.visits = 9
    board.title = "secret"
    await sharing.server.handleMessages()
    await sharing.shortenLog()
    await sharing.settle()
    #expect(copy?.title == "")
    #expect(sharing.replicas[1].state(of: "board=1") == .refused("it is secret"))
  }

  @Test func `the log of a server doesn't grow with the number of commits`() async throws {
    let files = SimulatedFiles()
    let replica = Replica(sharing: sharedBoards())
    replica.join("board=1")
    let board = makeBoard(1)
    try replica.store.add(board)
    var sizes: [Int] = []
    for round in 0..<4 {
      let log = try FileLog(at: "/log", durability: .each, files: files)
      let server = SyncServer(
        log: log, sharing: sharedBoards(), smallestTail: 2_000, now: { WallClock.milliseconds() })
      replica.connect(server.connection(for: "anna"))
      for number in 0..<500 {
        board.title = "\(round), \(number)"
        if number % 10 == 0 { await server.handleMessages() }
      }
      for _ in 0..<3 { await server.handleMessages() }
      #expect(replica.pendingCount == 0)
      #expect(contents(server.store) == contents(replica.store))
      try await server.close()
      sizes.append(files.size(at: "/log"))
    }
    #expect(sizes.allSatisfy { $0 < 10_000 }, "\(sizes)")
  }
}
