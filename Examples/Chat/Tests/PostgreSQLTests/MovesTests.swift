import Foundation
import Signals
import SignalsPostgreSQL
import SignalsSync
import Synchronization
import Testing

/// Partitions that are moved between databases.
@Suite(.timeLimit(.minutes(5))) struct `A partition that moves` {
  private static func entry(_ author: Int, _ number: Int) -> [UInt8] {
    Array("\(author) \(number)".utf8)
  }

  private static func texts(
    _ partition: Partition, in log: PostgreSQLLog, from position: LogPosition = .start
  ) async throws -> [String] {
    try await log.entries(of: partition, from: position, limit: 1_000)
      .map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// The number of entries that all authors have appended, when it is known.
  private final class Total: Sendable {
    let value = Mutex<Int?>(nil)
  }

  /// Reads the entries of a partition as it is notified of them, until it has all.
  private static func read(
    _ partition: Partition, in log: PostgreSQLLog, until total: Total
  ) async throws -> [String] {
    let (appends, append) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let following = log.follow(partition) { append.yield() }
    defer { withExtendedLifetime(following) {} }
    var (all, position) = ([String](), LogPosition.start)
    for await _ in appends {
      while true {
        let next = try await texts(partition, in: log, from: position)
        if next.isEmpty { break }
        all += next
        position = position.advanced(by: next.count)
      }
      if total.value.withLock({ $0 == all.count }) { break }
    }
    return all
  }

  private func append(
    _ author: Int, to partition: Partition, in log: PostgreSQLLog, while flag: Flag
  ) async throws -> Int {
    var number = 0
    while flag.value.load(ordering: .relaxed) || number < 10 {
      do throws(ChangeLogError) {
        try await log.append([Self.entry(author, number + 1)], to: partition)
        number += 1
      } catch {
        // In the log or not.
        let last = try await allTexts(partition, in: log).last { $0.hasPrefix("\(author) ") }
        number = last.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
      }
    }
    return number
  }

  private func allTexts(
    _ partition: Partition, in log: PostgreSQLLog
  ) async throws -> [String] {
    var all: [String] = []
    while true {
      let next = try await Self.texts(
        partition, in: log, from: LogPosition(rawValue: UInt64(all.count)))
      if next.isEmpty { return all }
      all += next
    }
  }

  /// Lets two processes append to a partition and read it while `moves` runs, and compares what all have.
  private func use(
    _ databases: SeveralDatabases, _ moves: (PostgreSQLLog) async throws -> Void
  ) async throws {
    let logs = [databases.log(), databases.log()]
    let flag = Flag()
    let total = Total()
    async let first = append(0, to: "p", in: logs[0], while: flag)
    async let second = append(1, to: "p", in: logs[1], while: flag)
    async let reader = Self.read("p", in: logs[0], until: total)
    async let other = Self.read("p", in: logs[1], until: total)
    try await moves(logs[0])
    flag.value.store(false, ordering: .relaxed)
    let counts = [try await first, try await second]
    #expect(counts.allSatisfy { $0 >= 10 })
    // The readers are notified once more.
    total.value.withLock { $0 = counts[0] + counts[1] + 1 }
    try await logs[0].append([Array("end".utf8)], to: "p")
    let all = try await allTexts("p", in: logs[0])
    for author in 0..<2 {
      #expect(
        all.filter { $0.hasPrefix("\(author) ") }
          == (0..<counts[author]).map { "\(author) \($0 + 1)" })
    }
    #expect(try await reader == all)
    #expect(try await other == all)
    for log in logs { try await log.close() }
  }

  @Test func `loses nothing, and remains in order, while it is used`() async throws {
    try await use(try await SeveralDatabases()) { log in
      for round in 1...30 {
        try await log.move("p", to: round % 3)
        #expect(try await log.database(of: "p") == round % 3)
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...40)))
      }
    }
  }

  @Test func `is moved by two processes at the same time`() async throws {
    let databases = try await SeveralDatabases()
    let other = databases.log()
    try await use(databases) { log in
      async let first: Void = {
        for round in 0..<15 { try await log.move("p", to: round % 3) }
      }()
      async let second: Void = {
        for round in 0..<15 { try await other.move("p", to: (round + 1) % 3) }
      }()
      _ = try await (first, second)
      let number = try await log.database(of: "p")
      #expect(try await other.database(of: "p") == number)
      #expect(try await databases.partitions(in: number).contains("p"))
    }
    try await other.close()
  }

  @Test func `loses nothing when servers are killed meanwhile`() async throws {
    let servers = [
      try await PostgreSQLServer(), try await PostgreSQLServer(), try await PostgreSQLServer(),
    ]
    let databases = SeveralDatabases(servers)
    try await use(databases) { log in
      let flag = Flag()
      async let moves: Void = {
        var round = 0
        while flag.value.load(ordering: .relaxed) {
          round += 1
          // A move that fails is completed by the next call, or hasn't begun.
          try? await log.move("p", to: round % 3)
        }
      }()
      for round in 0..<6 {
        try await Task.sleep(for: .milliseconds(Int.random(in: 50...400)))
        try await servers[round % 3].kill()
        try await servers[round % 3].start()
      }
      try await Task.sleep(for: .milliseconds(200))
      flag.value.store(false, ordering: .relaxed)
      await moves
    }
  }

  @Test func `takes its snapshot with it, and what is truncated stays so`() async throws {
    let databases = try await SeveralDatabases()
    let log = databases.log()
    try await log.move("p", to: 0)
    var heads = [LogHead.start]
    for start in stride(from: 0, to: 3_000, by: 100) {
      let entries = (start..<start + 100).map { Self.entry(0, $0) }
      heads.append(try await log.append(entries, to: "p", expecting: heads[heads.count - 1]))
    }
    let bytes = (0..<9_000_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
    let snapshot = LogSnapshot(head: heads[12], bytes: bytes)
    try await log.storeSnapshot(snapshot, of: "p")
    try await log.truncate("p", before: heads[7].position)
    for number in [1, 2, 0] {
      try await log.move("p", to: number)
      #expect(try await log.head(of: "p") == heads[30])
      let found = try await log.snapshot(of: "p")
      #expect(found == snapshot)
      let entries = try await log.entries(of: "p", from: heads[7].position, limit: 5_000)
      #expect(entries.map(\.bytes) == (700..<3_000).map { Self.entry(0, $0) })
      let error = ChangeLogError.truncated("p", oldest: heads[7].position)
      await #expect(throws: error) { try await log.entries(of: "p", from: .start, limit: 1) }
      for other in 0..<3 where other != number {
        #expect(try await databases.query("SELECT count(*) FROM entries", in: other) == "0\n")
        #expect(try await databases.query("SELECT count(*) FROM snapshots", in: other) == "0\n")
      }
    }
    // Later ones are as in a log that was never moved.
    try await log.storeSnapshot(LogSnapshot(head: heads[20], bytes: [1]), of: "p")
    try await log.truncate("p", before: heads[20].position)
    let end = try await log.append([Self.entry(0, 3_000)], to: "p", expecting: heads[30])
    #expect(end == heads[30].after(Self.entry(0, 3_000)))
    try await log.close()
  }

  @Test(arguments: ["begun", "with its snapshot", "sealed", "copied", "with others", "opened"])
  func `is where it was, or is moved by the next call, if the move was given up`(when: String)
    async throws
  {
    let databases = try await SeveralDatabases()
    let log = databases.log()
    try await log.move("p", to: 1)
    let head = try await log.append([Self.entry(0, 1)], to: "p")
    let snapshot = LogSnapshot(head: head, bytes: [7, 8, 9])
    // Those with others have lost theirs, too.
    if when != "with others" { try await log.storeSnapshot(snapshot, of: "p") }
    try await log.close()
    let chain = Int64(bitPattern: head.chain)
    let (isOpen, isCopied) = (when == "opened", when == "copied" || when == "opened")
    let copied =
      isCopied
      ? "1, \(chain), 1, \(chain)"
      : when == "with its snapshot"
        ? "0, 0, 1, \(chain)"
        : when == "with others" ? "3, 9, 1, 9" : "0, 0, NULL, NULL"
    try await databases.query(
      """
      INSERT INTO partitions (name, moved_to, epoch, head, chain, snapshot, snapshot_chain)
      VALUES ('p', \(isOpen ? "NULL, 2" : "1, 1"), \(copied))
      """, in: 2)
    if copied != "0, 0, NULL, NULL" {
      try await databases.query(
        "INSERT INTO snapshots SELECT id, 0, '\\x070809' FROM partitions", in: 2)
    }
    if isCopied {
      try await databases.query(
        "INSERT INTO entries SELECT id, 0, chain, '0 1' FROM partitions", in: 2)
    } else if when == "with others" {
      // As if the source had lost commits that were copied.
      try await databases.query(
        "INSERT INTO entries SELECT id, n, n + 7, 'other' FROM partitions, generate_series(0, 2) n",
        in: 2)
    }
    let isSealed = when != "begun" && when != "with its snapshot"
    if isSealed { try await databases.query("UPDATE partitions SET moved_to = 2", in: 1) }
    let logs = [databases.log(), databases.log()]
    // At the same time, as after a restart.
    async let one = logs[0].append([Self.entry(0, 2)], to: "p")
    async let two = logs[1].append([Self.entry(1, 2)], to: "p")
    _ = try await (one, two)
    let texts = try await Self.texts("p", in: logs[0])
    #expect(texts[0] == "0 1")
    #expect(texts.sorted() == ["0 1", "0 2", "1 2"])
    #expect(try await logs[1].database(of: "p") == (isSealed ? 2 : 1))
    try await logs[1].move("p", to: 2)
    #expect(try await Self.texts("p", in: logs[0]) == texts)
    #expect(try await logs[0].snapshot(of: "p") == (when == "with others" ? nil : snapshot))
    #expect(try await databases.partitions(in: 2) == ["p"])
    for log in logs { try await log.close() }
  }

  @Test func `is one of two in an append whose moves were given up`() async throws {
    let databases = try await SeveralDatabases()
    let log = try await databases.readyLog()
    let names: [Partition] = ["p", "q"]
    for name in names {
      try await log.move(name, to: 1)
      try await log.append([Self.entry(0, 1)], to: name)
      try await databases.query(
        "INSERT INTO partitions (name, moved_to, epoch) VALUES ('\(name)', 1, 1)", in: 2)
    }
    try await databases.query("UPDATE partitions SET moved_to = 2", in: 1)
    _ = try await log.append(names.map { LogAppend([Self.entry(0, 2)], to: $0) })
    for name in names {
      #expect(try await Self.texts(name, in: log) == ["0 1", "0 2"])
      #expect(try await log.database(of: name) == 2)
    }
    try await log.close()
  }

  @Test func `is moved by a process that remembers another place`() async throws {
    let databases = try await SeveralDatabases()
    let logs = [databases.log(), databases.log()]
    try await logs[0].move("p", to: 2)
    try await logs[1].move("p", to: 1)
    try await logs[0].move("p", to: 2)
    #expect(try await logs[1].database(of: "p") == 2)
    for log in logs { try await log.close() }
  }

  @Test(arguments: [true, false])
  func `has an append once whose reply was lost before the move`(isOfSeveral: Bool) async throws {
    let databases = try await SeveralDatabases()
    let log = databases.log()
    for number in 0...1 { try await log.move(Partition("p\(number)"), to: number) }
    try await log.move("q", to: 1)
    let proxy = try Proxy(to: databases.servers[1].port)
    defer { proxy.close() }
    var targets = databases.targets
    targets[1] = "postgres://postgres@127.0.0.1:\(proxy.port)/third"
    let slow = PostgreSQLLog(targets, schema: databases.schema)
    // It is connected, and knows where p1 is.
    try await slow.append([[1]], to: "q")
    _ = try await slow.head(of: "p1")
    // One at any head could be appended twice. Several would be read first.
    let head = isOfSeveral ? LogHead.start : nil
    let names: [Partition] = isOfSeveral ? ["p0", "p1"] : ["p1"]
    proxy.set(.drops)
    async let end = slow.append(
      names.map { LogAppend([Self.entry(0, 2)], to: $0, expecting: head) })
    while try await Self.texts("p1", in: log).isEmpty {
      try await Task.sleep(for: .milliseconds(2))
    }
    try await log.move("p1", to: 2)
    proxy.set(.passes)
    proxy.cut()
    _ = try await end
    for name in names { #expect(try await Self.texts(name, in: log) == ["0 2"]) }
    for log in [log, slow] { try await log.close() }
  }

  @Test func `is one of those that a further database takes over`() async throws {
    let databases = try await SeveralDatabases()
    let log = databases.log(2)
    let names = (0..<60).map { Partition("p\($0)") }
    for name in names { try await log.append([Self.entry(0, 1)], to: name) }
    let before = try await databases.partitions(in: 0) + databases.partitions(in: 1)
    #expect(before.count == 60)
    let grown = databases.log()
    let count = try await grown.spread()
    #expect(count > 5)
    #expect(try await databases.partitions(in: 2).count == count)
    for name in names { #expect(try await Self.texts(name, in: grown) == ["0 1"]) }
    // Each other one has stayed.
    #expect(try await grown.spread() == 0)
    for log in [log, grown] { try await log.close() }
  }
}

/// Servers whose partitions move.
@MainActor @Suite(.timeLimit(.minutes(5))) struct `Nodes whose partitions move` {
  @Test func `decide as before, and count each commit once`() async throws {
    let databases = try await SeveralDatabases()
    let logs = [databases.log(), databases.log()]
    // Each card is in a partition of its own, and some commits change several.
    let classes = [SharedClass(Card.self) { "card=\($0.number)" }]
    let servers = logs.map { SyncServer(log: $0, sharing: classes) }
    let running = servers.map { server in Task { await server.run() } }
    let replicas = servers.map { server in
      let replica = Replica(sharing: classes)
      replica.connect(server.connection(for: "anna"))
      for number in 0..<4 { replica.join("card=\(number)") }
      return replica
    }
    for number in 0..<4 {
      let card = Card()
      card.number = number
      try replicas[0].store.add(card)
    }
    func card(_ number: Int, _ replica: Replica) -> Card? {
      replica.store.object(Card.self, primaryKey: number)
    }
    try await eventually("all cards") {
      replicas.allSatisfy { replica in (0..<4).allSatisfy { card($0, replica) != nil } }
    }
    let mover = databases.log()
    let flag = Flag()
    let moving = Task.detached {
      while flag.value.load(ordering: .relaxed) {
        try await mover.move(Partition("card=\(Int.random(in: 0..<4))"), to: .random(in: 0..<3))
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    for round in 0..<150 {
      for replica in replicas {
        try replica.store.write {
          for number in 0..<4 where round % (number + 1) == 0 { card(number, replica)?.votes += 1 }
        }
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    flag.value.store(false, ordering: .relaxed)
    try await moving.value
    func state(_ replica: Replica) -> String {
      "\(replica.offlineReason ?? "online"), \(replica.pendingCount) pending, "
        + "votes \((0..<4).map { card($0, replica)?.votes ?? -1 }), "
        + "states \((0..<4).map { replica.state(of: "card=\($0)") })"
    }
    try await eventually("all votes: \(replicas.map(state))") {
      replicas.allSatisfy { replica in
        replica.pendingCount == 0
          && (0..<4).map { card($0, replica)?.votes } == [300, 150, 100, 76]
      }
    }
    #expect(replicas.allSatisfy { $0.isOnline })
    for task in running { task.cancel() }
    for server in servers { try await server.close() }
    try await mover.close()
  }
}
