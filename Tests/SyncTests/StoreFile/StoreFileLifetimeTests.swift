import Foundation
import Signals
import SignalsSync
import Synchronization
import TestSupport
import Testing

@Suite("Lifetimes of stores in files")
struct StoreFileLifetimeTests {
  @Test func `A file that is open can't be opened again until it is closed`() async throws {
    let files = SimulatedFiles()
    let file = try open(files)
    let error = #expect(throws: StoreFileError.self) { try open(files) }
    #expect(error?.description == "the file at /store is open already")
    try await file.close()
    _ = try open(files)
  }

  @Test(arguments: [Duration.milliseconds(1), .seconds(3600)])
  func `A file can be opened right after its store is released, with all commits`(
    interval: Duration
  ) throws {
    for smallestTail in [100, 1 << 20] {
      let files = SimulatedFiles()
      for round in 0..<20 {
        let file = try open(files, interval: interval, smallestTail: smallestTail)
        #expect(file.store.objectsInOrder.count == 10 * round)
        for _ in 0..<10 { try file.store.add(Page()) }
        if round % 3 == 0 { try file.blockingFlush() }
        // The commit at the end of the interval may be ending.
        if round % 4 == 0 { usleep(1000) }
      }
    }
  }

  @Test func `A real file can be opened right after its store is released`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    for round in 0..<10 {
      let store = try StoreFile(at: path, interval: .seconds(3600)).store
      #expect(store.objectsInOrder.count == round)
      try store.add(Page())
    }
  }

  @Test func `A path with a zero byte is refused, and nothing is made`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID())").path
    let error = #expect(throws: StoreFileError.self) { try StoreFile(at: path + "\0.store") }
    #expect(error?.description == "open failed for \(path)\0.store with error \(EINVAL)")
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `A file is free after an error at opening`() async throws {
    let original = SimulatedFiles()
    let file = try open(original)
    try file.write { try file.store.add(Note()) }
    var entries = try await StoredEntries(of: original)
    // An embedded object without an owner.
    entries.replace("Note", by: "Part")
    let files = try await entries.files()
    #expect(throws: StoreFileError.self) { try open(files) }
    let log = try FileLog(at: "/store", durability: .each, files: files)
    try await log.close()
  }

  @MainActor
  @Test func `A commit while a file is being closed isn't saved, and isn't a problem`() async throws
  {
    let gate = SyncGate()
    let files = SimulatedFiles { gate.pass() }
    let file = try open(files)
    let note = Note()
    try file.write { try file.store.add(note) }
    note.text = "first"
    gate.isShut.store(true, ordering: .relaxed)
    let closing = Task { try await file.close() }
    while !gate.isReached.load(ordering: .relaxed) { await Task.yield() }
    note.text = "late"
    gate.open()
    try await closing.value
    #expect(file.problem == nil && note.text == "late")
    #expect(try open(files).store.results(Note.self).map(\.text) == ["first"])
  }

  @Test func `A store lives on after its file is closed, and nothing more is kept`() async throws {
    let files = SimulatedFiles()
    let file = try open(files)
    try file.store.add(Page())
    try await file.close()
    try await file.close()
    try file.store.add(Page())
    #expect(throws: StoreFileError.self) { try file.write { try file.store.add(Page()) } }
    #expect(file.store.objectsInOrder.count == 3)
    #expect(try open(files).store.objectsInOrder.count == 1)
  }

  @Test func `A durable write inside a transaction is durable with it`() throws {
    struct Failed: Error {}
    let files = SimulatedFiles()
    let file = try open(files)
    let page = Page()
    try file.store.write {
      try file.store.add(page)
      let syncs = files.syncs
      let result = try file.write {
        page.size = 1
        return 7
      }
      #expect(result == 7)
      #expect(throws: Failed.self) {
        try file.write {
          page.size = 2
          throw Failed()
        }
      }
      page.visits = 3
      #expect(files.syncs == syncs)
    }
    let found = try open(files.afterKill())
    #expect(found.store.contents == file.store.contents && page.size == 1 && page.visits == 3)
  }

  @Test func `A durable write inside an observer is durable after it`() throws {
    let files = SimulatedFiles()
    let file = try open(files)
    let page = Page()
    try file.write { try file.store.add(page) }
    let observer = PropagationObserver("a test") { try? file.write { page.visits = 4 } }
    observer.request()
    #expect(try open(files.afterKill()).store.contents == file.store.contents && page.visits == 4)
  }

  @Test func `The failure of a durable write inside a transaction is a problem`() throws {
    let files = SimulatedFiles()
    let file = try open(files)
    try file.write { try file.store.add(Page()) }
    files.setPlan(.init(syncError: EIO))
    try file.store.write { try file.write { try file.store.add(Page()) } }
    while file.problem == nil { usleep(1000) }
    #expect(file.store.objectsInOrder.count == 2)
  }

  @Test func `An asynchronous flush makes all commits durable`() async throws {
    let files = SimulatedFiles()
    let file = try open(files)
    for _ in 0..<10 { try file.store.add(Page()) }
    try await file.flush()
    #expect(try open(files.afterKill()).store.contents == file.store.contents)
    files.setPlan(.init(capacity: 0))
    try file.store.add(Page())
    await #expect(throws: StoreFileError.self) { try await file.flush() }
    files.setPlan(.init())
    try await file.flush()
    #expect(try open(files.afterKill()).store.contents == file.store.contents)
  }

  @Test func `Commits wait for space, and are kept when there is some`() async throws {
    let files = SimulatedFiles()
    let file = try open(files, smallestTail: 300)
    try file.write { try file.store.add(Page()) }
    files.setPlan(.init(capacity: 0))
    for _ in 0..<30 { try file.store.add(Page()) }
    #expect(throws: StoreFileError.self) { try file.blockingFlush() }
    await #expect(throws: StoreFileError.self) { try await file.close() }
    files.setPlan(.init())
    try file.blockingFlush()
    #expect(try open(files.afterKill()).store.contents == file.store.contents)
    try await file.close()
  }

  @Test func `While each fsync fails, writes throw, and the store works`() async throws {
    let files = SimulatedFiles()
    let file = try open(files)
    try file.write { try file.store.add(Page()) }
    files.setPlan(.init(syncError: EIO))
    for _ in 0..<2 {
      #expect(throws: StoreFileError.self) { try file.write { try file.store.add(Page()) } }
    }
    #expect(file.store.objectsInOrder.count == 3)
    let found = try open(files.afterKill()).store.objectsInOrder.count
    #expect((1...3).contains(found))
  }
}

/// Makes the calls of `fsync` wait from some point on.
private final class SyncGate: Sendable {
  let isShut = Atomic(false)
  let isReached = Atomic(false)
  private let opened = DispatchSemaphore(value: 0)

  func pass() {
    guard isShut.load(ordering: .relaxed) else { return }
    isReached.store(true, ordering: .relaxed)
    _ = opened.wait(timeout: .now() + 10)
  }

  func open() {
    isShut.store(false, ordering: .relaxed)
    opened.signal()
  }
}
