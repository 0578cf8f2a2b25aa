import Foundation
import SignalsPostgreSQL
import SignalsSync
import Synchronization
import Testing

/// Clients of a log while servers and connections fail and partitions move, whose histories are checked.
///
/// `SIGNALS_SECONDS` is the time for which they fail, and `SIGNALS_PAUSE` that for which servers are frozen.
@Suite(.timeLimit(.minutes(30))) struct `Histories of a log in several databases` {
  private static let partitions: [Partition] = ["p0", "p1", "p2", "p3"]

  private static func number(_ name: String, or number: Double) -> Double {
    ProcessInfo.processInfo.environment[name].flatMap(Double.init) ?? number
  }

  /// A process: it has a log of its own, reads what others append, and appends.
  private final class Client: Sendable {
    let name: String
    private let history: History
    private let makeLog: @Sendable () -> PostgreSQLLog
    private let log: Mutex<PostgreSQLLog>
    private let number = Atomic(0)

    init(_ name: String, _ history: History, makeLog: @escaping @Sendable () -> PostgreSQLLog) {
      (self.name, self.history, self.makeLog) = (name, history, makeLog)
      log = Mutex(makeLog())
    }

    /// Begins again, as another process would.
    func restart() {
      let next = makeLog()
      log.withLock { $0 = next }
    }

    func close() async throws { try await log.withLock { $0 }.close() }

    /// Reads a partition from a position on, and records what it has found.
    @discardableResult
    private func read(
      _ partition: Partition, from position: LogPosition, in log: PostgreSQLLog
    ) async throws(ChangeLogError) -> [LogEntry] {
      let begin = ContinuousClock.now
      let entries = try await log.entries(of: partition, from: position, limit: 1_000_000)
      history.add(
        .init(
          partition: partition, from: position,
          texts: entries.map { String(decoding: $0.bytes, as: UTF8.self) }, begin: begin, end: .now)
      )
      return entries
    }

    /// Appends at the heads that it knows until `flag` is lowered, as a server does.
    func append(while flag: Flag) async {
      var heads = [Partition: LogHead]()
      while flag.value.load(ordering: .relaxed) {
        let log = log.withLock { $0 }
        let names = Array(partitions.shuffled().prefix(Int.random(in: 1...2)))
        let text = "\(name) \(number.add(1, ordering: .relaxed).newValue)"
        var acknowledged: (positions: [LogPosition], at: History.Instant)?
        do throws(ChangeLogError) {
          let old = names.map { heads[$0] ?? .start }
          let new = try await log.append(
            zip(names, old).map { LogAppend([Array(text.utf8)], to: $0, expecting: $1) })
          acknowledged = (old.map(\.position), .now)
          for (partition, head) in zip(names, new) { heads[partition] = head }
        } catch {
          // It is in the log or not. Others have perhaps appended, too.
          for name in names {
            guard
              let entries = try? await read(name, from: heads[name]?.position ?? .start, in: log)
            else { continue }
            heads[name] = entries.reduce(heads[name] ?? .start) { $0.after($1.bytes) }
          }
        }
        history.add(.init(partitions: names, text: text, acknowledged: acknowledged))
      }
    }

    /// Reads a partition whenever it is notified.
    func follow(_ partition: Partition, _ readers: Readers) async {
      let (appends, append) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      var (position, last, following) = (LogPosition.start, PostgreSQLLog?.none, LogFollowing?.none)
      readers.add { append.yield() }
      while !readers.isEnded {
        let log = log.withLock { $0 }
        if last !== log {
          (last, following) = (log, log.follow(partition) { append.yield() })
        }
        // Not read without a notification, but for a new log.
        var waiting = appends.makeAsyncIterator()
        await waiting.next()
        guard let entries = try? await read(partition, from: position, in: log) else {
          try? await Task.sleep(for: .milliseconds(50))
          append.yield()
          continue
        }
        position = position.advanced(by: entries.count)
        readers.note(Int(position.rawValue), of: partition, name)
      }
      withExtendedLifetime(following) {}
    }
  }

  /// How far those have read that follow partitions.
  private final class Readers: Sendable {
    private struct State {
      var counts: [Partition: [String: Int]] = [:]
      var wakes: [@Sendable () -> Void] = []
      var isEnded = false
    }

    private let state = Mutex(State())

    var isEnded: Bool { state.withLock { $0.isEnded } }

    func add(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wakes.append(wake) } }

    func note(_ count: Int, of partition: Partition, _ name: String) {
      state.withLock { $0.counts[partition, default: [:]][name] = count }
    }

    func end() {
      let wakes = state.withLock { state in
        state.isEnded = true
        return state.wakes
      }
      for wake in wakes { wake() }
    }

    /// Those that haven't read as much as there is.
    func late(_ counts: [Partition: Int]) -> [String] {
      state.withLock { state in
        counts.flatMap { partition, count in
          (state.counts[partition] ?? [:]).filter { $0.value != count }.map {
            "\($0.key) has read \($0.value) of \(count) in \(partition)"
          }
        }
      }
    }
  }

  @Test func `show nothing lost, doubled, out of order or gone back`() async throws {
    let servers = [
      try await PostgreSQLServer(), try await PostgreSQLServer(), try await PostgreSQLServer(),
    ]
    let databases = SeveralDatabases(servers)
    let proxies = try servers.map { try Proxy(to: $0.port) }
    defer { for proxy in proxies { proxy.close() } }
    let targets = proxies.map { "postgres://postgres@127.0.0.1:\($0.port)/postgres" }
    let (history, flag, readers) = (History(), Flag(), Readers())
    let clients = ["anna", "ben", "cleo"].map { name in
      Client(name, history) {
        PostgreSQLLog(targets, schema: databases.schema, patience: .seconds(4))
      }
    }
    let mover = databases.log(patience: .seconds(4))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for client in clients {
        tasks.addTask { await client.append(while: flag) }
        for partition in Self.partitions {
          tasks.addTask { await client.follow(partition, readers) }
        }
      }
      let end = ContinuousClock.now + .seconds(Self.number("SIGNALS_SECONDS", or: 6))
      while .now < end || history.acknowledgedCount < 20 {
        try await Task.sleep(for: .milliseconds(.random(in: 20...400)))
        try await fail(servers, proxies, clients, mover)
      }
      flag.value.store(false, ordering: .relaxed)
      try await check(history, databases, readers)
      readers.end()
      try await tasks.waitForAll()
    }
    for client in clients { try await client.close() }
    try await mover.close()
  }

  /// Lets one thing fail.
  private func fail(
    _ servers: [PostgreSQLServer], _ proxies: [Proxy], _ clients: [Client], _ mover: PostgreSQLLog
  ) async throws {
    let (server, proxy) = (servers.randomElement(), proxies.randomElement())
    guard let server, let proxy else { return }
    switch Int.random(in: 0..<8) {
    case 0:
      try await server.kill()
      try await server.start()
    case 1:
      server.signal(SIGSTOP)
      let pause = Self.number("SIGNALS_PAUSE", or: 1)
      try await Task.sleep(for: .seconds(.random(in: 0...pause)))
      server.signal(SIGCONT)
    case 2, 3: proxy.cut()
    case 4:
      proxy.set(.drops)
      try await Task.sleep(for: .milliseconds(.random(in: 10...300)))
      proxy.cut()
      proxy.set(.passes)
    case 5: clients.randomElement()?.restart()
    default:
      guard let partition = Self.partitions.randomElement() else { return }
      try? await mover.move(partition, to: .random(in: 0..<3))
    }
  }

  private func check(
    _ history: History, _ databases: SeveralDatabases, _ readers: Readers
  ) async throws {
    // Appends that have no reply yet end, and so do transactions that were forgotten.
    try await Task.sleep(for: .seconds(5))
    for server in databases.servers {
      while try await server.query("SELECT count(*) FROM pg_prepared_xacts") != "0\n" {
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    let log = databases.log()
    var contents: [Partition: [String]] = [:]
    for partition in Self.partitions {
      contents[partition] = try await log.entries(of: partition, from: .start, limit: 1_000_000)
        .map { String(decoding: $0.bytes, as: UTF8.self) }
    }
    // Those that follow learn of all, should a notification be lost within some seconds.
    let counts = contents.mapValues(\.count)
    for _ in 0..<150 where !readers.late(counts).isEmpty {
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(readers.late(counts) == [])
    let problems = history.problems(contents)
    #expect(problems.isEmpty, "\(problems.prefix(20))")
    try await log.close()
  }
}
