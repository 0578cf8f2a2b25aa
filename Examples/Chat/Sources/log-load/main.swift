// log-load: how fast a log in PostgreSQL is, as a server uses it.

import Shell
import Signals
import SignalsPostgreSQL
import SignalsSync

let program = Program(
  "log-load", usage: "--log TARGET [--seconds NUMBER] [--objects NUMBER]",
  about: """
    Measures a log in PostgreSQL: the time of a commit, the facts of many authors in a second, and the
    first join of many objects. TARGET is a connection string of libpq. What it writes is in a schema
    whose name it says; drop it afterwards.
    """)

await program.run { arguments in
  var (target, seconds, objects) = (String?.none, 5.0, 100_000)
  var rest = Array(arguments)[...]
  while let option = rest.popFirst() {
    guard let value = rest.popFirst() else { throw UsageError("\(option) needs a value") }
    switch (option, Double(value)) {
    case ("--log", _): target = value
    case ("--seconds", let number?): seconds = number
    case ("--objects", let number?): objects = Int(number)
    default: throw UsageError("unknown option \(option) \(value)")
    }
  }
  guard let target else { throw UsageError("--log is missing") }
  let schema = "load_\(UInt32.random(in: 0...UInt32.max))"
  let log = PostgreSQLLog(target, schema: schema)
  try Output.write("in the schema \(schema)\n")
  _ = try await log.head(of: "warm")
  try Output.write("one author, one after the other   \(try await commits(in: log, seconds))\n")
  for authors in [16, 256, 2_048] {
    let rate = try await rate(of: authors, in: log, seconds)
    try Output.write("\(pad(authors)) authors, one entry at a time  \(rate) facts/s\n")
  }
  let rate = try await groups(in: log, seconds)
  try Output.write("16 partitions in groups of 100    \(rate) facts/s\n")
  try Output.write("seen by another server, \(try await seen(target, schema, log, seconds))\n")
  try Output.write("first join of \(objects) objects   \(try await join(objects, log))\n")
  try await log.close()
}

func pad(_ number: Int) -> String {
  String(repeating: " ", count: max(0, 5 - "\(number)".count)) + "\(number)"
}

/// Some bytes, as a fact about one field has.
let entry = [UInt8](repeating: 7, count: 60)

/// Commits one after the other for some seconds, and returns the times.
func commits(in log: PostgreSQLLog, _ seconds: Double) async throws -> String {
  var (times, head): ([Duration], LogHead) = ([], .start)
  let end = ContinuousClock.now + .seconds(seconds)
  while .now < end {
    let begin = ContinuousClock.now
    head = try await log.append([entry], to: "one", expecting: head)
    times.append(.now - begin)
  }
  times.sort()
  let (middle, high) = (times[times.count / 2], times[times.count * 99 / 100])
  return "p50 \(middle), p99 \(high)"
}

/// Returns the number of entries in a second, if each author has a partition and waits for each entry.
func rate(of authors: Int, in log: PostgreSQLLog, _ seconds: Double) async throws -> Int {
  let end = ContinuousClock.now + .seconds(seconds)
  return try await withThrowingTaskGroup(of: Int.self) { tasks in
    for author in 0..<authors {
      tasks.addTask {
        var (head, count) = (LogHead.start, 0)
        while .now < end {
          head = try await log.append(
            [entry], to: Partition("\(authors)-\(author)"), expecting: head)
          count += 1
        }
        return count
      }
    }
    return Int(Double(try await tasks.reduce(0, +)) / seconds)
  }
}

/// Returns the number of entries in a second, appended as a server does: those of all partitions at once.
func groups(in log: PostgreSQLLog, _ seconds: Double) async throws -> Int {
  var heads = [LogHead](repeating: .start, count: 16)
  var count = 0
  let end = ContinuousClock.now + .seconds(seconds)
  while .now < end {
    heads = try await log.append(
      heads.enumerated().map {
        LogAppend(
          [[UInt8]](repeating: entry, count: 100), to: Partition("group-\($0)"), expecting: $1)
      })
    count += 1_600
  }
  return Int(Double(count) / seconds)
}

/// Returns the times from a commit of a replica until the replica of another server has it.
@MainActor func seen(
  _ target: String, _ schema: String, _ log: PostgreSQLLog, _ seconds: Double
) async throws -> String {
  let classes = [SharedClass(Item.self) { _ in "seen" }]
  let other = PostgreSQLLog(target, schema: schema)
  let servers = [log, other].map { SyncServer(log: $0, sharing: classes) }
  let running = servers.map { server in Task { await server.run() } }
  defer { for task in running { task.cancel() } }
  let replicas = servers.map { server in
    let replica = Replica(sharing: classes)
    replica.connect(server.connection(for: "anna"))
    replica.join("seen")
    return replica
  }
  let item = Item()
  try replicas[0].store.add(item)
  func copy() -> Item? { replicas[1].store.object(Item.self, primaryKey: 0) }
  while copy() == nil { try await Task.sleep(for: .milliseconds(1)) }
  func measure(_ count: Int, pause: Duration) async throws -> String {
    var times: [Duration] = []
    for _ in 0..<count {
      try await Task.sleep(for: pause)
      let begin = ContinuousClock.now
      item.size += 1
      while copy()?.size != item.size { await Task.yield() }
      times.append(.now - begin)
    }
    times.sort()
    return "p50 \(times[times.count / 2]), p99 \(times[times.count * 99 / 100])"
  }
  let busy = try await measure(Int(seconds * 50), pause: .milliseconds(10))
  let idle = try await measure(Int(seconds * 2), pause: .milliseconds(1_500))
  try await other.close()
  return "busy: \(busy); idle: \(idle)"
}

final class Item: Object {
  @PrimaryKey var number = 0
  @Field var name = ""
  @Field var size = 0
}

/// Returns the time in which a server without open partitions and a replica without objects have joined.
@MainActor func join(_ count: Int, _ log: PostgreSQLLog) async throws -> String {
  let classes = [SharedClass(Item.self) { _ in "items" }]
  func joined(_ body: (Replica) async throws -> Void) async throws -> Duration {
    let server = SyncServer(log: log, sharing: classes)
    let running = Task { await server.run() }
    defer { running.cancel() }
    let replica = Replica(sharing: classes)
    let begin = ContinuousClock.now
    replica.connect(server.connection(for: "anna"))
    replica.join("items")
    while replica.state(of: "items") != .joined { try await Task.sleep(for: .milliseconds(1)) }
    let time = ContinuousClock.now - begin
    try await body(replica)
    while replica.pendingCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
    return time
  }
  _ = try await joined { replica in
    // Several commits, because a fact has a largest size.
    for start in stride(from: 0, to: count, by: 1_000) {
      try replica.store.write {
        for number in start..<min(start + 1_000, count) {
          let item = Item()
          (item.number, item.name, item.size) = (number, "item \(number)", number * 7)
          try replica.store.add(item)
        }
      }
    }
  }
  var times: [Duration] = []
  for _ in 0..<3 { times.append(try await joined { _ in }) }
  return "\(times.sorted()[1])"
}
