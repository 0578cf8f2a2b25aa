import Signals
import SignalsReplay
import SignalsTesting
import TestSupport
import Testing

/// Asynchronous intents in a log: a beginning, an end, and what was committed between.
@MainActor
@Suite struct `Views, replayed async intents` {
  struct Stop: Error {}

  struct Desk: View {
    let note: Note
    let shown: Shown
    @Environment(\.busyIntents) var busy
    @State var message = ""
    var body: Element {
      Column {
        Text("\(note.title) \(note.rank) \(message)")
        Button("Later", id: "later") {
          note.rank = 7
          await Task.yield()
          note.title = "later"
        }.disabled(busy.contains("later"))
        Button("Fail", id: "fail") {
          await Task.yield()
          throw Stop()
        }
        Button("Start", id: "start") { try shown.host?.start("later") }
        Text("\(busy)").onKey("l") {
          await Task.yield()
          note.rank += 1
        }
      }.onError { message = "\($0)" }
    }
  }

  final class Shown { weak var host: ViewHost? }

  private func mount(_ store: Store) throws -> TestHost {
    let note = try #require(store.object(Note.self, primaryKey: 0))
    let shown = Shown()
    let app = try TestHost(store) { Desk(note: note, shown: shown) }
    shown.host = app.host
    app.intentLog = IntentLog(start: store.snapshot())
    return app
  }

  private func recorded(
    _ what: nonisolated(nonsending) (TestHost) async throws -> Void
  ) async throws -> TestHost {
    let app = try mount(try notes(1).store)
    try await what(app)
    while !app.host.workInFlight.isEmpty { await Task.yield() }
    return app
  }

  private func replayed(_ first: TestHost) throws -> TestHost {
    let log = try #require(first.intentLog)
    let again = try mount(Store(try #require(log.start)))
    try again.host.replay(log)
    #expect(again.history == first.history)
    return again
  }

  @Test func `it is busy from its beginning to its end, and its commits are made`() async throws {
    let first = try await recorded { app in try await app.tapAsync("later") }
    let entries = try #require(first.intentLog?.entries)
    #expect(entries.map(\.kind) == [.beginning(1), .commit, .commit, .end(1)])
    #expect(entries.allSatisfy { $0.frame != nil })
    #expect(first.history.contains { $0.contains("[\"later\"]") })
    let again = try replayed(first)
    #expect(again.text.hasPrefix("later 7"))
  }

  @Test func `one that failed is passed to the error handler, in the same words`() async throws {
    let first = try await recorded { app in
      await #expect(throws: Stop.self) { try await app.tapAsync("fail") }
    }
    #expect(first.intentLog?.entries.map(\.error) == [nil, "Stop()"])
    #expect(try replayed(first).text.contains("Stop()"))
  }

  @Test func `others may come between, and one that an intent starts does not run twice`()
    async throws
  {
    let first = try await recorded { app in
      try app.tap("start")
      await #expect(throws: Stop.self) { try await app.tapAsync("fail") }
    }
    let kinds = try #require(first.intentLog?.entries.map(\.kind))
    #expect(kinds.first == .intent && kinds.contains(.end(1)) && kinds.contains(.end(2)))
    #expect(!kinds.contains(.beginning(1)))
    let again = try replayed(first)
    for _ in 0..<100 { await Task.yield() }
    #expect(again.host.store.commitObservers.active == 1)
    #expect(again.text.hasPrefix("later 7 Stop()"))
  }

  @Test func `an async intent of a key is pressed, busy and replayed like one of an element`()
    async throws
  {
    let first = try await recorded { app in
      #expect(throws: HostError.asyncKey("l")) { try app.host.perform(.key("l")) }
      try await app.host.performAsync(.key("l"))
      try app.host.start(.key("l"))
    }
    #expect(first.history.contains { $0.contains("[\"key l\"]") })
    #expect(first.text.hasPrefix("note 0 2"))
    _ = try replayed(first)
  }

  @Test func `some that overlap, of one element too, end as they did, whatever comes between`()
    async throws
  {
    let first = try await recorded { app in
      try app.start("fail")
      try app.start("fail")
      try app.start(pressing: "l")
      try app.host.store.write { app.host.store.results(Note.self)[0].title = "other" }
      try app.start("later")
      await Task.yield()
      try app.host.store.undo()
    }
    let kinds = try #require(first.intentLog?.entries.map(\.kind))
    #expect(kinds.filter { $0 != .commit && $0 != .intent }.count == 8)
    #expect(first.intentLog?.entries.compactMap(\.error) == ["Stop()", "Stop()"])
    _ = try replayed(first)
  }

  @Test func `one that the log has no end of leaves no element busy`() async throws {
    let first = try await recorded { app in try app.start("fail") }
    var log = try #require(first.intentLog)
    log.entries.removeLast()
    let again = try mount(Store(try #require(log.start)))
    try again.host.replay(log)
    #expect(again.host.busyIntents == [] && again.host.workInFlight == [])
    try await again.host.performAsync(.key("l"))
    #expect(again.text.hasPrefix("note 0 1"))
  }

  @Test func `one that began before the log has its end there, and its commits are made`()
    async throws
  {
    let first = try mount(try notes(1).store)
    try first.start("later")
    first.intentLog = IntentLog(start: first.host.store.snapshot())
    while !first.host.workInFlight.isEmpty { await Task.yield() }
    let log = try #require(first.intentLog)
    #expect(log.entries.map(\.kind) == [.commit, .commit, .end(1)])
    let again = try mount(Store(try #require(log.start)))
    try again.host.replay(log, comparingFrames: false)
    #expect(again.text.hasPrefix("later 7"))
  }
}

/// The same without an actor.
@Suite struct `Views, replayed async intents without an actor` {
  @Test func `it is a beginning and an end there, too`() async throws {
    let (store, notes) = try notes(1)
    let app = try TestHost(store) {
      Text("\(notes[0].rank)")
      Button("Later") {
        await Task.yield()
        notes[0].rank = 7
      }
    }
    app.intentLog = IntentLog(start: store.snapshot())
    try await app.tapAsync("Later")
    let log = try #require(app.intentLog)
    #expect(log.entries.map(\.kind) == [.beginning(1), .commit, .end(1)])
    let copy = Store(try #require(log.start))
    let note = try #require(copy.object(Note.self, primaryKey: 0))
    let again = try TestHost(copy) {
      Text("\(note.rank)")
      Button("Later") { note.rank = 99 }
    }
    #expect(throws: ReplayError.self) { try again.host.replay(log) }
  }
}
