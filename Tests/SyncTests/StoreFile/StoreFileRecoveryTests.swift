import Foundation
import Signals
import SignalsSync
import Synchronization
import TestSupport
import Testing

/// A number that counts how often it is encoded.
struct Tallied: Codable, Hashable, Sendable {
  static let encodings = Mutex(0)
  var number = 0

  init(number: Int = 0) { self.number = number }

  init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int.self)
  }

  func encode(to encoder: any Encoder) throws {
    Self.encodings.withLock { $0 += 1 }
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}

final class Tally: Object {
  @Field var value = Tallied()
  @Field var text = ""
}

@Suite("Files of stores that lack a commit", .serialized)
struct StoreFileRecoveryTests {
  /// Creates a file whose damage was found by merging its entries.
  private func damagedFile(_ files: SimulatedFiles) async throws -> StoreFile {
    let file = try open(files, smallestTail: 10_000)
    try file.write { try file.store.add(Page()) }
    files.edit("/store/store.log") { $0[$0.count - 3] ^= 0xff }
    // One commit makes a checkpoint due. A second one could replace the file unnoticed.
    let page = Page()
    page.title = String(repeating: "x", count: 10_000)
    try file.store.add(page)
    while file.problem == nil {
      try Task.checkCancellation()
      await Task.yield()
    }
    return file
  }

  @Test(.timeLimit(.minutes(1)))
  func `The store in memory replaces a file that is damaged`() async throws {
    let files = SimulatedFiles()
    let file = try await damagedFile(files)
    try file.blockingFlush()
    #expect(file.problem == nil)
    #expect(try open(files.afterKill()).store.contents == file.store.contents)
  }

  @Test(.timeLimit(.minutes(1)), arguments: [true, false])
  func `A commit is enough for that`(isSingleWrite: Bool) async throws {
    let files = SimulatedFiles()
    let file = try await damagedFile(files)
    let page = try #require(file.store.objectsInOrder.first as? Page)
    if isSingleWrite { page.title = "t" } else { try file.store.write { page.title = "t" } }
    #expect(file.problem == nil)
    #expect(try open(files.afterKill()).store.contents == file.store.contents)
  }

  @Test func `A checkpoint is never larger than a snapshot may be`() async throws {
    let files = SimulatedFiles()
    let file = try open(files, smallestTail: 100, limits: SizeLimits(snapshot: 400))
    for _ in 0..<100 { try file.store.add(Page()) }
    try await file.close()
    let size =
      files.names(at: "/store").contains("store.snapshot")
      ? files.edit("/store/store.snapshot") { $0.count } : 0
    #expect(size < 500)
    #expect(try open(files).store.contents == file.store.contents)
  }

  @Test(.timeLimit(.minutes(1)))
  func `A checkpoint that can't be made is a problem until one is made`() async throws {
    let files = SimulatedFiles()
    let file = try open(files, smallestTail: 300, limits: SizeLimits(snapshot: 600))
    let pages = (0..<4).map { _ in Page() }
    try file.write { try file.store.add(pages) }
    for page in pages { page.title = String(repeating: "x", count: 200) }
    while file.problem == nil {
      pages[0].size += 1
      try file.blockingFlush()
      await Task.yield()
    }
    guard case .growing? = file.problem else {
      Issue.record("\(String(describing: file.problem))")
      return
    }
    // Commits are accepted in the meantime.
    try file.write { pages[0].size = -5 }
    #expect(try open(files.afterKill()).store.contents == file.store.contents)
    for page in pages { page.title = "" }
    var number = 0
    while file.problem != nil {
      number += 1
      pages[0].size = number
      try file.blockingFlush()
      await Task.yield()
    }
    try await file.close()
    #expect(try open(files).store.contents == file.store.contents)
  }

  @Test func `A commit that is too large is kept with those after it, as soon as that is possible`()
    throws
  {
    let files = SimulatedFiles()
    let file = try open(files, limits: SizeLimits(append: 500))
    let tally = Tally()
    try file.write { try file.store.add(tally) }
    tally.text = String(repeating: "x", count: 600)
    tally.value = Tallied(number: 1)
    #expect(file.problem == nil)
    let found = try open(files.afterKill())
    #expect((found.store.objectsInOrder.first as? Tally)?.text.count == 600)
    try file.blockingFlush()
    let again = try open(files.afterKill())
    #expect((again.store.objectsInOrder.first as? Tally)?.value.number == 1)
  }

  @Test func `A store that the file can't take is encoded ever more rarely`() throws {
    let files = SimulatedFiles()
    let file = try open(files, limits: SizeLimits(append: 500, snapshot: 500))
    let (tally, page) = (Tally(), Page())
    try file.write { try file.store.add([tally, page]) }
    tally.text = String(repeating: "x", count: 600)
    let before = Tallied.encodings.withLock { $0 }
    for number in 0..<1000 { page.size = number }
    #expect(Tallied.encodings.withLock { $0 } - before < 15)
    guard case .tooLarge? = file.problem else {
      Issue.record("\(String(describing: file.problem))")
      return
    }
    tally.text = "short"
    try file.blockingFlush()
    #expect(file.problem == nil)
    #expect(try open(files.afterKill()).store.contents == file.store.contents)
  }

  @Test(.timeLimit(.minutes(1)))
  func `The problems of a file that is closed end`() async throws {
    let file = try open(SimulatedFiles())
    try await file.close()
    var seen = 0
    for await problem in file.problems {
      seen += 1
      #expect(problem == nil)
    }
    #expect(seen == 1)
  }

  @Test func `A file that failed to close isn't written again`() async throws {
    let files = SimulatedFiles()
    let file = try open(files, limits: SizeLimits(append: 500, snapshot: 500))
    let tally = Tally()
    try file.write { try file.store.add(tally) }
    tally.text = String(repeating: "x", count: 600)
    await #expect(throws: StoreFileError.self) { try await file.close() }
    let before = Tallied.encodings.withLock { $0 }
    await #expect(throws: StoreFileError.self) { try await file.close() }
    #expect(throws: StoreFileError.self) { try file.blockingFlush() }
    #expect(Tallied.encodings.withLock { $0 } == before)
  }

  @Test func `An opening that fails for changed classes loses nothing, at whichever call`()
    async throws
  {
    let original = SimulatedFiles()
    let file = try open(original)
    try file.write { try file.store.add([Page(), Page()]) }
    var entries = try await StoredEntries(of: original)
    entries.replace("size", by: "sizx")
    var edits = RandomEdits(seed: firstSeed)
    var (calls, isOpen) = (0, false)
    while !isOpen {
      for isKilled in [true, false] {
        let files = try await entries.files()
        var plan = SimulatedFiles.Plan()
        plan.crash = files.calls + calls
        files.setPlan(plan)
        isOpen = (try? open(files)) != nil
        let left = isKilled ? files.afterKill() : files.afterLossOfPower(&edits.random)
        #expect(try open(left).store.contents == file.store.contents, "call \(calls)")
      }
      calls += 1
    }
    #expect(calls > 3)
  }
}
