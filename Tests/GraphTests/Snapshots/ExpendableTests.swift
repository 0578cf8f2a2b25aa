import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// What a screen looks like.
final class Skin: Object {
  @PrimaryKey var key = ""
  @Field var mood = Mood.calm
  @Link var page: Page?
  @Link var frame: Sleeve?
  override static var isSkippedIfUndecodable: Bool { true }
}

final class Cabinet: Object {
  @Field var name = ""
  @Link var look: Skin?
  @Links var looks: List<Skin>
  @Links var pages: List<Page>
}

/// What another version of the app has written, and the graph can do without.
@Suite struct `Snapshots, expendable objects` {
  private func makeStore() throws -> (Store, Cabinet) {
    let store = Store()
    let desk = Cabinet()
    desk.name = "mine"
    for (number, mood) in [Mood.calm, .wild, .calm].enumerated() {
      let look = Skin()
      (look.key, look.mood, look.frame) = ("look \(number)", mood, Sleeve())
      look.frame?.inner = Sleeve()
      look.page = Page()
      desk.looks.append(look)
    }
    desk.look = desk.looks[1]
    desk.pages.append(desk.looks[1].page ?? Page())
    try store.add(desk)
    return (store, desk)
  }

  private func text(_ store: Store) throws -> String {
    String(decoding: try store.snapshot().encoded(), as: UTF8.self)
  }

  private func decode(_ text: String) throws -> Snapshot {
    try JSONDecoder().decode(Snapshot.self, from: Data(text.utf8))
  }

  @Test func `one that can't be read is left out, and links to it lead nowhere`() throws {
    let (store, _) = try makeStore()
    let snapshot = try decode(try text(store).replacing("\"wild\"", with: "\"angry\""))
    let restored = Store(snapshot)
    #expect(restored.brokenInvariants() == [])
    let desk = try #require(restored.results(Cabinet.self).first)
    #expect(desk.name == "mine" && desk.look == nil && desk.pages.count == 1)
    #expect(desk.looks.map(\.key) == ["look 0", "look 2"])
    // Its parts go with it, what it only leads to stays.
    #expect(snapshot.count(of: Sleeve.self) == 4 && snapshot.count(of: Page.self) == 3)
    #expect(try decode(String(decoding: snapshot.encoded(), as: UTF8.self)) == snapshot)
  }

  @Test func `all of them can be left out, and so can a class that is no more`() throws {
    let (store, _) = try makeStore()
    for edited in [
      try text(store).replacing("\"wild\"", with: "1").replacing("\"calm\"", with: "[2]"),
      try text(store).replacing("4SkinC", with: "4HkinC"),
      try text(store).replacing(
        "{\"kind\":\"value\",\"name\":\"mood\"}", with: "{\"kind\":\"link\",\"name\":\"mood\"}"
      ).replacing("\"wild\"", with: "null").replacing("\"calm\"", with: "null"),
    ] {
      let snapshot = try decode(edited)
      #expect(snapshot.count == 4 && snapshot.count(of: Page.self) == 3)
      let restored = Store(snapshot)
      #expect(restored.brokenInvariants() == [])
      #expect(restored.results(Cabinet.self).first?.looks.isEmpty == true)
      #expect(try restored.add(Skin()).store === restored)
    }
  }

  @Test func `everything else is as strict as before`() throws {
    let (store, desk) = try makeStore()
    let text = try text(store)
    func error(_ old: String, _ new: String) -> GraphDecodingError.Reason? {
      #expect(text.contains(old), "\(old) in \(text)")
      do { _ = try decode(text.replacing(old, with: new)) } catch {
        return (error as? GraphDecodingError)?.reason
      }
      return nil
    }
    // Of a class that is needed, whatever the input says of another.
    #expect(error("\"mine\"", "7") == .malformed("no String"))
    #expect(error("7CabinetC", "7BabinetC") == .unknownClass)
    let link = "\"kind\":\"link\",\"name\":\"look\""
    #expect(error(link, link.replacing("link", with: "value")) != nil)
    // What no version has written: values that are missing or too many, links that are none.
    let row = "\"look 1\",\"wild\","
    #expect(error(row, "\"look 1\",\"wild\",3,") != nil)
    #expect(error(row, "\"look 1\",") != nil)
    #expect(error(row, "\"look 1\",\"angry\",\"no link\",") != nil)
    #expect(error(row, "\"look 1\",\"wild\",99,") != nil)
    let id = "\(desk.looks[1].objectID.counter)"
    let twice = "\(desk.objectID.counter),\"look 1\",\"odd\""
    #expect(error("\(id),\"look 1\",\"wild\"", twice) != nil)
    #expect(throws: GraphDecodingError.self) {
      try decode(
        text.replacing("\"expendable\":true,", with: "").replacing("4SkinC", with: "4HkinC"))
    }
  }

  @Test func `the input can't make a class expendable that is not`() throws {
    let store = Store()
    let page = Page()
    page.text = "much"
    try store.add(page)
    let text = try text(store).replacing("{\"class\":{", with: "{\"expendable\":true,\"class\":{")
    #expect(throws: GraphDecodingError.self) { try decode(text.replacing("\"much\"", with: "1")) }
    #expect(try decode(text) == store.snapshot())
  }

  @Test func `a change set goes without what can't be read, and links to it are conflicts`() throws
  {
    let store = Store()
    var sets: [ChangeSet] = []
    let token = store.commits.sink { sets.append($0) }
    let desk = Cabinet()
    let look = Skin()
    look.mood = .wild
    desk.look = look
    try store.add(desk)
    look.mood = .calm
    try store.write { desk.name = "his" }
    token.cancel()
    let replica = Store()
    var conflicts: [ChangeConflict.Reason] = []
    for (old, new) in [("\"wild\"", "\"angry\""), ("4SkinC", "4HkinC")] {
      for set in sets {
        let text = String(decoding: try JSONEncoder().encode(set), as: UTF8.self)
        let edited = Data(text.replacing(old, with: new).utf8)
        let decoded = try JSONDecoder().decode(ChangeSet.self, from: edited)
        #expect(decoded.changes.allSatisfy { $0.className != "Skin" || old == "\"wild\"" })
        conflicts += try replica.apply(decoded, onConflict: .theirs).conflicts.map(\.reason)
      }
      #expect(replica.results(Cabinet.self).first?.name == "his")
      for cabinet in replica.results(Cabinet.self) { try replica.delete(cabinet) }
    }
    #expect(conflicts.contains(.danglingLink(to: StoreError.Subject(look))))
    #expect(replica.brokenInvariants() == [])
  }

  struct Search: View {
    @Restored("mood") var mood = Mood.calm
    var body: Element {
      Text("\(mood)")
      Button("Rage") { mood = .wild }
    }
  }

  @Test func `a view starts with what it declares when its restored value can't be read`() throws {
    let store = Store()
    try store.add(Page())
    var app = try TestHost(store) { Search() }
    try app.tap("Rage")
    let edited = try text(store).replacing("\"wild\"", with: "\"angry\"")
    let restored = try Store(decode(edited))
    app = try TestHost(restored) { Search() }
    #expect(app.text == "calm\n[Rage]" && restored.results(Page.self).count == 1)
    try app.tap("Rage")
    #expect(app.text == "wild\n[Rage]")
  }
}
