import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite struct ExplanationTests {
  @Test func `of a computed names the inputs that changed, old and new`() {
    let price = Signal(10, name: "price")
    let amount = Signal(3, name: "amount")
    let total = Computed(name: "total") { price.value * amount.value }
    total.tracesChanges = true
    #expect(total.tracesChanges)
    #expect(total.explanation == nil)
    _ = total.value
    #expect(total.explanation?.description == "computed 'total' ran for the first time")
    price.value = 12
    _ = total.value
    #expect(
      total.explanation?.description == "computed 'total' ran because of signal 'price': 10 → 12")
    batch {
      price.value = 1
      amount.value = 4
    }
    _ = total.value
    #expect(
      total.explanation?.description == """
        computed 'total' ran because of
          signal 'price': 12 → 1
          signal 'amount': 3 → 4
        """)
    #expect(total.explanation?.run == 3)
    batch {
      price.value = 7
      amount.value = 5
      price.value = 1
    }
    _ = total.value
    #expect(total.explanation?.changes.map(\.name) == ["signal 'amount'"])
    total.tracesChanges = false
    price.value = 2
    #expect(total.value == 10)
    #expect(total.explanation == nil)
    total.tracesChanges = true
    price.value = 3
    #expect(total.value == 15)
    #expect(
      total.explanation?.description == "computed 'total' ran because of signal 'price': 2 → 3")
  }

  @Test func `of an effect names a computed that changed, and none that came out equal`() {
    let a = Signal(1, name: "a")
    let parity = Computed(name: "parity") { a.value % 2 }
    let half = Computed(name: "half") { a.value / 2 }
    let effect = Effect(name: "shown") { _ = parity.value + half.value }
    effect.tracesChanges = true
    #expect(effect.explanation == nil)
    a.value = 2
    #expect(
      effect.explanation?.description == """
        effect 'shown' ran because of
          computed 'parity': 1 → 0
          computed 'half': 0 → 1
        """)
    a.value = 4
    #expect(
      effect.explanation?.description == "effect 'shown' ran because of computed 'half': 1 → 2")
    effect.cancel()
    #expect(effect.explanation == nil)
    effect.tracesChanges = true
    #expect(!effect.tracesChanges)
  }

  @Test func `changes neither what runs nor when`() {
    func log(traced: Bool) -> [String] {
      let a = Signal(1, name: "a")
      let b = Signal(1, name: "b")
      let isFirst = Signal(true, name: "isFirst")
      var log: [String] = []
      let first = Computed { () -> Int in
        log.append("first")
        return a.value / 2
      }
      let second = Computed { () -> Int in
        log.append("second")
        return b.value
      }
      let chosen = Computed { () -> Int in
        log.append("chosen")
        return isFirst.value ? first.value : second.value
      }
      let effect = Effect { log.append("effect \(chosen.value)") }
      for computed in [first, second, chosen] { computed.tracesChanges = traced }
      effect.tracesChanges = traced
      for step in 0..<40 {
        batch {
          if step % 3 == 0 { a.value += 1 }
          if step % 4 == 0 { b.value += 1 }
          if step % 5 == 0 { _ = chosen.value }
          if step % 7 == 0 { isFirst.value.toggle() }
          if step % 11 == 0 { a.value -= 1 }
        }
      }
      #expect(ReactiveGraph.checkInvariants([a, b, isFirst, first, second, chosen, effect]) == [])
      effect.cancel()
      return log
    }
    let (nodes, edges) = (ReactiveGraph.liveNodes, ReactiveGraph.liveEdges)
    #expect(log(traced: true) == log(traced: false))
    #expect(ReactiveGraph.liveNodes == nodes)
    #expect(ReactiveGraph.liveEdges == edges)
  }

  @Test func `knows inputs that are not read any more, and computeds that are gone`() {
    let isFirst = Signal(true, name: "isFirst")
    let a = Signal(1, name: "a")
    let chosen = Computed(name: "chosen") { isFirst.value ? a.value : 0 }
    chosen.tracesChanges = true
    _ = chosen.value
    batch {
      isFirst.value = false
      a.value = 2
    }
    _ = chosen.value
    #expect(
      chosen.explanation?.changes.map(\.description) == [
        "signal 'isFirst': true → false", "signal 'a': 1 → 2",
      ])
    let rebuilt = Computed(name: "rebuilt") { Computed(name: "inner") { a.value }.value }
    rebuilt.tracesChanges = true
    _ = rebuilt.value
    a.value = 3
    _ = rebuilt.value
    #expect(rebuilt.explanation?.changes.map(\.description) == ["signal 'a': 2 → 3"])
    #expect(ReactiveGraph.checkInvariants([isFirst, a, chosen, rebuilt]) == [])
  }

  @Test func `may be switched on and off by the body itself`() {
    let a = Signal(1, name: "a")
    var itself: Computed<Int>?
    let toggling = Computed(name: "toggling") { () -> Int in
      itself?.tracesChanges = a.value % 3 != 0
      return a.value
    }
    itself = toggling
    for next in 1..<10 {
      a.value = next
      #expect(toggling.value == next)
    }
    #expect(ReactiveGraph.checkInvariants([a, toggling]) == [])
    itself = nil
  }

  @Test func `is no part of the dumped graph`() {
    let a = Signal(1, name: "a")
    let b = Computed(name: "b") { a.value }
    _ = b.value
    let before = DependencyGraph(around: a).description
    b.tracesChanges = true
    #expect(DependencyGraph(around: a).description == before)
    #expect(DependencyGraph(around: a, depth: 0).vertices[0].hiddenReaders == 1)
  }
}

@Suite struct ViewExplanationTests {
  struct Row: View {
    @ObservedObject var note: Note
    let prefix: String

    var body: Element {
      Text(prefix)
      Button(note.title, id: "note-\(note.number)") {}
    }
  }

  struct Tappable: View {
    let prefix: String
    let onTap: () -> Void

    var body: Element {
      Button(prefix, id: "tappable", action: onTap)
    }
  }

  struct Screen: View {
    @ObservedResults(Note.self, sortedBy: \.number) var notes
    @ObservedObject var first: Note
    @State var prefix = "-"
    var hasClosures = false

    var body: Element {
      Text("\(notes.count)")
      Button("prefix", id: "prefix") { prefix += "-" }
      Row(note: first, prefix: prefix)
      if hasClosures { Tappable(prefix: prefix) {} }
    }
  }

  @Test func `names what a body had read, old and new`() throws {
    let (store, notes) = try notes(2)
    let app = try TestHost(store) { Screen(first: notes[0]) }
    app.host.tracesChanges = true
    #expect(try app.host.explain("note-0") == nil)
    notes[0].title = "changed"
    #expect(
      try app.host.explain("note-0")?.description == """
        the body of Row ran because of \
        Note(number: 0).title: "note 0" → "changed"
        """)
    #expect(try app.host.explain("prefix") == nil)
    try store.write { try store.delete(notes[1]) }
    #expect(
      try app.host.explain("prefix")?.description
        == "the body of Screen ran because of the results of Note: 2 rows → 1 row")
    #expect(throws: HostError.self) { try app.host.explain("nothing") }
  }

  @Test func `names the inputs that the parent changed`() throws {
    let (store, notes) = try notes(1)
    let app = try TestHost(store) { Screen(first: notes[0]) }
    var explanations: [String] = []
    app.host.onExplanation = { explanations.append("\($0)") }
    try app.tap("prefix")
    #expect(
      try app.host.explain("prefix")?.description
        == "the body of Screen ran because of signal 'Screen.prefix': \"-\" → \"--\"")
    #expect(
      explanations.dropFirst() == [
        "the body of Row ran because of input 'prefix': \"-\" → \"--\""
      ])
    app.host.tracesChanges = false
    #expect(try app.host.explain("prefix") == nil)
  }

  @Test func `names closures, which always count as changed`() throws {
    let (store, notes) = try notes(1)
    let app = try TestHost(store) { Screen(first: notes[0], hasClosures: true) }
    app.host.tracesChanges = true
    try app.tap("prefix")
    #expect(
      try app.host.explain("tappable")?.changes.map(\.description) == [
        "input 'prefix': \"-\" → \"--\"", "input 'onTap'",
      ])
  }

  struct List: View {
    @ObservedResults(Note.self, sortedBy: \.number) var notes

    var body: Element {
      ForEach(notes) { note in Button(note.title, id: "row-\(note.number)") {} }
    }
  }

  @Test func `of rows, and of what appears, is told too`() throws {
    let (store, notes) = try notes(2)
    let app = try TestHost(store) { List() }
    app.host.tracesChanges = true
    notes[1].title = "changed"
    _ = app.text
    #expect(try app.host.explain("row-0") == nil)
    #expect(
      try app.host.explain("row-1")?.changes.map(\.description) == [
        "Note(number: 1).title: \"note 1\" → \"changed\""
      ])
    let new = Note()
    new.number = 7
    try store.add(new)
    _ = app.text
    #expect(
      try app.host.explain("row-7")?.description
        == "a row of the body of List ran for the first time")
    #expect(try app.host.explain("row-0") == nil, "the others don't run for that")
  }

  @Test func `nothing outlives the host`() throws {
    let (nodes, edges) = (ReactiveGraph.liveNodes, ReactiveGraph.liveEdges)
    do {
      let (store, notes) = try notes(2)
      let app = try TestHost(store) { Screen(first: notes[0]) }
      app.host.tracesChanges = true
      notes[0].title = "changed"
      try app.tap("prefix")
      app.host.tracesChanges = false
      notes[0].title = "again"
      app.host.tracesChanges = true
      notes[0].title = "and again"
    }
    #expect(ReactiveGraph.liveNodes == nodes)
    #expect(ReactiveGraph.liveEdges == edges)
  }
}
