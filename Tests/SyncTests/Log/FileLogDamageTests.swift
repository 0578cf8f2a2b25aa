import SignalsSync
import SignalsTesting
import TestSupport
import Testing

@Suite("FileLog, damaged files")
struct FileLogDamageTests {
  static let logFile = "/log/p.log"
  static let snapshotFile = "/log/p.snapshot"
  /// The distance of the bytes that are damaged one after the other.
  static let step = _isDebugAssertConfiguration() ? 5 : 1

  /// Returns the files of a log with 12 entries, of which the first two are truncated.
  static func files(isClosed: Bool) async throws -> SimulatedFiles {
    let files = SimulatedFiles()
    let log = try FileLog(at: "/log", durability: .each, files: files)
    try await log.append(contents(0..<3), to: "p")
    let snapshot = LogSnapshot(head: head(at: 2), bytes: content(2))
    try await log.storeSnapshot(snapshot, of: "p")
    try await log.truncate("p", before: 2)
    for position in 3..<10 { try await log.append([content(position)], to: "p") }
    try await log.append(contents(10..<12), to: "p")
    if isClosed { try await log.close() }
    return files.afterKill()
  }

  /// Opens a log, and checks that its entries are the appended ones up to an end.
  ///
  /// - Returns: The end, or `nil` if the log is damaged.
  static func end(of files: SimulatedFiles, _ context: String) async throws -> UInt64? {
    let log = try FileLog(at: "/log", durability: .each, files: files)
    let end = try await end(of: log, context)
    try await log.close()
    return end
  }

  private static func end(of log: FileLog, _ context: String) async throws -> UInt64? {
    do throws(ChangeLogError) {
      let end = try await log.head(of: "p")
      #expect(end == head(at: Int(end.position.rawValue)), "\(context)")
      let left = try await log.all(of: "p", from: 2)
      #expect(left.map(\.bytes) == contents(2..<Int(end.position.rawValue)), "\(context)")
      if let snapshot = try await log.snapshot(of: "p") {
        #expect(snapshot == LogSnapshot(head: head(at: 2), bytes: content(2)), "\(context)")
      }
      return end.position.rawValue
    } catch {
      switch error {
      case .damaged, .otherVersion: return nil
      default: throw error
      }
    }
  }

  @Test("A file cut off at any byte has a whole number of appends, or is damaged")
  func cut() async throws {
    let original = try await Self.files(isClosed: false)
    let size = original.edit(Self.logFile) { $0.count }
    var previous: UInt64 = 0
    for count in (0...size).reversed().enumerated().filter({ $0.offset % Self.step == 0 })
      .map(\.element).reversed()
    {
      let files = original.afterKill()
      files.edit(Self.logFile) { $0.removeLast(size - count) }
      let end = try await Self.end(of: files, "cut at \(count)")
      // The header, and the entries that truncation has copied to the file, can't be missing.
      #expect((end == nil) == (count < 56 + 24 + 1 + content(2).count), "cut at \(count)")
      #expect(end.map { [3, 4, 5, 6, 7, 8, 9, 10, 12].contains($0) } ?? true)
      #expect(end ?? previous >= previous)
      previous = end ?? previous
    }
    #expect(previous == 12)
  }

  @Test("Removed bytes are reported, and missing when the log is opened again")
  func tornSize() async throws {
    let files = try await Self.files(isClosed: false)
    files.edit(Self.logFile) { $0.removeLast(5) }
    let log = try FileLog(at: "/log", durability: .each, files: files)
    // The fields, and the two entries with their sizes.
    let size = 24 + content(10).count + content(11).count + 2 - 5
    #expect(try await log.tornSize(of: "p") == size)
    let again = files.afterKill()
    let reopened = try FileLog(at: "/log", durability: .each, files: again)
    #expect(try await reopened.tornSize(of: "p") == 0)
    #expect(try await reopened.head(of: "p") == head(at: 10))
  }

  @Test("Zeros, or anything that was never acknowledged, are cut off at the end")
  func tails() async throws {
    var chance = SeededRandom(seed: firstSeed)
    for count in [1, 7, 23, 24, 25, 100, 4_096, 20_000] {
      for isZero in [true, false] {
        let files = try await Self.files(isClosed: true)
        let tail = (0..<count).map { _ in isZero ? 0 : UInt8.random(in: 0...255, using: &chance) }
        files.edit(Self.logFile) { $0 += tail }
        let log = try FileLog(at: "/log", durability: .each, files: files)
        #expect(try await log.head(of: "p") == head(at: 12), "seed \(firstSeed)")
        #expect(try await log.tornSize(of: "p") == count)
      }
    }
  }

  @Test("Damage before the group that was written last is an error, and changes nothing")
  func damageInTheMiddle() async throws {
    let files = try await Self.files(isClosed: false)
    let bytes = files.edit(Self.logFile) { $0 }
    let last = bytes.count - 24 - content(10).count - content(11).count - 2
    for offset in stride(from: 56, to: last, by: Self.step) {
      files.edit(Self.logFile) { $0[offset] ^= 0x10 }
      let before = files.edit(Self.logFile) { $0 }
      let log = try FileLog(at: "/log", durability: .each, files: files)
      let error = await #expect(throws: ChangeLogError.self) { try await log.head(of: "p") }
      guard case .damaged(let file, let place, _) = error else {
        Issue.record("\(offset): \(String(describing: error))")
        continue
      }
      #expect(file == Self.logFile && place <= offset && place > offset - 150)
      #expect(files.edit(Self.logFile) { $0 } == before)
      files.edit(Self.logFile) { $0[offset] ^= 0x10 }
      try await log.close()
    }
    #expect(try await Self.end(of: files, "repaired") == 12)
  }

  @Test("After a close, damage of any byte is an error")
  func damageAfterClose() async throws {
    let files = try await Self.files(isClosed: true)
    // The last frame has no entries.
    let size = files.edit(Self.logFile) { $0.count } - 24
    for offset in stride(from: 0, to: size, by: Self.step) {
      files.edit(Self.logFile) { $0[offset] ^= 0x01 }
      #expect(try await Self.end(of: files, "byte \(offset)") == nil, "byte \(offset)")
      files.edit(Self.logFile) { $0[offset] ^= 0x01 }
    }
  }

  @Test("A missing frame in the middle is an error")
  func missingFrame() async throws {
    let files = try await Self.files(isClosed: true)
    let start = 56 + 24 + 1 + content(2).count
    let size = 24 + 1 + content(3).count
    files.edit(Self.logFile) { $0.removeSubrange(start..<start + size) }
    #expect(try await Self.end(of: files, "without entry 3") == nil)
  }

  @Test("Random damage gives an error or whole appends, never another entry")
  func random() async throws {
    var chance = SeededRandom(seed: firstSeed)
    let runs = runLength(usually: 20_000) / (_isDebugAssertConfiguration() ? 50 : 1)
    let originals = [try await Self.files(isClosed: true), try await Self.files(isClosed: false)]
    var (errors, prefixes) = (0, 0)
    for run in 0..<runs {
      let files = originals[run % 2].afterKill()
      let path = run % 5 == 0 ? Self.snapshotFile : Self.logFile
      let damage = files.edit(path) { [chance] bytes in
        var chance = chance
        return (Self.damage(&bytes, &chance), chance)
      }
      chance = damage.1
      let context = "seed \(firstSeed), run \(run): \(damage.0)"
      let end = try await Self.end(of: files, context)
      if end == nil { errors += 1 } else { prefixes += 1 }
    }
    #expect(errors > 0 && prefixes > 0)
  }

  private static func damage(
    _ bytes: inout [UInt8], _ chance: inout SeededRandom
  ) -> String {
    let kind = Int.random(in: 0..<6, using: &chance)
    let start = Int.random(in: 0..<bytes.count, using: &chance)
    let end = min(bytes.count, start + Int.random(in: 1...200, using: &chance))
    switch kind {
    case 0: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &chance)
    case 1: bytes[start] = .random(in: 0...255, using: &chance)
    case 2: for offset in start..<end { bytes[offset] = 0 }
    case 3: bytes.removeSubrange(start..<end)
    case 4: bytes.insert(contentsOf: bytes[start..<end], at: start)
    default:
      let copy = Array(bytes[start..<end])
      let offset = Int.random(in: 0...bytes.count - copy.count, using: &chance)
      bytes.replaceSubrange(offset..<offset + copy.count, with: copy)
    }
    return "kind \(kind) at \(start)..<\(end)"
  }

  @Test("Damage that happens while the log is open is an error of the read")
  func damageWhileOpen() async throws {
    let files = try await Self.files(isClosed: false)
    let log = try FileLog(at: "/log", durability: .each, files: files)
    _ = try await log.head(of: "p")
    files.edit(Self.logFile) { $0[$0.count - 1] ^= 1 }
    #expect(try await log.entries(of: "p", from: 2, limit: 8).map(\.bytes) == contents(2..<10))
    let error = await #expect(throws: ChangeLogError.self) { try await log.all(of: "p", from: 2) }
    guard case .damaged = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("A truncated log without its snapshot, or behind it, is damaged")
  func snapshotMissing() async throws {
    let missing = try await Self.files(isClosed: true)
    missing.removeFile(Self.snapshotFile)
    #expect(try await Self.end(of: missing, "without snapshot") == nil)

    let behind = SimulatedFiles()
    let log = try FileLog(at: "/log", durability: .each, files: behind)
    try await log.append(contents(0..<1), to: "p")
    let old = behind.edit(Self.logFile) { $0 }
    try await log.append(contents(1..<4), to: "p")
    try await log.storeSnapshot(LogSnapshot(head: head(at: 4), bytes: []), of: "p")
    try await log.close()
    behind.edit(Self.logFile) { $0 = old }
    let reopened = try FileLog(at: "/log", durability: .each, files: behind)
    let error = await #expect(throws: ChangeLogError.self) { try await reopened.head(of: "p") }
    #expect(error?.description.contains("before the snapshot at 4") == true)
  }

  @Test("A file of another version, partition or log is refused by name")
  func otherFiles() async throws {
    let files = try await Self.files(isClosed: true)
    files.edit(Self.logFile) { $0[7] = 9 }
    let log = try FileLog(at: "/log", durability: .each, files: files)
    await #expect(throws: ChangeLogError.otherVersion(file: Self.logFile, version: 9)) {
      try await log.head(of: "p")
    }
    let bytes = try await Self.files(isClosed: true).edit(Self.logFile) { $0 }
    try await log.append([content(0)], to: "q")
    try await log.close()
    files.edit("/log/q.log") { $0 = bytes }
    let reopened = try FileLog(at: "/log", durability: .each, files: files)
    let error = await #expect(throws: ChangeLogError.self) { try await reopened.head(of: "q") }
    #expect(error?.description.contains("/log/q.log") == true)
    #expect(error?.description.contains("another log") == true)
  }
}
