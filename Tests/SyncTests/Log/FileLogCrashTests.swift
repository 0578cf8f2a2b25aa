import Foundation
import SignalsSync
import SignalsTesting
import TestSupport
import Testing

/// A run of a log with the same appends, snapshots and truncations each time.
private struct Run {
  /// The positions at which the log may end after a crash: the ends of appends.
  static let ends: [UInt64] = [0, 1, 4, 5, 6, 26, 27, 29, 30]

  let durability: FileLog.Durability
  /// The calls that have returned before the crash.
  var synced: UInt64 = 0
  var snapshot: UInt64 = 0
  var oldest: UInt64 = 0

  /// Opens a log, uses it, closes it, opens it again and uses it.
  mutating func go(in files: SimulatedFiles) async throws(ChangeLogError) {
    let log = try FileLog(at: "/log", durability: durability, files: files)
    try await append(0..<1, to: log)
    try await append(1..<4, to: log)
    try await append(4..<5, to: log)
    try await store(4, in: log)
    try await truncate(2, in: log)
    try await append(5..<6, to: log)
    try await append(6..<26, to: log)
    try await store(26, in: log)
    try await truncate(26, in: log)
    try await append(26..<27, to: log)
    try await log.close()
    let reopened = try FileLog(at: "/log", durability: durability, files: files)
    try await append(27..<29, to: reopened)
    try await store(27, in: reopened)
    try await truncate(27, in: reopened)
    try await append(29..<30, to: reopened)
    try await reopened.close()
  }

  private mutating func append(
    _ range: Range<Int>, to log: FileLog
  ) async throws(ChangeLogError) {
    try await log.append(contents(range), to: "p", expecting: head(at: range.lowerBound))
    if durability != .each { try await log.sync("p") }
    synced = UInt64(range.upperBound)
  }

  private mutating func store(_ position: Int, in log: FileLog) async throws(ChangeLogError) {
    let snapshot = LogSnapshot(head: head(at: position), bytes: content(position))
    try await log.storeSnapshot(snapshot, of: "p")
    self.snapshot = UInt64(position)
  }

  private mutating func truncate(
    _ position: UInt64, in log: FileLog
  ) async throws(ChangeLogError) {
    try await log.truncate("p", before: LogPosition(rawValue: position))
    oldest = position
  }

  /// Checks the files after a crash.
  func check(_ files: SimulatedFiles, _ context: String) async throws {
    let context = "\(context), \(durability)"
    let log = try FileLog(at: "/log", durability: durability, files: files)
    let end = try await log.head(of: "p")
    let length = end.position.rawValue
    #expect(length >= synced, "\(context)")
    #expect(Self.ends.contains(length), "\(context)")
    #expect(end == head(at: Int(length)), "\(context)")
    let stored = try await log.snapshot(of: "p")
    let position = stored?.head.position.rawValue ?? 0
    #expect(position >= snapshot, "\(context)")
    #expect(stored.map(\.bytes) ?? content(0) == content(Int(position)), "\(context)")
    let first = try await oldestPosition(in: log)
    #expect(first >= oldest && first <= position, "\(context)")
    let left = try await log.all(of: "p", from: LogPosition(rawValue: first))
    #expect(left.map(\.bytes) == contents(Int(first)..<Int(length)), "\(context)")

    try await log.append([content(Int(length))], to: "p", expecting: end)
    try await log.close()
    let again = try FileLog(at: "/log", durability: durability, files: files)
    #expect(try await again.head(of: "p") == head(at: Int(length) + 1), "\(context)")
    #expect(try await again.tornSize(of: "p") == 0, "\(context)")
  }

  private func oldestPosition(in log: FileLog) async throws(ChangeLogError) -> UInt64 {
    do throws(ChangeLogError) {
      _ = try await log.entries(of: "p", from: .start, limit: 1)
      return 0
    } catch {
      guard case .truncated(_, let oldest) = error else { throw error }
      return oldest.rawValue
    }
  }
}

@Suite("FileLog, crashes")
struct FileLogCrashTests {
  static let durabilities: [FileLog.Durability] = [.each, .interval(.seconds(3_600))]

  /// Returns the number of crashes that a test tries: `SIGNALS_HISTORIES` or, in debug builds, 40.
  private static func histories(_ usual: Int) -> Int {
    min(
      runLength("SIGNALS_HISTORIES", usually: usual),
      isSampled ? 40 : .max)
  }

  private static let isSampled =
    _isDebugAssertConfiguration()
    && ProcessInfo.processInfo.environment["SIGNALS_HISTORIES"] == nil

  @Test("A run without a crash ends as planned", arguments: durabilities)
  func noCrash(_ durability: FileLog.Durability) async throws {
    let files = SimulatedFiles()
    var run = Run(durability: durability)
    try await run.go(in: files)
    #expect(run.synced == 30)
    #expect(files.calls > 50)
    try await run.check(files.afterKill(), "no crash")
  }

  @Test("A process killed at any call leaves the acknowledged entries", arguments: durabilities)
  func kill(_ durability: FileLog.Durability) async throws {
    try await crashEverywhere(durability) { files, context, run in
      try await run.check(files.afterKill(), context)
    }
  }

  @Test("A loss of power at any call leaves the acknowledged entries", arguments: durabilities)
  func power(_ durability: FileLog.Durability) async throws {
    var chance = SeededRandom(seed: firstSeed)
    for _ in 0..<Self.histories(60) / 20 {
      try await crashEverywhere(durability) { files, context, run in
        let left = files.afterLossOfPower(&chance)
        try await run.check(left, "\(context), seed \(firstSeed)")
      }
    }
  }

  @Test("A write torn at any byte leaves the acknowledged entries", arguments: durabilities)
  func torn(_ durability: FileLog.Durability) async throws {
    let whole = SimulatedFiles()
    var run = Run(durability: durability)
    try await run.go(in: whole)
    let tears = whole.writes.sorted { $0.key < $1.key }
      .flatMap { call, size in (1..<max(size, 2)).map { (call, $0) } }
    var chance = SeededRandom(seed: firstSeed)
    for (call, tear) in tears.shuffled(using: &chance).prefix(Self.histories(3_000)) {
      let files = SimulatedFiles()
      files.setPlan(.init(crash: call, tear: tear))
      var run = Run(durability: durability)
      await #expect(throws: ChangeLogError.self) { try await run.go(in: files) }
      try await run.check(
        files.afterKill(), "call \(call), torn at \(tear), seed \(firstSeed)")
    }
  }

  @Test("A snapshot isn't durable before its entries")
  func snapshotOfUnsyncedEntries() async throws {
    let files = SimulatedFiles()
    let log = try FileLog(at: "/log", durability: .interval(.seconds(3_600)), files: files)
    try await log.append(contents(0..<3), to: "p")
    try await log.storeSnapshot(LogSnapshot(head: head(at: 3), bytes: []), of: "p")
    var chance = SeededRandom(seed: firstSeed)
    for _ in 0..<10 {
      let left = files.afterLossOfPower(&chance)
      let reopened = try FileLog(at: "/log", durability: .each, files: left)
      #expect(try await reopened.head(of: "p") == head(at: 3), "seed \(firstSeed)")
    }
  }

  @Test("Files that are written a few bytes at a time are the same")
  func shortWrites() async throws {
    let files = SimulatedFiles()
    files.setPlan(.init(largestWrite: 5))
    var run = Run(durability: .each)
    try await run.go(in: files)
    try await run.check(files.afterKill(), "short writes")
  }

  private func crashEverywhere(
    _ durability: FileLog.Durability,
    _ check: (SimulatedFiles, String, Run) async throws -> Void
  ) async throws {
    let whole = SimulatedFiles()
    var run = Run(durability: durability)
    try await run.go(in: whole)
    var chance = SeededRandom(seed: firstSeed)
    let calls = (0..<whole.calls).shuffled(using: &chance).prefix(Self.histories(1_000))
    for call in calls {
      let files = SimulatedFiles()
      files.setPlan(.init(crash: call))
      var run = Run(durability: durability)
      await #expect(throws: ChangeLogError.self) { try await run.go(in: files) }
      try await check(files, "call \(call)", run)
    }
  }
}
