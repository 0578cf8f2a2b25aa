import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import SignalsSync

/// A shared log of which some partitions can't be reached, as with one of several databases that is down.
@Suite @MainActor struct `Partitions that can't be reached` {
  private let outage = ChangeLogError.unavailable(log: "postgres://db.internal", reason: "is down")
  private let reason = "the server can't reach its log"

  /// Two servers with a replica each, which have the boards 1 and 2.
  private func start(@SyncRulesBuilder rules: () -> SyncRules = { .none }) async throws -> Sharing {
    let sharing = Sharing(2, servers: 2, rules: rules)
    sharing.connect(1, to: 1)
    sharing.full.error = outage
    try await sharing.start("one")
    for replica in sharing.replicas { replica.join("board=2") }
    try sharing.replicas[0].store.add(makeBoard(2, "two"))
    await sharing.settle()
    return sharing
  }

  private func board(_ id: Int, _ replica: Replica) throws -> Board {
    try #require(replica.store.object(Board.self, primaryKey: id))
  }

  private func end(_ sharing: Sharing) async {
    sharing.full.name = nil
    sharing.retry()
    await sharing.settle()
  }

  @Test(arguments: [false, true])
  func `a partition that can't be appended to is delayed, and others aren't`(
    isAppended: Bool
  ) async throws {
    let sharing = try await start()
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    (sharing.full.name, sharing.full.appendsNevertheless) = ("board=2", isAppended)
    sharing.full.refusesReads = true
    try board(2, one).visits += 1
    try board(1, one).title = "changed"
    await sharing.settle()
    #expect(one.isOnline)
    #expect(one.state(of: "board=2") == .delayed(reason))
    #expect(one.delay == .delayed("board=2", reason: reason))
    #expect(one.state(of: "board=1") == .joined)
    #expect(try board(1, two).title == "changed")
    #expect(try board(2, one).visits == 1)
    #expect(one.pendingCount == 1)
    try board(1, two).title = "by another"
    try board(2, one).visits += 1
    await sharing.settle()
    #expect(try board(1, one).title == "by another")
    // Tried again in vain.
    sharing.retry()
    await sharing.settle()
    #expect(one.state(of: "board=2") == .delayed(reason))
    await end(sharing)
    for replica in [one, two] {
      #expect(replica.pendingCount == 0)
      #expect(replica.state(of: "board=2") == .joined)
      #expect(try board(2, replica).visits == 2)
    }
    #expect(one.delay == nil)
    #expect(sharing.servers.allSatisfy { contents($0.store) == contents(one.store) })
  }

  @Test func `a partition that can't be read is joined when it can`() async throws {
    let sharing = try await start()
    let two = sharing.replicas[1]
    two.leave("board=2")
    await sharing.settle()
    (sharing.full.name, sharing.full.refusesReads) = ("board=2", true)
    two.join("board=2")
    await sharing.settle()
    #expect(two.state(of: "board=1") == .joined)
    #expect(two.state(of: "board=2") == .delayed(reason))
    // It leaves, and joins again.
    two.leave("board=2")
    await sharing.settle()
    #expect(two.state(of: "board=2") == .notJoined)
    two.join("board=2")
    await sharing.settle()
    #expect(two.state(of: "board=2") == .delayed(reason))
    try board(1, two).title = "changed"
    await sharing.settle()
    #expect(two.pendingCount == 0)
    await end(sharing)
    #expect(two.state(of: "board=2") == .joined)
    #expect(sharing.servers[1].partitions["board=2"]?.suspension == nil)
  }

  @Test
  func
    `a session that joins a partition which isn't open ends, as triggers would miss its objects`()
    async throws
  {
    let sharing = try await start()
    let two = sharing.replicas[1]
    sharing.restart(1)
    (sharing.full.name, sharing.full.refusesReads) = ("board=2", true)
    sharing.connect(1, to: 1)
    await sharing.settle()
    #expect(!two.isOnline && two.offlineReason?.contains(reason) == true)
    sharing.connect(1, to: 0)
    await sharing.settle()
    #expect(two.isOnline && two.state(of: "board=2") == .delayed(reason))
    await end(sharing)
    #expect(two.state(of: "board=2") == .joined)
  }

  @Test func `a session with no other partition ends`() async throws {
    let sharing = try await start()
    let one = sharing.replicas[0]
    one.leave("board=1")
    await sharing.settle()
    (sharing.full.name, sharing.full.refusesReads) = ("board=2", true)
    try board(2, one).visits += 1
    await sharing.settle()
    #expect(!one.isOnline && one.offlineReason?.contains(reason) == true)
    #expect(one.state(of: "board=2") == .joining(progress: 0))
    #expect(sharing.servers[0].partitions["board=2"]?.suspension?.waiting.isEmpty == true)
    sharing.connect(0, to: 1)
    await sharing.settle()
    #expect(sharing.servers[0].sessions.count == 0)
    await end(sharing)
    sharing.connect(0, to: 1)
    await sharing.settle()
    #expect(one.pendingCount == 0)
    #expect(try board(2, sharing.replicas[1]).visits == 1)
  }

  @Test func `a commit whose trigger concerns an unreachable partition waits, and counts once`()
    async throws
  {
    let sharing = try await start {
      After(Card.self) { change, store in
        guard change.kind == .inserted, change.object?.board == 1 else { return }
        store.object(Board.self, primaryKey: 2)?.visits += 1
      }
    }
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    for replica in [one, two] {
      replica.join("board=3")
    }
    await sharing.settle()
    sharing.full.name = "board=2"
    try one.store.add(makeCard(1))
    try one.store.add(makeCard(2, board: 3))
    await sharing.settle()
    #expect(one.state(of: "board=1") == .delayed(reason))
    #expect(one.state(of: "board=2") == .delayed(reason))
    #expect(one.state(of: "board=3") == .joined)
    #expect(two.store.results(Card.self).map(\.key) == [2])
    sharing.full.refusesReads = true
    for _ in 0..<2 {
      sharing.retry()
      await sharing.settle()
    }
    #expect(one.pendingCount == 1)
    await end(sharing)
    await end(sharing)
    for replica in [one, two] {
      #expect(replica.pendingCount == 0)
      #expect(try board(2, replica).visits == 1)
    }
  }

  @Test func `an outage that a slow reader meets splits no decision that isn't in the log yet`()
    async throws
  {
    let sharing = try await start {
      After(Card.self) { change, store in
        if change.kind == .inserted { store.object(Board.self, primaryKey: 2)?.visits += 1 }
      }
    }
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    for index in 0...1 {
      sharing.connect(index, isHeld: true, fullBacklog: index == 1 ? 1 : 1 << 18)
    }
    await sharing.settle()
    let (server, links) = (sharing.servers[0], sharing.connections.compactMap(\.self))
    // The second replica takes nothing, and falls behind in the board 2.
    for title in ["a", "b", "c"] {
      try board(2, one).title = title
      links[0].deliver(toServer: .max, toReplica: 0)
      await server.handleMessages()
    }
    #expect(server.lagging.count == 1)
    // In one batch: a commit with a fact in each board, and the reader that takes facts again.
    try one.store.add(makeCard(1))
    links[0].deliver(toServer: .max, toReplica: 0)
    links[1].deliver(toServer: 0, toReplica: .max)
    (sharing.full.name, sharing.full.refusesReads, sharing.full.acceptsAppends) =
      ("board=2", true, true)
    await server.handleMessages()
    await end(sharing)
    await end(sharing)
    for replica in [one, two] {
      #expect(try board(2, replica).visits == 1)
      #expect(replica.store.results(Card.self).map(\.key) == [1])
    }
  }

  @Test func `commits that were sent while their reader waited end no session`() async throws {
    let sharing = try await start {
      After(Card.self) { change, store in
        if change.kind == .inserted { store.object(Board.self, primaryKey: 2)?.visits += 1 }
      }
    }
    let one = sharing.replicas[0]
    one.join("board=3")
    sharing.connect(0, isHeld: true)
    await sharing.settle()
    let (server, link) = (sharing.servers[0], try #require(sharing.connections[0]))
    (sharing.full.name, sharing.full.refusesReads) = ("board=2", true)
    try board(2, one).title = "changed"
    link.deliver(toServer: .max, toReplica: 0)
    await server.handleMessages()
    for key in 1...3 { try one.store.add(makeCard(key)) }
    link.deliver(toServer: 1, toReplica: 0)
    await server.handleMessages()
    sharing.full.name = nil
    sharing.retry()
    await server.handleMessages()
    link.deliver(toServer: .max, toReplica: 0)
    await server.handleMessages()
    #expect(server.sessions.values.allSatisfy { !$0.isEnded })
    await sharing.settle()
    #expect(one.isOnline && one.pendingCount == 0)
    #expect(try board(2, sharing.replicas[1]).visits == 3)
  }

  @Test func `a right that depends on an unreachable partition isn't lost by that`() async throws {
    let sharing = try await start {
      MayRead { _, partition, store in
        if partition == "board=3", store.object(Board.self, primaryKey: 2) == nil {
          throw Refused("there is no board 2")
        }
      }
    }
    let one = sharing.replicas[0]
    one.join("board=3")
    await sharing.settle()
    #expect(one.state(of: "board=3") == .joined)
    sharing.full.name = "board=2"
    try board(2, one).visits += 1
    await sharing.settle()
    #expect(one.state(of: "board=2") == .delayed(reason))
    #expect(one.state(of: "board=3") == .joined)
    await end(sharing)
    #expect(one.state(of: "board=2") == .joined && one.pendingCount == 0)
  }

  @Test func `links between an unreachable partition and others change when they can`() async throws
  {
    let sharing = try await start()
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    let (target, source) = (makeCard(20, board: 2), makeCard(10))
    try one.store.write {
      try one.store.add(target)
      source.next = target
      try one.store.add(source)
    }
    await sharing.settle()
    sharing.full.name = "board=2"
    target.text = "changed"
    await sharing.settle()
    source.text = "changed"
    await sharing.settle()
    #expect(sharing.servers[0].store.object(Card.self, primaryKey: 20)?.text == "")
    #expect(two.store.object(Card.self, primaryKey: 10)?.next?.key == 20)
    await end(sharing)
    for store in sharing.servers.map(\.store) + [one.store, two.store] {
      let card = store.object(Card.self, primaryKey: 10)
      #expect(card?.next?.text == "changed" && card?.text == "changed")
    }
    #expect(one.pendingCount == 0)
    // The deletion of a target clears a link in the partition that can't be reached.
    target.next = source
    await sharing.settle()
    sharing.full.name = "board=2"
    try two.store.delete(try #require(two.store.object(Card.self, primaryKey: 10)))
    await sharing.settle()
    await end(sharing)
    await end(sharing)
    for store in sharing.servers.map(\.store) + [one.store, two.store] {
      #expect(store.object(Card.self, primaryKey: 10) == nil)
      #expect(store.object(Card.self, primaryKey: 20)?.next == nil)
    }
    #expect(one.pendingCount == 0 && two.pendingCount == 0)
    #expect(sharing.servers.allSatisfy { contents($0.store) == contents(one.store) })
  }

  @Test func `a replica waits on another connection too`() async throws {
    let sharing = try await start()
    let one = sharing.replicas[0]
    sharing.full.name = "board=2"
    try board(2, one).visits += 1
    await sharing.settle()
    #expect(sharing.servers[0].partitions["board=2"]?.suspension?.waiting.count == 1)
    sharing.connections[0]?.close()
    #expect(one.state(of: "board=2") == .joining(progress: 0))
    #expect(sharing.servers[0].partitions["board=2"]?.suspension?.waiting.isEmpty == true)
    sharing.full.refusesReads = true
    sharing.connect(0, to: 1)
    await sharing.settle()
    #expect(one.state(of: "board=2") == .delayed(reason))
    await end(sharing)
    #expect(one.pendingCount == 0 && one.state(of: "board=2") == .joined)
  }

  @Test func `a session that leaves its last partition but those for which it waits ends`()
    async throws
  {
    let sharing = try await start()
    let one = sharing.replicas[0]
    (sharing.full.name, sharing.full.refusesReads) = ("board=2", true)
    try board(2, one).visits += 1
    await sharing.settle()
    #expect(one.isOnline)
    one.leave("board=1")
    await sharing.settle()
    #expect(!one.isOnline && one.offlineReason?.contains(reason) == true)
  }

  @Test func `a link that a server has set waits, and doesn't replace a later one`() async throws {
    let sharing = try await start()
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    two.join("board=3")
    await sharing.settle()
    let (first, last, source) = (makeCard(31, board: 3), makeCard(12), makeCard(20, board: 2))
    try two.store.add([first, last, source])
    source.next = first
    await sharing.settle()
    // The first server doesn't have the board 3.
    let card = sharing.servers[0].store.object(Card.self, primaryKey: 20)
    #expect(card != nil && card?.next == nil)
    (sharing.full.name, sharing.full.refusesReads) = ("board=2", true)
    try board(2, one).visits += 1
    await sharing.settle()
    sharing.full.name = nil
    let suspension = try #require(sharing.servers[0].partitions["board=2"]?.suspension)
    one.join("board=3")
    await sharing.settle()
    #expect(suspension.changes.count == 1)
    // The second server reaches the board 2 before.
    sharing.servers[1].answered.insert("board=2")
    await sharing.settle()
    source.next = last
    await sharing.settle()
    #expect(two.pendingCount == 0)
    await end(sharing)
    await end(sharing)
    for store in sharing.servers.map(\.store) + [one.store, two.store] {
      #expect(store.object(Card.self, primaryKey: 20)?.next?.key == 12)
    }
  }

  @Test func `a suspension ends with its server`() async throws {
    let sharing = try await start()
    weak var suspension: Suspension?
    (sharing.full.name, sharing.full.refusesReads) = ("board=2", true)
    try board(2, sharing.replicas[0]).visits += 1
    await sharing.settle()
    suspension = sharing.servers[0].partitions["board=2"]?.suspension
    #expect(suspension?.waiting.count == 1)
    sharing.restart(0)
    #expect(suspension == nil)
  }

  @Test func `the log is asked until it answers`() async throws {
    let sharing = try await start()
    let one = sharing.replicas[0]
    for server in sharing.servers { server.retryInterval = .milliseconds(1) }
    (sharing.full.name, sharing.full.refusesReads) = ("board=2", true)
    try board(2, one).visits += 1
    await sharing.settle()
    #expect(one.state(of: "board=2") == .delayed(reason))
    sharing.full.name = nil
    while try board(2, sharing.replicas[1]).visits == 0 {
      await Task.yield()
      await sharing.settle()
    }
    #expect(one.state(of: "board=2") == .joined && one.pendingCount == 0)
    #expect(try board(2, sharing.replicas[1]).visits == 1)
  }

  @Test(arguments: seeds(12))
  func `whatever can't be reached for a while, replicas converge and each commit counts once`(
    seed: UInt64
  ) async throws {
    var random = SeededRandom(seed: seed)
    let sharing = try await start {
      After(Card.self) { change, store in
        guard change.kind == .inserted, let board = change.object?.board else { return }
        store.object(Board.self, primaryKey: 3 - board)?.visits += 1
      }
    }
    let replicas = sharing.replicas
    for replica in replicas {
      replica.store.onRefusal = { _ in }
      replica.join("board=3")
    }
    try replicas[0].store.add(makeBoard(3))
    await sharing.settle()
    var (added, visits, delays) = ([0, 0, 0], [0, 0, 0], 0)
    for step in 0..<outageSteps {
      let index = Int.random(in: 0...1, using: &random)
      let (replica, place) = (replicas[index], Int.random(in: 0...1, using: &random))
      let id = Int.random(in: 1...3, using: &random)
      let cards = replica.store.results(Card.self)
      switch Int.random(in: 0..<16, using: &random) {
      case 0..<3:
        try board(id, replica).visits += 1
        visits[id - 1] += 1
      case 3..<5 where id < 3:
        let card = makeCard(step, board: id)
        if !cards.isEmpty { card.next = cards[Int.random(in: 0..<cards.count, using: &random)] }
        try replica.store.add(card)
        added[id - 1] += 1
      case 5:
        if !cards.isEmpty {
          let card = cards[Int.random(in: 0..<cards.count, using: &random)]
          card.next = cards[Int.random(in: 0..<cards.count, using: &random)]
        }
      case 6:
        // A card that isn't everywhere counts when it is confirmed, so only those are deleted.
        let confirmed = cards.filter { !replica.isPending($0) }
        if let card = confirmed.first { try replica.store.delete(card) }
      case 7, 8:
        let names = ["board=1", "board=2", "board=3", nil, nil]
        sharing.full.name = names.randomElement(using: &random)!
      case 9:
        sharing.full.refusesReads.toggle()
        sharing.full.acceptsAppends = Int.random(in: 0..<3, using: &random) == 0
      case 10: sharing.full.appendsNevertheless.toggle()
      case 11: sharing.retry()
      case 12:
        if Int.random(in: 0..<4, using: &random) == 0 { replica.disconnect() }
        let full = [1, 300, 1 << 18].randomElement(using: &random)!
        if !replica.isOnline { sharing.connect(index, to: place, fullBacklog: full) }
      case 13: sharing.notify()
      default:
        for connection in sharing.connections {
          connection?.deliver(toServer: .max, toReplica: .max)
        }
        await sharing.servers[place].handleMessages()
      }
      for case .delayed in (1...3).map({ replica.state(of: "board=\($0)") }) { delays += 1 }
      for store in sharing.servers.map(\.store) + replicas.map(\.store) {
        try #require(store.brokenInvariants() == [], "seed \(seed), step \(step)")
      }
    }
    for _ in 0..<4 {
      await end(sharing)
      for index in 0...1 where !replicas[index].isOnline { sharing.connect(index, to: index) }
      await sharing.settle()
    }
    for replica in replicas {
      let states = (1...3).map { replica.state(of: "board=\($0)") }
      #expect(
        replica.pendingCount == 0, "seed \(seed): \(states) \(replica.offlineReason ?? "online")")
      for id in 1...3 {
        let expected = visits[id - 1] + (id < 3 ? added[2 - id] : 0)
        #expect(try board(id, replica).visits == expected, "seed \(seed)")
      }
    }
    let expected = contents(replicas[0].store)
    for (index, store) in (sharing.servers.map(\.store) + [replicas[1].store]).enumerated() {
      let found = contents(store)
      let ids = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }
      let differences = ids.map { "\($0): \(found[$0] ?? "-"), not \(expected[$0] ?? "-")" }
      #expect(differences == [], "seed \(seed), store \(index)")
    }
    // A short history may have none.
    if outageSteps >= 600 { #expect(delays > 0, "seed \(seed)") }
  }
}

private let outageSteps = runLength(usually: 600)
