import Foundation
import SignalsSync
import SignalsTesting
import Testing

/// Logs of several processes, and copies of the files.
@Suite("FileLog, processes and copies")
struct FileLogProcessTests {
  @Test("A second log of the same directory is refused until the first is closed")
  func secondLog() async throws {
    try await LogKind.withDirectory { path in
      do {
        let log = try FileLog(at: path)
        #expect(throws: ChangeLogError.locked(path: path)) { try FileLog(at: path) }
        try await log.append([content(0)], to: "p")
        #expect(throws: ChangeLogError.locked(path: path)) { try FileLog(at: path) }
        try await log.close()
      }
      let log = try FileLog(at: path)
      #expect(try await log.head(of: "p") == head(at: 1))
    }
  }

  @Test("Another process is locked out, and leaves the log as it is")
  func secondProcess() async throws {
    try await LogKind.withDirectory { path in
      let log = try FileLog(at: path)
      try await log.append([content(0)], to: "p")
      await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
        do throws(ChangeLogError) {
          _ = try FileLog(at: path)
        } catch {
          exit(error == .locked(path: path) ? 7 : 8)
        }
      }
      try await log.append([content(1)], to: "p", expecting: head(at: 1))
      #expect(try await log.all(of: "p").map(\.bytes) == contents(0..<2))
    }
  }

  @Test("A process that is killed leaves what it acknowledged", arguments: 0..<6)
  func kill(_ round: Int) async throws {
    try await LogKind.withDirectory { path in
      let delay = _isDebugAssertConfiguration() ? 20_000 * round : 5_000 * round
      for _ in 0..<2 {
        await #expect(processExitsWith: .signal(SIGKILL)) {
          [path = path as String, delay = delay as Int] in
          try await Self.appendUntilKilled(at: path, after: delay)
        }
      }
      defer { try? FileManager.default.removeItem(atPath: "\(path).acknowledged") }
      let acknowledged = FileManager.default.contents(atPath: "\(path).acknowledged")?.count ?? 0
      #expect(acknowledged >= 6)
      let log = try FileLog(at: path)
      let end = try await log.head(of: "p")
      let length = Int(end.position.rawValue)
      #expect(length >= acknowledged && length % 3 == 0)
      #expect(end == head(at: length))
      if let snapshot = try await log.snapshot(of: "p") {
        let oldest = snapshot.head.position
        let left = try await log.all(of: "p", from: oldest)
        #expect(left.map(\.bytes) == contents(Int(oldest.rawValue)..<length))
      }
    }
  }

  /// Appends three entries at a time, and counts in a file those that were acknowledged.
  private static func appendUntilKilled(at path: String, after delay: Int) async throws {
    let log = try FileLog(at: path)
    let acknowledged = unsafe open("\(path).acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    var end = try await log.head(of: "p")
    var isDoomed = false
    while true {
      let position = Int(end.position.rawValue)
      end = try await log.append(contents(position..<position + 3), to: "p", expecting: end)
      _ = unsafe write(acknowledged, "+++", 3)
      if !isDoomed {
        isDoomed = true
        Thread.detachNewThread {
          usleep(UInt32(delay))
          Foundation.kill(getpid(), SIGKILL)
        }
      }
      if position % 30 == 0 {
        try await log.storeSnapshot(LogSnapshot(head: end, bytes: content(position)), of: "p")
        try await log.truncate("p", before: end.position.advanced(by: -1))
      }
    }
  }

  @Test("A directory that was copied is a log with the same entries")
  func copiedDirectory() async throws {
    try await LogKind.withDirectory { path in
      let copy = "\(path).copy"
      defer { try? FileManager.default.removeItem(atPath: copy) }
      try await fill(path)
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      let log = try FileLog(at: copy)
      #expect(try await log.all(of: "p").map(\.bytes) == contents(0..<3))
      try await log.append([content(3)], to: "p")
      let original = try FileLog(at: path)
      #expect(try await original.head(of: "p") == head(at: 3))
    }
  }

  @Test("A directory that was moved is the same log")
  func movedDirectory() async throws {
    try await LogKind.withDirectory { path in
      try await fill(path)
      let moved = "\(path).moved"
      try FileManager.default.moveItem(atPath: path, toPath: moved)
      defer { try? FileManager.default.removeItem(atPath: moved) }
      let log = try FileLog(at: moved)
      #expect(try await log.all(of: "p").map(\.bytes) == contents(0..<3))
    }
  }

  @Test("A path that can't be opened is an error that names it and the call")
  func badPath() throws {
    let path = "/nowhere-\(UUID().uuidString)/log"
    let error = ChangeLogError.system(path: path, call: "mkdir", code: Int(ENOENT))
    #expect(throws: error) { try FileLog(at: path) }
  }

  private func fill(_ path: String) async throws {
    let log = try FileLog(at: path)
    try await log.append(contents(0..<3), to: "p")
    try await log.close()
  }
}
