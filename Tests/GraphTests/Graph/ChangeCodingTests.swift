import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// Change sets written down and read back.
@Suite struct `Graph, coding of change sets` {
  private final class Secret: Object { @Field var word = "" }
  final class Box<Content>: Object { @Field var label = "" }

  let store = Store()

  func commit(_ body: () throws -> Void) throws -> ChangeSet {
    var changes = ChangeSet()
    let token = store.commits.sink { changes = changes.merging($0) }
    try body()
    token.cancel()
    return changes
  }

  func coded(_ change: ChangeSet) throws -> ChangeSet {
    try JSONDecoder().decode(ChangeSet.self, from: JSONEncoder().encode(change))
  }

  func error(in text: String) -> GraphDecodingError? {
    do { _ = try JSONDecoder().decode(ChangeSet.self, from: Data(text.utf8)) } catch {
      return error as? GraphDecodingError
    }
    return nil
  }

  @Test func `an encoded change set is decoded unchanged`() throws {
    let novel = makeNovel(1, "Emma", pages: 400)
    let shelf = makeShelf("s", [novel, novel])
    novel.tags = ["a", "b"]
    novel.author = Writer()
    shelf.best = novel
    let insertion = try commit { _ = try store.write(origin: "desk") { try store.add(shelf) } }
    #expect(try coded(insertion) == insertion && insertion.origin == "desk")
    let edit = try commit {
      try store.write {
        novel.price = 2
        novel.genre = .poetry
        novel.size.width = 7
        novel.author = nil
        shelf.novels = [novel]
      }
    }
    #expect(try coded(edit) == edit && edit.changes.count == 2)
    let deletion = try commit { try store.delete(novel) }
    #expect(try coded(deletion) == deletion && coded(deletion).description == deletion.description)
    #expect(try coded(ChangeSet()) == ChangeSet())
  }

  @Test func `fields that were renamed are found, through several names`() throws {
    let track = Track()
    (track.id, track.title) = (1, "Blue")
    let insertion = try commit { try store.add(track) }
    let edit = try commit { track.title = "Green" }
    for old in ["name", "label"] {
      for change in [insertion, edit, insertion.inverted()] {
        let text = String(decoding: try JSONEncoder().encode(change), as: UTF8.self)
        let written = text.replacing("\"title\"", with: "\"\(old)\"")
          .replacing("\"similar\"", with: "\"likes\"")
        #expect(written != text)
        let read = try JSONDecoder().decode(ChangeSet.self, from: Data(written.utf8))
        #expect(read == change, "\(old)")
      }
    }
    let text = String(decoding: try JSONEncoder().encode(edit), as: UTF8.self)
    let wrong = error(in: text.replacing("\"title\"", with: "\"nonsense\""))
    #expect(wrong?.reason == .unknownProperty && wrong?.property == "nonsense")
    // One of two old names at most is believed.
    let twice = text.replacing("{\"title\":", with: "{\"label\":\"x\",\"title\":")
    #expect(error(in: twice)?.reason == .unknownProperty)
  }

  @Test func `private and generic classes are found too`() throws {
    let (secret, box) = (Secret(), Box<[Int]>())
    let change = try commit { try store.add([secret, box] as [Object]) }
    #expect(try coded(change) == change)
    #expect(ClassName(Box<[Int]>.self).type == Box<[Int]>.self)
    #expect(ClassName(Secret.self).type == Secret.self && ClassName(Secret.self).name == "Secret")
  }

  @Test func `two private classes of one path are not taken for each other`() throws {
    func first() -> Object.Type {
      final class Local: Object { @Field var a = 0 }
      return Local.self
    }
    func second() -> Object.Type {
      final class Local: Object { @Field var b = 0 }
      return Local.self
    }
    let (one, two) = (ClassName(first()), ClassName(second()))
    if one.symbol == two.symbol { #expect(one.type == nil && two.type == nil) }
  }

  @Test func `a symbol is the name of a class of objects, or nothing`() {
    for symbol in ["", "Si", "Any", "yyc", "\u{1}abcd", "$s5Bookx", "é", "14SignalsTests", "_"] {
      #expect(ClassName(name: "X", symbol: symbol).type == nil, "\(symbol)")
    }
    let deep = String(repeating: "12SignalsTests3BoxCy", count: 20_000)
    #expect(ClassName(name: "X", symbol: deep).type == nil)
  }

  @Test(arguments: [1, 2, 3])
  func `hostile symbols do no harm`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let letters = Array("ABCDEGISTVXYZabcdefgiqxyz0123456789_".utf8)
    let classes: [Object.Type] = [Box<[String: Int]>.self, Box<Box<Int>>.self, Page.self]
    let seeds = classes.map { ClassName($0) }
    for _ in 0..<3000 {
      var symbol = Array(seeds.randomElement(using: &random)?.symbol.utf8 ?? "".utf8)
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        let place = Int.random(in: 0..<symbol.count, using: &random)
        if Bool.random(using: &random) {
          symbol[place] = letters.randomElement(using: &random) ?? 0
        } else {
          symbol.insert(contentsOf: symbol[place...].prefix(9), at: place)
        }
      }
      let name = ClassName(name: "X", symbol: String(decoding: symbol, as: UTF8.self))
      if let type = name.type { #expect(ClassName(type).symbol == name.symbol, "seed \(seed)") }
    }
  }

  @Test func `what can't be read says which class, property and place`() throws {
    let symbol = ClassName(Page.self).symbol
    func change(_ kind: String, _ rest: String, symbol: String) -> String {
      """
      {"changes": [{"id": {"replica": 1, "counter": 2}, "kind": "\(kind)",
        "class": {"name": "Page", "symbol": "\(symbol)"}\(rest)}]}
      """
    }
    let unknown = error(in: change("inserted", "", symbol: "4main4PageC"))
    #expect(unknown?.reason == .unknownClass && unknown?.className == "Page")
    #expect(unknown?.description == "Page at changes[0] is no class of this process")
    let wrong = error(in: change("inserted", #", "new": {"number": "x"}"#, symbol: symbol))
    #expect(wrong?.property == "number")
    #expect(wrong?.codingPath == ["changes", "Index 0", "new", "number"])
    #expect(wrong?.reason == .malformed("no Int"))
    let other = error(in: change("inserted", #", "new": {"pages": 1}"#, symbol: symbol))
    #expect(other?.property == "pages" && other?.reason == .unknownProperty)
    let half = error(in: change("modified", #", "new": {"number": 1}"#, symbol: symbol))
    #expect(half?.property == "number" && half?.reason == .missingValue)
    #expect(error(in: change("eaten", "", symbol: symbol))?.className == "Page")
    #expect(error(in: "{}")?.codingPath == [])
    #expect(error(in: "[]") != nil)
    let one = change("inserted", "", symbol: symbol)
    let twice = one.replacingOccurrences(of: "]}", with: ", \(one.dropFirst(13).dropLast(2))]}")
    #expect(error(in: twice)?.reason == .malformed("#2 is changed twice"))
  }
}
