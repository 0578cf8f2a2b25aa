import Signals
import SignalsTesting
import TestSupport
import Testing

/// Rows moved by the property that they are sorted by.
@Suite struct `Views, moving rows` {
  struct Plain {
    @ObservedResults<Note> var notes: Results<Note>
    init(_ store: Store, _ order: SortDirection = .ascending, limit: Int? = nil) {
      _notes = ObservedResults(Note.self, sortedBy: \.rank, order: order, limit: limit, in: store)
    }
  }

  @Test func `the values are handed round, and only those that must change`() throws {
    let (store, notes) = try notes(5)
    for note in notes { note.rank = note.number * 10 }
    let plain = Plain(store)
    var changes: [Int] = []
    let token = store.commits.sink { changes.append($0.changes.count) }
    try plain.$notes.move(fromOffsets: [3], toOffset: 1, by: \.rank)
    #expect(plain.notes.map(\.number) == [0, 3, 1, 2, 4])
    #expect(plain.notes.map(\.rank) == [0, 10, 20, 30, 40] && changes == [3])
    try plain.$notes.move(fromOffsets: [0, 2], toOffset: 5, by: \.rank)
    #expect(plain.notes.map(\.number) == [3, 2, 4, 0, 1] && changes == [3, 5])
    try plain.$notes.move(fromOffsets: [1], toOffset: 2, by: \.rank)
    try plain.$notes.move(fromOffsets: [], toOffset: 0, by: \.rank)
    #expect(changes.count == 2, "where it stands already")
    try store.undo()
    #expect(plain.notes.map(\.number) == [0, 3, 1, 2, 4])
    token.cancel()
  }

  @Test func `values that are the same are counted on, the shorter way`() throws {
    let (store, notes) = try notes(6)
    for note in notes { note.rank = 0 }
    let plain = Plain(store)
    try plain.$notes.move(fromOffsets: [2], toOffset: 0, by: \.rank)
    #expect(plain.notes.map(\.number) == [2, 0, 1, 3, 4, 5])
    #expect(plain.notes.map(\.rank) == [-3, -2, -1, 0, 0, 0])
    try plain.$notes.move(fromOffsets: [3], toOffset: 5, by: \.rank)
    #expect(plain.notes.map(\.number) == [2, 0, 1, 4, 3, 5])
    #expect(plain.notes.map(\.rank) == [-3, -2, -1, 0, 1, 2])
  }

  @Test func `largest first, and beyond a limit`() throws {
    let (store, notes) = try notes(5)
    for note in notes { note.rank = 7 }
    let plain = Plain(store, .descending, limit: 3)
    #expect(plain.notes.map(\.number) == [0, 1, 2])
    try plain.$notes.move(fromOffsets: [0], toOffset: 3, by: \.rank)
    #expect(plain.notes.map(\.number) == [1, 2, 0])
    #expect(
      store.results(Note.self).sorted(by: \.rank, order: .descending).map(\.number) == [
        1, 2, 0, 3, 4,
      ])
  }

  @Test func `floating-point places and optional neighbors`() throws {
    let store = Store()
    let tales = try store.addTales([1, 2, 3])
    for tale in tales { tale.score = 0x1p60 }
    let wrapper = ObservedResults(
      Tale.self, sortedBy: .descending(\.score), .ascending(\.rating), in: store)
    try wrapper.projectedValue.move(fromOffsets: [2], toOffset: 0, by: \.score)
    #expect(wrapper.wrappedValue.pages == [3, 1, 2])
    let scores = wrapper.wrappedValue.map(\.score)
    #expect(scores[0] > scores[1] && scores[1] >= scores[2])
  }

  struct Songs: View {
    @ObservedResults(Note.self, sortedBy: \.rank) var notes
    var body: Element {
      ForEach(notes) { Text($0.title) }
      Button("last first") {
        try $notes.move(fromOffsets: [3], toOffset: 0, by: \.rank)
      }
    }
  }

  @Test func `offsets and the destination mean what was on screen`() throws {
    let (store, notes) = try notes(4)
    let clock = FrameClock.manual
    let app = try TestHost(store, clock: clock) { Songs() }
    try store.write {
      notes[2].rank = -1
      try store.delete(notes[0])
    }
    try app.tap("last first")
    clock.tick()
    #expect(app.text == "note 2\nnote 3\nnote 1\n[last first]", "the first one has gone")
    #expect(notes[1].rank == 3 && notes[3].rank == 1)
  }

  @Test func `rows that have gone are passed over`() throws {
    let (store, notes) = try notes(4)
    let clock = FrameClock.manual
    let app = try TestHost(store, clock: clock) { Songs() }
    try store.delete(notes[3])
    try app.tap("last first")
    clock.tick()
    #expect(app.text == "note 0\nnote 1\nnote 2\n[last first]")
  }

  final class Line: Projection<Note> {
    @Projected(\Note.isDoneText) var done: String
    @ProjectedWritable(\Note.rank) var rank: Int
  }

  @Test func `projections and sections are moved too`() throws {
    let (store, notes) = try notes(5)
    notes[1].isDone = true
    notes[4].isDone = true
    let lines = ObservedResults(Line.self, sortedBy: \.rank, in: store)
    try lines.projectedValue.move(fromOffsets: [4], toOffset: 0, by: \.rank)
    #expect(lines.wrappedValue.map(\.root.number) == [4, 0, 1, 2, 3])
    let sections = ObservedSections(Line.self, by: \.done, sortedBy: .ascending(\.rank), in: store)
    #expect(sections.wrappedValue.map { $0.map(\.root.number) } == [[4, 1], [0, 2, 3]])
    try sections.projectedValue[1].move(fromOffsets: [2], toOffset: 0, by: \.rank)
    #expect(sections.wrappedValue.map { $0.map(\.root.number) } == [[4, 1], [3, 0, 2]])
    #expect(notes.map(\.rank) == [3, 2, 4, 1, 0])
  }

  @Test func `results that are sorted by something else are refused by name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (store, _) = try notes(2)
      let wrapper = ObservedResults(
        Note.self, sortedBy: .ascending(\.title), .ascending(\.rank), in: store)
      try wrapper.projectedValue.move(fromOffsets: [0], toOffset: 2, by: \.rank)
    }
    expectError(
      result,
      "Signals: rows can't be moved by Note.rank: the results of Note are not sorted by it first")
  }

  @Test func `destinations outside of what was shown trap`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (store, _) = try notes(2)
      try Plain(store).$notes.move(fromOffsets: [0], toOffset: 3, by: \.rank)
    }
    expectError(result, "Signals: destination 3 is outside of the 2 rows of Note on screen")
  }
}
