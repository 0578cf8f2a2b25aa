import Signals
import SignalsTesting
import TestSupport
import Testing

/// View state that is set in a transaction and goes back with it.
@Suite struct `Views, state of failed intents` {
  struct Stop: Error, Equatable {}

  /// Has each kind of view state, and sets all of it in an intent that may fail.
  struct Screen: View {
    let note: Note
    let end: () throws -> Void
    @State private var page = "form"
    @Restored("reversal.query") var query = ""
    @Focus private var focus

    var body: Element {
      Text("\(page) '\(query)' \(focus ?? "-") \(note.title)")
      TextField("field", text: $query)
      TextField("other", text: $page)
      Button("go") {
        note.title = "changed"
        page = "first"
        page = "done"
        query = "x"
        focus = "field"
        try end()
      }
    }
  }

  private func app(
    _ store: Store, _ note: Note, _ end: @escaping () throws -> Void
  ) throws -> TestHost {
    try TestHost(store) { Screen(note: note, end: end) }
  }

  private let before = "form '' - note 0"

  @Test func `an intent that throws sets the state of views back`() throws {
    let (store, notes) = try notes(1)
    let app = try app(store, notes[0]) { throw Stop() }
    #expect(throws: Stop()) { try app.tap("go") }
    #expect(app.text.hasPrefix(before))
    #expect(app.host.focus == nil)
    #expect(app.frames == 1)
  }

  @Test func `a commit that is refused sets the state of views back`() throws {
    let (store, notes) = try notes(1)
    let app = try app(store, notes[0]) {}
    let rule = store.beforeCommit { _ in throw Stop() }
    #expect(throws: Stop()) { try app.tap("go") }
    #expect(app.text.hasPrefix(before))
    #expect(app.host.focus == nil)
    rule.cancel()
    try app.tap("go")
    #expect(app.text.hasPrefix("done 'x' field changed"))
  }

  @Test func `a write that was refused in an intent sets the state of views back`() throws {
    let (store, notes) = try notes(1)
    let app = try app(store, notes[0]) { notes[0].number = 7 }
    #expect(throws: (any Error).self) { try app.tap("go") }
    #expect(app.text.hasPrefix(before))
  }

  @Test func `state that a refused commit set back is not kept for a relaunch`() throws {
    let (store, notes) = try notes(1)
    let app = try app(store, notes[0]) { throw Stop() }
    #expect(throws: Stop()) { try app.tap("go") }
    #expect(store.object(RestoredValue<String>.self, primaryKey: "reversal.query") == nil)
  }

  struct Savepoint: View {
    let store: Store
    @State private var outer = 0
    @State private var inner = 0

    var body: Element {
      Text("\(outer) \(inner)")
      Button("go") {
        outer = 1
        inner = 1
        try? store.write {
          outer = 2
          inner = 2
          throw Stop()
        }
        inner += 1
      }
    }
  }

  @Test func `a savepoint that fails sets back what was set in it alone`() throws {
    let store = Store()
    let app = try TestHost(store) { Savepoint(store: store) }
    try app.tap("go")
    #expect(app.text.hasPrefix("1 2"))
  }

  struct Async: View {
    let store: Store
    @State private var page = 0

    var body: Element {
      Text("\(page)")
      Button("go") {
        page = 1
        await Task.yield()
        try? store.write {
          page = 2
          throw Stop()
        }
        await Task.yield()
        throw Stop()
      }
    }
  }

  @Test func `in an async intent each write sets its own state back, and what stood before stays`()
    async throws
  {
    let store = Store()
    let app = try TestHost(store) { Async(store: store) }
    await #expect(throws: Stop()) { try await app.tapAsync("go") }
    #expect(app.text.hasPrefix("1"))
  }

  @Test func `a signal keeps what a failed intent set`() throws {
    let signal = Signal(0)
    let app = try TestHost(Store()) {
      Button("go") {
        signal.value = 1
        throw Stop()
      }
    }
    #expect(throws: Stop()) { try app.tap("go") }
    #expect(signal.value == 1)
  }

  struct Effects: View {
    let source: Signal<Int>, note: Note
    @State private var seen = 0

    var body: Element {
      Text("seen \(seen)")
      let source = source, note = note
      Text("").onChange(of: source.value) { _, new in
        seen = new
        note.title = "seen"
        throw Stop()
      }
    }
  }

  @Test func `onChange sets state back too`() throws {
    let (store, notes) = try notes(1)
    let source = Signal(0)
    let app = try TestHost(store) { Effects(source: source, note: notes[0]) }
    source.value = 3
    #expect(app.text.hasPrefix("seen 0"))
    #expect(app.errors.count == 1)
    #expect(notes[0].title == "note 0")
  }

  /// Writes to state when it goes.
  final class Last {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
    deinit { run() }
  }

  struct Holder: View {
    let count: Count
    @State private var last: Last?
    @State private var number = 0

    var body: Element {
      Text("\(number) \(last == nil)")
      Button("go") {
        let count = count
        last = Last {
          count.value += 1; number += 10
        }
        number = 1
        throw Stop()
      }
    }
  }

  @Test func `what goes with state that is set back may set state`() throws {
    let count = Count()
    let app = try TestHost(Store()) { Holder(count: count) }
    #expect(throws: Stop()) { try app.tap("go") }
    #expect(count.value == 1)
    #expect(app.text.hasSuffix("true\n[go]"))
    try app.host.perform {}
    #expect(throws: Stop()) { try app.tap("go") }
    #expect(count.value == 2)
  }

  struct StoringHolder: View {
    let note: Note
    @State private var last: Last?

    var body: Element {
      let note = note
      Text("\(note.title)")
      Button("go") {
        last = Last { note.title += "!" }
        note.rank = 9
        throw Stop()
      }
      Button("write") {
        try store.write {
          last = Last { note.title += "!" }
          note.rank = 9
          throw Stop()
        }
      }
    }
    let store: Store
  }

  @Test func `what goes with state that is set back may write to the store`() throws {
    let (store, notes) = try notes(1)
    let app = try TestHost(store) { StoringHolder(note: notes[0], store: store) }
    #expect(throws: Stop()) { try app.tap("go") }
    #expect((notes[0].title, notes[0].rank) == ("note 0!", 0))
    #expect(app.text.hasPrefix("note 0!\n"))
    #expect(throws: Stop()) { try app.tap("write") }
    #expect(notes[0].rank == 0)
    let title = notes[0].title
    try store.write { notes[0].rank = 3 }
    #expect(notes[0].title == title)
    #expect(app.text.hasPrefix(title))
  }

  @Test func `the steps of a fault plan leave the screen unchanged`() throws {
    try FaultPlan(.wholeCommits).run(on: {
      let (store, notes) = try notes(1)
      return try app(store, notes[0]) {}
    }) { app in
      let before = app.text
      do { try app.tap("go") } catch {
        #expect(app.text == before)
        throw error
      }
    }
  }
}
