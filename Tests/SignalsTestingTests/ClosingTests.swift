import Signals
import SignalsTesting
import TestSupport
import Testing

/// `TestHost.close()`, and what of the views' own state counts in a test.
@MainActor
@Suite struct `Test hosts, closed` {
  /// Work without an end, which keeps the store.
  private struct Endless: View {
    let store: Store
    let log: Signal<[String]>
    var body: Element {
      let (store, log) = (store, log)
      Button("go") {
        while !Task.isCancelled { await Task.yield() }
      }
      Text("\(store.results(Note.self).count)")
        .task { while !Task.isCancelled { await Task.yield() } }
        .onDisappear { log.value.append("gone") }
    }
  }

  private static func onMainActor(
    _ body: @MainActor () async throws -> Void
  ) async throws { try await body() }

  private func left(
    _ test: @escaping @concurrent @Sendable () async throws -> Void
  ) async throws -> [String] {
    let current = try #require(Test.current)
    return try await issues {
      try await LeavesNothing().provideScope(
        for: current, testCase: Test.Case.current, performing: test)
    }
  }

  @Test func `a test that closes its host leaves no endless work`() async throws {
    let messages = try await left {
      try await Self.onMainActor {
        let (store, _) = try notes(2)
        let app = try TestHost(store) { Endless(store: store, log: Signal([])) }
        try app.start("go")
        for _ in 0..<100 { await Task.yield() }
        app.close()
        #expect(app.unfinishedWork == [])
        app.finish()
      }
    }
    #expect(messages == [])
  }

  @Test func `work that does not end when it is cancelled is named`() async throws {
    let isDone = Locked(false)
    let messages = try await left {
      try await Self.onMainActor {
        let isRunning = Signal(false)
        let app = try TestHost(Store(), named: "Ann") {
          Text("a").task {
            isRunning.value = true
            while !isDone.withLock({ $0 }) { await Task.yield() }
          }
        }
        while !isRunning.value { await Task.yield() }
        app.close()
      }
    }
    isDone.withLock { $0 = true }
    #expect(messages == ["cancelled, and still under way of Ann: a task of the root of a host"])
  }

  @Test func `closing takes everything off the screen, once`() throws {
    let log = Signal<[String]>([])
    let (store, _) = try notes(2)
    let app = try TestHost(store) { Endless(store: store, log: log) }
    app.close()
    app.close()
    #expect((app.text, log.value) == ("", ["gone"]))
    #expect(!app.exists("go"))
    #expect(throws: TestHostError.self) { try app.tap("go") }
    let bodies = app.bodies
    try store.delete(store.results(Note.self)[0])
    #expect(app.bodies == bodies)
  }

  @Test func `closing makes the frame of a clock that waits`() throws {
    let clock = FrameClock.manual
    let app = try TestHost(Store(), clock: clock) { Text("a") }
    app.close()
    #expect(app.text == "")
  }

  // MARK: - The state of views

  private struct Form: View {
    @DraftObject private var scrum: Scrum
    init(_ scrum: Scrum) { _scrum = DraftObject(wrappedValue: scrum, restoredAs: "form") }
    var body: Element {
      TextField("Title", text: $scrum.title)
      ErrorText(of: $scrum.title)
      Button("Save") { try $scrum.commit() }
    }
  }

  @Test func `a refused form that is restored changes nothing of the graph`() throws {
    let (store, scrum) = try Scrum.stored()
    let app = try TestHost(store) { Form(scrum) }
    let messages = try issues {
      app.expectNoChange(exhaustivity: .graph) {
        _ = try? app.type("", into: "Title")
        #expect(throws: InvalidDraftError.self) { try app.tap("Save") }
      }
    }
    #expect(messages == [])
    #expect(app.text.contains("! A scrum needs a title"))
  }

  @Test(arguments: [true, false]) func `a form that is restored leaves nothing`(
    _ isClosed: Bool
  ) async throws {
    let messages = try await left {
      try await Self.onMainActor {
        let (store, scrum) = try Scrum.stored()
        let app = try TestHost(store) { Form(scrum) }
        try app.type("Weekly", into: "Title")
        if isClosed { app.close() }
      }
    }
    #expect(messages == [])
  }

  @Test func `a fault in the commit of a restored form leaves the store unchanged`() throws {
    let messages = try issues {
      let steps = try FaultPlan(.store).run {
        let (store, scrum) = try Scrum.stored()
        return try TestHost(store) {
          Form(scrum)
          Text("").task { while !Task.isCancelled { await Task.yield() } }
        }
      } intent: { app in
        try app.type("Weekly", into: "Title")
        try app.tap("Save")
      }
      #expect(steps > 0)
    }
    #expect(messages == [])
  }
}
