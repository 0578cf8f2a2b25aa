import Signals
import TestSupport
import Testing

@testable import SignalsSync

/// Servers that share one log.
@Suite @MainActor struct `Several servers of one log` {
  /// Two servers with a replica each, which have the board 1.
  private func start(
    _ count: Int = 2, smallestTail: Int = 1 << 20,
    @SyncRulesBuilder rules: () -> SyncRules = { .none }
  ) async throws -> Sharing {
    let sharing = Sharing(count, servers: 2, smallestTail: smallestTail, rules: rules)
    for index in 1..<count { sharing.connect(index, to: 1) }
    try await sharing.start("begun")
    return sharing
  }

  private func board(_ replica: Replica) throws -> Board {
    try #require(replica.store.object(Board.self, primaryKey: 1))
  }

  /// Lets a server decide about everything that its replicas have sent, without the news of others.
  private func decide(_ sharing: Sharing, at place: Int) async {
    for connection in sharing.connections { connection?.deliver(toServer: .max, toReplica: 0) }
    await sharing.servers[place].handleMessages()
  }

  @Test func `a commit at one is seen by the replicas of the others`() async throws {
    let sharing = try await start()
    try board(sharing.replicas[0]).title = "one"
    await sharing.settle()
    #expect(try board(sharing.replicas[1]).title == "one")
    try board(sharing.replicas[1]).title = "two"
    await sharing.settle()
    #expect(try board(sharing.replicas[0]).title == "two")
    #expect(sharing.servers.allSatisfy { contents($0.store) == contents(sharing.server.store) })
  }

  @Test func `one that was late decides again, and the conflict is told`() async throws {
    let sharing = try await start()
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    var losses: [SyncLoss] = []
    let token = one.losses.sink { losses.append($0) }
    try board(one).title = "one"
    sharing.time += 10
    try board(two).title = "two"
    try board(two).visits += 1
    await decide(sharing, at: 0)
    await decide(sharing, at: 1)
    await sharing.settle()
    for replica in [one, two] {
      #expect(try board(replica).title == "two")
      #expect(try board(replica).visits == 1)
      #expect(replica.pendingCount == 0)
    }
    #expect(losses.map(\.property) == ["title"])
    #expect(try await sharing.archive.head(of: "board=1").position == 4)
    withExtendedLifetime(token) {}
  }

  @Test func `a trigger counts once, though its commit is decided again`() async throws {
    let sharing = try await start {
      After(Card.self) { change, store in
        guard change.kind == .inserted, change.object?.board == 1 else { return }
        store.object(Board.self, primaryKey: 2)?.visits += 1
      }
    }
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    for replica in [one, two] { replica.join("board=2") }
    try one.store.add(makeBoard(2))
    await sharing.settle()
    for round in 0..<5 {
      try one.store.add(makeCard(2 * round))
      try two.store.add(makeCard(2 * round + 1))
      await decide(sharing, at: round % 2)
      await decide(sharing, at: (round + 1) % 2)
      await sharing.settle()
      for replica in [one, two] {
        #expect(replica.store.object(Board.self, primaryKey: 2)?.visits == 2 * (round + 1))
      }
    }
  }

  @Test func `a refused commit is refused once, and what follows it lives`() async throws {
    let sharing = try await start {
      MayWrite(Card.self) { change, _ in
        if change.new(\.text) == "no" { throw Refused("no") }
      }
    }
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    var refusals: [SyncRefusal] = []
    let token = two.refusals.sink { refusals.append($0) }
    try board(one).title = "one"
    try two.store.add(makeCard(1, "no"))
    try two.store.add(makeCard(2, "yes"))
    await decide(sharing, at: 0)
    await decide(sharing, at: 1)
    await sharing.settle()
    #expect(refusals.map(\.reason) == ["no"])
    #expect(one.store.results(Card.self).map(\.key) == [2])
    #expect(contents(one.store) == contents(two.store))
    withExtendedLifetime(token) {}
  }

  @Test func `a replica continues with another one, and nothing is lost or doubled`() async throws {
    let sharing = try await start()
    let one = sharing.replicas[0]
    for place in [1, 0, 1, 1, 0] {
      try board(one).visits += 1
      // The server has it, and the replica has no answer.
      await decide(sharing, at: 0)
      await decide(sharing, at: 1)
      sharing.connections[0]?.close()
      try board(one).visits += 1
      sharing.connect(0, to: place)
    }
    await sharing.settle()
    #expect(one.pendingCount == 0)
    for replica in sharing.replicas { #expect(try board(replica).visits == 10) }
  }

  @Test func `a replica has more facts than the server with which it continues`() async throws {
    let sharing = try await start()
    let one = sharing.replicas[0]
    for title in ["a", "b", "c"] {
      try board(one).title = title
      await decide(sharing, at: 0)
      sharing.connections[0]?.deliver(toServer: 0, toReplica: .max)
    }
    #expect(one.pendingCount == 0)
    #expect(sharing.servers[1].store.object(Board.self, primaryKey: 1)?.title == "begun")
    sharing.connect(0, to: 1)
    await decide(sharing, at: 1)
    sharing.connections[0]?.deliver(toServer: 0, toReplica: .max)
    #expect(one.state(of: "board=1") == .joined)
    #expect(sharing.servers[1].store.object(Board.self, primaryKey: 1)?.title == "c")
  }

  @Test func `a right that a fact of another one takes ends before that fact`() async throws {
    let sharing = try await start {
      MayRead { user, _, store in
        if user == "user1", store.object(Board.self, primaryKey: 1)?.title == "secret" {
          throw Refused("it is secret")
        }
      }
    }
    for title in ["last", "secret", "more"] {
      try board(sharing.replicas[0]).title = title
      await sharing.server.handleMessages()
    }
    await sharing.settle()
    // The right is back with the third fact.
    #expect(try board(sharing.replicas[1]).title == "more")
    for title in ["end", "secret"] {
      try board(sharing.replicas[0]).title = title
      await sharing.server.handleMessages()
    }
    try sharing.replicas[0].store.add(makeCard(1, "for others"))
    await sharing.settle()
    #expect(sharing.replicas[1].state(of: "board=1") == .refused("it is secret"))
    #expect(try board(sharing.replicas[1]).title == "end")
    #expect(sharing.replicas[1].store.results(Card.self).isEmpty)
  }

  @Test func `a link that waits at one is set for all, once`() async throws {
    let sharing = try await start()
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    let card = makeCard(7)
    try one.store.add(card)
    await sharing.settle()
    // One links the card, which two has deleted meanwhile.
    let copy = try #require(two.store.object(Card.self, primaryKey: 7))
    try two.store.delete(copy)
    await decide(sharing, at: 1)
    try board(one).best = card
    await sharing.settle()
    #expect(try board(one).best == nil)
    try two.store.undo()
    await sharing.settle()
    #expect(try board(one).best?.key == 7)
    #expect(try board(two).best?.key == 7)
    let facts = try await sharing.archive.head(of: "board=1").position
    for _ in 0..<3 { await sharing.settle() }
    #expect(try await sharing.archive.head(of: "board=1").position == facts)
    #expect(contents(sharing.servers[0].store) == contents(sharing.servers[1].store))
  }

  @Test func `a decision that is taken back changes nothing in partitions that the log has`()
    async throws
  {
    let sharing = try await start()
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    for replica in [one, two] { replica.join("board=2") }
    try one.store.add(makeBoard(2))
    await sharing.settle()
    // Two submissions: the card in a partition where another server is first, and a link to it.
    let card = makeCard(7)
    let second = try #require(one.store.object(Board.self, primaryKey: 2))
    try one.store.write {
      try one.store.add(card)
      second.best = card
    }
    try board(two).title = "first"
    await decide(sharing, at: 1)
    await decide(sharing, at: 0)
    await sharing.settle()
    for replica in [one, two] {
      #expect(replica.store.object(Board.self, primaryKey: 2)?.best?.key == 7)
    }
    for server in sharing.servers { #expect(contents(server.store) == contents(one.store)) }
  }

  @Test func `a log with another history ends the sessions, and nothing is merged`() async throws {
    let sharing = try await start()
    let two = sharing.replicas[1]
    let open = try #require(sharing.servers[1].partitions["board=1"])
    open.head = LogHead(position: open.head.position, chain: open.head.chain ^ 1)
    try board(two).title = "lost"
    await sharing.settle()
    #expect(!two.isOnline && two.pendingCount == 1)
    #expect(sharing.servers[1].partitions.isEmpty && contents(sharing.servers[1].store).isEmpty)
    sharing.connect(1, to: 1)
    await sharing.settle()
    #expect(two.pendingCount == 0)
    #expect(try board(sharing.replicas[0]).title == "lost")
  }

  @Test func `a right is that of all facts that the log has`() async throws {
    let sharing = try await start {
      MayRead { user, _, store in
        if user == "user1", store.object(Board.self, primaryKey: 1)?.title == "secret" {
          throw Refused("it is secret")
        }
      }
    }
    let two = sharing.replicas[1]
    sharing.connections[1]?.close()
    try board(sharing.replicas[0]).title = "secret"
    await decide(sharing, at: 0)
    // The second server has no news of it.
    sharing.connect(1, to: 1)
    for _ in 0..<3 {
      await decide(sharing, at: 1)
      sharing.connections[1]?.deliver(toServer: .max, toReplica: .max)
    }
    #expect(two.state(of: "board=1") == .refused("it is secret"))
    #expect(try board(two).title == "begun")
  }

  @Test func `a fact that can't be applied closes its partition, and no other`() async throws {
    let sharing = try await start()
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    // The second server has the board 2 alone.
    sharing.restart(1)
    sharing.connect(0)
    two.leave("board=1")
    for replica in [one, two] { replica.join("board=2") }
    sharing.connect(1, to: 1)
    try one.store.add(makeBoard(2))
    try one.store.add(makeCard(5, "in 1"))
    await sharing.settle()
    try two.store.add(makeCard(5, "in 2", board: 2))
    await sharing.settle()
    #expect(two.pendingCount == 0 && two.isOnline)
    #expect(one.isOnline)
    guard case .refused(let reason) = one.state(of: "board=2") else {
      Issue.record("the board 2 is \(one.state(of: "board=2"))")
      return
    }
    #expect(reason.hasPrefix("a fact of board=2 can't be applied: "), "\(reason)")
    #expect(sharing.server.partitions["board=2"] == nil)
    try board(one).title = "further"
    await sharing.settle()
    #expect(one.pendingCount == 0)
    #expect(sharing.server.store.object(Board.self, primaryKey: 1)?.title == "further")
    #expect(sharing.server.store.results(Card.self).map(\.text) == ["in 1"])
  }

  @Test func `a replica that lacks what another one has truncated gets the state`() async throws {
    let sharing = try await start(smallestTail: 100)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    sharing.connections[1]?.close()
    for number in 0..<40 {
      try board(one).title = "\(number)"
      await sharing.server.handleMessages()
    }
    try board(two).visits += 1
    sharing.connect(1, to: 1)
    await sharing.settle()
    // The server was away for as long, and begins again.
    #expect(!two.isOnline)
    sharing.connect(1, to: 1)
    await sharing.settle()
    #expect(try board(two).title == "39")
    #expect(two.pendingCount == 0)
    #expect(try board(one).visits == 1)
  }

  @Test func `a replica that reads slowly gets the state of what another one has truncated`()
    async throws
  {
    let sharing = try await start(smallestTail: 100)
    let one = sharing.replicas[0]
    sharing.connect(1, to: 1, isHeld: true, fullBacklog: 1)
    for number in 0..<40 {
      try board(one).title = "\(number)"
      for server in sharing.servers {
        sharing.notify()
        await server.handleMessages()
      }
    }
    let open = try #require(sharing.servers[1].partitions["board=1"])
    #expect(sharing.servers[1].store.object(Board.self, primaryKey: 1)?.title == "39")
    let base = try await sharing.log.base(of: "board=1")
    #expect(base > open.oldest.position)
    for _ in 0..<60 { await sharing.settle() }
    #expect(try board(sharing.replicas[1]).title == "39")
    #expect(open.oldest.position == base)
  }

  @Test func `a server that is late, and whose reader lacks what is truncated, begins again`()
    async throws
  {
    let sharing = try await start(smallestTail: 100)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    sharing.connect(1, to: 1, isHeld: true, fullBacklog: 1)
    // The second server reads the first facts, and has no news of the others.
    for number in 0..<40 {
      try board(one).title = "\(number)"
      await sharing.server.handleMessages()
      if number == 2 { sharing.notify() }
      if number < 5 { await sharing.servers[1].handleMessages() }
    }
    let open = try #require(sharing.servers[1].partitions["board=1"])
    #expect(try await sharing.log.base(of: "board=1") > open.head.position)
    for _ in 0..<20 {
      await decide(sharing, at: 1)
      sharing.connections[1]?.deliver(toServer: .max, toReplica: .max)
    }
    #expect(!two.isOnline && sharing.servers[1].partitions.isEmpty)
    sharing.connect(1, to: 1)
    await sharing.settle()
    #expect(try board(two).title == "39")
  }

  @Test func `a commit of a user whom another one has removed isn't decided again`() async throws {
    let sharing = try await start {
      MayRead { user, _, store in
        if user == "user1", store.object(Board.self, primaryKey: 1)?.title == "secret" {
          throw Refused("it is secret")
        }
      }
    }
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    var refusals: [SyncRefusal] = []
    let token = two.refusals.sink { refusals.append($0) }
    try board(one).title = "secret"
    try two.store.add(makeCard(3))
    await decide(sharing, at: 0)
    await decide(sharing, at: 1)
    await sharing.settle()
    #expect(one.store.results(Card.self).isEmpty)
    #expect(two.state(of: "board=1") == .refused("it is secret"))
    #expect(refusals.map(\.reason) == ["it is secret"])
    withExtendedLifetime(token) {}
  }

  @Test func `an older snapshot of another one is enough to begin with`() async throws {
    let sharing = try await start(smallestTail: 100)
    for round in 0..<60 {
      let place = round % 2
      try board(sharing.replicas[place]).title = "\(round)"
      await sharing.settle()
      // Each stores its snapshots when it likes, and truncates what it doesn't need itself.
      if round % 7 == 0, let open = sharing.servers[place].partitions["board=1"] {
        await sharing.servers[place].replaceSnapshot(of: open)
      }
      if round % 5 == 0 {
        sharing.restart(1 - place)
        for index in 0..<2 { sharing.connect(index, to: index) }
        await sharing.settle()
        #expect(sharing.replicas.allSatisfy { $0.state(of: "board=1") == .joined })
      }
    }
    #expect(sharing.replicas.allSatisfy { contents($0.store) == contents(sharing.server.store) })
    #expect(try board(sharing.replicas[0]).title == "59")
  }
}

extension InProcessLog {
  /// Returns the position of the first entry that a partition has.
  fileprivate func base(of partition: Partition) async throws -> LogPosition {
    do throws(ChangeLogError) {
      _ = try await entries(of: partition, from: .start, limit: 1)
      return .start
    } catch {
      guard case .truncated(_, let oldest) = error else { throw error }
      return oldest
    }
  }
}
