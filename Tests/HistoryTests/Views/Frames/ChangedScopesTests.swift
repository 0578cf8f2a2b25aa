import Signals
import SignalsTesting
import TestSupport
import Testing

/// What `Frame.changed` names.
@Suite struct `Views, changed scopes` {
  /// Rows in rows, whose texts capture what the body reads.
  private struct Nested: View {
    @State var text = "q"
    @State var isOff = false

    var body: Element {
      TextField("t", text: $text, id: "t")
      Toggle("off", isOn: $isOff, id: "off")
      let captured = text
      ForEach(["g"], id: \.self) { _ in
        ForEach(["x", "y"], id: \.self) { name in
          Column { ForEach([1], id: \.self) { Text("\(captured) \(name) \($0)") } }
        }
      }
      ForEach(["b"], id: \.self) { _ in
        Column { ForEach(["z"], id: \.self) { name in Button(name, id: name) {} } }
      }.disabled(isOff)
    }
  }

  @Test func `rows in rows in rows are named when they show what their surroundings captured`()
    throws
  {
    let renderer = CheckingRenderer()
    let host = ViewHost(Store(), renderer: renderer) { Nested() }
    try host.perform("t", with: .text("new"))
    #expect(renderer.failures == [])
    #expect(renderer.text.contains("new x 1\nnew y 1"))
    try host.perform("off", with: .flag(true))
    #expect(renderer.failures == [])
  }

  @Test func `the rows of a section are named when the condition of the sections changes`() throws {
    struct Narrowed: View {
      @ObservedSections(Note.self, by: \.isDoneText, sortedBy: .ascending(\.rank)) var sections
      @State var query = ""
      var body: Element {
        TextField("query", text: $query, id: "query")
        ForEach($sections.where(on: query) { $0.title.hasSuffix(query) }) { $section in
          Section(section.key) { ForEach(section) { Text($0.title) } }
        }
      }
    }
    let (store, _) = try notes(4)
    let renderer = CheckingRenderer()
    let host = ViewHost(store, renderer: renderer) { Narrowed() }
    try host.perform("query", with: .text("2"))
    #expect(renderer.failures == [])
    #expect(renderer.text == "query: [2]\nopen\nnote 2")
  }

  @Test func `what is evaluated and looks as before is not named`() throws {
    let (a, list) = (Signal(1), Signal([1, 2, 3]))
    let log = FrameLog()
    let host = ViewHost(Store(), renderer: log) {
      Text("\(a.value > 0)")
      ForEach(list.value, id: \.self) { number in
        Button("row \(number)") { a.value = number }
      }
    }
    _ = host.frame.texts(in: host.frame.root)
    let bodies = host.bodies
    a.value = 2
    let frame = try #require(log.frames.last)
    #expect(frame.changed.isEmpty)
    #expect(log.frames.count == 2, "its elements may do something else")
    #expect(host.bodies == bodies + 4)
  }

  @Test func `asking whether a row has changed evaluates that row alone`() throws {
    let (store, notes) = try notes(100)
    let log = FrameLog()
    let host = ViewHost(store, renderer: log) {
      ForEach(store.results(Note.self)) { note in Text(note.title) }
    }
    let list = try #require(host.frame.elements(of: host.frame.root).first?.scope)
    let rows = try #require(host.frame.rows(of: list))
    for row in rows { _ = host.frame.elements(of: row) }
    let (shown, other) = (rows[3], rows[4])
    let bodies = host.bodies
    batch { for note in notes { note.title = note.number == 4 ? "changed" : note.title + " " } }
    let frame = try #require(log.frames.last)
    #expect(host.bodies == bodies)
    #expect(frame.changed.contains(shown))
    #expect(frame.changed.contains(other))
    #expect(host.bodies == bodies + 2)
    #expect(frame.changed.count == 100)
    #expect(host.bodies == bodies + 100)
  }

  @Test func `a row that was not asked for is compared with what it was when it is`() throws {
    let (store, notes) = try notes(3)
    let log = FrameLog()
    let host = ViewHost(store, renderer: log) {
      ForEach(store.results(Note.self)) { note in Text(note.title) }
    }
    let list = try #require(host.frame.elements(of: host.frame.root).first?.scope)
    let row = try #require(host.frame.rows(of: list))[1]
    _ = host.frame.elements(of: row)
    notes[1].title = "changed"
    notes[0].title = "something else"
    #expect(log.frames.count == 2, "no one has asked for the other row")
    #expect(host.frame.changed.contains(row))
    notes[1].title = "for a moment"
    notes[1].title = "changed"
    #expect(!host.frame.changed.contains(row))
  }

  @Test func `rows that were released and made again are named`() {
    let (mark, renderer) = (Signal(0), CheckingRenderer())
    (renderer.window, renderer.windowed) = (0..<20, 10)
    let host = ViewHost(Store(), renderer: renderer) {
      let captured = mark.value
      ForEach(0..<1_000, id: \.self) { row in
        Column { ForEach([1, 2], id: \.self) { Text("\(captured) \(row) \($0)") } }
      }
    }
    for step in 0..<60 {
      let start = step % 2 == 0 ? step * 10 : 0
      renderer.window = start..<start + 20
      mark.value += 1
      #expect(renderer.failures == [])
    }
    #expect(renderer.text.hasPrefix("60 0 1\n60 0 2\n60 1 1"))
    #expect(host.bodies > 0)
  }

  /// `SIGNALS_STEPS` sets the number of steps, `SIGNALS_SEED` the first seed.
  @Test func `every scope of a random screen that looks different is named, and few others`() throws
  {
    let steps = runLength(usually: 6_000)
    let nodes = ReactiveGraph.liveNodes
    var (step, seed, named, alike) = (0, firstSeed, 0, 0)
    while step < steps {
      let world = try ChangedWorld(seed: seed, depth: 1 + Int(seed % 4))
      for number in 0..<50 where world.renderer.failures.isEmpty {
        step += 1
        try world.step()
        for failure in world.renderer.failures {
          Issue.record("seed \(seed), step \(number): \(failure)\n\(world.screen)")
        }
      }
      named += world.renderer.named
      alike += world.renderer.namedAlike
      let isRight = world.renderer.failures.isEmpty
      world.end()
      if !isRight { return }
      seed += 1
    }
    #expect(ReactiveGraph.liveNodes == nodes)
    #expect(alike * 10 < named, "\(alike) of \(named) that are named look as before")
    if steps >= 100_000 { print("\(step) steps; \(alike) of \(named) named look as before") }
  }
}
