import Foundation
import Signals
import SignalsReplay
import SignalsTesting
import TestSupport
import Testing

/// Doing again what a log says, on a store that has what the first one had.
@Suite struct `Views, replay` {
  private struct Notes: View {
    let store: Store
    var step = 1
    @ObservedResults(Note.self, sortedBy: \.number) var notes
    @State var draft = ""

    var body: Element {
      TextField("Draft", text: $draft, id: "draft") {
        let note = Note()
        note.number = notes.count
        note.title = draft
        try store.add(note)
        draft = ""
      }
      ForEach(notes) { note in
        Row {
          Button(note.title, id: "raise-\(note.number)") { note.rank += step }
          Text("\(note.rank)")
        }
      }
      Text("").onKey("d") { if let last = notes.last { try store.delete(last) } }
    }
  }

  private func host(_ store: Store, step: Int = 1) throws -> TestHost {
    try TestHost(store) { Notes(store: store, step: step) }
  }

  private func recorded() throws -> (log: IntentLog, history: [String]) {
    let (store, _) = try notes(2)
    let app = try host(store)
    app.intentLog = IntentLog(start: store.snapshot())
    try app.type("new", into: "draft")
    try app.submit("draft")
    try app.tap("raise-2")
    try store.write(origin: "network") { store.results(Note.self).first?.title = "remote" }
    try store.write {
      let made = Note()
      made.number = 9
      try store.add(made)
    }
    try app.tap("raise-9")
    try app.press("d")
    return (try #require(app.intentLog), app.history)
  }

  @Test func `the same intents on the same store give the same frames`() throws {
    let (log, history) = try recorded()
    let data = try JSONEncoder().encode(log)
    let read = try JSONDecoder().decode(IntentLog.self, from: data)
    let app = try host(Store(try #require(read.start)))
    try app.host.replay(read)
    #expect(app.history == history)
    #expect(history.count == 8)
  }

  @Test(arguments: [["x", "x"], ["x", "y"]])
  func `elements with equal ids are told apart by their places, whatever their titles`(
    titles: [String]
  ) throws {
    let said = Signal("")
    func mount() throws -> TestHost {
      try TestHost(Store()) {
        Text(said.value)
        ForEach(Array(titles.enumerated()), id: \.offset) { place, title in
          Button(title, id: "b") { said.value = "\(place)" }
          Toggle(title, isOn: .constant(false), id: "t")
        }
      }
    }
    let app = try mount()
    app.host.intentLog = IntentLog(start: app.host.store.snapshot(), keepingScreens: true)
    for place in [1, 0] { try app.tap(app.elements { $0.id == "b" }[place]) }
    let log = try #require(app.host.intentLog)
    #expect(log.entries.map(\.place) == [[1, 0], [0, 0]])
    said.value = ""
    try mount().host.replay(log)
    #expect(said.value == "0")
  }

  @Test func `the first entry that comes out otherwise is named`() throws {
    let (log, _) = try recorded()
    let app = try host(Store(try #require(log.start)), step: 2)
    let error = try #require(throws: ReplayError.self) { try app.host.replay(log) }
    #expect(error.index == 2)
    let note = try #require(error.expected.changes.changes.first?.id)
    #expect(
      error.description == """
        entry 3, button "new" #raise-2, came out otherwise than in the log
        in the log:
        ~ Note \(note)
            rank: 0 -> 1
        now:
        ~ Note \(note)
            rank: 0 -> 2
        """)
  }

  @Test func `a replay that changes nothing asks whose objects the view shows`() throws {
    struct Raised: View {
      @ObservedObject var note: Note

      var body: Element { Button("raise") { note.rank += 1 } }
    }

    let (store, made) = try notes(1)
    let app = try TestHost(store) { Raised(note: made[0]) }
    app.intentLog = IntentLog(start: store.snapshot())
    try app.tap("raise")
    let log = try #require(app.intentLog)
    let again = try TestHost(Store(try #require(log.start))) { Raised(note: made[0]) }
    let error = try #require(throws: ReplayError.self) { try again.host.replay(log) }
    let hint = "nothing in the host's store: does the view show objects of another?"
    #expect(error.description.hasSuffix("now:\nnothing has changed\n\(hint)"))
    let issues = try issues { try again.replay(log) }
    #expect(issues.first?.contains(hint) == true)
  }

  @Test func `what is thrown now, or was then, is a difference`() throws {
    let (log, _) = try recorded()
    let empty = try host(Store())
    var missing = log
    missing.entries = [log.entries[2]]
    let error = try #require(throws: ReplayError.self) { try empty.host.replay(missing) }
    #expect(
      error.found.error
        == "no element with the id \"raise-2\" is on screen; nearest: draft")
    #expect(error.description.hasSuffix("it threw \(error.found.error ?? "")"))
    var thrown = log
    thrown.entries = [log.entries[0]]
    thrown.entries[0].error = "Stop()"
    #expect(throws: ReplayError.self) { try empty.host.replay(thrown) }
  }

  @Test
  func `intents of the app's own are performed by their handler, else their changes made`() throws {
    let (store, all) = try notes(1)
    let first = try host(store)
    first.intentLog = IntentLog(start: store.snapshot())
    try first.host.perform(named: "raise") { all[0].rank += 5 }
    try first.host.perform(named: "raise") { all[0].rank += 5 }
    let log = try #require(first.intentLog)
    let copy = Store(try #require(log.start))
    let app = try host(copy)
    var performed = 0
    try app.host.replay(log) { entry in
      performed += 1
      guard entry.name == "raise", performed == 1 else { return false }
      try app.host.perform { copy.results(Note.self)[0].rank += 5 }
      return true
    }
    #expect((performed, copy.results(Note.self)[0].rank) == (2, 10))
  }

  @Test func `a test fails with the lines that differ`() throws {
    let (log, _) = try recorded()
    #expect(try issues { try host(Store(log.start!)).replay(log) } == [])
    let messages = try issues { try host(Store(log.start!), step: 2).replay(log) }
    #expect(
      messages == [
        """
        entry 3 of 7, button "new" #raise-2, came out otherwise (-: in the log, +: now):
          ~ Note(number: 2)
        -     rank: 0 -> 1
        +     rank: 0 -> 2
        on screen:
        Draft: []
        [note 0]  0
        [note 1]  1
        [new]  2

        """
      ])
  }
}
