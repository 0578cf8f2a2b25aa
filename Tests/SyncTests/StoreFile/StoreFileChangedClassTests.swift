import Signals
import SignalsSync
import Testing

// Classes whose names have the same length, so that one can replace another in a file.

final class OldCard: Object {
  @Field var label = ""
  @Field var count = 0
}

final class NewCard: Object {
  @Field var title = ""
  @Field var count = 0.0
  override class var renamed: [String: String] { ["title": "label"] }
}

final class BadCard: Object {
  @Field var label = ""
  @Field var count = ""
}

@Suite("Files of stores with changed classes")
struct StoreFileChangedClassTests {
  /// Returns a file with a card of a class, which the file describes under another name.
  private func files(as name: String) async throws -> SimulatedFiles {
    let files = SimulatedFiles()
    let file = try open(files)
    let card = OldCard()
    (card.label, card.count) = ("a", 7)
    try file.write { try file.store.add(card) }
    var entries = try await StoredEntries(of: files)
    entries.replace("OldCard", by: name)
    return try await entries.files()
  }

  @Test func `A renamed property and one of a wider type have their values, and keep them`()
    async throws
  {
    let files = try await files(as: "NewCard")
    let file = try open(files)
    let card = try #require(file.store.objectsInOrder.first as? NewCard)
    #expect(card.title == "a" && card.count == 7)
    try file.write { (card.title, card.count) = ("b", 7.5) }
    let again = try open(files.afterKill())
    let found = try #require(again.store.objectsInOrder.first as? NewCard)
    #expect(found.title == "b" && found.count == 7.5)
  }

  @Test func `A property of a type that can't have the value is an error that names it`()
    async throws
  {
    let files = try await files(as: "BadCard")
    let before = files.edit("/store/store.log") { $0 }
    let error = #expect(throws: StoreFileError.self) { try open(files) }
    if case .objects(let error)? = error {
      #expect(error.property == "count")
    } else {
      Issue.record("\(String(describing: error))")
    }
    #expect(files.edit("/store/store.log") { $0 } == before)
  }
}
