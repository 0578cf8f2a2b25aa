import Signals
import SignalsTesting
import TestSupport
import Testing

/// Where a fault plan lets things fail, and what counts as undone.
@Suite struct `Fault plans, their steps` {
  final class Shelf: Object {
    @PrimaryKey var number = 0
    @Link var best: Shelf?
    @Links var others: List<Shelf>
    @Field var name = ""
  }

  /// The names of the steps of an intent, each of which fails once.
  private func steps(
    _ plan: FaultPlan = FaultPlan(.wholeCommits), on mount: () throws -> TestHost,
    _ intent: @escaping (TestHost) throws -> Void
  ) throws -> [String] {
    var names: [String] = []
    try plan.run(on: mount) { app in
      let refused = app.host.store.onRefusal
      app.host.store.onRefusal = { error in
        if let fault = error as? InjectedFault { names.append(fault.name) }
        refused(error)
      }
      do { try intent(app) } catch let fault as InjectedFault {
        names.append(fault.name)
        throw fault
      }
    }
    return names
  }

  private func shelves(_ body: @escaping (Store, Shelf) throws -> Void) throws -> TestHost {
    let store = Store(), shelf = Shelf()
    try store.write(undoable: false) { try store.add(shelf) }
    return try TestHost(store) { Button("go") { try body(store, shelf) } }
  }

  @Test func `each change outside of a transaction is a commit that may fail`() throws {
    let names = try steps(on: { try shelves { _, _ in } }) { app in
      let shelf = app.host.store.results(Shelf.self)[0]
      shelf.name = "a"
      shelf.best = shelf
      shelf.others.append(shelf)
      try app.host.store.add(Shelf(number: 1))
    }
    #expect(
      names == [
        "the commit of a single change", "the commit of a single change",
        "the commit of a single change", "a change of the store",
        "the commit of a single change",
      ])
  }

  @Test func `in a transaction links, lists and keys may be refused, and fields not`() throws {
    let names = try steps(
      on: {
        try shelves { _, shelf in
          shelf.name = "a"
          shelf.best = shelf
          shelf.others.append(shelf)
        }
      }) { try $0.tap("go") }
    #expect(
      names == [
        "a write of a link, list or key", "a write of a link, list or key",
        "the commit of an intent",
      ])
  }

  @Test func `what a commit sets off fails alone, and the commit stands`() throws {
    let mount = {
      let (store, notes) = try notes(2)
      let count = Signal(0)
      let token = store.results(Note.self).observe { _ in
        if notes[1].rank < 9 { notes[1].rank += 1 }
      }
      return try TestHost(store) {
        Button("go") { notes[0].title += "!" }
        Text(notes[0].title).onChange(of: notes[0].title) { notes[0].isDone = true }
        Text("\(count.value)").onDisappear { token.cancel() }
      }
    }
    let count = try FaultPlan().run(on: mount) { app in
      app.host.store.onRefusal = { error in
        if !(error is InjectedFault) { Issue.record(error) }
      }
      try app.tap("go")
    }
    #expect(count > 2)
  }

  @Test func `the other stores of the screen fail, too`() throws {
    let names = try steps(
      on: {
        let (main, other) = (try notes(1), try notes(1))
        struct Rank: View {
          let note: Note
          var body: Element {
            Button("go") {
              note.rank += 1
              try note.store?.delete(note)
            }
          }
        }
        return try TestHost(main.store) {
          Rank(note: other.notes[0]).environment(\.store, other.store)
        }
      }) { try $0.tap("go") }
    #expect(names == ["a change of the store", "the commit of an intent"])
  }

  @Test func `a loader fails at each step, and leaves the store unchanged`() async throws {
    let steps = try await SteppingActor.run { stage in
      try await FaultPlan(
        .store,
        invariants: ["all or none": { [0, 2].contains($0.host.store.results(Note.self).count) }]
      ).run {
        let store = Store()
        let loader = Loader<[Note]>(into: store) { _ in
          try store.mayFail("the service")
          let notes = [Note(), Note()]
          notes[1].number = 1
          return notes
        }
        return try TestHost(store) { Button("load") { await loader.load() } }
      } intent: { app in
        try await app.tapAsync("load")
      }
    }
    // The service, both objects, the end of the write, and the commit.
    #expect(steps == 4)
  }

  @Test func `what can be redone must be left, too`() throws {
    let messages = try issues {
      try FaultPlan().run {
        let (store, notes) = try notes(1)
        notes[0].rank = 5
        try store.undo()
        return try TestHost(store) {
          Button("go") { try store.mayFail("a service") }
        }
      } intent: { app in
        // Made of two commits, of which the second takes the first back.
        let note = app.host.store.results(Note.self)[0]
        try app.host.store.write { note.title = "x" }
        try app.host.store.write(undoable: false) { note.title = "note 0" }
        try app.tap("go")
      }
    }
    #expect(
      messages.last
        == """
        after step 5, a service, has failed:
        the store has changed:
        what can be undone and redone: 0 and 1 steps -> 1 and 0 steps
        """)
  }

  @Test func `what gets refused writes is put back`() throws {
    let (store, _) = try notes(1)
    var refused = 0
    store.onRefusal = { _ in refused += 1 }
    var app: TestHost?
    try FaultPlan(.wholeCommits).run {
      let host = try app ?? TestHost(store) { Text("") }
      app = host
      return host
    } intent: { app in
      app.host.store.results(Note.self)[0].rank += 1
    }
    store.onRefusal(InjectedFault(step: 1, name: "later"))
    #expect(refused == 1)
  }
}

extension `Fault plans, their steps`.Shelf {
  convenience init(number: Int) {
    self.init()
    self.number = number
  }
}
