import Foundation
import Signals
import SignalsSync
import TestSupport
import Testing

@Suite("Files of stores on devices that fail", .serialized)
struct StoreFileDeviceTests {
  @Test func `More commits than can wait for space are kept when there is some`() throws {
    let files = SimulatedFiles()
    let file = try StoreFile(
      at: "/store", interval: .seconds(3600), smallestTail: 1000,
      limits: SizeLimits(append: 2000), files: files)
    let page = Page()
    try file.write { try file.store.add(page) }
    for round in 0..<3 {
      files.setPlan(.init(capacity: 0))
      #expect(throws: StoreFileError.self) { try file.write { page.size = -1 } }
      for number in 0..<500 { page.size = 1000 * round + number }
      guard case .noSpace? = file.problem else {
        Issue.record("\(String(describing: file.problem))")
        return
      }
      files.setPlan(.init())
      try file.blockingFlush()
      let found = try open(files.afterKill(), smallestTail: 1000)
      #expect(found.store.contents == file.store.contents)
    }
  }

  @Test(arguments: (0..<runLength(usually: 40)).map { firstSeed + UInt64($0) })
  func `Whatever a device does, the file has one of the commits since the last that it promised`(
    seed: UInt64
  ) throws {
    var edits = RandomEdits(seed: seed &* 13)
    var files = SimulatedFiles()
    var possible: [[String]] = [[]]
    for run in 0..<4 {
      files.setPlan(.init())
      let file = try StoreFile(
        at: "/store", interval: .seconds(3600), smallestTail: 300,
        limits: SizeLimits(append: 400 + edits.number(below: 1000)), files: files)
      let found = file.store.contents
      #expect(possible.contains(found), "seed \(seed), run \(run)")
      #expect(file.store.brokenInvariants() == [], "seed \(seed), run \(run)")
      possible = [found]
      for _ in 0..<edits.number(below: 120) {
        try edits.write(file.store)
        possible.append(file.store.contents)
        switch edits.number(below: 16) {
        case 0: files.setPlan(.init(capacity: edits.number(below: 4000)))
        case 1, 2, 5: files.setPlan(.init())
        case 6: files.setPlan(.init(syncError: EIO))
        case 7: files.setPlan(.init(directorySyncError: EIO))
        case 3, 4: if (try? file.blockingFlush()) != nil { possible = [file.store.contents] }
        default: break
        }
      }
      files =
        edits.number(below: 2) == 0
        ? files.afterKill() : files.afterLossOfPower(&edits.random)
    }
  }

  @Test(arguments: 0..<4)
  func `A process that is killed leaves the writes that were acknowledged`(round: Int) async throws
  {
    try await LogKind.withDirectory { path in
      let delay = 15_000 * (round + 1)
      for _ in 0..<2 {
        await #expect(processExitsWith: .signal(SIGKILL)) {
          [path = path as String, delay = delay as Int] in
          try Self.writeUntilKilled(at: path, after: delay)
        }
      }
      defer { try? FileManager.default.removeItem(atPath: "\(path).acknowledged") }
      let acknowledged = FileManager.default.contents(atPath: "\(path).acknowledged")?.count ?? 0
      #expect(acknowledged >= 2)
      let file = try StoreFile(at: path)
      let notes = file.store.objectsInOrder.compactMap { $0 as? Note }.map(\.text)
      #expect(notes.count >= acknowledged)
      #expect(notes == (0..<notes.count).map { "note \($0)" })
      try await file.close()
    }
  }

  /// Adds notes, and counts in a file those that were acknowledged.
  private static func writeUntilKilled(at path: String, after delay: Int) throws {
    let file = try StoreFile(
      at: path, interval: .milliseconds(5), smallestTail: 400, files: POSIXFileSystem())
    let acknowledged = unsafe open("\(path).acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    var count = file.store.objectsInOrder.count
    var isDoomed = false
    while true {
      try file.write {
        let note = Note()
        note.text = "note \(count)"
        try file.store.add(note)
      }
      count += 1
      _ = unsafe write(acknowledged, "+", 1)
      if isDoomed { continue }
      isDoomed = true
      Thread.detachNewThread {
        usleep(UInt32(delay))
        kill(getpid(), SIGKILL)
      }
    }
  }

  /// The path of a small file system, such as one that
  /// `mount -t tmpfs -o size=4m tmpfs PATH` makes.
  private static let smallDisk = ProcessInfo.processInfo.environment["SIGNALS_SMALL_DISK"]

  @Test(.enabled(if: smallDisk != nil, "SIGNALS_SMALL_DISK isn't the path of a small file system"))
  func `A real device that is full keeps no commit from the file when there is space`()
    async throws
  {
    let path = "\(try #require(Self.smallDisk))/store"
    let filler = "\(path).filler"
    defer { for left in [path, filler] { try? FileManager.default.removeItem(atPath: left) } }
    try Data(count: 2_000_000).write(to: URL(fileURLWithPath: filler))
    let file = try StoreFile(
      at: path, interval: .milliseconds(2), smallestTail: 1 << 16, files: POSIXFileSystem())
    var count = 0
    while file.problem == nil {
      let note = Note()
      note.text = String(repeating: "\(count % 10)", count: 5000)
      try file.store.add(note)
      count += 1
    }
    for _ in 0..<100 { try file.store.add(Note()) }
    #expect(throws: StoreFileError.self) { try file.blockingFlush() }
    try FileManager.default.removeItem(atPath: filler)
    try file.blockingFlush()
    let contents = file.store.contents
    try await file.close()
    #expect(try StoreFile(at: path).store.contents == contents && contents.count == count + 100)
  }
}
