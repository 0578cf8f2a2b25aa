import Signals
import SignalsTesting
import TestSupport
import Testing

/// What offsets mean: what the host shows, whoever shows it.
@Suite struct `Views, offsets on screen` {
  struct Nested: View {
    @ObservedResults(Note.self, sortedBy: \.rank) var notes
    var body: Element {
      ForEach(notes) { note in
        Text(note.title)
        Text("of \(notes.count)")
        ForEach([1], id: \.self) { _ in Text("x") }
        ForEach(notes.limit(1)) { Text($0.title) }
      }
      Button("remove first", id: "remove") { try $notes.remove(atOffsets: [0]) }
    }
  }

  @Test func `rows evaluated between two frames do not move them`() throws {
    let (store, notes) = try notes(4)
    let host = ViewHost(store, renderer: FrameLog(), clock: .manual) { Nested() }
    let shelf = try #require(host.frame.elements(of: host.frame.root).first?.scope)
    let list = try #require(host.frame.elements(of: shelf).first?.scope)
    let rows = try #require(host.frame.rows(of: list))
    _ = host.frame.texts(in: rows[0])
    notes[3].rank = -1
    _ = host.frame.texts(in: rows[1])
    try host.perform("remove")
    #expect(notes.map(\.isDeleted) == [true, false, false, false])
  }

  struct Searched: View {
    @ObservedResults(Note.self, sortedBy: \.rank) var notes
    @State private var text = "3"

    var body: Element {
      if notes.isEmpty { Text("none") }
      ForEach($notes.where(on: text) { $0.title.contains(text) }) { note in
        Text("found \(note.title)")
        All(name: "all-\(note.number)")
      }
      Button("remove found") { try $notes.remove(atOffsets: [0]) }
    }
  }

  struct All: View {
    @ObservedResults(Note.self, sortedBy: \.rank) var notes
    let name: String

    var body: Element {
      ForEach(notes) { Text($0.title) }
      Button(name) { try $notes.remove(atOffsets: [0]) }
    }
  }

  @Test func `two wrappers of the same results have offsets of their own`() throws {
    let (store, notes) = try notes(5)
    let app = try TestHost(store) {
      Searched()
      All(name: "all")
    }
    try app.tap("all")
    #expect(notes.map(\.isDeleted) == [true, false, false, false, false])
    try app.tap("all-3")
    #expect(notes.map(\.isDeleted) == [true, true, false, false, false])
    try app.tap("remove found")
    #expect(notes.map(\.isDeleted) == [true, true, false, true, false])
  }

  struct Parent: View {
    @ObservedResults(Note.self, sortedBy: \.rank) var notes
    let count: Count
    var body: Element {
      let _ = count.value += 1
      Child(notes: notes)
      Button("remove first") { try $notes.remove(atOffsets: [0]) }
    }
  }

  struct Child: View {
    let notes: Results<Note>
    var body: Element { ForEach(notes) { Text($0.title) } }
  }

  @Test func `a view removes what a child of it shows`() throws {
    let (store, notes) = try notes(3)
    let clock = FrameClock.manual
    let count = Count()
    let app = try TestHost(store, clock: clock) { Parent(count: count) }
    notes[2].rank = -1
    clock.tick()
    #expect(app.text.hasPrefix("note 2") && count.value == 1)
    notes[1].rank = -2
    try app.tap("remove first")
    #expect(notes.map(\.isDeleted) == [false, false, true])
  }

  struct Limited: View {
    @ObservedResults(Note.self, sortedBy: \.rank) var notes
    @State var limit = 2
    var body: Element {
      let some = $notes.where(on: limit) { _ in true }.limit(limit)
      ForEach(some) { Text($0.title) }
      Button("remove") { try $notes.remove(atOffsets: [0], in: some) }
    }
  }

  @Test func `whatever results a body shows have offsets`() throws {
    let (store, notes) = try notes(4)
    let clock = FrameClock.manual
    let app = try TestHost(store, clock: clock) { Limited() }
    notes[3].rank = -1
    try app.tap("remove")
    #expect(notes.map(\.isDeleted) == [true, false, false, false])
    clock.tick()
    #expect(app.text == "note 3\nnote 1\n[remove]")
    try app.tap("remove")
    #expect(notes[3].isDeleted)
  }

  /// A list whose rows a computed caches.
  struct Cached: View {
    @ObservedResults(Note.self, sortedBy: \.rank) var notes
    let titles: Computed<[Note]>
    var body: Element {
      ForEach(titles.value, id: \.number) { Text($0.title) }
      Button("remove") { try $notes.remove(atOffsets: [0]) }
    }
  }

  @Test func `rows that a computed has cached are none of the wrapper's`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (store, _) = try notes(3)
      let all = store.results(Note.self).sorted(by: .descending(\.rank))
      let app = try TestHost(store) { Cached(titles: Computed { Array(all.prefix(1)) }) }
      try app.tap("remove")
    }
    expectError(
      result, "Signals: nothing on screen shows the results of Note that offsets were given in")
  }

  struct Asking: View {
    @ObservedResults(Note.self) var notes
    @State var query = "note"
    var body: Element {
      ForEach($notes.where(on: query) { $0.title.contains(query) }) { Text($0.title) }
      Button("remove") {
        try $notes.remove(
          atOffsets: [0], in: $notes.where(on: query) { $0.title.contains(query) })
      }
    }
  }

  @Test func `results that an intent made have no offsets on screen`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (store, _) = try notes(2)
      let app = try TestHost(store) { Asking() }
      try app.tap("remove")
    }
    expectError(
      result, "Signals: nothing on screen shows the results of Note that offsets were given in")
  }

  /// A list that the view's state narrows; the wrapper's own rows are shown, counted or not read.
  struct Narrowed: View {
    @ObservedResults(Note.self, sortedBy: \.rank) var notes
    @State var own = Own.counted
    @State var query = "2"

    enum Own { case counted, shown, unread }

    var body: Element {
      if own == .counted { Text("of \(notes.count), empty: \(notes.isEmpty)") }
      if own == .shown { ForEach(notes.prefix(1)) { Text($0.title) } }
      ForEach($notes.where(on: query) { $0.title.contains(query) }) { Text($0.title) }
      Button("show") { own = .shown }
      Button("hide") { own = .unread }
      Button("all") { query = "" }
      Button("remove") { try $notes.remove(atOffsets: [0]) }
    }
  }

  @Test func `offsets are of the rows that the view's state has left`() throws {
    let (store, notes) = try notes(4)
    let app = try TestHost(store) { Narrowed() }
    try app.tap("remove")
    #expect(notes.map(\.isDeleted) == [false, false, true, false])
    try app.tap("hide")
    try app.tap("all")
    try app.tap("remove")
    #expect(notes.map(\.isDeleted) == [true, false, true, false])
  }

  @Test func `offsets of the wrapper's own rows are refused if those are not on screen`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      struct Screen: View {
        @ObservedResults(Note.self, sortedBy: \.rank) var notes
        @State var query = "2"
        var body: Element {
          let own = notes
          ForEach($notes.where(on: query) { $0.title.contains(query) }) { Text($0.title) }
          Button("remove") { try $notes.remove(atOffsets: [0], in: own) }
        }
      }
      let (store, _) = try notes(4)
      try TestHost(store) { Screen() }.tap("remove")
    }
    expectError(
      result,
      "Signals: nothing on screen shows the results of Note that offsets were given in")
  }

  @Test func `offsets that could be of two lists on screen are refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (store, _) = try notes(4)
      let app = try TestHost(store) { Narrowed() }
      try app.tap("show")
      try app.tap("remove")
    }
    expectError(
      result,
      "Signals: 2 lists on screen come from @ObservedResults of Note: say which has the offsets, "
        + "`in:` it")
  }

  @Test func `paths of sections that are not on screen are refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      struct Screen: View {
        @ObservedSections(Note.self, by: \.isDoneText, sortedBy: .ascending(\.rank)) var sections
        @State var query = "2"
        var body: Element {
          ForEach($sections.where(on: query) { $0.title.contains(query) }) { $section in
            ForEach(section) { Text($0.title) }
          }
          Button("remove") { try $sections.remove(at: [RowPath(section: 0, row: 0)]) }
        }
      }
      let (store, _) = try notes(4)
      try TestHost(store) { Screen() }.tap("remove")
    }
    expectError(result, "Signals: nothing on screen shows")
  }

  struct Latest: View {
    @ObservedResults(Note.self, sortedBy: \.rank, order: .descending, limit: 2) var notes
    @State var query = ""
    @State var isTurned = false
    var body: Element {
      let found = $notes.results(on: [query, "\(isTurned)"]) {
        let found = $0.where { query.isEmpty || $0.title.hasSuffix(query) }
        return isTurned ? found.limit(3).sorted(by: \.rank) : found
      }
      TextField("query", text: $query)
      ForEach(found) { Text($0.title) }
      Text("of \(notes.count)")
      Button("turn") { isTurned.toggle() }
      Button("remove") { try $notes.remove(atOffsets: [1], in: found) }
    }
  }

  @Test func `a limit counts what the view's state has left`() throws {
    let (store, notes) = try notes(12)
    let app = try TestHost(store) { Latest() }
    #expect(app.text == "query: []\nnote 11\nnote 10\nof 2\n[turn]\n[remove]")
    try app.type("1", into: "query")
    #expect(app.text == "query: [1]\nnote 11\nnote 1\nof 2\n[turn]\n[remove]")
    try app.type("", into: "query")
    try app.tap("turn")
    #expect(app.text == "query: []\nnote 9\nnote 10\nof 2\n[turn]\n[remove]")
    try app.tap("remove")
    #expect(notes[10].isDeleted)
  }

  struct Chained: View {
    @ObservedSections(Note.self, by: \.isDoneText, sortedBy: .ascending(\.rank)) var sections
    @State var query = "note 1"
    var body: Element {
      TextField("query", text: $query)
      ForEach(
        $sections.where(on: query) { $0.title.contains(query) }.where(on: 0) { !$0.isDone }
      ) { $section in
        ForEach(section) { Text($0.title) }
        Button("remove") { try $section.remove(atOffsets: [0]) }
      }
    }
  }

  @Test func `conditions in a row are those of the present state`() throws {
    let (store, notes) = try notes(13)
    notes[11].isDone = true
    let app = try TestHost(store) { Chained() }
    #expect(app.text == "query: [note 1]\nnote 1\nnote 10\nnote 12\n[remove]")
    try app.type("2", into: "query")
    #expect(app.text == "query: [2]\nnote 2\nnote 12\n[remove]")
    try app.tap("remove")
    #expect(notes[2].isDeleted && !notes[1].isDeleted)
  }

  struct Heads: View {
    @ObservedSections(Note.self, by: \.isDoneText, sortedBy: .ascending(\.rank)) var sections
    var body: Element {
      ForEach($sections) { $section in
        Button("rm \(section.key)") { try $section.remove(atOffsets: [0]) }
      }
      Button("rm all") {
        try $sections.remove(at: [RowPath(section: 0, row: 0), RowPath(section: 1, row: 1)])
      }
    }
  }

  @Test func `a section that has gone since has the rows that were in it`() throws {
    let (store, notes) = try notes(4)
    notes[0].isDone = true
    let clock = FrameClock.manual
    let app = try TestHost(store, clock: clock) { Heads() }
    notes[0].isDone = false
    notes[1].rank = 7
    notes[2].rank = 0
    try app.tap("rm done")
    #expect(notes.map(\.isDeleted) == [true, false, false, false])
    try app.tap("rm open")
    #expect(notes.map(\.isDeleted) == [true, true, false, false])
    clock.tick()
    notes[3].isDone = true
    clock.tick()
    notes[3].isDone = false
    try app.tap("rm done")
    #expect(notes.map(\.isDeleted) == [true, true, false, true])
  }

  @Test func `paths of several sections mean what was on screen`() throws {
    let (store, notes) = try notes(4)
    notes[0].isDone = true
    let clock = FrameClock.manual
    let app = try TestHost(store, clock: clock) { Heads() }
    notes[0].isDone = false
    notes[3].rank = -1
    try app.tap("rm all")
    #expect(notes.map(\.isDeleted) == [true, false, true, false])
  }

  struct Detail: View {
    @ObservedResults(Note.self, sortedBy: \.rank) var notes
    let owners: [Int]
    let count: Count
    @State var shown = 3
    var body: Element {
      ForEach(owners.prefix(shown), id: \.self) { owner in
        Text("\(owner)")
        ForEach($notes.where(on: owner) { count.isNote($0, of: owner) }) { note in
          Text(note.title)
        }
      }
      Button("fewer") { shown -= 1 }
    }
  }

  @Test func `what rows make with the state is kept while they are there`() throws {
    let (store, notes) = try notes(6)
    let count = Count()
    let app = try TestHost(store) { Detail(owners: [0, 1, 2], count: count) }
    #expect(count.value == 18 && app.text.contains("note 5"))
    count.value = 0
    notes[3].title = "third"
    #expect(count.value == 0)
    notes[3].rank = 5
    #expect(count.value == 3)
    try app.tap("fewer")
    count.value = 0
    notes[3].rank = 30
    #expect(count.value == 2, "one row has gone, and what it used")
    try app.tap("fewer")
    try app.tap("fewer")
    count.value = 0
    notes[3].rank = 31
    #expect(count.value == 0)
  }
}

extension Count {
  fileprivate func isNote(_ note: Note, of owner: Int) -> Bool {
    value += 1
    return note.rank % 3 == owner
  }
}
