import Foundation
import Signals
import SignalsPostgreSQL
import SignalsSync
import Synchronization
import Testing

/// Several servers that share a log, as nodes in different processes do.
@MainActor @Suite(.timeLimit(.minutes(5))) struct `Nodes on PostgreSQL` {
  /// A server with a log of its own.
  @MainActor private final class Node {
    let server: SyncServer
    private var running: Task<Void, Never>?

    init(_ log: PostgreSQLLog) {
      server = SyncServer(log: log, sharing: [SharedClass(Card.self) { _ in "cards" }])
      running = Task { [server] in await server.run() }
    }

    func close() async throws {
      running?.cancel()
      try await server.close()
    }
  }

  private func replica(_ user: String, on node: Node) -> Replica {
    let replica = Replica(sharing: [SharedClass(Card.self) { _ in "cards" }])
    replica.connect(node.server.connection(for: user))
    replica.join("cards")
    return replica
  }

  private func card(_ number: Int) -> Card {
    let card = Card()
    card.number = number
    return card
  }

  @Test func `a commit at one is seen at the others, from idle and while others are made`()
    async throws
  {
    let database = try await PostgreSQLServer.shared
    let nodes = (0..<3).map { _ in Node(PostgreSQLLog(database.address(), schema: "nodes")) }
    let replicas = nodes.enumerated().map { replica("user\($0)", on: $1) }
    try replicas[0].store.add(card(0))
    for index in 0..<3 {
      for round in 0..<20 {
        // Twice after a time without appends: the server notifies.
        if round == 0 || round == 10 { try await Task.sleep(for: .milliseconds(1_200)) }
        let number = index * 100 + round + 1
        try replicas[index].store.add(card(number))
        try await eventually("the rest") {
          replicas.allSatisfy { $0.store.object(Card.self, primaryKey: number) != nil }
        }
      }
    }
    for replica in replicas { #expect(replica.store.results(Card.self).count == 61) }
    for node in nodes { try await node.close() }
  }

  @Test func `many commits at all of them at once count once each`() async throws {
    let database = try await PostgreSQLServer.shared
    let nodes = (0..<3).map { _ in Node(PostgreSQLLog(database.address(), schema: "at_once")) }
    let replicas = nodes.enumerated().map { replica("user\($0)", on: $1) }
    let first = card(0)
    try replicas[0].store.add(first)
    try await eventually("the rest") {
      replicas.allSatisfy { $0.store.results(Card.self).count == 1 }
    }
    for round in 0..<100 {
      for (index, replica) in replicas.enumerated() {
        replica.store.object(Card.self, primaryKey: 0)?.votes += 1
        try replica.store.add(card(1 + 3 * round + index))
      }
      if round % 10 == 0 { try await Task.sleep(for: .milliseconds(5)) }
    }
    try await eventually("the rest") {
      replicas.allSatisfy { $0.pendingCount == 0 && $0.store.results(Card.self).count == 301 }
    }
    for replica in replicas {
      #expect(replica.store.object(Card.self, primaryKey: 0)?.votes == 300)
    }
    for node in nodes { try await node.close() }
  }

  @Test func `a replica whose node ends goes on with another, and nothing is lost or doubled`()
    async throws
  {
    let database = try await PostgreSQLServer.shared
    func node() -> Node { Node(PostgreSQLLog(database.address(), schema: "moving")) }
    var nodes = [node(), node()]
    let (anna, ben) = (replica("anna", on: nodes[0]), replica("ben", on: nodes[1]))
    let first = card(0)
    try anna.store.add(first)
    try await eventually("the rest") { ben.store.results(Card.self).count == 1 }
    for round in 0..<6 {
      for _ in 0..<20 {
        first.votes += 1
        try await Task.sleep(for: .milliseconds(1))
      }
      // With commits that have no answer yet.
      try await nodes[round % 2].close()
      first.votes += 1
      let next = nodes[(round + 1) % 2]
      anna.connect(next.server.connection(for: "anna"))
      if !ben.isOnline { ben.connect(next.server.connection(for: "ben")) }
      nodes[round % 2] = node()
    }
    try await eventually("the rest") { anna.pendingCount == 0 }
    #expect(first.votes == 126)
    try await eventually("the rest") { ben.store.object(Card.self, primaryKey: 0)?.votes == 126 }
    for node in nodes { try await node.close() }
  }

  @Test func `a database that is down concerns its partitions alone, and they return with it`()
    async throws
  {
    let servers = [try await PostgreSQLServer.shared, try await PostgreSQLServer(isDurable: false)]
    let databases = SeveralDatabases(servers)
    let classes = [SharedClass(Card.self) { "card=\($0.number)" }]
    let logs = (0..<2).map { _ in databases.log(patience: .seconds(4)) }
    let nodes = logs.map { SyncServer(log: $0, sharing: classes) }
    let running = nodes.map { node in Task { await node.run() } }
    // A call that a busy machine makes late may fail until there is a connection, which ends sessions.
    try await eventually("the databases") {
      logs.allSatisfy { $0.statuses.allSatisfy { $0 == .connected } }
    }
    let replicas = nodes.map { _ in Replica(sharing: classes) }
    func connect() {
      for (replica, node) in zip(replicas, nodes) where replica.offlineReason != nil {
        replica.disconnect()
        replica.connect(node.connection(for: "anna"))
      }
    }
    for (replica, node) in zip(replicas, nodes) { replica.connect(node.connection(for: "anna")) }
    for replica in replicas {
      for number in 0..<2 { replica.join("card=\(number)") }
    }
    for number in 0..<2 {
      try await logs[0].move(Partition("card=\(number)"), to: number)
      try replicas[0].store.add(card(number))
    }
    func votes(_ number: Int) -> [Int?] {
      replicas.map { $0.store.object(Card.self, primaryKey: number)?.votes }
    }
    func vote(_ number: Int) {
      for replica in replicas { replica.store.object(Card.self, primaryKey: number)?.votes += 1 }
    }
    func description() -> String {
      "\(votes(0)), \(votes(1)), \(replicas.map { ($0.isOnline, $0.state(of: "card=1")) })"
    }
    try await eventually("the cards \(description())") {
      connect()
      return votes(0) == [0, 0] && votes(1) == [0, 0]
    }
    #expect(try await logs[0].database(of: "card=1") == 1)
    try await servers[1].stop("immediate")
    for _ in 0..<3 {
      for number in 0..<2 { vote(number) }
      try await eventually("delays \(replicas.map { $0.state(of: "card=1") })") {
        replicas.allSatisfy {
          $0.state(of: "card=1") == .delayed("the server can't reach its log")
        }
      }
    }
    try await eventually("the other card \(votes(0))") { votes(0) == [6, 6] }
    for replica in replicas {
      #expect(replica.isOnline && replica.state(of: "card=0") == .joined)
      #expect(replica.pendingCount == 3)
    }
    try await servers[1].start()
    try await eventually("both cards \(votes(1))") {
      votes(1) == [6, 6] && replicas.allSatisfy { $0.pendingCount == 0 }
    }
    #expect(replicas.allSatisfy { $0.state(of: "card=1") == .joined && $0.isOnline })
    for task in running { task.cancel() }
    for node in nodes { try await node.close() }
  }

  @Test func `appends are found without notifications, and after the connection was lost`()
    async throws
  {
    let database = try await PostgreSQLServer.shared
    let proxy = try Proxy(to: database.port)
    defer { proxy.close() }
    let follower = PostgreSQLLog(
      "postgres://postgres@127.0.0.1:\(proxy.port)/postgres", schema: "quiet")
    let other = PostgreSQLLog(database.address(), schema: "quiet")
    let calls = Calls()
    let following = follower.follow("p") { calls.add() }
    try await eventually("the rest") { calls.count == 1 }
    try await Task.sleep(for: .seconds(4))
    // It isn't looked at any more.
    proxy.cut()
    var head = try await other.append([[1]], to: "p")
    try await eventually("the rest") { calls.count == 2 }
    try await Task.sleep(for: .seconds(4))
    // An append that notifies of nothing, as one that was begun while the partition was busy.
    try await database.query("UPDATE quiet.partitions SET touched = now() + interval '-0.1 second'")
    head = try await other.append([[2]], to: "p", expecting: head)
    try await eventually("the rest") { calls.count == 3 }
    withExtendedLifetime(following) {}
    try await follower.close()
    try await other.close()
  }
}

/// A count that any thread adds to.
private final class Calls: Sendable {
  private let number = Atomic(0)

  func add() { number.add(1, ordering: .relaxed) }

  var count: Int { number.load(ordering: .relaxed) }
}
