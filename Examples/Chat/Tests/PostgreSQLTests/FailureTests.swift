import Foundation
import SignalsPostgreSQL
import SignalsSync
import Synchronization
import Testing

/// What happens to appends and to calls when the server or the network fails.
@Suite(.timeLimit(.minutes(5))) struct `A log in PostgreSQL, failures` {
  /// Appends numbered entries until it is cancelled, and returns how many were acknowledged.
  private static func appendNumbers(
    to partition: Partition, in log: PostgreSQLLog, while isRunning: Flag
  ) async -> (acknowledged: Int, tried: Int) {
    var (head, acknowledged, tried) = (LogHead.start, 0, 0)
    while isRunning.value.load(ordering: .relaxed) {
      tried = acknowledged + 1
      do throws(ChangeLogError) {
        head = try await log.append([Self.entry(acknowledged)], to: partition, expecting: head)
        acknowledged = tried
        isRunning.count.add(1, ordering: .relaxed)
      } catch {
        // In the log or not: the next append begins at the present end.
        guard error.isUnavailable else { break }
        guard let end = try? await log.head(of: partition) else { continue }
        if end != head { (head, acknowledged) = (end, tried) }
      }
    }
    return (acknowledged, tried)
  }

  private static func entry(_ number: Int) -> [UInt8] { Array("\(number)".utf8) }

  @Test func `what was acknowledged survives a kill of the server, once and in order`() async throws
  {
    let server = try await PostgreSQLServer()
    let log = server.newLog()
    let names = (0..<4).map { Partition("p\($0)") }
    try await withThrowingTaskGroup(of: (Partition, Int, Int).self) { tasks in
      let flag = Flag()
      for name in names {
        tasks.addTask {
          let (acknowledged, tried) = await Self.appendNumbers(to: name, in: log, while: flag)
          return (name, acknowledged, tried)
        }
      }
      for round in 1...5 {
        while flag.count.load(ordering: .relaxed) < 100 * round {
          try await Task.sleep(for: .milliseconds(1))
        }
        if round == 5 { break }
        try await server.kill()
        try await server.start()
      }
      flag.value.store(false, ordering: .relaxed)
      for try await (name, acknowledged, tried) in tasks {
        let entries = try await log.entries(of: name, from: .start, limit: 100_000).map(\.bytes)
        #expect(entries == (0..<entries.count).map(Self.entry))
        #expect(entries.count >= acknowledged)
        #expect(entries.count <= tried)
      }
    }
    try await log.close()
  }

  @Test func `an append whose reply is lost is in the log once`() async throws {
    let server = try await PostgreSQLServer.shared
    let proxy = try Proxy(to: server.port)
    defer { proxy.close() }
    let log = PostgreSQLLog("postgres://postgres@127.0.0.1:\(proxy.port)/postgres", schema: "lost")
    var head = try await log.append([Self.entry(0)], to: "p")
    for number in 1..<6 {
      let dropped = proxy.dropped
      proxy.set(.drops)
      let last = head
      async let end = log.append([Self.entry(number)], to: "p", expecting: last)
      while proxy.dropped == dropped { try await Task.sleep(for: .milliseconds(2)) }
      proxy.cut()
      proxy.set(.passes)
      head = try await end
    }
    let entries = try await log.entries(of: "p", from: .start, limit: 100)
    #expect(entries.map(\.bytes) == (0..<6).map(Self.entry))
    try await log.close()
  }

  @Test func `calls fail when their time is over, and succeed when the server is back`()
    async throws
  {
    let server = try await PostgreSQLServer(isDurable: false)
    let log = server.newLog(patience: .seconds(1))
    let head = try await log.append([Self.entry(0)], to: "p")
    server.signal(SIGSTOP)
    do throws(ChangeLogError) {
      _ = try await log.append([Self.entry(1)], to: "p", expecting: head)
      Issue.record("a server that is stopped has replied")
    } catch { #expect(error.isUnavailable) }
    await #expect(throws: ChangeLogError.self) { try await log.head(of: "p") }
    #expect(log.statuses != [.connected])
    server.signal(SIGCONT)
    while log.statuses != [.connected] { try await Task.sleep(for: .milliseconds(20)) }
    // The append that has failed may be there.
    let end = try await log.head(of: "p")
    #expect(end == head || end == head.after(Self.entry(1)))
    let last = try await log.append([Self.entry(2)], to: "p", expecting: end)
    #expect(last == end.after(Self.entry(2)))
    try await log.close()
  }

  @Test func `each state of a connection is reported, with the reason and without the password`()
    async throws
  {
    let statuses = Statuses()
    let server = try await PostgreSQLServer(isDurable: false)
    let log = PostgreSQLLog(
      "host=127.0.0.1 port=\(server.port) user=postgres dbname=postgres password=secret",
      patience: .milliseconds(500)
    ) { statuses.add($0) }
    #expect(try await log.head(of: "p") == .start)
    try await server.stop()
    while statuses.last == .connected { try await Task.sleep(for: .milliseconds(5)) }
    do {
      _ = try await log.head(of: "p")
      Issue.record("a server that is stopped has replied")
    } catch {
      let text = "\(error)"
      #expect(text.hasPrefix("host=127.0.0.1 port=\(server.port) user=postgres dbname=postgres "))
      #expect(text.contains("password=… is unavailable: "))
      #expect(text.contains("Connection refused"))
      #expect(!text.contains("secret"))
    }
    try await server.start()
    while statuses.last != .connected { try await Task.sleep(for: .milliseconds(5)) }
    try await log.close()
    #expect(statuses.last == .closed)
    await #expect(throws: ChangeLogError.closed) { try await log.head(of: "p") }
    await #expect(throws: ChangeLogError.closed) { try await log.append([[1]], to: "p") }
  }

  @Test func `calls fail at once when there was no connection for as long as calls wait`()
    async throws
  {
    let statuses = Statuses()
    let server = try await PostgreSQLServer(isDurable: false)
    // A hundred calls that wait would exceed the limit of the suite.
    let log = PostgreSQLLog(server.address(), patience: .seconds(4)) { statuses.add($0) }
    #expect(try await log.head(of: "p") == .start)
    try await server.stop()
    for number in 0..<100 {
      do {
        _ = try await (number % 2 == 0 ? log.head(of: "p") : log.append([[1]], to: "p"))
        Issue.record("a server that is stopped has replied")
      } catch {
        #expect("\(error)".contains("Connection refused"))
      }
    }
    try await server.start()
    while statuses.last != .connected { try await Task.sleep(for: .milliseconds(5)) }
    // The other connection may be made later.
    while (try? await log.append([[1]], to: "p")) == nil {
      try await Task.sleep(for: .milliseconds(50))
    }
    try await log.close()
  }

  @Test func `processes that begin at the same time make the tables once`() async throws {
    let server = try await PostgreSQLServer.shared
    try await withThrowingTaskGroup(of: LogHead.self) { tasks in
      for number in 0..<8 {
        tasks.addTask {
          let log = PostgreSQLLog(server.address(), schema: "at once")
          let head = try await log.append([Self.entry(number)], to: "p")
          try await log.close()
          return head
        }
      }
      var positions: [UInt64] = []
      for try await head in tasks { positions.append(head.position.rawValue) }
      #expect(positions.sorted() == Array(1...8))
    }
  }

  @Test func `tables of a later version are left as they are, and named`() async throws {
    let server = try await PostgreSQLServer.shared
    let log = PostgreSQLLog(server.address(), schema: "later")
    _ = try await log.head(of: "p")
    try await log.close()
    try await server.query("UPDATE later.log_version SET version = 77")
    let other = PostgreSQLLog(server.address(), schema: "later", patience: .milliseconds(200))
    let error = ChangeLogError.unavailable(
      log: server.address(),
      reason: "its tables have version 77, which this library doesn't know")
    await #expect(throws: error) { try await other.head(of: "p") }
    try await other.close()
    #expect(try await server.query("SELECT version FROM later.log_version") == "77\n")
  }

  @Test func `an append for which the device has no space fails, and later ones succeed`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "pg-full-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let options = ["-t", "tmpfs", "-o", "size=160m", "tmpfs", folder.path]
    guard getuid() == 0,
      (try? await PostgreSQLServer.run("/bin/mount", options, isOther: false)) != nil
    else { return }
    let server = try await PostgreSQLServer(isDurable: false, in: folder)
    let log = server.newLog(patience: .seconds(5))
    var head = try await log.append([Self.entry(0)], to: "p")
    let filler = folder.appending(path: "filler")
    try Self.fill(filler)
    var failure: ChangeLogError?
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    for index in bytes.indices { bytes[index] = .random(in: 0...255) }
    for _ in 0..<50 where failure == nil {
      do throws(ChangeLogError) {
        head = try await log.append([bytes], to: "p", expecting: head)
      } catch { failure = error }
    }
    switch failure {
    case .noSpace, .unavailable: break
    default: Issue.record("\(String(describing: failure))")
    }
    try FileManager.default.removeItem(at: filler)
    // The server may have stopped, because it couldn't write its own log, or be starting again.
    for _ in 0..<20 where (try? await server.query("SELECT 1")) == nil {
      try? await server.start()
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(try await log.head(of: "p") == head)
    let end = try await log.append([Self.entry(1)], to: "p", expecting: head)
    #expect(end == head.after(Self.entry(1)))
    try await log.close()
    server.remove()
    _ = try? await PostgreSQLServer.run("/bin/umount", ["-l", folder.path], isOther: false)
  }

  private static func fill(_ file: URL) throws {
    _ = FileManager.default.createFile(atPath: file.path, contents: nil)
    let handle = try FileHandle(forWritingTo: file)
    defer { try? handle.close() }
    for size in [1 << 20, 1 << 16, 1 << 12] {
      while (try? handle.write(contentsOf: Data(count: size))) != nil {}
    }
  }
}

extension ChangeLogError {
  fileprivate var isUnavailable: Bool { if case .unavailable = self { true } else { false } }
}

/// The states that a log has reported.
private final class Statuses: Sendable {
  private let all = Mutex<[PostgreSQLLog.Status]>([])

  func add(_ status: PostgreSQLLog.Status) { all.withLock { $0.append(status) } }

  var last: PostgreSQLLog.Status? { all.withLock { $0.last } }
}
