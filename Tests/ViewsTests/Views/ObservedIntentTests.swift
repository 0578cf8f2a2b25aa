import Signals
import SignalsTesting
import TestSupport
import Testing

/// Observers of a host's intents and of a store's commits, and held intents.
@MainActor
@Suite struct `Views, observed intents` {
  struct Stop: Error {}

  final class Lines { var all: [String] = [] }

  final class Witness: IntentObserver {
    let name: String
    let lines: Lines

    init(_ name: String, _ lines: Lines) { (self.name, self.lines) = (name, lines) }

    func willPerform(_ event: IntentEvent) {
      let flags = (event.isNested ? " nested" : "") + (event.isReaction ? " reaction" : "")
      lines.all.append("\(name) \(event.name) \(event.kind)\(flags)")
    }

    func didPerform(_ event: IntentEvent, throwing error: (any Error)?) {
      lines.all.append("\(name) did \(event.name)\(error.map { " \($0)" } ?? "")")
    }
  }

  struct Desk: View {
    let note: Note
    @Environment(\.busyIntents) var busy
    @State var message = ""

    var body: Element {
      Column {
        Button("Rename", id: "rename") { note.title = "new" }
        Button("Fail", id: "fail") { throw Stop() }
        Button("Load", id: "load") {
          await Task.yield()
          note.title = "loaded"
        }
        Text("\(busy) \(message)")
      }.onError { message = "\($0)" }
    }
  }

  private func mount() throws -> (app: TestHost, note: Note) {
    let store = try notes(1).store
    let note = try #require(store.object(Note.self, primaryKey: 0))
    return (try TestHost(store) { Desk(note: note) }, note)
  }

  @Test func `observers are called around an intent, and commits in between`() throws {
    let (app, _) = try mount()
    let lines = Lines()
    app.host.intentObservers = [Witness("a", lines), Witness("b", lines)]
    let token = app.host.store.observeCommits { lines.all.append("\($0.kind) \($0.cause)") }
    try app.host.perform("rename")
    #expect(
      lines.all == [
        #"a button "Rename" intent"#, #"b button "Rename" intent"#, "undoable direct",
        #"b did button "Rename""#, #"a did button "Rename""#,
      ])
    lines.all = []
    app.host.intentObservers.removeLast()
    #expect(throws: Stop.self) { try app.host.perform("fail") }
    #expect(lines.all == [#"a button "Fail" intent"#, #"a did button "Fail" Stop()"#])
    lines.all = []
    app.host.focus = "rename"
    #expect(lines.all == ["a focus focus", "a did focus"])
    token.cancel()
  }

  @Test func `an intent in an intent is nested, and one of an effect is a reaction`() throws {
    let (app, note) = try mount()
    let lines = Lines()
    app.host.intentObservers = [Witness("a", lines)]
    try app.host.perform(named: "outer") { try app.host.perform(named: "inner") {} }
    #expect(
      lines.all == ["a outer intent", "a inner intent nested", "a did inner", "a did outer"])
    lines.all = []
    let effect = Effect {
      if note.rank == 9 { try? app.host.perform(named: "later") {} }
    }
    note.rank = 9
    #expect(lines.all == ["a later intent nested reaction", "a did later"])
    effect.cancel()
  }

  @Test func `an effect that performs an intent doesn't depend on what observers read`() throws {
    final class Auditor: IntentObserver {
      let read: () -> Void

      init(_ read: @escaping () -> Void) { self.read = read }

      func willPerform(_ event: IntentEvent) { read() }
      func didPerform(_ event: IntentEvent, throwing error: (any Error)?) { read() }
    }
    let (app, _) = try mount()
    let (audited, held) = (Signal(0), Signal(0))
    app.host.intentObservers = [Auditor { _ = audited.value }]
    app.host.onHeldIntent = { _ in _ = held.value }
    var runs = 0
    let effect = Effect {
      runs += 1
      try? app.host.perform(named: "audited") {}
      try? app.host.start("load")
    }
    audited.value = 1
    #expect(runs == 1)
    held.value = 1
    #expect(runs == 1)
    effect.cancel()
  }

  @Test func `a held intent is busy until it is ended`() throws {
    let (app, note) = try mount()
    let lines = Lines()
    app.host.intentObservers = [Witness("a", lines)]
    var held: [HeldIntent] = []
    app.host.onHeldIntent = { held.append($0) }
    try app.host.start("load")
    let intent = try #require(held.first)
    #expect(app.host.busyIntents == ["load"])
    intent.end(throwing: Stop())
    intent.end()
    #expect(app.host.busyIntents == [])
    #expect(app.text.contains("Stop()"))
    #expect(note.title != "loaded")
    #expect(
      lines.all == [
        #"a button "Load" beginning(\#(intent.number))"#, #"a did button "Load""#,
        #"a button "Load" end(\#(intent.number))"#, #"a did button "Load" Stop()"#,
      ])
  }

  @Test func `the error of a held intent that has no handler is written to standard error`()
    async throws
  {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let app = try TestHost(Store()) { Button("load", id: "load") { await Task.yield() } }
      app.host.onError = nil
      var held: [HeldIntent] = []
      app.host.onHeldIntent = { held.append($0) }
      try app.host.start("load")
      held.first?.end(throwing: Stop())
    }
    expectError(result, "Signals: no onError gets what a view's intent threw: Stop()")
  }

  @Test func `an observer of commits gets each with its kind and cause`() throws {
    let (store, _) = try notes(2)
    let first = try #require(store.object(Note.self, primaryKey: 0))
    let second = try #require(store.object(Note.self, primaryKey: 1))
    var lines: [String] = []
    let token = store.observeCommits { lines.append("\($0.kind) \($0.cause)") }
    first.title = "direct"
    try store.undo()
    try store.redo()
    try store.write(undoable: false) { first.title = "loaded" }
    #expect(
      lines == ["undoable direct", "undo direct", "redo direct", "notUndoable direct"])
    lines = []
    let effect = Effect { if first.rank == 7 { second.rank = 7 } }
    let sink = store.commits.sink { _ in if second.rank == 7 { second.rank = 8 } }
    first.rank = 7
    #expect(lines == ["undoable direct", "undoable reaction", "undoable subscriber"])
    effect.cancel()
    sink.cancel()
    token.cancel()
    token.cancel()
    first.title = "unobserved"
    #expect(lines.count == 3)
  }

  @Test func `an observer of propagation runs once, after effects`() {
    let signal = Signal(0)
    var lines: [String] = []
    let observer = PropagationObserver("a test") {
      #expect(PropagationObserver.isUnderWay)
      lines.append("end")
    }
    let effect = Effect { lines.append("\(signal.value)") }
    batch {
      observer.request()
      signal.value = 1
      observer.request()
      #expect(PropagationObserver.isUnderWay)
    }
    #expect(!PropagationObserver.isUnderWay)
    #expect(lines == ["0", "1", "end"])
    observer.request()
    #expect(lines == ["0", "1", "end", "end"])
    batch {
      observer.request()
      observer.cancel()
    }
    observer.request()
    #expect(lines.count == 4)
    effect.cancel()
  }
}
