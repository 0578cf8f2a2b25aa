import Foundation
import SignalsSync
import SignalsTesting
import Testing

@Suite("FileLog, full and failing devices")
struct FileLogSpaceTests {
  private func open(
    _ durability: FileLog.Durability, _ files: SimulatedFiles
  ) throws -> FileLog { try FileLog(at: "/log", durability: durability, files: files) }

  @Test("An append for which there is no space fails, and later ones work when there is")
  func noSpace() async throws {
    let files = SimulatedFiles()
    let log = try open(.each, files)
    try await log.append(contents(0..<3), to: "p")
    let size = files.edit("/log/p.log") { $0.count }
    for room in 0..<60 {
      files.setPlan(.init(capacity: size + room, largestWrite: 7))
      await #expect(throws: ChangeLogError.noSpace(path: "/log/p.log")) {
        try await log.append([content(3), [UInt8](repeating: 1, count: 60)], to: "p")
      }
      #expect(try await log.head(of: "p") == head(at: 3))
      #expect(files.edit("/log/p.log") { $0.count } == size)
    }
    files.setPlan(.init())
    #expect(try await log.append([content(3)], to: "p") == head(at: 4))
    #expect(try await log.all(of: "p").map(\.bytes) == contents(0..<4))
    let left = try open(.each, files.afterKill())
    #expect(try await left.all(of: "p").map(\.bytes) == contents(0..<4))
  }

  @Test("All appends of a group fail together, and none of them is there")
  func groups() async throws {
    let files = SimulatedFiles()
    let log = try open(.each, files)
    try await log.append(contents(0..<1), to: "p")
    files.setPlan(.init(capacity: 0))
    let failures = await withTaskGroup(of: Bool.self, returning: Int.self) { group in
      for task in 0..<20 {
        group.addTask {
          do throws(ChangeLogError) {
            try await log.append([[UInt8(task)]], to: "p")
            return false
          } catch {
            return error == .noSpace(path: "/log/p.log")
          }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(failures == 20)
    files.setPlan(.init())
    #expect(try await log.append([content(1)], to: "p", expecting: head(at: 1)) == head(at: 2))
  }

  @Test("With an interval, accepted entries stay readable once there is space again")
  func interval() async throws {
    let files = SimulatedFiles()
    let log = try open(.interval(.seconds(3_600)), files)
    try await log.append(contents(0..<1), to: "p")
    try await log.sync("p")
    try await log.append(contents(1..<3), to: "p")
    files.setPlan(.init(capacity: 0))
    await #expect(throws: ChangeLogError.noSpace(path: "/log/p.log")) { try await log.sync("p") }
    await #expect(throws: ChangeLogError.noSpace(path: "/log/p.log")) {
      try await log.append([content(3)], to: "p")
    }
    #expect(try await log.head(of: "p") == head(at: 3))
    #expect(try await log.entries(of: "p", from: 0, limit: 9).map(\.bytes) == contents(0..<1))
    await #expect(throws: ChangeLogError.noSpace(path: "/log/p.log")) {
      try await log.entries(of: "p", from: 1, limit: 9)
    }
    files.setPlan(.init())
    #expect(try await log.append([content(3)], to: "p") == head(at: 4))
    #expect(try await log.all(of: "p").map(\.bytes) == contents(0..<4))
    try await log.sync("p")
    let left = try open(.each, files.afterKill())
    #expect(try await left.all(of: "p").map(\.bytes) == contents(0..<4))
  }

  /// The path of a small file system, such as one that
  /// `mount -t tmpfs -o size=4m tmpfs PATH` makes.
  private static let smallDisk = ProcessInfo.processInfo.environment["SIGNALS_SMALL_DISK"]

  @Test(
    "A real device that is full gives the same errors",
    .enabled(if: smallDisk != nil), arguments: LogKind.files)
  func realDevice(_ kind: LogKind) async throws {
    let path = "\(try #require(Self.smallDisk))/log-\(kind)"
    let filler = "\(path).filler"
    defer {
      for left in [path, filler] { try? FileManager.default.removeItem(atPath: left) }
    }
    try Data(count: 2_000_000).write(to: URL(fileURLWithPath: filler))
    let log = try FileLog(at: path, durability: kind.durability)
    var count = 0
    let error = await #expect(throws: ChangeLogError.self) {
      while true {
        try await log.append([[UInt8](repeating: UInt8(count % 256), count: 777)], to: "p")
        count += 1
      }
    }
    #expect(error == .noSpace(path: "\(path)/p.log"))
    #expect(try await log.head(of: "p").position.rawValue == UInt64(count))
    try FileManager.default.removeItem(atPath: filler)
    try await log.append([[1], [2]], to: "p")
    try await log.close()
    let reopened = try FileLog(at: path, durability: kind.durability)
    #expect(try await reopened.tornSize(of: "p") == 0)
    let entries = try await reopened.all(of: "p")
    #expect(entries.count == count + 2)
    for (index, entry) in entries.dropLast(2).enumerated() {
      #expect(entry.bytes == [UInt8](repeating: UInt8(index % 256), count: 777))
    }
  }

  @Test("Snapshots and truncations for which there is no space change nothing")
  func upkeep() async throws {
    let files = SimulatedFiles()
    let log = try open(.each, files)
    try await log.append(contents(0..<6), to: "p")
    let snapshot = LogSnapshot(head: head(at: 4), bytes: content(4))
    files.setPlan(.init(capacity: 0))
    await #expect(throws: ChangeLogError.self) { try await log.storeSnapshot(snapshot, of: "p") }
    #expect(try await log.snapshot(of: "p") == nil)
    files.setPlan(.init())
    try await log.storeSnapshot(snapshot, of: "p")
    files.setPlan(.init(capacity: 0))
    await #expect(throws: ChangeLogError.noSpace(path: "/log/p.log")) {
      try await log.truncate("p", before: 3)
    }
    files.setPlan(.init())
    #expect(try await log.all(of: "p").map(\.bytes) == contents(0..<6))
    try await log.truncate("p", before: 3)
    try await log.append([content(6)], to: "p")
    #expect(try await log.all(of: "p", from: 3).map(\.bytes) == contents(3..<7))
    #expect(files.names(at: "/log").sorted() == ["p.log", "p.snapshot"])
  }

  @Test("After a failed fsync nothing is appended until the log is opened again")
  func failedSync() async throws {
    let files = SimulatedFiles()
    let log = try open(.each, files)
    try await log.append(contents(0..<2), to: "p")
    // A full device that is noticed by `fsync` leaves the file unknown too.
    files.setPlan(.init(syncError: ENOSPC))
    let error = ChangeLogError.system(path: "/log/p.log", call: "fsync", code: Int(ENOSPC))
    await #expect(throws: error) { try await log.append([content(2)], to: "p") }
    files.setPlan(.init())
    await #expect(throws: error) { try await log.append([content(2)], to: "p") }
    #expect(try await log.all(of: "p").map(\.bytes) == contents(0..<2))
    let left = try open(.each, files.afterKill())
    let end = try await left.head(of: "p")
    #expect(end == head(at: 2) || end == head(at: 3))
  }

  @Test("An append that exceeds the limit is refused, and nothing else")
  func tooLarge() async throws {
    let log = try open(.each, SimulatedFiles())
    let entry = [UInt8](repeating: 0, count: 1 << 26)
    let error = await #expect(throws: ChangeLogError.self) {
      try await log.append(Array(repeating: entry, count: 4), to: "p")
    }
    #expect(error == .tooLarge("p", size: 4 * (entry.count + 4), limit: 1 << 28))
    #expect(try await log.append([content(0)], to: "p") == head(at: 1))
  }
}
