import Signals
import SignalsTesting
import TestSupport
import Testing

/// `@ObservedSections`, `@ObservedResults`, and limits and several sort keys of `@ObservedResults`.
@Suite struct `Views, sections` {
  struct Shelves: View {
    @ObservedSections(Note.self, by: \.isDoneText, sortedBy: .ascending(\.rank)) var sections
    @State var query = ""
    let count: Count

    var body: Element {
      let _ = count.value += 1
      TextField("query", text: $query)
      ForEach($sections.where(on: query) { $0.title.contains(query) || query.isEmpty }) {
        $section in
        let _ = count.log.append(section.key)
        Section(section.key) {
          ForEach(section) { Text($0.title) }
          Button("remove first of \(section.key)") { try $section.remove(atOffsets: [0]) }
        }
      }
    }
  }

  @Test func `sections and their rows are on screen, and run by themselves`() throws {
    let (store, notes) = try notes(4)
    let count = Count()
    notes[0].isDone = true
    let app = try TestHost(store) { Shelves(count: count) }
    #expect(count.value == 1 && count.log == ["done", "open"])
    #expect(app.text.contains("note 0") && app.text.contains("note 3"))
    count.log = []
    notes[1].isDone = true
    #expect(
      count.value == 1 && count.log == [], "the rows of two sections, and nothing around them")
    let lines = app.text.split(separator: "\n").map { $0.trimmingPrefix(while: { $0 == " " }) }
    #expect(lines.filter { $0.hasPrefix("note") } == ["note 0", "note 1", "note 2", "note 3"])
    for note in notes { note.isDone = true }
    #expect(count.value == 1 && !app.text.contains("remove first of open"))
    notes[3].isDone = false
    #expect(count.log == ["open"] && app.text.contains("remove first of open"))
  }

  @Test func `a limit is of the rows of all sections, of those that are narrowed too`() throws {
    struct Short: View {
      @ObservedSections(Note.self, by: \.isDoneText, sortedBy: .ascending(\.rank), limit: 3)
      var sections
      @State var least = 0
      var body: Element {
        ForEach($sections.where(on: least) { $0.rank >= least }) { $section in
          Text("\(section.key): \(section.map(\.title).joined(separator: ", "))")
        }
        Button("Higher") { least = 2 }
      }
    }
    let (store, notes) = try notes(6)
    notes[1].isDone = true
    let app = try TestHost(store) { Short() }
    #expect(app.text == "done: note 1\nopen: note 0, note 2\n[Higher]")
    notes[0].rank = 9
    #expect(app.text == "done: note 1\nopen: note 2, note 3\n[Higher]")
    try app.tap("Higher")
    #expect(app.text == "open: note 2, note 3, note 4\n[Higher]")
  }

  @Test func `offsets mean what was on screen, even if a write came between`() throws {
    let (store, notes) = try notes(4)
    notes[0].isDone = true
    let clock = FrameClock.manual
    let app = try TestHost(store, clock: clock) { Shelves(count: Count()) }
    notes[3].rank = -1
    try app.tap("remove first of open")
    clock.tick()
    #expect(notes.map(\.isDeleted) == [false, true, false, false])
    notes[0].isDone = false
    try app.tap("remove first of done")
    clock.tick()
    #expect(notes[0].isDeleted && !app.text.contains("done"))
  }

  @Test func `a condition on the view's state narrows the sections`() throws {
    let (store, notes) = try notes(12)
    notes[1].isDone = true
    let app = try TestHost(store) { Shelves(count: Count()) }
    try app.type("note 1", into: "query")
    let lines = app.text.split(separator: "\n").map { $0.trimmingPrefix(while: { $0 == " " }) }
    #expect(lines.filter { $0.hasPrefix("note") } == ["note 1", "note 10", "note 11"])
    try app.tap("remove first of open")
    #expect(notes[10].isDeleted && !notes[0].isDeleted)
    try app.type("note 11", into: "query")
    #expect(!app.text.contains("remove first of done"))
  }

  @Test func `sections work outside of a view with a store of their own`() throws {
    struct Plain {
      @ObservedSections<Bool, Note> var sections: Sections<Bool, Note>
      init(_ store: Store) {
        _sections = ObservedSections(
          Note.self, by: { $0.rank < 2 }, sortedBy: .descending(\.isDoneText), .ascending(\.rank),
          in: store)
      }
    }
    let (store, stored) = try notes(3)
    let plain = Plain(store)
    #expect(plain.sections.map(\.key) == [true, false])
    try plain.$sections[0].remove(atOffsets: [1])
    #expect(stored[1].isDeleted && plain.sections.map { $0.map(\.number) } == [[0], [2]])
    try plain.$sections.append(stored[1])
    #expect(plain.sections[0].count == 2)
  }

  struct Least: View {
    @ObservedResults(
      Note.self, sortedBy: .ascending(\.isDoneText), .descending(\.rank), limit: 2)
    var notes
    var body: Element {
      ForEach(notes) { Text($0.title) }
      Text("sum \(notes.value(.sum(\.rank)) ?? 0)")
      Button("remove last") { try $notes.remove(atOffsets: [1]) }
    }
  }

  struct FirstOfEach: View {
    @ObservedResults(Note.self, sortedBy: \.rank, distinctBy: \.isDoneText, limit: 2) var notes
    @State var least = 0
    var body: Element {
      ForEach($notes.where(on: least) { $0.number >= least }) { Text($0.title) }
      Button("more") { least += 1 }
    }
  }

  @Test func `results with one row for each key`() throws {
    let (store, notes) = try notes(4)
    notes[2].isDone = true
    let app = try TestHost(store) { FirstOfEach() }
    #expect(app.text == "\(notes[0].title)\n\(notes[2].title)\n[more]")
    try app.tap("more")
    #expect(app.text == "\(notes[1].title)\n\(notes[2].title)\n[more]", "of those narrowed")
  }

  @Test func `results with several sort keys and a limit`() throws {
    let (store, notes) = try notes(4)
    notes[1].isDone = true
    let app = try TestHost(store) { Least() }
    #expect(app.text == "note 1\nnote 3\nsum 4\n[remove last]")
    try app.tap("remove last")
    #expect(app.text == "note 1\nnote 2\nsum 3\n[remove last]")
    #expect(notes[3].isDeleted)
  }

  final class NoteRow: Projection<Note> {
    @Projected(\Note.title) var title: String
    @Projected(\Note.rank) var rank: Int
  }

  struct Rows: View {
    @ObservedResults(NoteRow.self, sortedBy: \.rank, order: .descending, limit: 2) var rows
    @State var query = ""
    var body: Element {
      ForEach($rows.where(on: query) { $0.title.contains("note") }) { Text($0.title) }
      Text(
        "\(rows.value(.sum(\.rank)) ?? 0) \(rows.value(.min(\.title)) ?? "") \(rows.value(.average(\.rank)) ?? 0)"
      )
      Button("remove first") { try $rows.remove(atOffsets: [0]) }
    }
  }

  @Test func `results of projections`() throws {
    let (store, notes) = try notes(3)
    let app = try TestHost(store) { Rows() }
    #expect(app.text == "note 2\nnote 1\n3 note 1 1.5\n[remove first]")
    notes[0].rank = 10
    #expect(app.text == "note 0\nnote 2\n12 note 0 6.0\n[remove first]")
    try app.tap("remove first")
    #expect(notes[0].isDeleted && app.text == "note 2\nnote 1\n3 note 1 1.5\n[remove first]")
    let each = store.results(Note.self).projected(to: NoteRow.self).distinct { $0.rank / 10 }
    #expect(each.map(\.title) == ["note 1"] && each.value(.max(\.rank)) == 1)
  }

  @Test func `sections without a store trap and name the class`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      @ObservedSections(Note.self, by: \.title) var sections
      _ = sections.count
    }
    expectError(
      result,
      "Signals: @ObservedSections of Note has no store: outside of a view give it one, `in: store`")
  }
}
