import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// Identities of scopes and elements: sent, found again, the same after a restart.
@Suite struct `Views, identities` {
  struct Lines: View {
    let notes: Results<Note>
    var body: Element {
      ForEach(notes) { note in
        Text(note.title)
        Button("done", id: "done") { note.isDone = true }
        Toggle("flag", isOn: Binding(get: { note.isDone }, set: { note.isDone = $0 }), id: "done")
      }
    }
  }

  struct Screen: View {
    @ObservedResults(Note.self, sortedBy: \.rank) var notes
    @State private var isWide = false
    let names: [String]

    init(names: [String] = ["a", "b/c", "a"]) { self.names = names }

    var body: Element {
      Toggle("wide", isOn: $isWide)
      if isWide { Text("wide") }
      Lines(notes: notes)
      ForEach(names, id: \.self) { name in
        Column {
          Text(name)
          TextField("name", text: .constant(name))
        }
      }
    }
  }

  /// Every element of a frame with its identity, in order.
  private func identities(_ frame: Frame) -> [ElementID] {
    var ids: [ElementID] = []
    var waiting = [frame.root]
    while let scope = waiting.popLast() {
      ids += frame.namedElements(of: scope).map(\.id)
      func scopes(_ elements: [Element]) -> [ScopeID] {
        elements.flatMap { element -> [ScopeID] in
          switch element.content {
          case .scope(let scope): [scope]
          case .drawn(let drawn): scopes(drawn.children)
          case nil: []
          }
        }
      }
      waiting += scopes(frame.elements(of: scope)).reversed()
    }
    return ids
  }

  @Test func `each element on screen has an identity of its own, by which it is found`() throws {
    let (store, _) = try notes(20)
    let app = try TestHost(store) { Screen() }
    let ids = identities(app.host.frame)
    var count = 0
    app.host.frame.forEach { _ in count += 1 }
    #expect(ids.count == count)
    #expect(Set(ids).count == count)
    var found: [DrawnElement] = []
    app.host.frame.forEach { found.append($0) }
    for id in ids {
      let element = try #require(app.host.frame.element(id))
      #expect(found.contains { $0 === element })
    }
  }

  @Test func `an identity says where its element stands`() throws {
    let (store, _) = try notes(2)
    let app = try TestHost(store) { Screen() }
    let ids = identities(app.host.frame).map(\.description)
    #expect(ids.first == "Screen#wide")
    #expect(ids.contains { $0.hasSuffix(".Lines/ForEach/=1#done~1") })
    #expect(ids.contains { $0.hasSuffix("ForEach/=b%2fc#.column") })
    #expect(ids.contains { $0.hasSuffix("ForEach/=a~1#name") })
  }

  @Test func `a restart with the same data has the same identities`() throws {
    let (store, _) = try notes(5)
    let first = try TestHost(store) { Screen() }
    let second = try TestHost(Store(store.snapshot())) { Screen() }
    #expect(identities(first.host.frame) == identities(second.host.frame))
  }

  @Test func `identities can be sent as texts`() throws {
    let (store, _) = try notes(2)
    let app = try TestHost(store) { Screen(names: ["#", "~1", "%2f", "", "ü", "a/b#c"]) }
    let ids = identities(app.host.frame)
    let sent = try JSONDecoder().decode([ElementID].self, from: JSONEncoder().encode(ids))
    #expect(sent == ids)
    #expect(
      ids.allSatisfy {
        ElementID($0.description) == $0 && ScopePath($0.scope.description) == $0.scope
      })
    for id in ids { #expect(app.host.frame.element(id) != nil) }
    for text in ["", "a", "#", "a#", "a#b#c"] { #expect(ElementID(text) == nil) }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([ElementID].self, from: Data(#"["a"]"#.utf8))
    }
  }

  @Test func `an element keeps its identity where rows move`() throws {
    let (store, notes) = try notes(3)
    let app = try TestHost(store) { Screen() }
    let ids = Set(identities(app.host.frame))
    try store.write { notes[0].rank = 9 }
    #expect(Set(identities(app.host.frame)) == ids)
  }

  struct Unstored: View {
    let notes: [Note]
    var body: Element { ForEach(notes) { Text($0.title) } }
  }

  final class Loose: Object { @Field var title = "" }

  @Test func `an object without a primary key is named by its id`() throws {
    let store = Store(), loose = Loose()
    try store.write { try store.add(loose) }
    let app = try TestHost(store) { ForEach(store.results(Loose.self)) { Text($0.title) } }
    let id = loose.objectID
    #expect(
      identities(app.host.frame).map(\.description) == [
        "ForEach/=\(id.replica)-\(id.counter)#.text"
      ])
  }

  @Test func `the row of an object is named the same in an array and in results`() throws {
    let (store, notes) = try notes(3)
    let results = try TestHost(store) { ForEach(store.results(Note.self)) { Text($0.title) } }
    let array = try TestHost(store) { ForEach(notes) { Text($0.title) } }
    #expect(
      identities(array.host.frame).map(\.description)
        == identities(results.host.frame).map(\.description))
  }

  @Test func `an element of a row is used by its identity, whatever shares its id`() throws {
    let (store, notes) = try notes(3)
    let app = try TestHost(store) { Screen() }
    let id = try #require(identities(app.host.frame).first { $0.description.hasSuffix("/=1#done") })
    try app.host.perform(.identity(id))
    #expect(notes.map(\.isDone) == [false, true, false])
    let flag = try #require(ElementID("\(id)~1"))
    try app.host.perform(.identity(flag), with: .flag(false))
    #expect(notes.map(\.isDone) == [false, false, false])
  }

  @Test func `an identity is found in rows that no renderer has asked for`() throws {
    let (store, notes) = try notes(200)
    let app = try TestHost(store) { Screen() }
    let id = try #require(
      identities(app.host.frame).first { $0.description.hasSuffix("/=150#done") })
    let frames = FrameLog()
    let host = ViewHost(store, renderer: frames) { Screen() }
    try host.perform(.identity(id))
    #expect(notes[150].isDone)
    #expect(host.bodies < 10)
  }

  @Test func `an element that has gone is an error that names it`() throws {
    let (store, notes) = try notes(3)
    let app = try TestHost(store) { Screen() }
    let id = try #require(identities(app.host.frame).first { $0.description.hasSuffix("/=1#done") })
    let element = try #require(app.host.frame.element(id))
    try store.write { try store.delete(notes[1]) }
    #expect(throws: HostError.gone(id.description)) { try app.host.perform(.identity(id)) }
    #expect(throws: HostError.gone("done")) { try app.host.perform(.element(element)) }
    for hostile in ["/#a", "Screen/0.ForEach/=9#done", "~#~", "//////#x", "=#=", "Screen/#wide"] {
      let id = try #require(ElementID(hostile))
      #expect(throws: HostError.gone(hostile)) { try app.host.perform(.identity(id)) }
    }
    #expect(HostError.gone("a#b").description == #"the element "a#b" is not on screen any more"#)
  }

  @Test func `an element that was found runs with its error boundary`() throws {
    struct Stop: Error, Equatable {}
    let errors = Count()
    let (store, notes) = try notes(2)
    let app = try TestHost(store) {
      ForEach(store.results(Note.self)) { note in
        Button("fail") {
          note.title = "changed"
          throw Stop()
        }
      }.onError { errors.log.append("\($0)") }
    }
    let elements = app.elements { $0.id == "fail" }
    #expect(elements.count == 2)
    #expect(throws: Stop()) { try app.host.perform(.element(elements[1])) }
    #expect(errors.log == ["Stop()"])
    #expect(notes[1].title == "note 1")
  }

  @Test func `several elements with an id are an error that names them`() throws {
    let (store, _) = try notes(2)
    let app = try TestHost(store) { Screen() }
    let error = #expect(throws: HostError.self) { try app.host.perform("done") }
    guard case .ambiguousElement("done", let among)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(among.count == 4)
    for id in among { #expect(app.host.frame.element(id)?.id == "done") }
  }

  @Test func `two elements of one id in one scope are told apart by order, which is said once`()
    async
  {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let host = ViewHost(Store(), renderer: TextRenderer()) {
        Button("same") {}
        Button("same") {}
      }
      for _ in 0..<3 { _ = host.frame.namedElements(of: host.frame.root) }
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.components(separatedBy: "two elements have the id \"same\"").count == 2)
  }

  @Test func `rows whose ids are described alike are never taken for each other`() throws {
    let taps = Count()
    let ids: [AnyHashable] = [1, "1", 2]
    let app = try TestHost(Store()) {
      ForEach(ids, id: \.self) { id in
        Button("tap", id: "tap") { taps.log.append("\(type(of: id.base))") }
      }
    }
    let named = identities(app.host.frame)
    #expect(throws: HostError.gone(named[0].description)) {
      try app.host.perform(.identity(named[0]))
    }
    try app.host.perform(.identity(named[2]))
    #expect(taps.log == ["Int"])
  }

  @Test func `a scope is found by its path`() throws {
    let (store, _) = try notes(3)
    let app = try TestHost(store) { Screen() }
    let frame = app.host.frame
    for id in identities(frame) {
      let scope = try #require(frame.scope(at: id.scope))
      #expect(frame.path(of: scope) == id.scope)
    }
    #expect(frame.path(of: frame.root)?.description == "")
    let path = try #require(ScopePath("0.Nothing"))
    #expect(frame.scope(at: path) == nil)
  }
}
