import Foundation
import SignalsPostgreSQL
import SignalsSync
import Synchronization
import Testing

/// Partitions that are followed.
@Suite(.timeLimit(.minutes(30))) struct `Followers in PostgreSQL` {
  /// The partitions of which a log has notified since the last look.
  private final class Notified: Sendable {
    private let names = Mutex<Set<Int>>([])

    func insert(_ number: Int) { names.withLock { _ = $0.insert(number) } }

    func removeAll() { names.withLock { $0 = [] } }

    func wait(for numbers: some Collection<Int>) async throws {
      while !names.withLock({ $0.isSuperset(of: numbers) }) {
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }

  /// Appends an entry to each of the partitions.
  private static func append(to numbers: [Int], in log: PostgreSQLLog) async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for start in 0..<100 {
        tasks.addTask {
          for index in stride(from: start, to: numbers.count, by: 100) {
            try await log.append([[1]], to: Partition("p\(numbers[index])"))
          }
        }
      }
      try await tasks.waitForAll()
    }
  }

  /// `SIGNALS_PARTITIONS` is their number.
  @Test func `of many partitions learn of each append of another process`() async throws {
    let count = ProcessInfo.processInfo.environment["SIGNALS_PARTITIONS"].flatMap(Int.init) ?? 2_000
    let databases = try await SeveralDatabases()
    let (author, reader) = (databases.log(), databases.log())
    let notified = Notified()
    let followings = (0..<count).map { number in
      reader.follow(Partition("p\(number)")) { notified.insert(number) }
    }
    try await notified.wait(for: 0..<count)
    notified.removeAll()
    try await Self.append(to: Array(0..<count), in: author)
    try await notified.wait(for: 0..<count)
    // Their places are known by now to a process that reads them, as one does that is notified.
    for number in 0..<count where number % 10 == 0 {
      #expect(try await reader.head(of: Partition("p\(number)")).position.rawValue == 1)
    }
    for _ in 0..<5 {
      notified.removeAll()
      let some = (0..<10).map { _ in Int.random(in: 0..<count) / 10 * 10 }
      try await Self.append(to: Array(Set(some)), in: author)
      try await notified.wait(for: some)
    }
    withExtendedLifetime(followings) {}
    for log in [author, reader] { try await log.close() }
  }

  /// The digits of a name, as they are notified.
  private static func digits(_ name: String) -> String {
    name.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test func `are notified after the clock of the server has stepped back`() async throws {
    let server = try await PostgreSQLServer.shared
    let log = PostgreSQLLog(server.address(), schema: "stepped")
    try await log.append([[1]], to: "clock")
    try await server.query("UPDATE stepped.partitions SET touched = now() + interval '1 hour'")
    let texts = try await server.notifications { try await log.append([[2]], to: "clock") }
    #expect(texts.contains(Self.digits("clock")))
    try await log.close()
  }

  @Test func `are notified at the source of a move`() async throws {
    let databases = try await SeveralDatabases()
    let log = databases.log()
    try await log.move("moving", to: 1)
    let texts = try await databases.servers[1].notifications(in: "third") {
      try await log.move("moving", to: 2)
    }
    #expect(texts.contains(Self.digits("moving")))
    try await log.close()
  }

  @Test func `aren't held up by a listener that doesn't read`() async throws {
    let server = try await PostgreSQLServer.shared
    let logs = (0..<2).map { _ in PostgreSQLLog(server.address(), schema: "slow") }
    let notified = Notified()
    let followings = (0..<1_000).map { number in
      logs[1].follow(Partition("p\(number)")) { notified.insert(number) }
    }
    try await notified.wait(for: 0..<1_000)
    notified.removeAll()
    // The listener reads none of them before the body has ended.
    _ = try await server.notifications {
      // Each is idle, and so each append notifies.
      try await Self.append(to: Array(0..<1_000), in: logs[0])
      try await notified.wait(for: 0..<1_000)
      #expect(try await server.query("SELECT pg_notification_queue_usage() > 0") == "t\n")
    }
    withExtendedLifetime(followings) {}
    for log in logs { try await log.close() }
  }
}
