import Foundation
import SignalsSync
import SignalsTesting
import Synchronization
import Testing

@Suite("FileLog")
struct FileLogTests {
  @Test("A log that is opened again has all entries and the snapshot", arguments: LogKind.files)
  func reopening(_ kind: LogKind) async throws {
    try await kind.withDirectory { path in
      do {
        let log = try FileLog(at: path, durability: kind.durability)
        try await log.append(contents(0..<50), to: "a")
        for position in 50..<80 { try await log.append([content(position)], to: "a") }
        try await log.append(contents(0..<1), to: "b")
        try await log.storeSnapshot(LogSnapshot(head: head(at: 60), bytes: [1, 2]), of: "a")
        try await log.truncate("a", before: 55)
        try await log.close()
      }
      let log = try FileLog(at: path, durability: kind.durability)
      #expect(try await log.head(of: "a") == head(at: 80))
      #expect(try await log.all(of: "a", from: 55).map(\.bytes) == contents(55..<80))
      #expect(try await log.all(of: "b").map(\.bytes) == contents(0..<1))
      #expect(
        try await log.snapshot(of: "a") == LogSnapshot(head: head(at: 60), bytes: [1, 2]))
      #expect(try await log.tornSize(of: "a") == 0)
    }
  }

  @Test("A closed log refuses all calls", arguments: LogKind.files)
  func closing(_ kind: LogKind) async throws {
    try await kind.withDirectory { path in
      let log = try FileLog(at: path, durability: kind.durability)
      try await log.append(contents(0..<2), to: "p")
      try await log.close()
      await #expect(throws: ChangeLogError.closed) { try await log.append([[1]], to: "p") }
      await #expect(throws: ChangeLogError.closed) { try await log.append([[1]], to: "q") }
      await #expect(throws: ChangeLogError.closed) { try await log.head(of: "p") }
      await #expect(throws: ChangeLogError.closed) { try await log.snapshot(of: "p") }
      await #expect(throws: ChangeLogError.closed) { try await log.sync("p") }
      // Even though the closed log still exists.
      let reopened = try FileLog(at: path, durability: kind.durability)
      #expect(try await reopened.head(of: "p") == head(at: 2))
    }
  }

  @Test("Opening and closing again doesn't grow the file")
  func idleReopening() async throws {
    let files = SimulatedFiles()
    var sizes: Set<Int> = []
    for round in 0..<4 {
      let log = try FileLog(at: "/log", durability: .each, files: files)
      if round == 0 { try await log.append(contents(0..<2), to: "p") }
      #expect(try await log.head(of: "p") == head(at: 2))
      try await log.close()
      sizes.insert(files.edit("/log/p.log") { $0.count })
    }
    #expect(sizes.count == 1)
  }

  @Test("Appends after a close and a reopening continue the log")
  func continuing() async throws {
    let files = SimulatedFiles()
    for round in 0..<5 {
      let log = try FileLog(at: "/log", durability: .each, files: files)
      try await log.append([content(round)], to: "p", expecting: head(at: round))
      try await log.close()
    }
    let log = try FileLog(at: "/log", durability: .each, files: files)
    #expect(try await log.all(of: "p").map(\.bytes) == contents(0..<5))
  }

  @Test("Appends that arrive during an fsync share the next one")
  func groupCommit() async throws {
    let gate = DispatchSemaphore(value: 0)
    let isHolding = Mutex(false)
    let files = SimulatedFiles {
      let isFirst = isHolding.withLock { holding in
        defer { holding = false }
        return holding
      }
      if isFirst { gate.wait() }
    }
    let log = try FileLog(at: "/log", durability: .each, files: files)
    try await log.append([content(0)], to: "p")
    let before = files.syncs
    isHolding.withLock { $0 = true }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask { _ = try await log.append([[1, 2, 3]], to: "p") }
      }
      while log.waiterCount(of: "p") < 100 { await Task.yield() }
      gate.signal()
      try await group.waitForAll()
    }
    #expect(try await log.head(of: "p").position == 101)
    // At most the first group, and the group that was accepted during its write.
    #expect(files.syncs - before <= 2)
  }

  @Test("Entries that aren't durable aren't read")
  func unsyncedEntries() async throws {
    let reached = DispatchSemaphore(value: 0)
    let gate = DispatchSemaphore(value: 0)
    let isHolding = Mutex(false)
    let files = SimulatedFiles {
      guard isHolding.withLock({ $0 }) else { return }
      reached.signal()
      gate.wait()
    }
    let log = try FileLog(at: "/log", durability: .each, files: files)
    try await log.append(contents(0..<2), to: "p")
    isHolding.withLock { $0 = true }
    let append = Task { try await log.append([content(2)], to: "p") }
    await Task.detached { reached.waitFromTask() }.value
    #expect(try await log.head(of: "p") == head(at: 2))
    #expect(try await log.entries(of: "p", from: 0, limit: 10).count == 2)
    let refused = Task {
      try await log.append([content(2)], to: "p", expecting: head(at: 2))
    }
    // The head that the error states must be visible to readers, so the append waits for it.
    while log.waiterCount(of: "p") < 2 { await Task.yield() }
    isHolding.withLock { $0 = false }
    gate.signal()
    #expect(try await append.value == head(at: 3))
    await #expect(throws: ChangeLogError.headMoved("p", to: head(at: 3))) {
      try await refused.value
    }
    #expect(try await log.entries(of: "p", from: 0, limit: 10).count == 3)
  }

  @Test("With an interval, one fsync covers all appends")
  func oneSync() async throws {
    let files = SimulatedFiles()
    let log = try FileLog(at: "/log", durability: .interval(.seconds(3_600)), files: files)
    try await log.append([content(0)], to: "p")
    try await log.sync("p")
    let before = files.syncs
    for position in 1..<200 { try await log.append([content(position)], to: "p") }
    #expect(files.syncs == before)
    try await log.sync("p")
    #expect(files.syncs == before + 1)
  }

  @Test("With an interval, appends are durable after it without a call")
  func interval() async throws {
    let files = SimulatedFiles()
    let log = try FileLog(at: "/log", durability: .interval(.milliseconds(5)), files: files)
    for position in 0..<200 { try await log.append([content(position)], to: "p") }
    while try await FileLog(at: "/log", durability: .each, files: files.afterKill())
      .head(of: "p").position < 200
    {
      await Task.yield()
    }
  }

  @Test("With an interval, a release without a close loses nothing")
  func release() async throws {
    let files = SimulatedFiles()
    do {
      let log = try FileLog(at: "/log", durability: .interval(.milliseconds(1)), files: files)
      try await log.append(contents(0..<3), to: "p")
    }
    var reopened: FileLog?
    while reopened == nil {
      reopened = try? FileLog(at: "/log", durability: .each, files: files)
      await Task.yield()
    }
    #expect(try await reopened?.head(of: "p") == head(at: 3))
  }

  @Test("A large backlog is written before the interval is over")
  func backlog() async throws {
    let files = SimulatedFiles()
    let log = try FileLog(at: "/log", durability: .interval(.seconds(3_600)), files: files)
    for _ in 0..<40 { try await log.append([[UInt8](repeating: 1, count: 50_000)], to: "p") }
    #expect(files.edit("/log/p.log") { $0.count } > 1_000_000)
  }

  @Test("Appends and reads continue while the log is truncated again and again")
  func truncationDuringAppends() async throws {
    for kind in LogKind.files {
      try await kind.withDirectory { path in
        let log = try FileLog(at: path, durability: kind.durability)
        try await log.append([content(0)], to: "p")
        let count = _isDebugAssertConfiguration() ? 100 : 400
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            for position in 1..<count { try await log.append([content(position)], to: "p") }
          }
          group.addTask {
            var end = 1
            while end < count {
              let head = try await log.head(of: "p")
              try await log.storeSnapshot(LogSnapshot(head: head, bytes: []), of: "p")
              try await log.truncate("p", before: head.position.advanced(by: -1))
              end = Int(head.position.rawValue)
              // A call that doesn't wait for the device gives no other task the thread.
              await Task.yield()
            }
          }
          group.addTask {
            var position = LogPosition.start
            while position.rawValue < count {
              do throws(ChangeLogError) {
                for entry in try await log.entries(of: "p", from: position, limit: 7) {
                  #expect(entry.bytes == content(Int(entry.position.rawValue)))
                  position = entry.position.advanced(by: 1)
                }
              } catch {
                guard case .truncated(_, let oldest) = error else { throw error }
                position = oldest
              }
              await Task.yield()
            }
          }
          try await group.waitForAll()
        }
        try await log.close()
        let reopened = try FileLog(at: path, durability: kind.durability)
        #expect(try await reopened.head(of: "p") == head(at: count))
      }
    }
  }

  @Test("Truncation makes the file smaller")
  func sizes() async throws {
    let files = SimulatedFiles()
    let log = try FileLog(at: "/log", durability: .each, files: files)
    for position in 0..<500 { try await log.append([content(position)], to: "p") }
    try await log.storeSnapshot(LogSnapshot(head: head(at: 500), bytes: []), of: "p")
    try await log.truncate("p", before: 500)
    #expect(files.edit("/log/p.log") { $0.count } == 56)
    #expect(files.names(at: "/log").sorted() == ["p.log", "p.snapshot"])
  }

  @Test("Positions are found in a file of many frames")
  func index() async throws {
    let files = SimulatedFiles()
    let log = try FileLog(at: "/log", durability: .interval(.seconds(3_600)), files: files)
    for position in 0..<2_000 { try await log.append([content(position)], to: "p") }
    for round in 0..<3 {
      let oldest = round * 700
      for position in stride(from: oldest, to: 2_000, by: 13) {
        let start = LogPosition(rawValue: UInt64(position))
        #expect(
          try await log.entries(of: "p", from: start, limit: 2).map(\.bytes)
            == contents(position..<min(2_000, position + 2)))
      }
      try await log.storeSnapshot(LogSnapshot(head: head(at: 2_000), bytes: []), of: "p")
      try await log.truncate("p", before: LogPosition(rawValue: UInt64(oldest + 700)))
      if round == 1 { break }
    }
  }
}

extension DispatchSemaphore {
  /// Waits outside of an asynchronous context, which doesn't allow it.
  fileprivate func waitFromTask() { wait() }
}
