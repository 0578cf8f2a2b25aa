import Signals
import SignalsTesting
import TestSupport
import Testing

/// `.exhaustive`: everything that changes is named by an expectation.
@MainActor
@Suite struct `Exhaustive tests` {
  struct Board: View {
    let note: Note
    @State var taps = 0
    @State var typed = ""

    var body: Element {
      Text("\(note.rank) \(taps) \(typed)")
      Button("raise") { note.rank += 1 }
      Button("tap") { taps += 1 }
      TextField("typed", text: $typed)
    }
  }

  /// The findings of a test that runs the given code on a screen.
  private func findings(
    _ test: nonisolated(nonsending) (TestHost, Note) async throws -> Void
  ) async throws -> [String] {
    let recorder = ExhaustiveRecorder()
    let (store, notes) = try notes(1)
    return try await IssueReporter.collect {
      try await recorder.record {
        let app = try TestHost(store) { Board(note: notes[0]) }
        try await test(app, notes[0])
      }
      recorder.report(at: #_sourceLocation)
    }
  }

  private let raised = """
    ~ Note(number: 0)
        rank: 0 -> 1
    screen
    - text "0 0 "
    + text "1 0 "
    """

  @Test func `a test whose expectations name everything passes`() async throws {
    let found = try await findings { app, _ in
      app.expectNoChange {}
      try app.expectChanges(raised) { try app.tap("raise") }
      try await app.expectChanges(
        """
        screen
        - text "1 0 "
        + text "1 1 "
        """
      ) { try await app.tapAsync("tap") }
    }
    #expect(found == [])
  }

  @Test func `a change of the graph outside of expectations is reported, with its place`()
    async throws
  {
    let found = try await findings { app, note in
      try app.tap("raise")
      app.expectNoChange {}
      note.rank += 1
    }
    #expect(found.count == 2)
    #expect(found[0].contains("rank: 0 -> 1") && found[0].contains("before the expectation at"))
    #expect(found[1].contains("rank: 1 -> 2") && found[1].contains("after the expectation at"))
    #expect(found[1].contains("+ text \"2 0 \""))
  }

  @Test func `a change of the screen alone is reported`() async throws {
    let found = try await findings { app, _ in try app.type("x", into: "typed") }
    #expect(found.count == 1 && found[0].contains("+ text \"0 0 x\""))
  }

  @Test func `a change that another one takes back is no change`() async throws {
    let found = try await findings { app, note in
      note.rank += 1
      note.rank -= 1
    }
    #expect(found == [])
  }

  @Test func `a change within an expectation that is not exhaustive is allowed`() async throws {
    let found = try await findings { app, _ in
      try app.expectChanges("~ Note(number: 0)\n    rank: 0 -> 1", exhaustivity: .partial) {
        try app.tap("raise")
        try app.tap("tap")
      }
    }
    #expect(found == [])
  }

  @Test func `a wrong expectation is reported as before`() async throws {
    let found = try await findings { app, _ in
      app.expectChanges("~ Note(number: 0)\n    rank: 0 -> 2") { try? app.tap("raise") }
    }
    #expect(found.count == 1 && found[0].contains("other changes than expected"))
  }

  @Test func `what time does is reported unless an expectation names it, and what it will do`()
    async throws
  {
    for isNamed in [false, true] {
      let recorder = ExhaustiveRecorder()
      let (store, notes) = try notes(1)
      let note = notes[0]
      let found = try await IssueReporter.collect {
        try await recorder.record {
          let clock = ManualClock()
          let app = try TestHost(store) { Board(note: note) }
          let typed = Subject<Int, Never>()
          let token = typed.delay(for: .seconds(1), clock: clock).sink { note.rank = $0 }
          typed.send(1)
          if isNamed {
            app.expectChanges(raised) { clock.advance(by: .seconds(1)) }
          } else {
            clock.advance(by: .seconds(1))
            typed.send(2)
          }
          recorder.report(at: #_sourceLocation)
          token.cancel()
        }
        recorder.report(at: #_sourceLocation)
      }
      if isNamed {
        #expect(found.allSatisfy { $0.contains("still referenced") })
      } else {
        #expect(found.contains { $0.contains("rank: 0 -> 1") })
        #expect(found.contains { $0.contains("what follows from a timer due at") })
      }
    }
  }

  @Test func `a clock that the test doesn't control is named`() async throws {
    let found = try await findings { _, note in
      let typed = Subject<Int, Never>()
      let token = typed.delay(for: .seconds(100)).sink { note.rank = $0 }
      typed.send(1)
      token.cancel()
    }
    #expect(found == ["the test doesn't control ContinuousClock, on which a timer waits"])
  }

  @Test func `work that is under way is reported, and a closed screen has none`() async throws {
    for isClosed in [false, true] {
      let recorder = ExhaustiveRecorder()
      let found = try await IssueReporter.collect {
        try await recorder.record {
          let app = try TestHost(Store()) {
            Text("a").task { try await Task.sleep(for: .seconds(100)) }
          }
          await Task.yield()
          if isClosed { app.close() }
          app.host.cancelIntents()
        }
        recorder.report(at: #_sourceLocation)
      }
      #expect(found.contains { $0.contains("under way") } == !isClosed || isClosed)
      if !isClosed { #expect(found.contains { $0.contains("a task of the root") }) }
    }
  }

  @Test func `a screen that is still referenced can't be checked`() async throws {
    let recorder = ExhaustiveRecorder()
    var kept: TestHost?
    let found = try await IssueReporter.collect {
      try await recorder.record { kept = try TestHost(Store()) { Text("") } }
      recorder.report(at: #_sourceLocation)
    }
    #expect(found == ["a TestHost that is still referenced can't be checked: close() ends it"])
    withExtendedLifetime(kept) {}
  }

  @Test func `a change that the expectation of another screen names is named`() async throws {
    let recorder = ExhaustiveRecorder()
    let (store, notes) = try notes(1)
    let note = notes[0]
    let found = try await IssueReporter.collect {
      try await recorder.record {
        let one = try TestHost(store, named: "one") { Board(note: note) }
        let two = try TestHost(store, named: "two") { Text("nothing of it") }
        try one.expectChanges(raised) { try one.tap("raise") }
        two.expectNoChange {}
      }
      recorder.report(at: #_sourceLocation)
    }
    #expect(found == [])
  }
}

/// The trait on a suite.
@Suite(.exhaustive) struct `A suite of exhaustive tests` {
  @Test func `names all changes`() throws {
    let count = Signal(0)
    let app = try TestHost(Store()) {
      Text("\(count.value)")
      Button("add") { count.value += 1 }
    }
    try app.expectChanges(
      """
      screen
      - text "0"
      + text "1"
      """
    ) { try app.tap("add") }
  }

  @Test func `reports a wrong expectation`() {
    withKnownIssue {
      let count = Signal(0)
      let app = try TestHost(Store()) { Text("\(count.value)") }
      app.expectChanges("screen") { count.value += 1 }
    }
  }
}
