import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import SignalsSync

/// Rules, triggers and refusals of servers, and hostile replicas.
@Suite @MainActor struct `Servers of replicas` {
  @Test func `a server that is released closes its connections`() async throws {
    let sharing = Sharing(1)
    sharing.replicas[0].join("board=1")
    await sharing.settle()
    sharing.server = SyncServer(sharing: sharedBoards())
    #expect(!sharing.replicas[0].isOnline && sharing.connections[0]?.isClosed == true)
    try sharing.replicas[0].store.add(makeBoard(1))
    #expect(sharing.replicas[0].pendingCount == 1)
  }

  @Test func `what a rule refuses is taken back, and told once`() async throws {
    let sharing = Sharing(2) {
      MayWrite(Card.self) { change, user in
        if change.new(\.text) == "no" { throw Refused("\(user) may not say no") }
      }
    }
    let one = sharing.replicas[0]
    let board = try await sharing.start()
    var told: [String] = []
    let token = one.refusals.sink { told.append($0.reason) }
    let card = makeCard(1, "no")
    board.cards.append(card)
    board.title = "kept"
    #expect(card.store === one.store)
    await sharing.settle()
    #expect(told == ["user0 may not say no"])
    #expect(board.cards.isEmpty && card.isDeleted && board.title == "kept")
    #expect(contents(sharing.replicas[1].store) == contents(one.store))
    withExtendedLifetime(token) {}
  }

  @Test func `a trigger's writes are part of the fact`() async throws {
    let sharing = Sharing(2) {
      After(Card.self) { change, store in
        if change.kind == .inserted { store.object(Board.self, primaryKey: 1)?.visits += 1 }
      }
    }
    for replica in sharing.replicas { replica.join("board=1") }
    let board = makeBoard(1)
    try sharing.replicas[0].store.add(board)
    try sharing.replicas[0].store.add(makeCard(1))
    await sharing.settle()
    #expect(board.visits == 1)
    #expect(contents(sharing.replicas[1].store) == contents(sharing.replicas[0].store))
    #expect(try await sharing.log.head(of: "board=1").position == 2)
  }

  @Test func `a reader who loses the right gets nothing after the fact that took it`() async throws
  {
    let sharing = Sharing(2) {
      MayRead { user, _, store in
        if user == "user1", store.object(Board.self, primaryKey: 1)?.title == "secret" {
          throw Refused("it is secret")
        }
      }
    }
    let board = try await sharing.start()
    let copy = sharing.replicas[1].store.object(Board.self, primaryKey: 1)
    board.title = "secret"
    await sharing.settle()
    board.visits = 7
    await sharing.settle()
    #expect(copy?.title == "" && copy?.visits == 0)
    #expect(sharing.replicas[1].state(of: "board=1") == .refused("it is secret"))
    sharing.connect(1)
    await sharing.settle()
    #expect(sharing.replicas[1].state(of: "board=1") == .refused("it is secret"))
    board.title = "open"
    await sharing.settle()
    sharing.connect(1)
    await sharing.settle()
    #expect(contents(sharing.replicas[1].store) == contents(sharing.replicas[0].store))
  }

  @Test func `a submission can't reach another partition, nor move an object there`() async throws {
    let sharing = Sharing(1) {
      MayRead { _, partition, _ in if partition == "board=2" { throw Refused("no") } }
    }
    let one = sharing.replicas[0]
    one.join("board=1")
    await sharing.settle()
    var reasons: [String] = []
    let token = one.refusals.sink { reasons.append($0.reason) }
    let card = makeCard(1)
    try one.store.add(card)
    await sharing.settle()
    card.board = 2
    await sharing.settle()
    #expect(card.board == 1 && reasons.count == 1)
    #expect(reasons[0].hasSuffix("is in board=2, not in board=1"))
    // A replica of another app version, whose closure says something else.
    let other = Replica(sharing: [SharedClass(Card.self) { _ in "board=1" }], author: 9) { 0 }
    other.connect(sharing.server.connection(for: "mallory"))
    other.join("board=1")
    await sharing.settle()
    try other.store.add(makeCard(2, board: 2))
    await sharing.settle()
    #expect(other.pendingCount == 0 && other.store.results(Card.self).count == 1)
    #expect(sharing.server.store.results(Card.self).count == 1)
    withExtendedLifetime(token) {}
  }

  @Test func `rules see the values of the server, whatever a replica says`() async throws {
    let sharing = Sharing(2) {
      MayWrite(Card.self) { change, user in
        if let old = change.old(\.text), old != user { throw Refused("not yours, \(user)") }
      }
    }
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    for replica in sharing.replicas { replica.join("board=1") }
    let card = makeCard(1, "user0")
    try one.store.add(card)
    await sharing.settle()
    let copy = try #require(two.store.object(Card.self, primaryKey: 1))
    let forgery = Store(one.store.snapshot())
    let fake = try #require(forgery.object(Card.self, primaryKey: 1))
    fake.text = "user1"
    var changes = ChangeSet()
    let token = forgery.commits.sink { changes = $0 }
    fake.text = "mine"
    token.cancel()
    let forged = Submission(
      partition: "board=1", author: two.author, number: 1, base: .max, time: .max,
      changes: changes)
    two.send([forged])
    await sharing.settle()
    #expect(copy.text == "user0" && card.text == "user0")
  }

  @Test func `a user can't submit as the replica of another one`() async throws {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    let other = Replica(sharing: sharedBoards(), author: one.author) { 0 }
    other.connect(sharing.server.connection(for: "mallory"))
    other.join("board=1")
    await sharing.settle()
    // The author has no fact yet.
    #expect(other.state(of: "board=1") == .joined)
    try await sharing.start()
    try other.store.add(makeCard(1))
    try other.store.add(makeCard(2))
    await sharing.settle()
    #expect(!other.isOnline && other.pendingCount == 2)
    #expect(sharing.server.store.results(Card.self).isEmpty)
  }

  @Test func `a clock that is ahead doesn't win against a later write`() async throws {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    let fast = Replica(sharing: sharedBoards(), author: 9) { .max }
    fast.connect(sharing.server.connection(for: "fast"))
    for replica in [one, fast] { replica.join("board=1") }
    let board = makeBoard(1)
    try one.store.add(board)
    await sharing.settle()
    sharing.connections[0]?.isHeld = true
    fast.store.object(Board.self, primaryKey: 1)?.title = "fast"
    await sharing.server.handleMessages()
    sharing.time += 10
    board.title = "one"
    await sharing.settle()
    #expect(board.title == "one" && contents(fast.store) == contents(one.store))
  }

  @Test func `when the log fails, nothing of a submission stays, and it stays pending`()
    async throws
  {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    try await sharing.start()
    try await sharing.log.close()
    try one.store.add(makeCard(1))
    await sharing.settle()
    #expect(!one.isOnline && one.pendingCount == 1)
    #expect(contents(sharing.server.store).isEmpty)
  }

  @Test func `a replica isn't told where the log of its server is`() async throws {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    try await sharing.start()
    sharing.full.error = .unavailable(log: "postgres://db.internal", reason: "it is down")
    sharing.full.name = "board=1"
    try one.store.add(makeCard(1))
    await sharing.settle()
    #expect(
      one.offlineReason == "the server has ended the connection: the server can't reach its log")
    sharing.full.name = nil
    sharing.connect(0)
    await sharing.settle()
    #expect(one.pendingCount == 0)
  }

  @Test func `the facts of a trigger in other partitions are in the log before the commit`()
    async throws
  {
    let sharing = Sharing(1) {
      After(Card.self) { change, store in
        guard let card = change.object, store.object(Card.self, primaryKey: -card.key) == nil else {
          return
        }
        try store.add(makeCard(-card.key, card.text, board: 2))
      }
    }
    let one = sharing.replicas[0]
    let board = try await sharing.start()
    sharing.full.name = "board=1"
    board.title = "before"
    try one.store.add(makeCard(1, "one"))
    try one.store.add(makeCard(2, "two"))
    await sharing.settle()
    #expect(!one.isOnline && one.pendingCount == 3)
    #expect(try await sharing.log.head(of: "board=2").position == 0)
    // The title is in the log now, and what the triggers have added.
    sharing.full.name = nil
    board.title = "after"
    sharing.connect(0)
    await sharing.settle()
    #expect(one.pendingCount == 0)
    one.join("board=2")
    await sharing.settle()
    #expect(one.store.results(Card.self).map(\.key).sorted() == [-2, -1, 1, 2])
    sharing.full.name = "board=1"
    try one.store.add(makeCard(3, "three"))
    await sharing.settle()
    #expect(one.pendingCount == 1)
    #expect(try await sharing.log.head(of: "board=2").position == 3)
    sharing.full.name = nil
    sharing.connect(0)
    await sharing.settle()
    #expect(one.pendingCount == 0)
    #expect(try await sharing.log.head(of: "board=2").position == 3)
    #expect(one.store.results(Card.self).map(\.key).sorted() == [-3, -2, -1, 1, 2, 3])
    #expect(contents(one.store) == contents(sharing.server.store))
  }

  @Test func `a partition that can't be joined says why, and holds up no other`() async throws {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    let long = String(repeating: "x", count: 100)
    one.join(long)
    try await sharing.start()
    #expect(one.isOnline && one.pendingCount == 0)
    guard case .refused(let reason) = one.state(of: long) else {
      Issue.record("\(one.state(of: long))")
      return
    }
    #expect(reason.contains("100 bytes"))
  }

  @Test func `an effect of a fact may close the connections of all`() async throws {
    let sharing = Sharing(4)
    let board = try await sharing.start()
    var effects: [Effect] = []
    for index in 1..<4 {
      let copy = sharing.replicas[index].store.object(Board.self, primaryKey: 1)
      effects.append(
        Effect {
          if copy?.title == "go" {
            untracked { (1..<4).forEach { sharing.connections[$0]?.close() } }
          }
        })
    }
    board.title = "go"
    await sharing.settle()
    #expect(sharing.onlineCount == 1 && sharing.replicas[0].pendingCount == 0)
    effects = []
    for index in 1..<4 { sharing.connect(index) }
    await sharing.settle()
    #expect(sharing.replicas.allSatisfy { contents($0.store) == contents(sharing.server.store) })
  }

  @Test func `a long reason of a replica is shortened, and too many authors end the connection`()
    async throws
  {
    let sharing = Sharing(1)
    let board = try await sharing.start()
    var reasons: [String] = []
    let token = sharing.replicas[0].refusals.sink { reasons.append($0.reason) }
    sharing.connections[0]?.isHeld = true
    board.visits += 1
    let pending = try #require(sharing.replicas[0].pending.first)
    let entry = try #require(sharing.replicas[0].partitions["board=1"])
    var hostile = pending
    hostile.failure = String(repeating: "x", count: 100_000)
    var writer = ReplicaMessageWriter(authors: [pending.author])
    sharing.connections[0]?.toServer.waiting = []
    sharing.connections[0]?.send(
      writer.submit(hostile, to: try #require(entry.serverNumber)), to: \.toServer)
    await sharing.settle()
    #expect(reasons.map(\.count) == [1_000])
    var reader = ReplicaMessageReader()
    let hello = ReplicaMessageWriter(authors: Array(1...10_001)).hello
    #expect(throws: SyncMessageError.self) { try reader.read(hello) }
    withExtendedLifetime(token) {}
  }

  @Test func `partitions without facts are forgotten when no replica reads them`() async throws {
    let sharing = Sharing(2, unreadLimit: 0) {
      MayRead { user, partition, _ in
        if partition == "board=9" { throw Refused("\(user) may not read it") }
      }
    }
    try await sharing.start()
    for number in 0..<100 { sharing.replicas[1].join("empty \(number)") }
    sharing.replicas[1].join("board=9")
    await sharing.settle()
    #expect(sharing.server.partitions.count == 101)
    #expect(sharing.replicas[1].state(of: "board=9") == .refused("user1 may not read it"))
    sharing.replicas[1].leave("empty 7")
    await sharing.settle()
    #expect(sharing.server.partitions.count == 100)
    sharing.connections[1]?.close()
    await sharing.settle()
    #expect(Array(sharing.server.partitions.keys) == ["board=1"])
    sharing.connect(1)
    await sharing.settle()
    #expect(sharing.replicas[1].state(of: "empty 1") == .joined)
  }

  @Test func `messages that are no messages close the connection, and change nothing`() async throws
  {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    try await sharing.start()
    let before = contents(sharing.server.store)
    var random = SeededRandom(seed: 3)
    let valid = ReplicaMessageWriter.join("board=1", facts: 0, chain: 0)
    for _ in 0..<500 {
      let connection = sharing.server.connection(for: "mallory")
      var bytes = valid
      let count = Int.random(in: 1...4, using: &random)
      for _ in 0..<count {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { bytes.removeLast() }
      connection.send(bytes, to: \.toServer)
      await sharing.server.handleMessages()
    }
    #expect(contents(sharing.server.store) == before && one.isOnline)
  }

  @Test func `a trigger's value that can't be encoded refuses the submission`() async throws {
    let sharing = Sharing(2) {
      After(Gauge.self) { change, store in
        if change.new(\.value)?.number == 12 {
          store.object(Gauge.self, primaryKey: 0)?.value = Fragile(13)
        }
      }
    }
    let one = sharing.replicas[0]
    for replica in sharing.replicas { replica.join("board=1") }
    let gauge = Gauge()
    try one.store.add(gauge)
    await sharing.settle()
    var refusals: [String] = []
    let token = one.refusals.sink { refusals.append($0.reason) }
    gauge.value = Fragile(12)
    gauge.value = Fragile(11)
    await sharing.settle()
    #expect(refusals.count == 1 && refusals[0].contains("13 is unlucky"), "\(refusals)")
    #expect(gauge.value == Fragile(11))
    for store in [one.store, sharing.replicas[1].store] {
      #expect(contents(store) == contents(sharing.server.store))
    }
    withExtendedLifetime(token) {}
  }

  @Test func `a trigger finds the objects of a partition that wasn't open`() async throws {
    let sharing = Sharing(1) {
      After(Card.self) { change, store in
        guard change.kind == .inserted, change.new(\.board) == 1 else { return }
        if let other = store.object(Board.self, primaryKey: 2) {
          other.visits += 1
        } else {
          try store.add(makeBoard(2, "by a trigger"))
        }
      }
    }
    let one = sharing.replicas[0]
    for name in ["board=1", "board=2"] { one.join(name) }
    try one.store.add(makeBoard(2, "mine"))
    await sharing.settle()
    one.leave("board=2")
    sharing.restart()
    sharing.connect(0)
    try one.store.add(makeCard(1))
    await sharing.settle()
    #expect(one.pendingCount == 0)
    let other = sharing.server.store.object(Board.self, primaryKey: 2)
    #expect(other?.title == "mine" && other?.visits == 1)
    one.join("board=2")
    await sharing.settle()
    #expect(contents(one.store) == contents(sharing.server.store))
  }

  @Test func `a trigger that names too long a partition refuses the submission`() async throws {
    let sharing = Sharing(1) {
      After(Card.self) { _, store in
        let gauge = Gauge()
        gauge.id = 7
        try store.add(gauge)
      }
    }
    let one = sharing.replicas[0]
    one.join("board=1")
    var reasons: [String] = []
    let token = one.refusals.sink { reasons.append($0.reason) }
    try one.store.add(makeCard(1))
    await sharing.settle()
    #expect(one.isOnline && one.pendingCount == 0)
    #expect(reasons.first?.contains("100 bytes") == true, "\(reasons)")
    #expect(sharing.server.store.results(Gauge.self).isEmpty)
    withExtendedLifetime(token) {}
  }

  @Test func `a part of another partition can't be taken`() async throws {
    let sharing = Sharing(2) {
      MayWrite(Board.self) { change, user in
        if change.new(\.id) == 2, user != "user0" { throw Refused("not yours") }
      }
    }
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    for name in ["board=1", "board=2"] {
      one.join(name)
      two.join(name)
    }
    try one.store.add(makeBoard(1))
    let board = makeBoard(2)
    try one.store.add(board)
    board.notes = [makeNote("private")]
    await sharing.settle()
    let (mine, theirs) = (
      try #require(two.store.object(Board.self, primaryKey: 1)),
      try #require(two.store.object(Board.self, primaryKey: 2))
    )
    var reasons: [String] = []
    let token = two.refusals.sink { reasons.append($0.reason) }
    let forgery = Store(two.store.snapshot())
    var changes = ChangeSet()
    let forged = forgery.commits.sink { changes = $0 }
    let (target, source) = (
      try #require(forgery.object(Board.self, primaryKey: 1)),
      try #require(forgery.object(Board.self, primaryKey: 2))
    )
    try forgery.write {
      let note = source.notes.removeFirst()
      target.notes.append(note)
    }
    forged.cancel()
    let own = ChangeSet(changes.changes.filter { $0.id == mine.objectID }, origin: nil)
    two.send([
      Submission(
        partition: "board=1", author: two.author, number: 1, base: .max, time: 0, changes: own)
    ])
    await sharing.settle()
    #expect(sharing.server.store.object(Board.self, primaryKey: 2)?.notes.count == 1)
    #expect(theirs.notes.count == 1 && board.notes.first?.text == "private")
    withExtendedLifetime(token) {}
  }

  @Test func `an author belongs to its user in all partitions`() async throws {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    try await sharing.start()
    // Its facts would be taken for the answers to what the user submits to that partition later.
    let thief = Replica(sharing: sharedBoards(), author: one.author) { 0 }
    thief.connect(sharing.server.connection(for: "mallory"))
    thief.join("board=2")
    try thief.store.add(makeCard(2, "forged", board: 2))
    await sharing.settle()
    #expect(!thief.isOnline && thief.pendingCount == 1)
    #expect(thief.offlineReason?.hasSuffix("author \(one.author) belongs to user0") == true)
    one.join("board=2")
    let card = makeCard(1, "mine", board: 2)
    try one.store.add(card)
    await sharing.settle()
    #expect(one.pendingCount == 0 && !card.isDeleted)
    #expect(sharing.server.store.results(Card.self).map(\.text) == ["mine"])
  }

  @Test func `an author belongs to its user after a restart`() async throws {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    try await sharing.start()
    sharing.restart()
    let thief = Replica(sharing: sharedBoards(), author: one.author) { 0 }
    thief.connect(sharing.server.connection(for: "mallory"))
    thief.join("board=1")
    try thief.store.add(makeCard(1))
    try thief.store.add(makeCard(2))
    await sharing.settle()
    #expect(
      thief.state(of: "board=1") == .refused("author \(one.author) belongs to user0"))
    #expect(sharing.server.store.results(Card.self).isEmpty)
  }

  @Test func `a link to a partition that the server hasn't open is set by a fact, when it opens`()
    async throws
  {
    let sharing = Sharing(2)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    for name in ["board=1", "board=2"] { one.join(name) }
    two.join("board=1")
    let (board, far) = (makeBoard(1), makeCard(2, "far", board: 2))
    try one.store.add(board)
    try one.store.add(far)
    await sharing.settle()
    one.leave("board=2")
    sharing.restart()
    for index in 0..<2 { sharing.connect(index) }
    await sharing.settle()
    board.best = far
    await sharing.settle()
    #expect(one.pendingCount == 0)
    two.join("board=2")
    await sharing.settle()
    let copy = try #require(two.store.object(Board.self, primaryKey: 1))
    #expect(copy.best?.text == "far" && board.best === far)
    #expect(contents(two.store) == contents(sharing.server.store))
  }

  @Test func `objects of the server that aren't shared can't be deleted`() async throws {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    try await sharing.start()
    let desk = Desk()
    try sharing.server.store.add(desk)
    let change = ObjectChange(id: desk.objectID, kind: .deleted, properties: [], type: Desk.self)
    one.send([
      Submission(
        partition: "board=1", author: one.author, number: 2, base: .max, time: 0,
        changes: ChangeSet([change], origin: nil))
    ])
    await sharing.settle()
    #expect(sharing.server.store.results(Desk.self).count == 1)
  }
}
