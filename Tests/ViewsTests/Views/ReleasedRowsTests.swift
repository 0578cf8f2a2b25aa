import Signals
import SignalsReplay
import SignalsTesting
import TestSupport
import Testing

/// `Frame.releaseRows()`: what a renderer that scrolls lets go of.
@Suite struct `Views, released rows` {
  /// Rows of several kinds, by the number of the note.
  struct Row: View {
    let note: Note
    let journal: Count

    var body: Element {
      switch note.number % 4 {
      case 0: Marked(note: note)
      case 1: Text(note.title).onDisappear { journal.value += 1 }
      case 2: Nested(note: note)
      default: Text(note.title)
      }
    }
  }

  struct Marked: View {
    @ObservedObject var note: Note
    @State var marks = 0
    var body: Element { Button("\(note.title) \(marks)", id: "\(note.number)") { marks += 1 } }
  }

  struct Nested: View {
    let note: Note
    @ObservedResults(Note.self) var notes
    var body: Element { Text("\(note.title) of \(notes.count)") }
  }

  struct Tally: View {
    let gone: Signal<Int>
    var body: Element { Text("gone: \(gone.value)") }
  }

  /// Draws a window, and lets go of the rest.
  final class Scrolling {
    let renderer: WindowRenderer
    let host: ViewHost
    private let height: Int

    init(_ store: Store, _ height: Int, @ElementBuilder root: @escaping () -> Element) {
      self.height = height
      renderer = WindowRenderer(0..<height)
      host = ViewHost(store, renderer: renderer, root: root)
    }

    func scroll(to top: Int) {
      renderer.window = top..<top + height
      renderer.draw()
      host.frame.releaseRows()
    }

    /// What is on screen after a change.
    func draw() { scroll(to: renderer.window.lowerBound) }
  }

  private func plain(_ store: Store, _ height: Int = 50) -> Scrolling {
    Scrolling(store, height) {
      ForEach(store.results(Note.self).sorted(by: \.rank)) { Text($0.title) }
    }
  }

  private func mixed(_ store: Store, _ height: Int = 50, _ journal: Count = Count()) -> Scrolling {
    Scrolling(store, height) {
      ForEach(store.results(Note.self).sorted(by: \.rank)) { Row(note: $0, journal: journal) }
    }
  }

  @Test func `objects that were scrolled past keep nothing for the rows that showed them`() throws {
    let store = Store()
    let notes = (0..<1000).map { number in
      let note = Note()
      note.number = number
      return note
    }
    try store.add(notes)
    let shown = store.results(Note.self).sorted(by: \.number)
    var list: Scrolling? = Scrolling(store, 10) { ForEach(shown) { Text($0.title) } }
    for top in stride(from: 0, through: 990, by: 10) { list?.scroll(to: top) }
    // As many rows are kept, so that scrolling back makes none.
    #expect(notes.map(\.propertyNodeCount).reduce(0, +) < 300)
    notes[995].title = "read"
    list?.draw()
    #expect(list?.renderer.texts[5] == "read")
    list = nil
    #expect(notes.map(\.propertyNodeCount).reduce(0, +) == 0)
  }

  @Test func `a screen that was scrolled through 5,000 rows keeps some hundred of them`() throws {
    let (store, _) = try notes(5000)
    let rows = Count()
    let app = Scrolling(store, 50) {
      ForEach(store.results(Note.self).sorted(by: \.rank)) { note in
        let token = Lifetime { rows.value -= 1 }
        let _ = rows.value += 1
        Button(note.title) { token.use() }
      }
    }
    for top in stride(from: 0, to: 5000, by: 50) { app.scroll(to: top) }
    #expect(app.renderer.texts.first == "note 4950")
    #expect(rows.value < 400)
    #expect(app.host.bodies == 5001)
  }

  @Test func `a log that is kept of a screen keeps no rows`() throws {
    let (store, _) = try notes(2000)
    let app = plain(store)
    app.host.intentLog = IntentLog(start: store.snapshot())
    for top in stride(from: 0, to: 2000, by: 50) {
      app.scroll(to: top)
      try app.host.perform(named: "look") {}
    }
    let rows = try #require(app.host.intentLog?.entries.last?.rows?.first)
    #expect(rows.reduce(0) { $0 + $1.count } < 400)
    let other = plain(Store(try #require(app.host.intentLog?.start)))
    try other.host.replay(try #require(app.host.intentLog))
  }

  @Test func `a row that went is made again, as it is now, when it is asked for`() throws {
    let (store, notes) = try notes(2000)
    let app = plain(store)
    for top in stride(from: 0, to: 2000, by: 50) { app.scroll(to: top) }
    let bodies = app.host.bodies
    notes[3].title = "renamed"
    #expect(app.host.bodies == bodies)
    app.scroll(to: 0)
    #expect(app.renderer.texts[3] == "renamed")
    #expect(app.host.bodies == bodies + 50)
    notes[3].title = "again"
    #expect(app.renderer.texts[3] == "again")
  }

  @Test func `a row with state stays, and so do those that run something when they go`() throws {
    let (store, _) = try notes(2000)
    let journal = Count()
    let app = mixed(store, 50, journal)
    try app.host.perform("4")
    for top in stride(from: 0, to: 2000, by: 50) { app.scroll(to: top) }
    app.scroll(to: 0)
    #expect(app.renderer.texts[4] == "note 4 1")
    #expect(journal.value == 0)
  }

  final class Folding: Projection<Note> {
    @Projected(\Note.title) var title: String
    /// Called as a property that every projection has, which nobody sees from outside.
    let isKnown = Signal(false)
  }

  final class Titled: Projection<Note> {
    @Projected(\Note.title) var title: String
  }

  @Test func `a row whose projection has stored properties of its own stays`() throws {
    let (store, _) = try notes(2000)
    let rows = store.results(Note.self).sorted(by: \.rank)
    let app = Scrolling(store, 50) {
      ForEach(rows.projected(to: Folding.self)) { row in
        Button("\(row.title) \(row.isKnown.value)", id: row.title) { row.isKnown.value = true }
      }
    }
    try app.host.perform("note 3")
    for top in stride(from: 0, to: 2000, by: 50) { app.scroll(to: top) }
    app.scroll(to: 0)
    #expect(app.renderer.texts[3] == "note 3 true")
    let plain = Scrolling(store, 50) { ForEach(rows.projected(to: Titled.self)) { Text($0.title) } }
    for top in stride(from: 0, to: 2000, by: 50) { plain.scroll(to: top) }
    plain.scroll(to: 0)
    #expect(plain.host.bodies == 2051)
  }

  @Test func `the row that has the focus stays`() throws {
    let (store, _) = try notes(2000)
    let app = Scrolling(store, 50) {
      ForEach(store.results(Note.self).sorted(by: \.rank)) { note in
        Button(note.title, id: "\(note.number)") {}
      }
    }
    app.host.focus = "7"
    for top in stride(from: 0, to: 2000, by: 50) { app.scroll(to: top) }
    #expect(app.host.focus == "7")
    let bodies = app.host.bodies
    app.scroll(to: 0)
    #expect((app.host.focus, app.host.bodies) == ("7", bodies + 49))
  }

  @Test func `a frame that was replaced still shows the rows that it was asked for`() throws {
    let (store, notes) = try notes(2000)
    let app = plain(store)
    let old = app.host.frame
    let list = try #require(old.elements(of: old.root).first?.scope)
    let rows = try #require(old.rows(of: list))
    let row = rows[5]
    notes[0].title = "another frame"
    for top in stride(from: 50, to: 2000, by: 50) { app.scroll(to: top) }
    #expect(old.texts(in: row) == ["note 5"])
    #expect(rows[5] == row)
    #expect(old.elements(of: rows[1500]).isEmpty)
    old.releaseRows()
    app.scroll(to: 0)
    #expect(app.renderer.texts[5] == "note 5")
  }

  @Test func `rows of the frame on screen are found by who got them before the release`() throws {
    let (store, _) = try notes(2000)
    let app = plain(store)
    let list = try #require(app.host.frame.elements(of: app.host.frame.root).first?.scope)
    let rows = try #require(app.host.frame.rows(of: list))
    for top in stride(from: 0, to: 2000, by: 50) { app.scroll(to: top) }
    #expect(app.host.frame.texts(in: rows[2]) == ["note 2"])
    #expect(rows[2] == app.host.frame.rows(of: list)?[2])
  }

  @Test func `what writes when its row goes, is heard`() throws {
    let (store, _) = try notes(1000)
    let gone = Signal(0)
    let app = Scrolling(store, 50) {
      Tally(gone: gone)
      ForEach(store.results(Note.self).sorted(by: \.rank)) { note in
        let token = Lifetime { gone.value += 1 }
        Button(note.title) { token.use() }
      }
    }
    let frame = app.host.frame
    let list = try #require(frame.elements(of: frame.root).last?.scope)
    for top in stride(from: 0, to: 1000, by: 50) {
      let rows = try #require(app.host.frame.rows(of: list))
      for row in rows[top..<top + 50] { _ = app.host.frame.elements(of: row) }
      app.host.frame.releaseRows()
    }
    #expect(gone.value > 0)
    let tally = try #require(app.host.frame.elements(of: frame.root).first?.scope)
    #expect(app.host.frame.texts(in: tally) == ["gone: \(gone.value)"])
  }

  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func `under random scrolling and changes each window shows what a model says`(seed: UInt64) throws
  {
    let nodes = ReactiveGraph.liveNodes, edges = ReactiveGraph.liveEdges
    try history(seed)
    #expect((ReactiveGraph.liveNodes, ReactiveGraph.liveEdges) == (nodes, edges))
  }

  private func history(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let count = runLength(usually: 1500)
    let (store, notes) = try notes(count)
    let journal = Count()
    let app = mixed(store, 40, journal)
    var marks: [Int: Int] = [:]
    for step in 0..<runLength(usually: 100) {
      for _ in 0..<Int.random(in: 0..<4, using: &random) {
        guard let note = notes.randomElement(using: &random) else { continue }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: note.title = "title \(step)"
        case 1: note.rank = Int.random(in: 0..<count, using: &random)
        case 2 where note.store != nil:
          try store.delete(note)
          marks[note.number] = nil
        case 3 where note.store == nil: try store.add(note)
        default: break
        }
      }
      app.scroll(to: Int.random(in: 0..<count - 100, using: &random))
      let present = Array(store.results(Note.self).sorted(by: \.rank))
      let window = app.renderer.window.clamped(to: 0..<present.count)
      let shown = present[window]
      if let note = shown.filter({ $0.number % 4 == 0 }).randomElement(using: &random) {
        try app.host.perform("\(note.number)")
        marks[note.number, default: 0] += 1
        app.draw()
      }
      let expected = shown.map { text(of: $0, among: present.count, marks) }
      try #require(app.renderer.texts == expected, "seed \(seed), step \(step)")
    }
  }

  private func text(of note: Note, among count: Int, _ marks: [Int: Int]) -> String {
    switch note.number % 4 {
    case 0: "\(note.title) \(marks[note.number, default: 0])"
    case 2: "\(note.title) of \(count)"
    default: note.title
    }
  }
}
