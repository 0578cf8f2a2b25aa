import Signals
import SignalsReplay
import SignalsTesting
import TestSupport
import Testing

/// What a replay makes of commits that no intent of an element makes: one by one, and only those.
@Suite struct `Views, replayed commits` {
  private struct Notes: View {
    let store: Store
    @ObservedResults(Note.self, sortedBy: \.number) var notes
    @Restored("seen") var seen = 0
    var body: Element {
      ForEach(notes) { note in
        Text("\(note.title) \(note.rank)")
          .onChange(of: note.title) { note.rank += 1 }
      }
      Text("\(seen)")
      Button("Seen") { seen += 1 }
      Button("Undo") { try store.undo() }.disabled(!store.canUndo)
    }
  }

  private func mount(_ store: Store) throws -> TestHost {
    let app = try TestHost(store) { Notes(store: store) }
    app.intentLog = IntentLog(start: store.snapshot())
    return app
  }

  private func recorded(_ what: (TestHost, Store, [Note]) throws -> Void) throws -> TestHost {
    let store = Store(undoLimit: 10)
    let all = (0..<2).map { number in
      let note = Note()
      (note.number, note.title) = (number, "note \(number)")
      return note
    }
    try store.write(undoable: false) { for note in all { try store.add(note) } }
    let app = try mount(store)
    try what(app, store, all)
    return app
  }

  private func replayed(_ first: TestHost) throws -> TestHost {
    let log = try #require(first.intentLog)
    let again = try mount(Store(try #require(log.start), undoLimit: 10))
    try again.host.replay(log)
    #expect(again.history == first.history)
    return again
  }

  @Test func `what a commit sets off is made by who sets it off, and once`() throws {
    let first = try recorded { _, store, notes in
      try store.write(origin: "network") { notes[0].title = "x" }
    }
    let entry = try #require(first.intentLog?.entries.first)
    #expect(first.intentLog?.entries.count == 1)
    #expect(entry.changes.changes.flatMap(\.properties).map(\.name) == ["title", "rank"])
    let causes = entry.commits.map { $0.changes.changes.flatMap(\.properties).map(\.name) }
    #expect(causes == [["title"]])
    let again = try replayed(first)
    #expect(again.host.store.object(Note.self, primaryKey: 0)?.rank == 1)
  }

  @Test func `commits in a batch are made one by one, in one turn`() throws {
    let first = try recorded { _, store, notes in
      try batch {
        try store.write { notes[0].title = "x" }
        try store.write { notes[1].title = "y" }
      }
    }
    #expect(first.intentLog?.entries.map(\.commits.count) == [2])
    let again = try replayed(first)
    try again.tap("Undo")
    #expect(again.host.store.object(Note.self, primaryKey: 1)?.title == "y")
  }

  @Test func `an undo takes back what it took back then`() throws {
    let first = try recorded { app, store, notes in
      try store.write(undoable: false) { notes[0].rank = 5 }
      try store.write { notes[0].rank = 6 }
      try store.write { notes[0].rank = 7 }
      try store.undo()
      try store.redo()
      try app.tap("Undo")
      try app.tap("Undo")
    }
    let kinds = try #require(first.intentLog?.entries.map { $0.commits.map(\.kind) })
    #expect(kinds == [[.notUndoable], [.undoable], [.undoable], [.undo], [.redo], [], []])
    let again = try replayed(first)
    #expect(again.host.store.object(Note.self, primaryKey: 0)?.rank == 5)
    #expect(!again.host.store.canUndo)
  }

  @Test func `what is undone that was done before the log is changed all the same`() throws {
    let first = try recorded { app, store, notes in
      app.intentLog = nil
      try store.write { notes[0].rank = 6 }
      app.intentLog = IntentLog(start: store.snapshot())
      try store.undo()
    }
    let log = try #require(first.intentLog)
    let again = try mount(Store(try #require(log.start)))
    try again.host.replay(log)
    #expect(again.host.store.object(Note.self, primaryKey: 0)?.rank == 0)
  }

  @Test func `restored state is kept by the view that restores it`() throws {
    let first = try recorded { app, _, _ in
      try app.tap("Seen")
      try app.tap("Seen")
    }
    let again = try replayed(first)
    #expect(again.host.store.results(RestoredValue<Int>.self).map(\.value) == [2])
  }

  @Test func `what an observer of commits brings is an entry of its own`() throws {
    let first = try recorded { app, store, notes in
      let token = store.commits.sink { change in
        if change.origin == "local" { try? store.write(origin: "answer") { notes[1].title = "y" } }
      }
      try store.write(origin: "local") { notes[0].title = "x" }
      token.cancel()
    }
    #expect(first.intentLog?.entries.map(\.changes.origin) == [nil, nil])
    #expect(
      first.intentLog?.entries.map { $0.commits.map(\.changes.origin) } == [["local"], ["answer"]])
    let again = try replayed(first)
    #expect(again.host.store.object(Note.self, primaryKey: 1)?.title == "y")
  }

  @Test func `many commits of one intent are described in one go`() throws {
    let first = try recorded { app, store, notes in
      let shown = store.results(Note.self)
      let token = shown.observe { _ in if notes[0].rank < 200 { notes[0].rank += 1 } }
      try app.host.perform(named: "count") { notes[0].rank = 1 }
      token.cancel()
    }
    let entry = try #require(first.intentLog?.entries.first)
    #expect(entry.changes.changes.flatMap(\.properties).map(\.description) == ["rank: 0 -> 200"])
    #expect(entry.commits.count == 1)
  }
}
