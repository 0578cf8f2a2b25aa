import Foundation
import Signals
import SignalsPostgreSQL
import SignalsSync
import Testing

final class Card: Object {
  @PrimaryKey var number = 0
  @Field var text = ""
  @Counter var votes = 0
}

@MainActor private let classes = [SharedClass(Card.self) { _ in "cards" }]

/// A server whose facts are in a database.
@MainActor @Suite(.timeLimit(.minutes(5))) struct `A server on PostgreSQL` {
  private func card(_ number: Int) -> Card {
    let card = Card()
    (card.number, card.text) = (number, "card \(number)")
    return card
  }

  /// Runs a server until `body` has ended.
  private func serve(
    _ log: PostgreSQLLog, _ body: (SyncServer) async throws -> Void
  ) async throws {
    let server = SyncServer(log: log, sharing: classes)
    let running = Task { await server.run() }
    defer { running.cancel() }
    try await body(server)
    try await server.close()
  }

  @Test func `continues what another one has begun`() async throws {
    let database = try await PostgreSQLServer.shared
    let replica = Replica(sharing: classes)
    for round in 0..<3 {
      try await serve(PostgreSQLLog(database.address(), schema: "rounds")) { server in
        replica.connect(server.connection(for: "anna"))
        replica.join("cards")
        try replica.store.add(card(round))
        for card in replica.store.results(Card.self) { card.votes += 1 }
        try await eventually("the rest") { replica.pendingCount == 0 }
        #expect(server.store.results(Card.self).count == round + 1)
      }
    }
    try await serve(PostgreSQLLog(database.address(), schema: "rounds")) { server in
      let other = Replica(sharing: classes)
      other.connect(server.connection(for: "bob"))
      other.join("cards")
      try await eventually("the rest") { other.state(of: "cards") == .joined }
      let cards = other.store.results(Card.self).sorted(by: \.number)
      #expect(cards.map(\.text) == ["card 0", "card 1", "card 2"])
      #expect(cards.map(\.votes) == [3, 2, 1])
    }
  }

  @Test func `is back when the database is, and nothing is lost or doubled`() async throws {
    let database = try await PostgreSQLServer()
    try await serve(database.newLog()) { server in
      let replica = Replica(sharing: classes)
      replica.connect(server.connection(for: "anna"))
      replica.join("cards")
      let first = card(0)
      try replica.store.add(first)
      for _ in 0..<3 {
        for _ in 0..<50 {
          first.votes += 1
          try await Task.sleep(for: .milliseconds(1))
        }
        try await database.kill()
        first.votes += 1
        try await database.start()
        if !replica.isOnline { replica.connect(server.connection(for: "anna")) }
      }
      try await eventually("the rest") {
        if !replica.isOnline { replica.connect(server.connection(for: "anna")) }
        return replica.pendingCount == 0
      }
      #expect(server.store.object(Card.self, primaryKey: 0)?.votes == 153)
    }
  }

  @Test func `names a database that was restored from a backup`() async throws {
    let database = try await PostgreSQLServer.shared
    try await database.query("CREATE DATABASE live")
    let replica = Replica(sharing: classes)
    func write(_ numbers: Range<Int>) async throws {
      try await serve(PostgreSQLLog(database.address("live"))) { server in
        replica.connect(server.connection(for: "anna"))
        replica.join("cards")
        for number in numbers {
          try replica.store.add(card(number))
          try await eventually("the rest") { replica.pendingCount == 0 }
        }
      }
    }
    try await write(0..<3)
    try await database.query("CREATE DATABASE backup TEMPLATE live")
    try await write(3..<6)
    try await database.query("DROP DATABASE live")
    try await database.query("ALTER DATABASE backup RENAME TO live")
    try await serve(PostgreSQLLog(database.address("live"))) { server in
      replica.connect(server.connection(for: "anna"))
      try await eventually("the rest") {
        if case .refused = replica.state(of: "cards") { true } else { false }
      }
      let reason = "the log of cards has 3 facts, fewer than the replica"
      #expect(replica.state(of: "cards") == .refused(reason))
      // Nothing is merged.
      #expect(server.store.results(Card.self).count == 3)
      #expect(replica.store.results(Card.self).count == 6)
      // Others go on, and then the facts are others.
      let other = Replica(sharing: classes)
      other.connect(server.connection(for: "bob"))
      other.join("cards")
      for number in 10..<15 { try other.store.add(card(number)) }
      try await eventually("the rest") { other.pendingCount == 0 }
      let third = Replica(sharing: classes)
      third.connect(server.connection(for: "anna"))
      third.join("cards")
      try await eventually("the rest") { third.store.results(Card.self).count == 8 }
    }
  }

  @Test func `a database that loses commits while the server runs is named, too`() async throws {
    let database = try await PostgreSQLServer.shared
    try await serve(PostgreSQLLog(database.address(), schema: "lossy")) { server in
      let replica = Replica(sharing: classes)
      replica.connect(server.connection(for: "anna"))
      replica.join("cards")
      for number in 0..<3 {
        try replica.store.add(card(number))
        try await eventually("the rest") { replica.pendingCount == 0 }
      }
      // As a standby that lacked the last commit, and has had another one since.
      try await database.query("UPDATE lossy.partitions SET chain = chain + 1")
      try replica.store.add(card(9))
      try await eventually("the rest") { !replica.isOnline }
      #expect(replica.pendingCount == 1)
      replica.connect(server.connection(for: "anna"))
      let reason = "the log of cards has other entries before 3 than those that are known"
      try await eventually("the rest") { replica.state(of: "cards") == .refused(reason) }
      #expect(server.store.results(Card.self).isEmpty)
    }
  }
}
