import Foundation
import SignalsSync
import SignalsTesting
import Synchronization
import TestSupport
import Testing

@Suite("FileLog, failures that are final")
struct FileLogFailureTests {
  static let durabilities: [FileLog.Durability] = [.each, .interval(.seconds(3_600))]
  static let lost = ChangeLogError.system(path: "/log/p.log", call: "fsync", code: Int(EIO))
  static let unnamed = ChangeLogError.system(path: "/log", call: "fsync", code: Int(EIO))

  @Test("A close that can't write throws, and unlocks the directory")
  func close() async throws {
    let files = SimulatedFiles()
    let log = try FileLog(at: "/log", durability: .interval(.seconds(3_600)), files: files)
    try await log.append(contents(0..<2), to: "p")
    try await log.sync("p")
    try await log.append([content(2)], to: "p")
    files.setPlan(.init(syncError: EIO))
    await #expect(throws: Self.lost) { try await log.close() }
    files.setPlan(.init())
    await #expect(throws: ChangeLogError.closed) { try await log.head(of: "p") }
    let reopened = try FileLog(at: "/log", durability: .each, files: files)
    let end = try await reopened.head(of: "p")
    #expect(end == head(at: 2) || end == head(at: 3))
  }

  @Test("A failed fsync isn't followed by one that succeeds, although the system reports it once")
  func reportedOnce() async throws {
    let files = SimulatedFiles()
    let log = try FileLog(at: "/log", durability: .interval(.seconds(3_600)), files: files)
    try await log.append(contents(0..<2), to: "p")
    files.setPlan(.init(syncError: EIO))
    await #expect(throws: ChangeLogError.self) { try await log.sync("p") }
    files.setPlan(.init())
    await #expect(throws: ChangeLogError.self) { try await log.sync("p") }
    #expect(throws: ChangeLogError.self) { try log.flush("p") }
    #expect(throws: ChangeLogError.self) { try log.accept([content(2)], in: "p") }
    await #expect(throws: ChangeLogError.self) { try await log.close() }
    await #expect(throws: ChangeLogError.closed) { try await log.sync("p") }
    try await log.close()
  }

  @Test("Nothing is written to a file whose name is in doubt", arguments: durabilities)
  func truncation(_ durability: FileLog.Durability) async throws {
    let files = SimulatedFiles()
    let log = try FileLog(at: "/log", durability: durability, files: files)
    try await log.append(contents(0..<4), to: "p")
    try await log.storeSnapshot(LogSnapshot(head: head(at: 3), bytes: []), of: "p")
    if durability != .each { try log.accept([content(4)], in: "p") }
    files.setPlan(.init(directorySyncError: EIO))
    await #expect(throws: Self.unnamed) { try await log.truncate("p", before: 2) }
    files.setPlan(.init())
    await #expect(throws: Self.unnamed) { try await log.append([content(4)], to: "p") }
    if durability != .each {
      await #expect(throws: Self.unnamed) { try await log.sync("p") }
      #expect(throws: Self.unnamed) { try log.flush("p") }
    }
    #expect(try await log.entries(of: "p", from: 0, limit: 4).map(\.bytes) == contents(0..<4))
    await #expect(throws: Self.unnamed) { try await log.truncate("p", before: 2) }
    await #expect(throws: Self.unnamed) { try await log.close() }
  }

  @Test("An append that waits while the name becomes doubtful isn't acknowledged")
  func waitingAppend() async throws {
    let gate = DispatchSemaphore(value: 0)
    // The number of syncs up to the one that is held: that of the directory follows the file's.
    let left = Mutex(0)
    let isHeld = Mutex(false)
    let files = SimulatedFiles {
      let isLast = left.withLock { left in
        left -= 1
        return left == 0
      }
      guard isLast else { return }
      isHeld.withLock { $0 = true }
      gate.wait()
    }
    let log = try FileLog(at: "/log", durability: .each, files: files)
    try await log.append(contents(0..<4), to: "p")
    try await log.storeSnapshot(LogSnapshot(head: head(at: 3), bytes: []), of: "p")
    left.withLock { $0 = 2 }
    let truncation = Task { try await log.truncate("p", before: 2) }
    while !isHeld.withLock({ $0 }) { await Task.yield() }
    let append = Task { try await log.append([content(4)], to: "p") }
    while log.waiterCount(of: "p") < 1 { await Task.yield() }
    files.setPlan(.init(directorySyncError: EIO))
    gate.signal()
    await #expect(throws: Self.unnamed) { try await truncation.value }
    await #expect(throws: Self.unnamed) { try await append.value }
    #expect(try await log.head(of: "p") == head(at: 4))
  }

  @Test("A name that may be lost makes the names that follow fail")
  func directory() async throws {
    let files = SimulatedFiles()
    let log = try FileLog(at: "/log", durability: .each, files: files)
    try await log.append([content(0)], to: "p")
    files.setPlan(.init(directorySyncError: EIO))
    await #expect(throws: Self.unnamed) { try await log.append([content(0)], to: "q") }
    files.setPlan(.init())
    await #expect(throws: Self.unnamed) { try await log.append([content(0)], to: "r") }
    // Its name was durable before.
    try await log.append([content(1)], to: "p")
  }

  @Test("A failure in the background is reported, and is that of the close")
  func background() async throws {
    let files = SimulatedFiles()
    let reports = Reports()
    let log = try FileLog(
      at: "/log", durability: .interval(.milliseconds(1)), files: files, onFailure: reports.add)
    try await log.append([content(0)], to: "p")
    try await log.sync("p")
    files.setPlan(.init(syncError: EIO))
    try log.accept([content(1)], in: "p")
    while reports.all.isEmpty { await Task.yield() }
    #expect(reports.all == [Reports.Report(partition: "p", error: Self.lost)])
    files.setPlan(.init())
    await #expect(throws: Self.lost) { try await log.close() }
    _ = try FileLog(at: "/log", durability: .each, files: files)
  }

  @Test("A full device and its end are reported once each, and nothing accepted is lost")
  func noSpace() async throws {
    let files = SimulatedFiles()
    let reports = Reports()
    let log = try FileLog(
      at: "/log", durability: .interval(.milliseconds(1)), files: files, onFailure: reports.add)
    try log.accept([content(0)], in: "p")
    try log.flush("p")
    let full = ChangeLogError.noSpace(path: "/log/p.log")
    files.setPlan(.init(capacity: 0))
    for position in 1..<50 { try log.accept([content(position)], in: "p") }
    while reports.all.isEmpty { await Task.yield() }
    for position in 50..<100 { try log.accept([content(position)], in: "p") }
    #expect(throws: full) { try log.flush("p") }
    await #expect(throws: full) { try await log.close() }
    files.setPlan(.init())
    while reports.all.count < 2 { await Task.yield() }
    #expect(reports.all.map(\.error) == [full, nil])
    #expect(try await log.all(of: "p").map(\.bytes) == contents(0..<100))
    try await log.close()
    let reopened = try FileLog(at: "/log", durability: .each, files: files)
    #expect(try await reopened.head(of: "p") == head(at: 100))
  }

  @Test("A group that was refused for lack of space isn't there after a loss of power")
  func refusedGroup() async throws {
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
    isHolding.withLock { $0 = true }
    let first = Task { try await log.append([content(1)], to: "p") }
    while log.waiterCount(of: "p") < 1 { await Task.yield() }
    while isHolding.withLock({ $0 }) { await Task.yield() }
    let refused = (0..<4).map { _ in Task { try await log.append([[7]], to: "p") } }
    while log.waiterCount(of: "p") < 5 { await Task.yield() }
    // Two of the four frames fit.
    let size = files.edit("/log/p.log") { $0.count }
    files.setPlan(.init(capacity: size + 60, largestWrite: 26))
    gate.signal()
    _ = try await first.value
    for task in refused {
      await #expect(throws: ChangeLogError.noSpace(path: "/log/p.log")) { try await task.value }
    }
    var chance = SeededRandom(seed: firstSeed)
    for _ in 0..<20 {
      let left = try FileLog(
        at: "/log", durability: .each, files: files.afterLossOfPower(&chance))
      #expect(try await left.head(of: "p") == head(at: 2), "seed \(firstSeed)")
    }
  }

  @Test("The name of a directory is durable before its entries, also after a kill")
  func directoryName() async throws {
    let whole = SimulatedFiles()
    _ = try FileLog(at: "/log", durability: .each, files: whole)
    var chance = SeededRandom(seed: firstSeed)
    for call in 0..<whole.calls {
      let killed = SimulatedFiles()
      killed.setPlan(.init(crash: call))
      _ = try? FileLog(at: "/log", durability: .each, files: killed)
      let files = killed.afterKill()
      let log = try FileLog(at: "/log", durability: .each, files: files)
      try await log.append(contents(0..<2), to: "p")
      let left = try FileLog(
        at: "/log", durability: .each, files: files.afterLossOfPower(&chance))
      #expect(try await left.head(of: "p") == head(at: 2), "call \(call), seed \(firstSeed)")
    }
  }
}

/// The failures that a log has reported.
private final class Reports: Sendable {
  struct Report: Equatable {
    let partition: Partition
    let error: ChangeLogError?
  }

  private let state = Mutex<[Report]>([])

  var all: [Report] { state.withLock { $0 } }

  func add(_ partition: Partition, _ error: ChangeLogError?) {
    state.withLock { $0.append(Report(partition: partition, error: error)) }
  }
}
