import Signals
import SignalsTesting
import Testing

/// What a test leaves behind makes it fail.
@Suite struct `Tests that leave something` {
  /// Holds what a test has left, until the one around it lets go.
  ///
  /// Unchecked, and safe: the one around it touches it when the other has ended.
  private final class Keeper: @unchecked Sendable { var kept: [AnyObject] = [] }

  /// Runs a test under the trait, and returns what that records.
  private func left(
    _ test: @escaping @concurrent @Sendable () async throws -> Void
  ) async throws -> [String] {
    let current = try #require(Test.current)
    return try await issues {
      try await LeavesNothing().provideScope(
        for: current, testCase: Test.Case.current, performing: test)
    }
  }

  @Test func `a test that leaves nothing passes`() async throws {
    let messages = try await left {
      let (store, notes) = try notes(2)
      let app = try TestHost(store) { Text(notes[0].title) }
      let token = store.commits.sink { _ in }
      notes[0].title = "new"
      #expect(app.text == "new")
      _ = (token, ManualClock())
    }
    #expect(messages == [])
  }

  @Test func `work under way is named`() async throws {
    let messages = try await left {
      try await SteppingActor.run { stage in
        let clock = ManualClock()
        let app = try TestHost(Store(), named: "Ann") {
          Button("load") { try await clock.sleep(for: .seconds(1)) }
          Text("a").task { try await clock.sleep(for: .seconds(1)) }
        }
        await stage.settle()
        try app.start("load")
      }
    }
    #expect(
      messages == [
        "left under way of Ann: a task of the root of a host, the intent of \"load\""
      ])
  }

  @Test func `what waits on a clock is named`() async throws {
    let keeper = Keeper()
    let messages = try await left {
      let clock = ManualClock()
      keeper.kept = [clock]
      await SteppingActor.run { stage in
        stage.start { _ in try await clock.sleep(for: .seconds(3)) }
        await stage.settle()
      }
    }
    #expect(messages == ["left under way: a sleeper due at 3.0 seconds"])
    // Whoever sleeps for ever is never released.
    for case let clock as ManualClock in keeper.kept { clock.advance(by: .seconds(3)) }
  }

  @Test func `hosts, stores and objects that are still held are named`() async throws {
    let keeper = Keeper()
    let messages = try await left {
      let (store, notes) = try notes(2)
      let app = try TestHost(store) { Text("") }
      let made = Note()
      made.number = 7
      try store.add(made)
      keeper.kept += [app, notes[1], made]
    }
    #expect(
      messages == [
        "a host, a TestHost, is still held", "a host, a ViewHost, is still held",
        "the store of a host is still held", "the object Note(number: 0) is still held",
        "the object Note(number: 1) is still held",
      ])
    keeper.kept = []
  }

  @Test func `objects that came later are named, too`() async throws {
    let keeper = Keeper()
    let messages = try await left {
      let app = try TestHost(Store()) { Text("") }
      let made = Note()
      made.number = 7
      try app.host.store.add(made)
      keeper.kept.append(made)
    }
    #expect(messages == ["the object Note(number: 7) is still held"])
    keeper.kept = []
  }

  @Test func `a subscription that nobody cancelled is told`() async throws {
    let keeper = Keeper()
    let messages = try await left {
      let app = try TestHost(Store()) { Text("") }
      keeper.kept.append(app.host.store.commits.sink { _ in })
    }
    #expect(messages == ["subscriptions to the commits of a store are still held: 1"])
    keeper.kept = []
  }

  @Test func `finish tells of what is under way in the middle of a test`() async throws {
    let messages = try await issues {
      try await SteppingActor.run { stage in
        let clock = ManualClock()
        let app = try TestHost(Store()) {
          Button("load") { try await clock.sleep(for: .seconds(1)) }
        }
        app.finish(clock)
        try app.start("load")
        await stage.settle()
        app.finish(clock)
      }
    }
    #expect(
      messages == ["left under way: the intent of \"load\", a sleeper due at 1.0 seconds"])
  }
}

/// What stores begin with.
@Suite(.store { try $0.add(Note()) }) struct `Stores of a test` {
  @Test func `each store of a test has what the suite says`() throws {
    let (first, second) = (try Store.forTest(), try Store.forTest())
    #expect(first.results(Note.self).count == 1)
    #expect(first.results(Note.self)[0] !== second.results(Note.self)[0])
    #expect(!first.canUndo)
  }

  @Test(.store { $0.results(Note.self)[0].title = "own" })
  func `what the test says comes after what the suite says`() throws {
    #expect(try Store.forTest().results(Note.self)[0].title == "own")
  }
}
