import Signals
import SignalsSync
import Testing

// Two versions of an app. The names of their classes have the same lengths, so that the classes of
// one can replace those of the other in a file.

final class OldMemo: Object {
  @Field var text = ""
  @Links var links: List<OldMemo>
  @Link var cover: OldClip?
}

final class OldClip: EmbeddedObject {
  @Field var text = ""
}

final class NewMemo: Object {
  @Field var text = ""
  @Field var stars = 0
  @Links var links: List<NewMemo>
  @Link var best: NewMemo?
  @Links var ranking: List<NewMemo>
  @Link var cover: NewClip?
  /// Parts of a class that the old version has, in a property that it lacks.
  @Links var clips: List<NewClip>
  /// Parts of a class that the old version lacks.
  @Links var inks: List<NewInks>
}

final class NewClip: EmbeddedObject {
  @Field var text = ""
  @Field var size = 0
}

final class NewInks: EmbeddedObject {
  @Field var color = ""
}

final class NewRoom: Object {
  @PrimaryKey var name = ""
  @Links var memos: List<NewMemo>
}

final class Branch: Object {
  @Link var twig: Twig?
}

final class Twig: Object {
  @Field var text = ""
}

@Suite("Files of stores that two versions of an app open")
struct StoreFileVersionTests {
  /// Returns the file as another version of the app finds it.
  private func files(
    _ files: SimulatedFiles, forOld isOld: Bool
  ) async throws -> SimulatedFiles {
    var entries = try await StoredEntries(of: files)
    for name in ["Memo", "Clip"] {
      entries.replace(isOld ? "New\(name)" : "Old\(name)", by: isOld ? "Old\(name)" : "New\(name)")
    }
    for name in ["Inks", "Room"] {
      entries.replace(isOld ? "New\(name)" : "Xld\(name)", by: isOld ? "Xld\(name)" : "New\(name)")
    }
    return try await entries.files()
  }

  private func written(_ body: (Store) throws -> Void) throws -> SimulatedFiles {
    let files = SimulatedFiles()
    let file = try open(files)
    try file.write { try body(file.store) }
    return files
  }

  private func memo(_ text: String) -> NewMemo {
    let memo = NewMemo()
    memo.text = text
    return memo
  }

  private func clip(_ text: String) -> NewClip {
    let clip = NewClip()
    (clip.text, clip.size) = (text, text.utf8.count)
    return clip
  }

  /// A file with every kind of property and class that the old version lacks.
  private func newFile() throws -> SimulatedFiles {
    try written { store in
      let (first, second, third) = (memo("first"), memo("second"), memo("third"))
      (first.stars, second.stars) = (3, 4)
      first.links = [second, third]
      (first.best, first.ranking) = (second, [third, second, third])
      first.cover = clip("cover")
      first.clips = [clip("a"), clip("b")]
      let inks = NewInks()
      inks.color = "red"
      first.inks = [inks]
      try store.add([first, second, third])
      let room = NewRoom()
      (room.name, room.memos) = ("kitchen", [second, first])
      try store.add(room)
    }
  }

  private func memos(_ store: Store) -> [NewMemo] {
    store.objectsInOrder.compactMap { $0 as? NewMemo }
  }

  @Test func `What an older version lacks is there again for the newer one`() async throws {
    let new = try newFile()
    let before = try open(new.afterKill()).store.contents
    let old = try await files(new, forOld: true)
    let oldFile = try open(old)
    #expect(oldFile.store.objectsInOrder.count == 4)
    try await oldFile.close()
    let again = try open(try await files(old, forOld: false))
    #expect(again.store.contents == before)
    #expect(again.store.brokenInvariants() == [])
  }

  @Test func `Edits of an older version leave the values that it lacks`() async throws {
    let old = try await files(try newFile(), forOld: true)
    let oldFile = try open(old)
    let oldMemos = oldFile.store.objectsInOrder.compactMap { $0 as? OldMemo }
    try oldFile.write {
      oldMemos[0].text = "changed"
      oldMemos[0].links.removeFirst()
      let added = OldMemo()
      added.text = "added"
      try oldFile.store.add(added)
    }
    // Opened by the old version again, which writes the file only if necessary.
    let oldAgain = try open(old.afterKill())
    let new = try open(try await files(old, forOld: false)).store
    #expect(oldAgain.store.contents == oldFile.store.contents)
    let found = memos(new)
    #expect(found.map(\.text) == ["changed", "second", "third", "added"])
    #expect(found.map(\.stars) == [3, 4, 0, 0])
    #expect(found[0].links.map(\.text) == ["third"])
    #expect(found[0].ranking.map(\.text) == ["third", "second", "third"])
    #expect(found[0].clips.map(\.text) == ["a", "b"])
    #expect(found[0].inks.map(\.color) == ["red"])
  }

  @Test func `What an older version deletes is gone for the newer one, with its parts`()
    async throws
  {
    let old = try await files(try newFile(), forOld: true)
    let oldFile = try open(old)
    let oldMemos = oldFile.store.objectsInOrder.compactMap { $0 as? OldMemo }
    try oldFile.write {
      try oldFile.store.delete(oldMemos[0])
      try oldFile.store.delete(oldMemos[1])
    }
    let new = try open(try await files(old, forOld: false)).store
    #expect(memos(new).map(\.text) == ["third"])
    #expect(new.objectsInOrder.count { $0 is NewClip || $0 is NewInks } == 0)
    let room = new.objectsInOrder.compactMap { $0 as? NewRoom }.first
    #expect(room?.memos.isEmpty == true)
    #expect(new.brokenInvariants() == [])
  }

  @Test func `An undone deletion of an older version has the values that it lacks`() async throws {
    let old = try await files(try newFile(), forOld: true)
    let oldFile = try open(old)
    let oldMemos = oldFile.store.objectsInOrder.compactMap { $0 as? OldMemo }
    try oldFile.write { try oldFile.store.delete(oldMemos[1]) }
    try oldFile.store.undo()
    try await oldFile.flush()
    let new = try open(try await files(old, forOld: false)).store
    #expect(memos(new).first { $0.text == "second" }?.stars == 4)
  }

  @Test func `An older version that opens the file again doesn't write it`() async throws {
    let old = try await files(try newFile(), forOld: true)
    try await open(old).close()
    let before = old.edit("/store/store.log") { $0 }
    try await open(old).close()
    #expect(old.edit("/store/store.log") { $0 } == before)
  }

  @Test func `A link to an object of a class that the app lacks is an error that names it`()
    async throws
  {
    let files = try written { store in
      let branch = Branch()
      branch.twig = Twig()
      try store.add(branch)
    }
    var entries = try await StoredEntries(of: files)
    entries.replace("Twig", by: "Twix")
    let changed = try await entries.files()
    let before = changed.edit("/store/store.log") { $0 }
    let error = #expect(throws: StoreFileError.self) { try open(changed) }
    #expect("\(String(describing: error))".contains("Twix"))
    #expect(changed.edit("/store/store.log") { $0 } == before)
  }
}

// MARK: - Names

final class Renamed1: Object {
  @Field var label = ""
}

final class Renamed2: Object {
  @Field var title = ""
  override class var renamed: [String: String] { ["title": "lable"] }
}

final class Renamed3: Object {
  @Field var title = ""
  override class var renamed: [String: String] { ["label": "title"] }
}

extension StoreFileVersionTests {
  private func error(ofOpening name: String) async throws -> (StoreFileError?, isUnchanged: Bool) {
    let original = try written { store in
      let object = Renamed1()
      object.label = "a"
      try store.add(object)
    }
    var entries = try await StoredEntries(of: original)
    entries.replace("Renamed1", by: name)
    let files = try await entries.files()
    let before = files.edit("/store/store.log") { $0 }
    let error = #expect(throws: StoreFileError.self) { try open(files) }
    return (error, files.edit("/store/store.log") { $0 } == before)
  }

  @Test func `A misspelt former name of a property is an error that names it`() async throws {
    let (error, isUnchanged) = try await error(ofOpening: "Renamed2")
    #expect(
      error?.description == """
        Renamed2.title can't be renamed: it was named lable, but the file has neither name; it has \
        label, which the class lacks
        """)
    #expect(isUnchanged)
  }

  @Test func `A property that is renamed the wrong way round is an error that names it`()
    async throws
  {
    let (error, isUnchanged) = try await error(ofOpening: "Renamed3")
    #expect(
      error?.description == """
        Renamed3.label can't be renamed: it is the new name of title, but the class has no such \
        property
        """)
    #expect(isUnchanged)
  }

  @Test func `A former name of a class that the process has is an error that names both`() throws {
    // The released file may still be closing.
    let files = try written { try $0.add(Renamed1()) }.afterKill()
    let before = files.edit("/store/store.log") { $0 }
    let error = #expect(throws: StoreFileError.self) {
      try open(files, renamed: ["Renamed1": OldMemo.self])
    }
    #expect(
      error?.description == """
        Renamed1 can't be renamed: this process has a class of that name, and OldMemo
        """)
    #expect(files.edit("/store/store.log") { $0 } == before)
  }
}
