import Signals
import SignalsTesting
import TestSupport
import Testing

/// `@ObservedResults`.
@Suite struct `Views, results` {
  struct Shelf: View {
    @ObservedResults(Note.self, sortedBy: \.rank, order: .descending, where: { !$0.isDone })
    var notes
    var body: Element {
      ForEach(notes) { Text($0.title) }
      Button("remove first two") { try $notes.remove(atOffsets: [0, 1]) }
    }
  }

  struct Filtered: View {
    @ObservedResults(Note.self, sortedBy: \.rank) var notes
    @State var query = ""
    let count: Count
    var body: Element {
      let _ = count.value += 1
      let found = $notes.where(on: query) { note in
        count.log.append("\(note.number)")
        return note.title.contains(query)
      }
      TextField("query", text: $query)
      ForEach(found) { Text($0.title) }
      Button("remove") { try $notes.remove(atOffsets: [0], in: found) }
    }
  }

  @Test func `they are sorted and filtered, and follow the store`() throws {
    let (store, notes) = try notes(3)
    let app = try TestHost(store) { Shelf() }
    #expect(app.text == "note 2\nnote 1\nnote 0\n[remove first two]")
    notes[1].isDone = true
    notes[0].rank = 10
    #expect(app.text == "note 0\nnote 2\n[remove first two]")
  }

  @Test func `offsets mean what was on screen, even if a write came between`() throws {
    let (store, notes) = try notes(4)
    let clock = FrameClock.manual
    let app = try TestHost(store, clock: clock) { Shelf() }
    let late = Note()
    late.number = 100
    late.rank = 100
    try store.write {
      try store.add(late)
      try store.delete(notes[3])
      notes[2].rank = -1
    }
    #expect(app.text.hasPrefix("note 3\nnote 2\n"), "the frame from before")
    try app.tap("remove first two")
    clock.tick()
    #expect(notes.map(\.isDeleted) == [false, false, true, true])
    #expect(!late.isDeleted)
    #expect(app.text == "\(late.title)\nnote 1\nnote 0\n[remove first two]")
  }

  @Test func `removing several rows is one commit`() throws {
    let (store, _) = try notes(4)
    let app = try TestHost(store) { Shelf() }
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    try app.tap("remove first two")
    #expect((commits, app.frames) == (1, 2))
    token.cancel()
  }

  @Test func `narrowed results are kept while the state is the same, and dropped when unused`()
    throws
  {
    let (store, notes) = try notes(12)
    let count = Count()
    let app = try TestHost(store) { Filtered(count: count) }
    #expect(count.log.count == 12)
    count.log = []
    notes[3].title = "other 3"
    #expect(count.log == ["3"], "the row alone, and not with every body")
    count.log = []
    try app.type("note 1", into: "query")
    #expect(app.text == "query: [note 1]\nnote 1\nnote 10\nnote 11\n[remove]")
    #expect(
      count.log.count == 12, "each once: the condition's reads of the state are no dependency")
    count.log = []
    notes[3].title = "third"
    #expect(count.log == ["3"], "what the body does not use any more is not kept up to date")
  }

  @Test func `offsets in narrowed results mean what was on screen too`() throws {
    let (store, notes) = try notes(12)
    let clock = FrameClock.manual
    let app = try TestHost(store, clock: clock) { Filtered(count: Count()) }
    try app.type("note 1", into: "query")
    clock.tick()
    notes[1].title = "moved away"
    try app.tap("remove")
    #expect(notes[1].isDeleted && !notes[10].isDeleted)
  }

  @Test func `in other conditions the state of a view is a dependency`() throws {
    struct Plain: View {
      @ObservedResults(Note.self) var notes
      @State var query = ""
      var body: Element {
        ForEach(notes.where { $0.title.contains(query) }) { Text($0.title) }
        Button("ask") { query = "note 1" }
      }
    }
    let (store, _) = try notes(3)
    let app = try TestHost(store) { Plain() }
    try app.tap("ask")
    #expect(app.text == "note 1\n[ask]")
  }

  @Test func `two results in one view, each with a store of its own`() throws {
    struct Both: View {
      @ObservedResults(Note.self) var here
      @ObservedResults(Note.self) var there
      init(_ other: Store) { _there = ObservedResults(Note.self, in: other) }
      var body: Element { Text("\(here.count) \(there.count)") }
    }
    let (one, _) = try notes(1)
    let (two, _) = try notes(2)
    let app = try TestHost(one) { Both(two) }
    #expect(app.text == "1 2")
  }

  @Test func `they work outside of a view with a store of their own`() throws {
    struct Plain {
      @ObservedResults<Note> var notes: Results<Note>
      init(_ store: Store) { _notes = ObservedResults(Note.self, sortedBy: \.rank, in: store) }
    }
    let (store, stored) = try notes(3)
    let plain = Plain(store)
    #expect(plain.notes.count == 3)
    let added = Note()
    added.number = 7
    added.rank = -1
    try plain.$notes.append(added)
    try plain.$notes.append(added)
    #expect(plain.notes.map(\.number) == [7, 0, 1, 2])
    try plain.$notes.remove(atOffsets: [0, 3])
    #expect(plain.notes.map(\.number) == [0, 1], "offsets mean the present rows")
    try plain.$notes.remove(stored[0])
    #expect(plain.$notes.where(on: 1) { $0.rank == 1 }.map(\.number) == [1])
    #expect(throws: StoreError.self) { try plain.$notes.remove(Note()) }
  }

  @Test func `without a store they trap and name the class`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      @ObservedResults(Note.self) var notes
      _ = notes.count
    }
    expectError(
      result,
      "Signals: @ObservedResults of Note has no store: outside of a view give it one, `in: store`")
  }

  @Test func `offsets outside of what was shown trap`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (store, _) = try notes(2)
      let wrapper = ObservedResults(Note.self, in: store)
      try wrapper.projectedValue.remove(atOffsets: [2])
    }
    expectError(result, "Signals: offset 2 is outside of the 2 rows of Note on screen")
  }
}
