import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// Stored drafts that another version of the app wrote, or nobody sane.
@Suite struct `Drafts, restored from anything` {
  /// A snapshot with an edited draft in it, as JSON.
  private func stored() throws -> String {
    let store = Store()
    let person = makePerson(1, city: "London", phones: ["1", "2"])
    person.name = "Ada"
    try store.add(person)
    let draft = store.draft(of: person, restoredAs: "k")
    draft.name = "Grace"
    draft.object.home?.city = "Paris"
    draft.object.phones.append(makePhone("3"))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(store.snapshot()), as: UTF8.self)
  }

  private func draft(_ json: String) throws -> Draft<Person> {
    let snapshot = try JSONDecoder().decode(Snapshot.self, from: Data(json.utf8))
    let store = Store(snapshot)
    let person = try #require(store.object(Person.self, primaryKey: 1))
    return store.draft(of: person, restoredAs: "k")
  }

  @Test func `a property that is gone, or of another type now, is as the object has it`() throws {
    let json = try stored()
    let gone = try draft(json.replacing("\"name\":\"Grace\"", with: "\"nickname\":\"Grace\""))
    #expect(gone.name == "Ada" && gone.object.home?.city == "Paris")
    let other = try draft(json.replacing("\"name\":\"Grace\"", with: "\"name\":[12]"))
    #expect(other.name == "Ada" && !other.isDirty(\.name) && other.object.home?.city == "Paris")
    let base = try draft(json.replacing("\"name\":\"Ada\"", with: "\"name\":{}"))
    #expect(base.name == "Ada" && !base.isDirty(\.name) && base.object.phones.count == 3)
  }

  @Test func `a class that is gone makes the draft one that was never edited`() throws {
    let json = try stored()
    let address = "\"class\":{\"name\":\"Address\""
    #expect(json.contains(address))
    let renamed = json.replacing(
      #/"symbol":"([A-Za-z0-9_]*)Phone([A-Za-z0-9_]*)"},"id"/#,
      with: { "\"symbol\":\"\($0.1)Phono\($0.2)\"},\"id\"" })
    #expect(renamed != json)
    let draft = try draft(renamed)
    #expect(draft.name == "Ada" && !draft.isDirty)
  }

  @Test func `objects that are none, loops and shares are left out`() throws {
    let json = try stored()
    let start = try #require(json.range(of: "\"isNew\""))
    let record = start.lowerBound..<json.endIndex
    func text(_ id: ObjectID) -> String {
      "{\"counter\":\(id.counter),\"replica\":\(id.replica)}"
    }
    let whole = try draft(json)
    defer { withExtendedLifetime(whole) {} }
    let person = try #require(whole.original)
    let home = text(try #require(person.home).objectID)
    let phones = person.phones.map { text($0.objectID) }
    let new = text(ObjectID(replica: 0, counter: 5))
    let none = text(ObjectID(replica: 0, counter: 99))
    let list = phones.joined(separator: ",")
    for (old, new) in [
      ("\"home\":\(home)", "\"home\":\(none)"),
      ("\"home\":\(home)", "\"home\":\(text(person.objectID))"),
      ("\"home\":\(home)", "\"home\":\(phones[0])"),
      ("[\(list)", "[\(none),\(phones[1])"),
      ("[\(list)", "[\(phones[0]),\(phones[0])"),
      ("[\(list)", "[\(home),\(phones[1])"),
      ("[\(list)", "[\(new),\(phones[1])"),
      ("[\(list)", "[\(text(person.objectID)),\(phones[1])"),
    ] {
      let changed = json.replacing(old, with: new, subrange: record)
      #expect(changed != json, "\(old)")
      let draft = try draft(changed)
      #expect(draft.name == "Grace")
      _ = draft.changes
      _ = draft.conflicts
      let store = try #require(draft.original?.store)
      _ = try? draft.commit { _ in .mine }
      #expect(store.brokenInvariants() == [])
    }
  }

  /// Each place of the record is broken in each way, and each time there is an error or a draft.
  @Test func `any content gives an error or a draft`() throws {
    let data = Data(try stored().utf8)
    var random = SeededRandom(seed: 7)
    let whole = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    for _ in 0..<300 {
      let broken = breaking(whole, &random)
      let json = try JSONSerialization.data(withJSONObject: broken)
      guard let snapshot = try? JSONDecoder().decode(Snapshot.self, from: json) else { continue }
      let store = Store(snapshot)
      guard let person = store.object(Person.self, primaryKey: 1) else { continue }
      let draft = store.draft(of: person, restoredAs: "k")
      _ = (draft.changes, draft.conflicts, draft.isDirty)
      draft.name += "!"
      _ = try? draft.commit { _ in .mine }
      #expect(store.brokenInvariants() == [])
    }
  }

  /// One value of the record, somewhere, is another.
  private func breaking(_ whole: Any, _ random: inout SeededRandom) -> Any {
    var paths: [[Any]] = []
    func walk(_ value: Any, _ path: [Any], _ isInRecord: Bool) {
      if isInRecord { paths.append(path) }
      if let object = value as? [String: Any] {
        for key in object.keys.sorted() {
          walk(object[key]!, path + [key], isInRecord || object["isNew"] != nil)
        }
      } else if let list = value as? [Any] {
        for (index, part) in list.enumerated() { walk(part, path + [index], isInRecord) }
      }
    }
    walk(whole, [], false)
    let path = paths[Int(random.next() % UInt64(paths.count))]
    let values: [Any] = [
      0, 1, 2, 3, -1, 1e300, "", "Grace", [Any](), [String: Any](), NSNull(), true,
      ["replica": 0, "counter": Int(random.next() % 6)],
      [["replica": 0, "counter": 5], ["replica": 0, "counter": 5]],
    ]
    let new = values[Int(random.next() % UInt64(values.count))]
    return replacing(whole, at: path[...], by: new)
  }
}
