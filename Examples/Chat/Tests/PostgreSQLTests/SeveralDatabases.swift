import Foundation
import SignalsPostgreSQL
import SignalsSync
import Synchronization

/// Databases of two servers that have one log.
struct SeveralDatabases {
  private static let count = Atomic(0)

  /// The servers of the databases.
  let servers: [PostgreSQLServer]
  /// The schema, which no other test has.
  let schema = "several\(count.add(1, ordering: .relaxed).newValue)"
  let targets: [String]

  /// Makes three databases, of which the first two have the same server.
  init() async throws {
    let (first, second) = (try await PostgreSQLServer.shared, try await PostgreSQLServer.second)
    servers = [second, second, first]
    // Another test may have made it.
    _ = try? await second.query("CREATE DATABASE third")
    targets = [second.address(), second.address("third"), first.address()]
  }

  init(_ servers: [PostgreSQLServer]) {
    self.servers = servers
    targets = servers.map { $0.address() }
  }

  func log(_ count: Int? = nil, patience: Duration = .seconds(60)) -> PostgreSQLLog {
    PostgreSQLLog(Array(targets.prefix(count ?? targets.count)), schema: schema, patience: patience)
  }

  /// A log that has made its tables.
  func readyLog() async throws -> PostgreSQLLog {
    let log = log()
    while log.statuses.contains(where: { $0 != .connected }) {
      try await Task.sleep(for: .milliseconds(5))
    }
    return log
  }

  /// Runs SQL in a database, whose tables need no schema.
  @discardableResult
  func query(_ text: String, in number: Int) async throws -> String {
    try await servers[number].query(
      "SET search_path TO \(schema); \(text)",
      in: String(targets[number].split(separator: "/").last ?? ""))
  }

  /// The partitions whose entries a database has.
  func partitions(in number: Int) async throws -> [String] {
    try await query(
      "SELECT convert_from(name, 'UTF8') FROM partitions WHERE moved_to IS NULL ORDER BY name",
      in: number
    ).split(separator: "\n").map(String.init)
  }
}
