import Foundation
import SignalsSync
import SignalsTesting
import Synchronization
import TestSupport
import Testing

@Suite("FileLog, calls without await")
struct FileLogAcceptTests {
  private static let hour = FileLog.Durability.interval(.seconds(3_600))

  @Test("Entries are accepted while the device is busy, and can be read")
  func accept() async throws {
    let gate = DispatchSemaphore(value: 0)
    let isHolding = Mutex(false)
    let isHeld = Mutex(false)
    let files = SimulatedFiles {
      guard isHolding.withLock({ $0 }) else { return }
      isHeld.withLock { $0 = true }
      gate.wait()
    }
    let log = try FileLog(at: "/log", durability: Self.hour, files: files)
    #expect(try log.accept([content(0)], in: "p") == head(at: 1))
    isHolding.withLock { $0 = true }
    let sync = Task { try await log.sync("p") }
    while !isHeld.withLock({ $0 }) { await Task.yield() }
    for position in 1..<100 {
      #expect(try log.accept([content(position)], in: "p") == head(at: position + 1))
    }
    isHolding.withLock { $0 = false }
    // The directory and the file each have a sync.
    for _ in 0..<4 { gate.signal() }
    try await sync.value
    #expect(try await log.all(of: "p").map(\.bytes) == contents(0..<100))
  }

  @Test("The entries accepted before a flush, and no others, are durable after it")
  func flush() async throws {
    let files = SimulatedFiles()
    let log = try FileLog(at: "/log", durability: Self.hour, files: files)
    try log.flush("p")
    try log.accept(contents(0..<3), in: "p")
    try log.accept([content(3)], in: "p", expecting: head(at: 3))
    try log.flush("p")
    try log.accept([content(4)], in: "p")
    #expect(throws: ChangeLogError.headMoved("p", to: head(at: 5))) {
      try log.accept([content(5)], in: "p", expecting: head(at: 4))
    }
    var chance = SeededRandom(seed: firstSeed)
    for _ in 0..<10 {
      let left = try FileLog(
        at: "/log", durability: .each, files: files.afterLossOfPower(&chance))
      #expect(try await left.head(of: "p") == head(at: 4), "seed \(firstSeed)")
    }
    try await log.close()
    #expect(throws: ChangeLogError.closed) { try log.accept([content(5)], in: "p") }
    #expect(throws: ChangeLogError.closed) { try log.flush("p") }
  }

  @Test("Accepted entries are durable after the interval without a call")
  func interval() async throws {
    let files = SimulatedFiles()
    let log = try FileLog(at: "/log", durability: .interval(.milliseconds(1)), files: files)
    for position in 0..<20 { try log.accept([content(position)], in: "p") }
    while try await FileLog(at: "/log", durability: .each, files: files.afterKill())
      .head(of: "p").position < 20
    {
      await Task.yield()
    }
  }

  @Test("A large backlog of accepted entries is written before the interval is over")
  func backlog() async throws {
    let files = SimulatedFiles()
    let log = try FileLog(at: "/log", durability: Self.hour, files: files)
    for _ in 0..<40 { try log.accept([[UInt8](repeating: 1, count: 50_000)], in: "p") }
    while !files.names(at: "/log").contains("p.log") { await Task.yield() }
    while files.edit("/log/p.log", { $0.count }) < 1_000_000 { await Task.yield() }
  }

  @Test("Accepts from several threads are all there, each one whole")
  func concurrent() async throws {
    let files = SimulatedFiles()
    let log = try FileLog(at: "/log", durability: .interval(.milliseconds(1)), files: files)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for index in 0..<100 {
            try log.accept(
              [[UInt8(task), UInt8(index), 0], [UInt8(task), UInt8(index), 1]], in: "p")
            if index % 30 == 0 { try log.flush("p") }
          }
        }
      }
      try await group.waitForAll()
    }
    try await log.close()
    let reopened = try FileLog(at: "/log", durability: .each, files: files)
    let entries = try await reopened.all(of: "p").map(\.bytes)
    #expect(entries.count == 800)
    for index in stride(from: 0, to: entries.count, by: 2) {
      #expect(entries[index + 1] == entries[index].dropLast() + [1])
    }
  }

  @Test("To accept entries without an interval traps")
  func trap() async {
    await #expect(processExitsWith: .failure) {
      let log = try FileLog(at: "/log", durability: .each, files: SimulatedFiles())
      try log.accept([[1]], in: "p")
    }
  }
}
