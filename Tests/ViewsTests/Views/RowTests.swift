import Signals
import SignalsTesting
import TestSupport
import Testing

/// `ForEach`: rows evaluated by themselves, and when they are asked for.
@Suite struct `Views, rows` {
  struct Shelf: View {
    @ObservedResults(Note.self, sortedBy: \.rank) var notes
    var body: Element {
      ForEach(notes) { note in Text(note.title) }
    }
  }

  struct Counter: View {
    let name: String
    @State var taps = 0
    var body: Element {
      Button("\(name): \(taps)", id: name) { taps += 1 }
    }
  }

  @Test func `one changed row of 10,000 costs one body, and the frame names it alone`() throws {
    let (store, notes) = try notes(10_000)
    let log = FrameLog()
    let host = ViewHost(store, renderer: log) { Shelf() }
    #expect(host.bodies == 2)
    let shelf = try #require(host.frame.elements(of: host.frame.root).first?.scope)
    let list = try #require(host.frame.elements(of: shelf).first?.scope)
    let rows = try #require(host.frame.rows(of: list))
    let row = rows[5000]
    for row in rows { _ = host.frame.elements(of: row) }
    #expect(host.bodies == 10_002)
    notes[5000].title = "changed"
    #expect(log.frames.count == 2)
    #expect(Set(log.frames[1].changed) == [row])
    #expect(log.frames[1].texts(in: row) == ["changed"])
    #expect(host.bodies == 10_003)
    notes[5000].isDone = true
    #expect((log.frames.count, host.bodies) == (2, 10_003))
  }

  @Test func `rows are evaluated when the renderer asks for them`() throws {
    let (store, notes) = try notes(10_000)
    let renderer = WindowRenderer(40..<60)
    let host = ViewHost(store, renderer: renderer) {
      ForEach(store.results(Note.self)) { note in Text(note.title) }
    }
    #expect(host.bodies == 21)
    #expect(renderer.texts == (40..<60).map { "note \($0)" })
    notes[41].title = "shown"
    #expect((host.bodies, renderer.texts[1]) == (22, "shown"))
    notes[9000].title = "not shown"
    #expect(host.bodies == 22)
    renderer.window = 8990..<9010
    renderer.draw()
    #expect((host.bodies, renderer.texts[10]) == (42, "not shown"))
  }

  @Test func `an intent on screen evaluates no rows, one of a row out of sight those it must`()
    throws
  {
    let (store, _) = try notes(100)
    let renderer = WindowRenderer(0..<10)
    let count = Count()
    let host = ViewHost(store, renderer: renderer) {
      ForEach(store.results(Note.self)) { note in
        Button(note.title) { count.log.append(note.title) }
      }
    }
    try host.perform("note 3")
    #expect(host.bodies == 11)
    try host.perform("note 30")
    #expect((host.bodies, count.log) == (101, ["note 3", "note 30"]))
  }

  @Test func `a row out of sight is not evaluated, nor what it holds`() throws {
    let (store, notes) = try notes(100)
    let count = Count()
    struct Line: View {
      @ObservedObject var note: Note
      let count: Count
      var body: Element {
        let _ = count.value += 1
        Text(note.title)
      }
    }
    let renderer = WindowRenderer(0..<10)
    let host = ViewHost(store, renderer: renderer) {
      ForEach(store.results(Note.self)) { note in
        Text(note.isDone ? "done" : "open")
        Line(note: note, count: count)
      }
    }
    #expect(count.value == 10)
    renderer.window = 50..<60
    batch {
      notes[0].isDone = true
      notes[0].title = "changed"
    }
    // Its row has to be evaluated before the view in it, and nobody asks for the row.
    #expect(count.value == 20)
    renderer.window = 0..<1
    renderer.draw()
    #expect((renderer.texts, count.value) == (["done", "changed"], 21))
    withExtendedLifetime(host) {}
  }

  @Test func `what changes deep in a row that changes too is named, and shown`() throws {
    struct Around: View {
      let note: Note
      var body: Element { Inside(note: note) }
    }
    struct Inside: View {
      @ObservedObject var note: Note
      var body: Element { Text(note.title) }
    }
    let (store, notes) = try notes(2)
    let log = FrameLog()
    let host = ViewHost(store, renderer: log) {
      ForEach(notes) { note in
        Text("\(note.rank)")
        Around(note: note)
      }
    }
    _ = host.frame.texts(in: host.frame.root)
    let bodies = host.bodies
    batch {
      notes[0].rank = 7
      notes[0].title = "changed"
    }
    let frame = log.frames[1]
    let texts = frame.changed.sorted().flatMap { frame.texts(in: $0) }
    #expect(texts == ["7", "changed", "changed"])
    #expect(host.bodies == bodies + 2, "the row and the innermost view")
    #expect(frame.texts(in: frame.root) == ["7", "changed", "1", "note 1"])
  }

  @Test func `views in rows first evaluated late are not named by the next frame`() throws {
    let (store, notes) = try notes(10)
    let log = FrameLog()
    let host = ViewHost(store, renderer: log) {
      ForEach(store.results(Note.self)) { note in Counter(name: note.title) }
    }
    _ = host.frame.texts(in: host.frame.root)
    notes[3].title = "changed"
    #expect(log.frames[1].changed.count == 1)
    _ = host.frame.texts(in: host.frame.root)
    notes[4].title = "changed too"
    #expect(log.frames[2].changed.count == 1)
  }

  @Test func `rows keep their state when they move, and lose it when they go`() throws {
    let names = Signal(["a", "b", "c"])
    let app = try TestHost(Store()) { ForEach(names.value, id: \.self) { Counter(name: $0) } }
    try app.tap("a")
    try app.tap("c")
    try app.tap("c")
    #expect(app.text == "[a: 1]\n[b: 0]\n[c: 2]")
    names.value = ["c", "x", "a", "b"]
    #expect(app.text == "[c: 2]\n[x: 0]\n[a: 1]\n[b: 0]")
    names.value = ["a", "b"]
    names.value = ["a", "b", "c"]
    #expect(app.text == "[a: 1]\n[b: 0]\n[c: 0]")
    names.value = ["c", "b", "a"]
    #expect(app.text == "[c: 0]\n[b: 0]\n[a: 1]")
  }

  @Test func `a view in a row is not evaluated when the rows move around it`() throws {
    let names = Signal(["a", "b", "c"])
    let app = try TestHost(Store()) { ForEach(names.value, id: \.self) { Counter(name: $0) } }
    let bodies = app.bodies
    names.value = ["c", "a", "b"]
    #expect(app.text == "[c: 0]\n[a: 0]\n[b: 0]")
    #expect(app.bodies == bodies, "nothing at all")
    names.value = ["c", "a", "b", "d"]
    #expect(app.bodies - bodies == 2, "a row, and the view in it")
  }

  @Test func `rows run again after the body around them, the views in them only if inputs differ`()
    throws
  {
    let names = Signal(["a", "b", "c"]), title = Signal("A")
    let app = try TestHost(Store()) {
      Text(title.value)
      ForEach(names.value, id: \.self) { Counter(name: $0) }
    }
    let bodies = app.bodies
    title.value = "B"
    #expect(app.bodies - bodies == 4, "the root and three rows")
  }

  @Test func `the body around rows does not run when their data change`() throws {
    let (store, notes) = try notes(3)
    let app = try TestHost(store) { Shelf() }
    let bodies = app.bodies
    try store.delete(notes[1])
    #expect((app.text, app.bodies) == ("note 0\nnote 2", bodies))
    notes[0].rank = 9
    #expect((app.text, app.bodies) == ("note 2\nnote 0", bodies))
    let new = Note()
    new.number = 7
    new.rank = 8
    try store.add(new)
    #expect((app.text, app.bodies) == ("note 2\n\nnote 0", bodies + 1))
  }

  @Test func `a row runs again when its value differs, and no other`() throws {
    struct Line: Identifiable, Equatable {
      let id: Int
      let text: String
    }
    let lines = Signal((0..<3).map { Line(id: $0, text: "line \($0)") })
    let app = try TestHost(Store()) { ForEach(lines.value) { Text($0.text) } }
    let bodies = app.bodies
    lines.value[1] = Line(id: 1, text: "new")
    #expect((app.text, app.bodies) == ("line 0\nnew\nline 2", bodies + 1))
    lines.value.swapAt(0, 2)
    #expect((app.text, app.bodies) == ("line 2\nnew\nline 0", bodies + 1))
  }

  @Test func `a row of a million is made when it is asked for`() throws {
    let log = FrameLog()
    let range = Signal(0..<1_000_000)
    let host = ViewHost(Store(), renderer: log) {
      ForEach(range.value, id: \.self) { Text("row \($0)") }
    }
    let list = try #require(host.frame.elements(of: host.frame.root).first?.scope)
    let nodes = ReactiveGraph.liveNodes
    let rows = try #require(host.frame.rows(of: list))
    #expect(rows.count == 1_000_000)
    let text = host.frame.texts(in: rows[999_999])
    #expect(text == ["row 999999"])
    #expect(rows[999_999] == rows[999_999])
    #expect((host.bodies, ReactiveGraph.liveNodes - nodes) == (2, 1))
    range.value = 999_990..<1_000_000
    #expect(host.frame.rows(of: list)?.count == 10)
    #expect(host.frame.rows(of: list)?[9] == rows[999_999], "the same row")
    #expect(log.frames.last.map { Set($0.changed) } == [list])
    #expect(host.bodies == 2)
    range.value = 0..<10
    #expect(ReactiveGraph.liveNodes == nodes, "the row is gone")
    #expect(host.frame.rows(of: host.frame.root) == nil)
  }

  @Test func `the rows of a replaced frame are those that it was asked for`() throws {
    let names = Signal(["a", "b", "c"])
    let host = ViewHost(Store(), renderer: FrameLog()) {
      ForEach(names.value, id: \.self) { Text($0) }
    }
    let first = host.frame
    let list = try #require(first.elements(of: first.root).first?.scope)
    let row = try #require(first.rows(of: list)?[1])
    #expect(first.texts(in: row) == ["b"])
    names.value = ["c"]
    #expect(first.rows(of: list)?.map { first.texts(in: $0) } == [[], ["b"], []])
    #expect(first.texts(in: list) == ["b"])
    #expect(host.frame.texts(in: list) == ["c"])
  }

  @Test func `a row outside of the rows of a frame traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let host = ViewHost(Store(), renderer: FrameLog()) {
        ForEach(0..<3, id: \.self) { Text("\($0)") }
      }
      if case .scope(let list)? = host.frame.elements(of: host.frame.root)[0].content {
        _ = host.frame.rows(of: list)?[3]
      }
    }
    let message = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(message?.contains("Signals: row 3 is outside of the 3 rows of a frame") == true)
  }

  @Test func `rows of one id are told apart by their order`() throws {
    let names = Signal(["a", "a", "b"])
    let app = try TestHost(Store()) {
      ForEach(names.value, id: \.self) { Counter(name: $0).id("only") }
    }
    let host = app.host
    let twins = ["ForEach/=a/=only.0.Counter#a", "ForEach/=a~1/=only.0.Counter#a"]
    #expect(
      throws: HostError.ambiguousElement("a", among: twins.compactMap(ElementID.init))
    ) { try host.perform("a") }
    #expect(app.text == "[a: 0]\n[a: 0]\n[b: 0]")
    try app.tap("b")
    names.value = ["b", "a"]
    #expect(app.text == "[b: 1]\n[a: 0]")
    try app.tap("a")
    names.value = ["a", "a", "a"]
    #expect(app.text == "[a: 1]\n[a: 0]\n[a: 0]")
  }

  @Test func `rows may be identifiable values, objects in a list, or values with a key`() throws {
    struct Value: Identifiable { let id: Int }
    let (store, notes) = try notes(2)
    let app = try TestHost(store) {
      ForEach([Value(id: 7), Value(id: 8)]) { Text("\($0.id)") }
      ForEach(List<Note>(notes + notes)) { Text($0.title) }
      ForEach(0..<2, id: \.self) { Text("\($0)") }
      ForEach([Note](), id: \.number) { Text($0.title) }
    }
    #expect(app.text == "7\n8\nnote 0\nnote 1\nnote 0\nnote 1\n0\n1")
  }

  @Test func `rows may hold rows`() throws {
    let groups = Signal([["a", "b"], ["c"]])
    let app = try TestHost(Store()) {
      ForEach(groups.value, id: \.first) { group in
        Text("group \(group[0])")
        ForEach(group, id: \.self) { Counter(name: $0) }
      }
    }
    try app.tap("b")
    groups.value = [["c", "d"], ["a", "b"]]
    #expect(app.text == "group c\n[c: 0]\n[d: 0]\ngroup a\n[a: 0]\n[b: 1]")
  }

  @Test func `inserting and removing rows in a result keeps the frame exact`() throws {
    let (store, notes) = try notes(50)
    let app = try TestHost(store) { Shelf() }
    try store.write {
      try store.delete(notes[10])
      notes[49].rank = -1
    }
    let expected = ["note 49"] + (0..<49).filter { $0 != 10 }.map { "note \($0)" }
    #expect(app.text == expected.joined(separator: "\n"))
    try store.undo()
    #expect(app.text == (0..<50).map { "note \($0)" }.joined(separator: "\n"))
  }
}
