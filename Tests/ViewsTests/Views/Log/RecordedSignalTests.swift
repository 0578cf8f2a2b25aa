import Foundation
import Signals
import SignalsReplay
import SignalsTesting
import TestSupport
import Testing

/// Writes of signals that no intent makes, in a log.
@MainActor
@Suite struct `Views, recorded signals` {
  /// A search whose text settles when the user pauses.
  final class Search {
    let typed = Signal(""), settled = Signal("")
    let pages = Signal(0)
    let clock = ManualClock()
    private var following: (any Cancellable)?

    init(isolation: isolated (any Actor)? = #isolation) {
      following = typed.publisher.debounce(for: .milliseconds(300), clock: clock)
        .assign(to: settled)
    }
  }

  struct Screen: View {
    let note: Note
    let search: Search
    var body: Element {
      let search = search
      TextField("Search", text: search.typed.binding, id: "search")
      Text("\(search.settled.value), page \(search.pages.value), \(note.title)")
      Button("Next") { search.pages.value += 1 }
    }
  }

  private func mount(_ store: Store, _ search: Search) throws -> TestHost {
    let note = try #require(store.object(Note.self, primaryKey: 0))
    let app = try TestHost(store) { Screen(note: note, search: search) }
    app.host.record(search.settled, as: "search")
    app.host.record(search.pages, as: "pages")
    return app
  }

  private func makeStore() throws -> Store {
    let store = Store()
    let note = Note()
    note.title = "a"
    try store.add(note)
    return store
  }

  /// Records a session, and returns its log as it is after encoding.
  private func recorded(
    _ session: (TestHost, Search) throws -> Void
  ) throws -> IntentLog {
    let (store, search) = (try makeStore(), Search())
    let app = try mount(store, search)
    app.intentLog = IntentLog(start: store.snapshot(), keepingScreens: true)
    try session(app, search)
    let data = try JSONEncoder().encode(try #require(app.intentLog))
    return try JSONDecoder().decode(IntentLog.self, from: data)
  }

  private func replay(_ log: IntentLog) throws {
    let search = Search()
    let app = try mount(Store(try #require(log.start)), search)
    try app.host.replay(log)
  }

  @Test func `a debounced text has an entry, and a replay doesn't wait for it`() throws {
    let log = try recorded { app, search in
      try app.type("so", into: "search")
      try app.type("soup", into: "search")
      search.clock.advance(by: .milliseconds(300))
      try app.tap("Next")
    }
    #expect(log.entries.map(\.kind) == [.intent, .intent, .signal, .intent])
    let entry = log.entries[2]
    #expect(
      entry.name == "search" && entry.input == .text("soup") && entry.title == "search = \"soup\"")
    #expect(entry.screen?.contains("soup, page 0") == true)
    try replay(log)
  }

  @Test func `writes of intents have no entry of their own, those from outside have one`()
    async throws
  {
    let log = try recorded { app, search in
      try app.tap("Next")
      search.pages.value = 7
      search.pages.value = 7
      batch {
        search.pages.value = 8
        search.settled.value = "x"
      }
    }
    #expect(log.entries.map(\.name) == ["button \"Next\"", "pages", "pages", "search"])
    #expect(log.entries.map(\.isSameBatch) == [false, false, false, true])
    try replay(log)
  }

  @Test func `a write in one batch with a commit or an intent has an entry`() throws {
    let log = try recorded { app, search in
      let note = app.host.store.object(Note.self, primaryKey: 0)
      batch {
        note?.title = "b"
        search.pages.value = 8
      }
      batch {
        search.pages.value = 9
        note?.title = "c"
      }
      try batch {
        try app.tap("Next")
        search.settled.value = "x"
      }
    }
    #expect(
      log.entries.map(\.name) == [
        "commit", "pages", "pages", "commit", "button \"Next\"", "search",
      ])
    #expect(log.entries.map(\.isSameBatch) == [false, true, false, true, false, true])
    #expect(log.entries.last?.screen?.contains("x, page 10, c") == true)
    try replay(log)
  }

  /// Keeps the title of the note that of the search.
  private func title(of store: Store, following search: Search) -> Effect {
    let note = store.object(Note.self, primaryKey: 0)
    return Effect { [unowned search] in
      let text = search.settled.value
      untracked { note?.title = "for \(text)" }
    }
  }

  @Test func `a commit that follows from a write belongs to it`() throws {
    let (store, search) = (try makeStore(), Search())
    let effect = title(of: store, following: search)
    defer { effect.cancel() }
    let app = try mount(store, search)
    app.intentLog = IntentLog(start: store.snapshot())
    search.settled.value = "soup"
    let log = try #require(app.intentLog)
    #expect(log.entries.map(\.name) == ["search"])
    #expect(!log.entries[0].changes.isEmpty && log.entries[0].commits.isEmpty)

    let other = Search()
    let copy = Store(try #require(log.start))
    let following = title(of: copy, following: other)
    defer { following.cancel() }
    try mount(copy, other).host.replay(log)
    #expect(copy.object(Note.self, primaryKey: 0)?.title == "for soup")
  }

  @Test func `a signal that the host of a replay doesn't record is named`() throws {
    let log = try recorded { _, search in search.settled.value = "x" }
    let store = Store(try #require(log.start))
    let app = try TestHost(store) { Text("") }
    let error = #expect(throws: ReplayError.self) { try app.host.replay(log) }
    #expect(
      error?.found.error == "\(RecordedSignalError.unknown("search"))"
        && error?.found.error
          == "the host of the replay records no signal as \"search\": see ViewHost.record(_:as:)"
    )
  }

  @Test func `a text from which the signal has no value is named`() throws {
    var log = try recorded { _, search in search.pages.value = 3 }
    log.entries[0].input = .text("three")
    let search = Search()
    let app = try mount(Store(try #require(log.start)), search)
    let error = #expect(throws: ReplayError.self) { try app.host.replay(log) }
    #expect(
      error?.found.error == "the signal recorded as \"pages\" has no value \"three\"")
    #expect(search.pages.value == 0)
  }

  @Test func `what was written before the log began has no entry`() throws {
    let (store, search) = (try makeStore(), Search())
    let app = try mount(store, search)
    search.pages.value = 3
    app.intentLog = IntentLog(start: store.snapshot())
    store.object(Note.self, primaryKey: 0)?.title = "b"
    #expect(app.intentLog?.entries.map(\.kind) == [.commit])
    app.intentLog = nil
    search.pages.value = 4
    app.intentLog = IntentLog()
    try app.tap("Next")
    #expect(app.intentLog?.entries.map(\.kind) == [.intent])
  }
}
