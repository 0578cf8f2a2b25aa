// Each measurement uses partitions of its own.

import Signals
import SignalsPostgreSQL
import SignalsSync

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

/// Returns the number of entries in a second, each the first of a partition, and so one of which all nodes are
/// notified.
func notifications(to nodes: Int, in log: PostgreSQLLog, _ seconds: Double) async throws -> Int {
  let end = ContinuousClock.now + .seconds(seconds)
  return try await withThrowingTaskGroup(of: Int.self) { tasks in
    for author in 0..<64 {
      tasks.addTask {
        var count = 0
        while .now < end {
          try await log.append(
            [entry], to: Partition("first-\(nodes)-\(author)-\(count)"), expecting: .start)
          count += 1
        }
        return count
      }
    }
    return Int(Double(try await tasks.reduce(0, +)) / seconds)
  }
}

/// Returns what nodes that listen, and look at a partition that is busy, cost.
func nodes(
  _ targets: [String], _ schema: String, _ log: PostgreSQLLog, _ count: Int, _ seconds: Double
) async throws -> String {
  let others = (1..<count).map { _ in PostgreSQLLog(targets, schema: schema) }
  for other in others { _ = try await other.head(of: "warm") }
  let rate = try await notifications(to: count, in: log, seconds)
  let followings = others.map { $0.follow("followed") {} }
  var (times, head): ([Duration], LogHead) = ([], try await log.head(of: "followed"))
  let end = ContinuousClock.now + .seconds(seconds)
  while .now < end {
    let begin = ContinuousClock.now
    head = try await log.append([entry], to: "followed", expecting: head)
    times.append(.now - begin)
    try await Task.sleep(for: .milliseconds(5))
  }
  times.sort()
  withExtendedLifetime(followings) {}
  for other in others { try await other.close() }
  return "\(rate) notifications/s; append to a partition that all follow "
    + "p50 \(times[times.count / 2]), p99 \(times[times.count * 99 / 100])"
}

/// Returns the times from a commit of a replica until the replica of another server has it.
@MainActor func seen(
  _ targets: [String], _ schema: String, _ log: PostgreSQLLog, _ seconds: Double
) async throws -> String {
  let classes = [SharedClass(Item.self) { _ in "seen" }]
  let other = PostgreSQLLog(targets, schema: schema)
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
