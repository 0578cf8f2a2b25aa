import Signals
import SignalsSync
import TestSupport
import Testing

@Suite("Recovery of damaged files of stores")
struct StoreFileSalvageTests {
  /// Returns a file whose notes were migrated to version 1, with a commit after the checkpoint.
  private func migratedNotes() async throws -> SimulatedFiles {
    let files = try await notes(100)
    let file = try open(files, version: 1, [1: { _ in }])
    let note = Note()
    note.text = "later"
    try file.write { try file.store.add(note) }
    try await file.close()
    return files
  }

  /// Returns a file with notes, one commit each, and its store.
  private func notes(_ count: Int) async throws -> SimulatedFiles {
    let files = SimulatedFiles()
    let file = try open(files)
    for number in 0..<count {
      try file.write {
        let note = Note()
        note.text = "note \(number)"
        try file.store.add(note)
      }
    }
    try await file.close()
    return files
  }

  private func texts(_ store: Store) -> [String] {
    store.objectsInOrder.compactMap { ($0 as? Note)?.text }
  }

  @Test func `One flipped bit costs one commit`() async throws {
    let files = try await notes(20)
    let text = Array("note 7".utf8)
    files.edit("/store/store.log") { bytes in
      let place = (0..<bytes.count).first { bytes[$0...].starts(with: text) }
      bytes[place!] ^= 1
    }
    let before = files.edit("/store/store.log") { $0 }
    #expect(throws: StoreFileError.self) { try open(files) }
    let report = try StoreFile.recover(at: "/store", to: "/new", files: files)
    let found = try open(files, at: "/new")
    let expected = (0..<20).filter { $0 != 7 }.map { "note \($0)" }
    #expect(texts(found.store) == expected)
    #expect(report.objectCount == 19 && report.commitCount == 19 && report.clearedLinkCount == 0)
    #expect(report.losses.count == 1)
    #expect(report.losses.first?.commits == 7..<8 && report.losses.first?.file == "store.log")
    let loss = try #require(report.losses.first), bytes = try #require(loss.bytes)
    #expect(
      "\(loss)"
        == "bytes \(bytes.lowerBound) to \(bytes.upperBound) of store.log, commit 7: \(loss.reason)"
    )
    #expect(files.edit("/store/store.log") { $0 } == before)
    try found.write { try found.store.add(Note()) }
    #expect(try open(files.afterKill(), at: "/new").store.objectsInOrder.count == 20)
  }

  @Test func `Of objects with one primary key, whose deletion is lost, the last one is left`()
    async throws
  {
    let files = SimulatedFiles()
    let file = try open(files)
    let (old, new, page) = (Tag(), Tag(), Page())
    (old.name, old.color, new.name, new.color) = ("a", "old", "a", "new")
    try file.write { try file.store.add([old, page] as [Object]) }
    try file.write { page.next = nil }
    try file.write {
      page.title = "lost title"
      try file.store.delete(old)
    }
    try file.write { try file.store.add(new) }
    try await file.close()
    files.edit("/store/store.log") { bytes in
      let place = (0..<bytes.count).first { bytes[$0...].starts(with: Array("lost title".utf8)) }
      bytes[place!] ^= 1
    }
    let report = try StoreFile.recover(at: "/store", to: "/new", files: files)
    let found = try open(files, at: "/new").store
    #expect(found.results(Tag.self).map(\.color) == ["new"] && found.brokenInvariants() == [])
    #expect(report.objectCount == 2 && report.losses.count == 2)
    let reason = "Tag \(old.objectID) has the primary key of a later object"
    #expect(report.losses.last?.description == "store.log: \(reason)")
  }

  @Test func `A commit that depends on a lost one is left out, and links are cleared`() async throws
  {
    let files = SimulatedFiles()
    let file = try open(files)
    let (page, lost, tag) = (Page(), Page(), Tag())
    page.title = "kept"
    try file.write { try file.store.add([page, tag]) }
    lost.title = "lost page"
    try file.write { try file.store.add(lost) }
    try file.write { page.next = lost }
    try file.write { page.related = [page, lost, page] }
    try file.write { lost.size = 9 }
    try file.write { page.size = 5 }
    try await file.close()
    files.edit("/store/store.log") { bytes in
      let place = (0..<bytes.count).first { bytes[$0...].starts(with: Array("lost page".utf8)) }
      bytes[place!] ^= 1
    }
    let report = try StoreFile.recover(at: "/store", to: "/new", files: files)
    let found = try open(files, at: "/new").store
    #expect(found.objectsInOrder.count == 2 && found.brokenInvariants() == [])
    let left = try #require(found.objectsInOrder.first as? Page)
    #expect(left.size == 5 && left.next == nil && left.related.map(\.title) == ["kept", "kept"])
    #expect(report.clearedLinkCount == 2 && report.commitCount == 4)
    #expect(report.losses.map(\.commits) == [1..<2, 4..<5])
  }

  @Test(.timeLimit(.minutes(1)), arguments: [true, false])
  func `A damaged checkpoint gives the objects that can be read, and later commits`(
    isJoined: Bool
  ) async throws {
    let files = try await notes(100)
    if isJoined {
      // A commit makes a checkpoint of the entries due.
      let source = try StoreFile(
        at: "/store", interval: .seconds(3600), smallestTail: 10, files: files)
      try source.write { try source.store.add(Page()) }
      try await source.close()
      while !files.names(at: "/store").contains("store.snapshot") { await Task.yield() }
    } else {
      let source = try open(files)
      try source.save(to: "/saved", files: files)
      try await source.close()
      for name in ["store.log", "store.snapshot"] {
        files.put(files.edit("/saved/\(name)") { $0 }, at: "/store/\(name)")
      }
    }
    let file = try open(files)
    for note in file.store.objectsInOrder.compactMap({ $0 as? Note }).suffix(3) {
      try file.write { note.text += "!" }
    }
    try await file.close()
    files.edit("/store/store.snapshot") { bytes in
      let place = (0..<bytes.count).first { bytes[$0...].starts(with: Array("note 7".utf8)) }
      // The text gets longer, so the next object isn't where one is expected.
      bytes[place! - 1] += 1
    }
    #expect(throws: StoreFileError.self) { try open(files) }
    let report = try StoreFile.recover(at: "/store", to: "/new", files: files)
    let texts = texts(try open(files, at: "/new").store)
    #expect(texts.suffix(3) == ["note 97!", "note 98!", "note 99!"])
    #expect(texts.count >= 50 && !texts.contains("note 7"))
    #expect(report.commitCount == 3 && !report.losses.isEmpty)
  }

  @Test func `A migration doesn't run again after the recovery of a checkpoint damaged anywhere`()
    async throws
  {
    let original = try await migratedNotes()
    let size = original.edit("/store/store.snapshot") { $0.count }
    let possible = Set(texts(try open(original.afterKill(), version: 1).store))
    for offset in 0..<size where offset < 150 || offset % 23 == 0 {
      let files = original.afterKill()
      files.edit("/store/store.snapshot") { $0[offset] ^= 1 << UInt8(offset % 8) }
      let report = try StoreFile.recover(at: "/store", to: "/new", files: files)
      let steps: [Int: (Migration) throws -> Void] = [
        1: { _ in Issue.record("migrated again after damage at \(offset)") }
      ]
      let texts = texts(try open(files, at: "/new", version: 1, steps).store)
      #expect(texts.last == "later" && report.commitCount == 1, "damage at \(offset)")
      // One block is lost, or none, and no value has changed.
      #expect(texts.count > 50 && possible.isSuperset(of: texts), "damage at \(offset)")
    }
  }

  @Test func `Objects whose version and classes are lost aren't recovered`() async throws {
    let files = try await migratedNotes()
    files.edit("/store/store.snapshot") { bytes in
      for offset in 80..<120 { bytes[offset] ^= 0x55 }
      for offset in bytes.count - 40..<bytes.count { bytes[offset] ^= 0x55 }
    }
    let report = try StoreFile.recover(at: "/store", to: "/new", files: files)
    #expect(report.objectCount == 0 && report.commitCount == 0 && report.losses.count == 2)
    let steps: [Int: (Migration) throws -> Void] = [1: { _ in Issue.record("migrated") }]
    #expect(try open(files, at: "/new", version: 1, steps).store.objectsInOrder.isEmpty)
  }

  @Test func `An intact file is recovered without a loss, and a missing one isn't made`()
    async throws
  {
    let files = try await notes(5)
    let report = try StoreFile.recover(at: "/store", to: "/new", files: files)
    #expect(report.losses == [] && report.commitCount == 5)
    #expect(try open(files, at: "/new").store.contents == open(files).store.contents)
    #expect(throws: StoreFileError.self) {
      try StoreFile.recover(at: "/none", to: "/other", files: files)
    }
    files.put([1], at: "/empty/others")
    let error = #expect(throws: StoreFileError.self) {
      try StoreFile.recover(at: "/empty", to: "/other", files: files)
    }
    #expect(error?.description == "/empty is damaged: there is no store in the directory")
    #expect(throws: StoreFileError.self) {
      try StoreFile.recover(at: "/store", to: "/new", files: files)
    }
  }

  @Test func `Damage anywhere leaves no value of another object`() async throws {
    var edits = RandomEdits(seed: firstSeed)
    let original = SimulatedFiles()
    let file = try open(original)
    var possible: Set<String> = []
    for _ in 0..<60 {
      try edits.write(file.store)
      try file.blockingFlush()
      possible.formUnion(file.store.objectsInOrder.map { "\(type(of: $0)) \($0.objectID)" })
    }
    try await file.close()
    var recovered = 0
    for number in 0..<runLength(usually: 200) {
      let files = original.afterKill()
      let size = files.edit("/store/store.log") { $0.count }
      let start = edits.number(below: size)
      let length = edits.number(below: 60) + 1
      files.edit("/store/store.log") { bytes in
        for offset in start..<min(size, start + length) { bytes[offset] ^= 0x55 }
      }
      let place = "damage \(number) at \(start), seed \(firstSeed)"
      do throws(StoreFileError) {
        _ = try StoreFile.recover(at: "/store", to: "/new", files: files)
        let found = try open(files, at: "/new").store
        #expect(found.brokenInvariants() == [], "\(place)")
        let ids = found.objectsInOrder.map { "\(type(of: $0)) \($0.objectID)" }
        #expect(possible.isSuperset(of: ids), "\(place)")
        recovered += 1
      } catch {
        Issue.record("\(place): \(error)")
      }
    }
    #expect(recovered > 0)
  }
}
