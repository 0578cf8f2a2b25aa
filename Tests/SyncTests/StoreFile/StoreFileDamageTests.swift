import Signals
import SignalsSync
import SignalsTesting
import TestSupport
import Testing

/// The entries of a store's file, changed and put into another file, whose log is intact.
struct StoredEntries {
  var entries: [[UInt8]]

  init(of files: SimulatedFiles) async throws {
    let log = try FileLog(at: "/store", durability: .each, files: files.afterKill())
    let checkpoint = try await log.snapshot(of: "store")
    entries = checkpoint.map { [$0.bytes] } ?? []
    let start = checkpoint?.head.position ?? .start
    entries += try await log.all(of: "store", from: start).map(\.bytes)
    try await log.close()
  }

  /// Returns a file with these entries.
  func files() async throws -> SimulatedFiles {
    let files = SimulatedFiles()
    let log = try FileLog(at: "/store", durability: .each, files: files)
    for entry in entries { try await log.append([entry], to: "store") }
    try await log.close()
    return files
  }

  /// Replaces all occurrences of a text by one of the same size.
  mutating func replace(_ old: String, by new: String) {
    let (old, new) = (Array(old.utf8), Array(new.utf8))
    for number in entries.indices where entries[number].count >= old.count {
      for start in 0...(entries[number].count - old.count)
      where Array(entries[number][start..<start + old.count]) == old {
        entries[number].replaceSubrange(start..<start + old.count, with: new)
      }
    }
  }

  /// Damages an entry at a random offset.
  mutating func damage(_ random: inout SeededRandom) {
    let number = Int.random(in: 0..<entries.count, using: &random)
    var bytes = entries[number]
    let start = Int.random(in: 0...bytes.count, using: &random)
    let end = Int.random(in: start...min(bytes.count, start + 6), using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes.removeSubrange(start..<end)
    case 1: bytes.removeLast(bytes.count - start)
    case 2: bytes.insert(contentsOf: bytes[start..<end], at: start)
    case 3: bytes.replaceSubrange(start..<end, with: repeatElement(0xff, count: 9) + [1])
    case 4: entries.insert(bytes, at: number)
    default:
      if start < bytes.count { bytes[start] = UInt8.random(in: 0...255, using: &random) }
    }
    entries[number] = bytes
  }
}

@Suite("Damaged files of stores")
struct StoreFileDamageTests {
  @Test func `Damaged entries give an error or a store that is whole`() async throws {
    var edits = RandomEdits(seed: firstSeed)
    let original = SimulatedFiles()
    let file = try open(original)
    for _ in 0..<40 { try edits.write(file.store) }
    try file.blockingFlush()
    let entries = try await StoredEntries(of: original)
    var refused = 0
    for number in 0..<runLength(usually: 1500) {
      var changed = entries
      for _ in 0...number % 3 { changed.damage(&edits.random) }
      let files = try await changed.files()
      do throws(StoreFileError) {
        let found = try open(files)
        #expect(found.store.brokenInvariants() == [], "damage \(number), seed \(firstSeed)")
        goOn(with: found, files, &edits, "damage \(number), seed \(firstSeed)")
      } catch {
        refused += 1
      }
    }
    #expect(refused > 0)
  }

  /// Checks that a file that can be opened saves later commits.
  private func goOn(
    with file: StoreFile, _ files: SimulatedFiles, _ edits: inout RandomEdits, _ place: String
  ) {
    do {
      for _ in 0..<3 { try edits.write(file.store) }
      try file.blockingFlush()
      let again = try open(files.afterKill())
      #expect(again.store.contents == file.store.contents, "\(place)")
    } catch {
      Issue.record("\(place): \(error)")
    }
  }

  @Test func `An entry of another version of the library is an error that names the version`()
    async throws
  {
    let original = SimulatedFiles()
    let file = try open(original)
    try file.write { try file.store.add(Note()) }
    var entries = try await StoredEntries(of: original)
    entries.entries[0][0] = 99
    let files = try await entries.files()
    let error = #expect(throws: StoreFileError.self) { try open(files) }
    guard case .otherFormat("/store", version: 99)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `A place in the order that no later object could follow is refused`() async throws {
    let original = SimulatedFiles()
    let file = try open(original)
    try file.write { try file.store.add(Note()) }
    var entries = try await StoredEntries(of: original)
    // The position is before the empty text.
    entries.entries[0].removeLast(2)
    entries.entries[0] += [UInt8](repeating: 0xff, count: 9) + [1, 0x40]
    let files = try await entries.files()
    #expect(throws: StoreFileError.self) { try open(files) }
  }

  @Test func `After the last place in the order, objects can be added and found again`()
    async throws
  {
    let original = SimulatedFiles()
    let file = try open(original)
    try file.write {
      let notes = [Note(), Note()]
      try file.store.add(notes)
    }
    var entries = try await StoredEntries(of: original)
    // The last object has the greatest position, which leaves none for the object after it.
    entries.entries[0].removeLast(2)
    entries.entries[0] += [UInt8](repeating: 0xff, count: 8) + [0x7f, 0x40]
    let files = try await entries.files()
    let found = try open(files)
    #expect(found.store.contents == file.store.contents)
    try found.write { try found.store.add(Note()) }
    let again = try open(files.afterKill())
    #expect(again.store.contents == found.store.contents && again.store.contents.count == 3)
  }
}

@Suite("Files of stores with other classes")
struct StoreFileSchemaTests {
  private func written(_ body: (Store) throws -> Void) async throws -> (StoredEntries, Store) {
    let files = SimulatedFiles()
    let file = try open(files)
    try file.write { try body(file.store) }
    return (try await StoredEntries(of: files), file.store)
  }

  @Test func `A file without any class of the app is an error, and is left as it is`() async throws
  {
    var (entries, _) = try await written { try $0.add(Note()) }
    entries.replace("Note", by: "Notx")
    let files = try await entries.files()
    let before = files.edit("/store/store.log") { $0 }
    let error = #expect(throws: StoreFileError.self) { try open(files) }
    if case .objects(let error)? = error {
      #expect(error.reason == .unknownClass)
    } else {
      Issue.record("\(String(describing: error))")
    }
    #expect(files.edit("/store/store.log") { $0 } == before)
  }

  @Test func `The objects of a renamed class are those of the new one, and stay so`() async throws {
    var (entries, store) = try await written { store in
      let page = Page()
      page.note = Note()
      try store.add(page)
    }
    entries.replace("Note", by: "Notx")
    let files = try await entries.files()
    let file = try open(files, renamed: ["Notx": Note.self])
    #expect(file.store.contents == store.contents)
    try file.write { try file.store.add(Note()) }
    #expect(try open(files.afterKill()).store.contents == file.store.contents)
  }

  @Test func `A field that is gone is ignored, and a new one has its default`() async throws {
    var (entries, store) = try await written { store in
      let page = Page()
      (page.size, page.title, page.next) = (7, "t", page)
      try store.add(page)
    }
    entries.replace("size", by: "sizx")
    let files = try await entries.files()
    let file = try open(files)
    store.objectsInOrder.compactMap { $0 as? Page }.first?.size = 0
    #expect(file.store.contents == store.contents)
    let page = file.store.objectsInOrder.compactMap { $0 as? Page }.first
    try file.write { page?.size = 9 }
    #expect(try open(files.afterKill()).store.contents == file.store.contents)
  }

  @Test func `Objects of a class that is gone are left out of lists if it said so`() async throws {
    var (entries, _) = try await written { store in
      let rack = Rack()
      (rack.name, rack.value, rack.leaflets) = ("r", Fussy(3), [Leaflet(), Leaflet()])
      try store.add(rack)
    }
    entries.replace("Leaflet", by: "Leaflex")
    let files = try await entries.files()
    let file = try open(files)
    let rack = try #require(file.store.objectsInOrder.first as? Rack)
    #expect(rack.leaflets.isEmpty)
    try file.write { rack.leaflets.append(Leaflet()) }
    let found = try open(files.afterKill()).store
    #expect(found.objectsInOrder.map(\.objectID) == file.store.objectsInOrder.map(\.objectID))
    #expect((found.objectsInOrder.first as? Rack)?.leaflets.count == 1)
  }
}
