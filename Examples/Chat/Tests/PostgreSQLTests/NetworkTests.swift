import Foundation
import SignalsPostgreSQL
import SignalsSync
import Synchronization
import Testing

/// A log whose packets are lost, so that neither side learns that the connection has ended.
@Suite(.enabled(if: Network.isPossible), .timeLimit(.minutes(5)))
struct `A log in PostgreSQL, a network that is cut` {
  private static func entry(_ number: Int) -> [UInt8] { Array("\(number)".utf8) }

  private func withServer(
    _ body: (PostgreSQLServer, Network) async throws -> Void
  ) async throws {
    let network = try await Network()
    let server = try await PostgreSQLServer(isDurable: false, network: network)
    do { try await body(server, network) } catch {
      server.remove()
      try await network.remove()
      throw error
    }
    server.remove()
    try await network.remove()
  }

  @Test func `calls during a short outage succeed, and each append is there once`() async throws {
    try await withServer { server, network in
      let log = server.newLog()
      var head = try await log.append([Self.entry(0)], to: "p")
      for number in 1...3 {
        async let cut: Void = {
          try await network.cut()
          try await Task.sleep(for: .milliseconds(700 * number))
          try await network.mend()
        }()
        for _ in 0..<5 {
          let next = Self.entry(Int(head.position.rawValue))
          head = try await log.append([next], to: "p", expecting: head)
          try await Task.sleep(for: .milliseconds(100))
        }
        try await cut
      }
      let entries = try await log.entries(of: "p", from: .start, limit: 100).map(\.bytes)
      #expect(entries == (0..<16).map(Self.entry))
      try await log.close()
    }
  }

  @Test func `calls during a long outage fail in time, and what is appended meanwhile is found`()
    async throws
  {
    try await withServer { server, network in
      let log = PostgreSQLLog(server.address(), patience: .seconds(2))
      var head = try await log.append([Self.entry(0)], to: "p")
      let count = Atomic(0)
      let following = log.follow("p") { count.add(1, ordering: .relaxed) }
      while count.load(ordering: .relaxed) == 0 { try await Task.sleep(for: .milliseconds(5)) }
      try await network.cut()
      do throws(ChangeLogError) {
        _ = try await log.append([Self.entry(1)], to: "p", expecting: head)
        Issue.record("a server that can't be reached has replied")
      } catch {
        guard case .unavailable = error else { throw error }
      }
      // The other node is at the other side of the outage.
      let words =
        network.prefix.dropFirst() + [
          "psql", "-X", "-q", "-c",
          "UPDATE signals.partitions SET head = 2, chain = 7, touched = clock_timestamp();"
            + " INSERT INTO signals.entries SELECT id, 1, 7, '1' FROM signals.partitions",
          "postgres://postgres@127.0.0.1:\(server.port)/postgres",
        ]
      try await PostgreSQLServer.run(network.prefix[0], Array(words), isOther: false)
      let known = count.load(ordering: .relaxed)
      try await network.mend()
      while count.load(ordering: .relaxed) == known { try await Task.sleep(for: .milliseconds(5)) }
      head = try await log.head(of: "p")
      #expect(head == LogHead(position: LogPosition(rawValue: 2), chain: 7))
      withExtendedLifetime(following) {}
      try await log.close()
    }
  }
}
