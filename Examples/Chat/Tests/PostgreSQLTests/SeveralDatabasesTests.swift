import Foundation
import SignalsPostgreSQL
import SignalsSync
import Synchronization
import Testing

/// A log whose partitions are spread over databases.
@Suite(.timeLimit(.minutes(5))) struct `A log in several databases` {
  private static func entry(_ number: Int) -> [UInt8] { Array("\(number)".utf8) }

  private func contents(of partition: Partition, in log: PostgreSQLLog) async throws -> [String] {
    try await log.entries(of: partition, from: .start, limit: 100_000)
      .map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  // MARK: - Places

  @Test func `has each partition in one of them, and all have some`() async throws {
    let databases = try await SeveralDatabases()
    let log = databases.log()
    let names = (0..<60).map { Partition("p\($0)") }
    for name in names { try await log.append([Self.entry(1)], to: name, expecting: .start) }
    var all: [String] = []
    for number in 0..<3 {
      let here = try await databases.partitions(in: number)
      #expect(here.count > 5)
      for name in here { #expect(try await log.database(of: Partition(name)) == number) }
      all += here
    }
    #expect(all.sorted() == names.map { "\($0)" }.sorted())
    // Another process finds them.
    let other = databases.log()
    for name in names { #expect(try await contents(of: name, in: other) == ["1"]) }
    for log in [log, other] { try await log.close() }
  }

  @Test func `continues a log in one database, and new partitions are spread`() async throws {
    let databases = try await SeveralDatabases()
    let single = databases.log(1)
    let names = (0..<20).map { Partition("p\($0)") }
    for name in names { try await single.append([Self.entry(1)], to: name) }
    let log = databases.log()
    for name in names {
      #expect(try await log.database(of: name) == 0)
      try await log.append([Self.entry(2)], to: name)
      #expect(try await contents(of: name, in: single) == ["1", "2"])
    }
    for index in 0..<20 { try await log.append([Self.entry(1)], to: Partition("q\(index)")) }
    #expect(try await databases.partitions(in: 0).count < 40)
    for log in [log, single] { try await log.close() }
  }

  @Test func `processes that begin a partition at the same time begin one`() async throws {
    let databases = try await SeveralDatabases()
    let logs = [databases.log(), databases.log(), databases.log()]
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for (index, log) in logs.enumerated() {
        tasks.addTask {
          for number in 0..<30 {
            try await log.append([Self.entry(index)], to: Partition("p\(number)"))
          }
        }
      }
      try await tasks.waitForAll()
    }
    for number in 0..<30 {
      let contents = try await contents(of: Partition("p\(number)"), in: logs[0])
      #expect(contents.sorted() == ["0", "1", "2"])
    }
    for log in logs { try await log.close() }
  }

  @Test func `a partition in a database that a process lacks is named`() async throws {
    let databases = try await SeveralDatabases()
    let log = databases.log()
    try await log.append([Self.entry(1)], to: "p")
    try await log.move("p", to: 2)
    let single = databases.log(1)
    let error = ChangeLogError.unavailable(
      log: "p", reason: "it is in database 2, and the log has 1")
    await #expect(throws: error) { try await single.head(of: "p") }
    await #expect(throws: error) { try await single.append([Self.entry(1)], to: "p") }
    try await log.move("p", to: 0)
    try await single.append([Self.entry(2)], to: "p")
    #expect(try await contents(of: "p", in: log) == ["1", "2"])
    for log in [log, single] { try await log.close() }
  }

  @Test func `databases in another order, or of another log, are named`() async throws {
    let databases = try await SeveralDatabases()
    let log = databases.log()
    _ = try await log.head(of: "p")
    for number in 1...2 { try await databases.query("SELECT 1", in: number) }
    _ = try await log.append((0..<30).map { LogAppend([[1]], to: Partition("p\($0)")) })
    try await log.close()
    func check(_ targets: [String], _ reason: String) async throws {
      let other = PostgreSQLLog(targets, schema: databases.schema, patience: .milliseconds(500))
      do {
        for index in 0..<30 { _ = try await other.head(of: Partition("p\(index)")) }
        Issue.record("the databases were taken")
      } catch { #expect("\(error)".hasSuffix(reason)) }
      try await other.close()
    }
    try await check(
      [databases.targets[1]], "it is database 1 of a log, and not database 0")
    try await check(
      [databases.targets[0], databases.targets[2], databases.targets[1]],
      "it is database 2 of a log, and not database 1")
    try await databases.query("UPDATE database SET log = gen_random_uuid()", in: 0)
    try await check(databases.targets, "it is a database of another log")
  }

  @Test func `an append that a database which is down has refused doesn't lock the others`()
    async throws
  {
    let down = try await PostgreSQLServer(isDurable: false)
    let databases = SeveralDatabases([
      try await PostgreSQLServer.shared, down, try await PostgreSQLServer.second,
    ])
    let log = databases.log(patience: .seconds(2))
    let names: [Partition] = ["p", "q", "r"]
    for (number, name) in names.enumerated() { try await log.move(name, to: number) }
    var heads = try await log.append(names.map { LogAppend([Self.entry(0)], to: $0) })
    try await down.stop("immediate")
    for round in 1...20 {
      // The database that is down is the last one, or another.
      for pair in [[0, 1], [1, 2]] {
        do {
          _ = try await log.append(
            pair.map { LogAppend([Self.entry(-1)], to: names[$0], expecting: heads[$0]) })
          Issue.record("a database that is down has the entries")
        } catch {
          guard case .unavailable = error else { throw error }
        }
      }
      for index in [0, 2] {
        heads[index] = try await log.append(
          [Self.entry(round)], to: names[index], expecting: heads[index])
      }
    }
    try await down.start()
    while log.statuses.contains(where: { $0 != .connected }) {
      try await Task.sleep(for: .milliseconds(5))
    }
    _ = try await log.append(names.map { LogAppend([Self.entry(21)], to: $0) })
    #expect(try await contents(of: "p", in: log) == (0...21).map(String.init))
    #expect(try await contents(of: "q", in: log) == ["0", "21"])
    #expect(try await contents(of: "r", in: log) == (0...21).map(String.init))
    try await log.close()
  }

  @Test func `a server that can't prepare transactions is named`() async throws {
    let server = try await PostgreSQLServer(isDurable: false)
    try await server.query("ALTER SYSTEM SET max_prepared_transactions = 0")
    try await server.stop()
    try await server.start()
    let log = PostgreSQLLog(
      [server.address(), try await PostgreSQLServer.second.address()], schema: "unprepared",
      patience: .milliseconds(500))
    let error = ChangeLogError.unavailable(
      log: server.address(),
      reason: "max_prepared_transactions is 0; a log in several databases needs some")
    await #expect(throws: error) { try await log.head(of: "p") }
    try await log.close()
  }

  // MARK: - Appends to several databases

  /// Returns a log whose partitions `p0`, `p1` and `p2` are in the databases with these numbers.
  private func spread(_ databases: SeveralDatabases) async throws -> PostgreSQLLog {
    let log = databases.log()
    for number in 0..<3 { try await log.move(Partition("p\(number)"), to: number) }
    return log
  }

  @Test func `appends to all or to none of them`() async throws {
    let databases = try await SeveralDatabases()
    let log = try await spread(databases)
    let first = try await log.append(
      (0..<3).map { LogAppend([Self.entry(1)], to: Partition("p\($0)"), expecting: .start) })
    #expect(first == [LogHead](repeating: LogHead.start.after(Self.entry(1)), count: 3))
    // Each of them has another head in turn.
    for number in 0..<3 {
      let error = ChangeLogError.headMoved(Partition("p\(number)"), to: first[0])
      await #expect(throws: error) {
        try await log.append(
          (0..<3).map {
            LogAppend(
              [Self.entry(2)], to: Partition("p\($0)"), expecting: $0 == number ? .start : first[$0]
            )
          })
      }
      for number in 0..<3 {
        #expect(try await contents(of: Partition("p\(number)"), in: log) == ["1"])
      }
    }
    let second = try await log.append(
      (0..<3).map { LogAppend([Self.entry(3)], to: Partition("p\($0)")) })
    #expect(second[2] == first[2].after(Self.entry(3)))
    for number in 0..<3 {
      #expect(try await contents(of: Partition("p\(number)"), in: log) == ["1", "3"])
      #expect(try await databases.query("SELECT count(*) FROM decisions", in: number) == "0\n")
    }
    try await log.close()
  }

  /// Appends numbered entries to random pairs of partitions while `isRunning`, which has the number of appends,
  /// is true, and returns the numbers that were acknowledged.
  private static func appendPairs(
    _ author: Int, _ log: PostgreSQLLog, while isRunning: @Sendable (Int) -> Bool
  ) async -> [Int] {
    var (acknowledged, number) = ([Int](), author * 1_000_000)
    while isRunning(acknowledged.count) {
      let first = Int.random(in: 0..<3)
      let pair = [first, (first + 1) % 3].map { Partition("p\($0)") }
      number += 1
      do throws(ChangeLogError) {
        _ = try await log.append(pair.map { LogAppend([entry(number)], to: $0) })
        acknowledged.append(number)
      } catch {
        if error == .closed { break }
        // In both or in none.
      }
    }
    return acknowledged
  }

  private func checkPairs(_ log: PostgreSQLLog, _ acknowledged: Set<Int>) async throws {
    var counts: [Int: Int] = [:]
    for number in 0..<3 {
      let contents = try await contents(of: Partition("p\(number)"), in: log).compactMap { Int($0) }
      #expect(Set(contents).count == contents.count)
      for next in contents { counts[next, default: 0] += 1 }
    }
    #expect(counts.values.allSatisfy { $0 == 2 })
    #expect(acknowledged.isSubset(of: counts.keys))
  }

  @Test func `appends of two processes to the same partitions are in all of theirs, and once`()
    async throws
  {
    let databases = try await SeveralDatabases()
    let logs = [try await spread(databases), databases.log()]
    let acknowledged = await withTaskGroup(of: [Int].self) { tasks in
      for author in 0..<6 {
        tasks.addTask { await Self.appendPairs(author, logs[author % 2]) { $0 < 10 } }
      }
      return await tasks.reduce(into: Set<Int>()) { $0.formUnion($1) }
    }
    #expect(acknowledged.count == 60)
    try await checkPairs(logs[0], acknowledged)
    for log in logs { try await log.close() }
  }

  @Test func `kills of the servers leave no append in half of its databases`() async throws {
    let servers = [
      try await PostgreSQLServer(), try await PostgreSQLServer(), try await PostgreSQLServer(),
    ]
    let databases = SeveralDatabases(servers)
    let logs = [try await spread(databases), databases.log()]
    let flag = Flag()
    let acknowledged = try await withThrowingTaskGroup(of: [Int].self) { tasks in
      for author in 0..<4 {
        tasks.addTask {
          await Self.appendPairs(author, logs[author % 2]) {
            flag.value.load(ordering: .relaxed) || $0 < 5
          }
        }
      }
      for round in 0..<6 {
        try await Task.sleep(for: .milliseconds(Int.random(in: 50...500)))
        try await servers[round % 3].kill()
        try await servers[round % 3].start()
      }
      try await Task.sleep(for: .milliseconds(200))
      flag.value.store(false, ordering: .relaxed)
      return try await tasks.reduce(into: Set<Int>()) { $0.formUnion($1) }
    }
    #expect(acknowledged.count >= 20)
    // Those that were cut off are ended after some seconds.
    for server in servers {
      while try await server.query("SELECT count(*) FROM pg_prepared_xacts") != "0\n" {
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    try await checkPairs(logs[0], acknowledged)
    for log in logs { try await log.close() }
  }

  @Test(arguments: [true, false])
  func `a transaction whose process has ended is ended by another one`(isCommitted: Bool)
    async throws
  {
    let databases = try await SeveralDatabases()
    let log = try await spread(databases)
    let head = try await log.append([Self.entry(0)], to: "p0")
    try await log.append([Self.entry(0)], to: "p1")
    let identifier = try await databases.query("SELECT log FROM database", in: 0)
      .trimmingCharacters(in: .newlines)
    let transaction = "signals_\(identifier)_1_77"
    let next = head.after(Self.entry(1))
    try await databases.query(
      """
      BEGIN;
      UPDATE partitions SET head = 2, chain = \(Int64(bitPattern: next.chain)) WHERE name = 'p0';
      INSERT INTO entries SELECT id, 1, chain, '1' FROM partitions WHERE name = 'p0';
      PREPARE TRANSACTION '\(transaction)_0'
      """, in: 0)
    if isCommitted {
      try await databases.query(
        "INSERT INTO decisions (name, is_committed) VALUES ('\(transaction)', true)", in: 1)
    }
    // It waits.
    _ = try await log.append([Self.entry(2)], to: "p0")
    #expect(try await contents(of: "p0", in: log) == (isCommitted ? ["0", "1", "2"] : ["0", "2"]))
    if !isCommitted {
      // The process may be there still, and can't decide any more.
      let found = try await databases.query(
        "SELECT is_committed FROM decisions WHERE name = '\(transaction)'", in: 1)
      #expect(found == "f\n")
    }
    try await log.close()
  }

  @Test func `a log that is closed completes the appends that have begun`() async throws {
    let databases = try await SeveralDatabases()
    let other = try await spread(databases)
    for round in 0..<5 {
      let log = databases.log()
      _ = try await log.head(of: "p0")
      let acknowledged = try await withThrowingTaskGroup(of: [Int].self) { tasks in
        let flag = Flag()
        for author in 0..<4 {
          tasks.addTask {
            await Self.appendPairs(1 + round * 4 + author, log) { _ in
              flag.value.load(ordering: .relaxed)
            }
          }
        }
        try await Task.sleep(for: .milliseconds(.random(in: 1...60)))
        try await log.close()
        flag.value.store(false, ordering: .relaxed)
        return try await tasks.reduce(into: Set<Int>()) { $0.formUnion($1) }
      }
      let identifier = try await databases.query("SELECT log FROM database", in: 0)
        .trimmingCharacters(in: .newlines)
      for server in databases.servers {
        let count = try await server.query(
          "SELECT count(*) FROM pg_prepared_xacts WHERE gid LIKE 'signals_\(identifier)%'")
        #expect(count == "0\n")
      }
      try await checkPairs(other, acknowledged)
    }
    try await other.close()
  }

  @Test func `an append to several whose reply is lost is in all of them once`() async throws {
    let databases = try await SeveralDatabases()
    let log = try await spread(databases)
    var heads = try await log.append(
      (0..<2).map { LogAppend([Self.entry(0)], to: Partition("p\($0)")) })
    let proxies = [
      try Proxy(to: databases.servers[0].port), try Proxy(to: databases.servers[1].port),
    ]
    defer { for proxy in proxies { proxy.close() } }
    let slow = PostgreSQLLog(
      [
        "postgres://postgres@127.0.0.1:\(proxies[0].port)/postgres",
        "postgres://postgres@127.0.0.1:\(proxies[1].port)/third", databases.targets[2],
      ],
      schema: databases.schema)
    _ = try await slow.head(of: "p1")
    var (texts, number) = (["0"], 0)
    for round in 0..<6 {
      // Database 1 decides; in database 0, the transaction is prepared.
      let proxy = proxies[1 - round % 2]
      number += 1
      let dropped = proxy.dropped
      proxy.set(.drops)
      let (last, current) = (heads, number)
      async let end = slow.append(
        (0..<2).map {
          LogAppend([Self.entry(current)], to: Partition("p\($0)"), expecting: last[$0])
        })
      while proxy.dropped == dropped { try await Task.sleep(for: .milliseconds(2)) }
      proxy.cut()
      proxy.set(.passes)
      // A transaction that may be prepared isn't prepared again: it is taken back, and another one is made.
      heads = try await end
      texts.append("\(number)")
    }
    for name in ["p0", "p1"] { #expect(try await contents(of: Partition(name), in: log) == texts) }
    for log in [log, slow] { try await log.close() }
  }
}
