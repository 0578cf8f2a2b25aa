import Signals
import SignalsTesting
import TestSupport
import Testing

/// Intents that fail at each step, and what is left then.
@Suite struct `Fault plans` {
  struct Lost: Error {}

  private func mount(
    undoing isRight: Bool = true, _ intent: @escaping (Store, [Note]) throws -> Void
  ) throws -> TestHost {
    let (store, notes) = try notes(2)
    return try TestHost(store) {
      ForEach(notes) { Text("\($0.title) \($0.rank)") }
      Button("go") { try intent(store, notes) }
    }
  }

  private func addTwo(_ store: Store, _ notes: [Note]) throws {
    notes[0].rank = 7
    try store.write {
      let note = Note()
      note.number = 10
      try store.add(note)
    }
    try store.delete(notes[1])
  }

  @Test func `each step fails once, and an intent that is a transaction is left undone`() throws {
    var thrown: [String] = []
    let steps = try FaultPlan().run {
      try mount(addTwo)
    } intent: { app in
      do { try app.tap("go") } catch {
        thrown.append("\(error)")
        throw error
      }
    }
    #expect(steps == 4)
    #expect(
      thrown == [
        "a fault was injected at step 1, a change of the store",
        "a fault was injected at step 2, the end of a write",
        "a fault was injected at step 3, a change of the store",
        "a fault was injected at step 4, the commit of an intent",
      ])
  }

  @Test func `what is half done is told, with what has changed`() throws {
    let messages = try issues {
      try FaultPlan().run {
        try mount { _, _ in }
      } intent: { app in
        // Two commits where there should be one.
        let note = app.host.store.results(Note.self)[0]
        note.rank = 7
        try app.host.store.write { note.title = "both" }
      }
    }
    #expect(
      messages == [
        """
        after step 1, the commit of a single change, has failed:
        the store has changed:
        ~ Note(number: 0)
            title: "note 0" -> "both"
        what can be undone and redone: 0 and 0 steps -> 1 and 0 steps
        the screen has changed:
        - text "note 0 0"
        + text "both 0"
        """,
        """
        after step 2, the end of a write, has failed:
        the store has changed:
        ~ Note(number: 0)
            rank: 0 -> 7
        what can be undone and redone: 0 and 0 steps -> 1 and 0 steps
        the screen has changed:
        - text "note 0 0"
        + text "note 0 7"
        """,
        """
        after step 3, a commit, has failed:
        the store has changed:
        ~ Note(number: 0)
            rank: 0 -> 7
        what can be undone and redone: 0 and 0 steps -> 1 and 0 steps
        the screen has changed:
        - text "note 0 0"
        + text "note 0 7"
        """,
      ])
  }

  @Test func `only whole commits may be asked for`() throws {
    let steps = try FaultPlan(
      .wholeCommits,
      invariants: ["ranks": { app in app.host.store.results(Note.self).allSatisfy { $0.rank < 9 } }]
    ).run {
      try mount { _, _ in }
    } intent: { app in
      let note = app.host.store.results(Note.self)[0]
      note.rank = 7
      try app.host.store.write { note.title = "both" }
    }
    #expect(steps == 3)
  }

  @Test func `an invariant that does not hold is named`() throws {
    let plan = FaultPlan(invariants: [
      "never": { _ in false }, "lost": { _ in throw Lost() }, "fine": { _ in true },
    ])
    let messages = try issues {
      try plan.run {
        try mount { _, _ in }
      } intent: { _ in
      }
    }
    #expect(messages == ["without a fault:\nbroken: never\nbroken: lost: Lost()"])
  }

  @Test func `state of views is left out where it is not asked for`() throws {
    let shown = Signal("")
    let run = { (expectation: FaultPlan.Expectation) in
      try FaultPlan(expectation).run {
        shown.value = ""
        let (store, notes) = try notes(1)
        return try TestHost(store) {
          Text(shown.value)
          Button("go") {
            shown.value = "gone"
            try store.delete(notes[0])
          }
        }
      } intent: {
        try $0.tap("go")
      }
    }
    #expect(try run(.store) == 2)
    let messages = try issues { _ = try run(.allOrNothing) }
    #expect(
      messages.first
        == "after step 1, a change of the store, has failed:\nthe screen has changed:\n- text \"\"\n+ text \"gone\""
    )
  }

  @Test func `a loader may fail between its commits`() async throws {
    var seen: [String] = []
    let steps = try await SteppingActor.run { stage in
      try await FaultPlan(.wholeCommits).run {
        let (store, notes) = try notes(1)
        return try TestHost(store) {
          Text(notes[0].title)
          Button("load") {
            try store.write { notes[0].title = "loading" }
            await Task.yield()
            try store.mayFail("the server's answer")
            try store.write { notes[0].title = "loaded" }
          }
        }
      } intent: { app in
        do { try await app.tapAsync("load") } catch {
          #expect(error is InjectedFault)
          throw error
        }
      }
    }
    seen.append("\(steps)")
    #expect(seen == ["5"])
  }

  @Test func `what the unharmed run throws is thrown`() throws {
    #expect(throws: Lost.self) {
      try FaultPlan().run {
        try mount { _, _ in }
      } intent: { _ in
        throw Lost()
      }
    }
    #expect(InjectedFault(step: 1, name: "a").description == "a fault was injected at step 1, a")
    try Store().mayFail("nothing")
  }
}
