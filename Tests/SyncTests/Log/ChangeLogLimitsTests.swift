import Dispatch
import SignalsTesting
import Testing

@testable import SignalsSync

@Suite("Change logs, limits and starts from a snapshot")
struct ChangeLogLimitsTests {
  @Test("An append or a snapshot that exceeds the limit is refused", arguments: LogKind.allCases)
  func sizes(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      let entry = Self.bytes(LogLimits.appendSize)
      await #expect(
        throws: ChangeLogError.tooLarge("p", size: entry.count + 5, limit: LogLimits.appendSize)
      ) { try await log.append([entry], to: "p") }
      let large = Self.bytes(LogLimits.snapshotSize + 1)
      let error = ChangeLogError.tooLarge("p", size: large.count, limit: LogLimits.snapshotSize)
      let snapshot = LogSnapshot(head: .start, bytes: large)
      await #expect(throws: error) { try await log.storeSnapshot(snapshot, of: "p") }
      let end = try await log.append([content(0)], to: "p")
      #expect(end == head(at: 1))
    }
  }

  @Test("A log continues where the snapshot ends that it starts from", arguments: LogKind.fileLogs)
  func start(_ kind: LogKind) async throws {
    for count in [0, 1, 5] {
      try await kind.withFileLog { log in
        try await log.append(contents(0..<count), to: "p")
        let snapshot = LogSnapshot(head: head(at: 9), bytes: [1, 2])
        try await log.start("p", from: snapshot, expecting: head(at: count))
        #expect(try await log.head(of: "p") == head(at: 9))
        #expect(try await log.snapshot(of: "p") == snapshot)
        await #expect(throws: ChangeLogError.truncated("p", oldest: 9)) {
          try await log.entries(of: "p", from: 0, limit: 9)
        }
        #expect(try await log.append(contents(9..<12), to: "p") == head(at: 12))
        #expect(try await log.all(of: "p", from: 9).map(\.bytes) == contents(9..<12))
        try await log.storeSnapshot(LogSnapshot(head: head(at: 11), bytes: []), of: "p")
        try await log.truncate("p", before: 10)
        #expect(try await log.all(of: "p", from: 10).map(\.bytes) == contents(10..<12))
      }
    }
  }

  @Test(
    "A log that has the snapshot's entries, or others, doesn't start", arguments: LogKind.fileLogs)
  func noStart(_ kind: LogKind) async throws {
    try await kind.withFileLog { log in
      try await log.append(contents(0..<3), to: "p")
      for position in [0, 2, 3] {
        let snapshot = LogSnapshot(head: head(at: position), bytes: [])
        let error = ChangeLogError.notBeyondHead(
          "p", position: snapshot.head.position, head: head(at: 3))
        await #expect(throws: error) { try await log.start("p", from: snapshot, expecting: nil) }
      }
      await #expect(throws: ChangeLogError.headMoved("p", to: head(at: 3))) {
        try await log.start(
          "p", from: LogSnapshot(head: head(at: 5), bytes: []), expecting: head(at: 2))
      }
      #expect(try await log.snapshot(of: "p") == nil)
      #expect(try await log.all(of: "p").map(\.bytes) == contents(0..<3))
    }
  }

  @Test(
    "A crash during a start leaves the old log, or the start",
    arguments: FileLogCrashTests.durabilities)
  func crash(_ durability: FileLog.Durability) async throws {
    for count in [0, 3] {
      let original = SimulatedFiles()
      let log = try FileLog(at: "/log", durability: durability, files: original)
      try await log.append(contents(0..<count), to: "p")
      try await log.close()
      let snapshot = LogSnapshot(head: head(at: 7), bytes: [1, 2])
      var (call, isOver) = (0, false)
      while !isOver {
        let files = original.afterKill()
        files.setPlan(.init(crash: call))
        do throws(ChangeLogError) {
          let log = try FileLog(at: "/log", durability: durability, files: files)
          try await log.start("p", from: snapshot, expecting: nil)
          isOver = true
        } catch {}
        let left = try FileLog(at: "/log", durability: durability, files: files.afterKill())
        let end = try await left.head(of: "p")
        let context = "\(durability), \(count) entries, call \(call)"
        #expect(end == head(at: 7) || !isOver && end == head(at: count), "\(context)")
        #expect(
          try await left.snapshot(of: "p") == (end == head(at: 7) ? snapshot : nil), "\(context)")
        try await left.append([[3]], to: "p", expecting: end)
        try await left.close()
        call += 1
      }
      #expect(call > 4)
    }
  }

  /// Returns bytes that take no memory, since they aren't written.
  private static func bytes(_ count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { _, size in size = count }
  }
}

extension FileLog {
  /// Replaces a partition's log by a snapshot of a longer log, as the file of a store does.
  fileprivate func start(
    _ partition: Partition, from snapshot: LogSnapshot, expecting head: LogHead?
  ) async throws(ChangeLogError) {
    let file = try blockingFile(of: partition)
    var isDone = false
    while !isDone {
      // Entries that are accepted between the two calls require another round.
      try await file.sync()
      isDone = try file.upkeep.sync {
        Result { () throws(ChangeLogError) in try file.start(from: snapshot, expecting: head) }
      }.get()
    }
  }
}
