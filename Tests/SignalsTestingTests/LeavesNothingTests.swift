import Signals
import SignalsTesting
import TestSupport
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
        "left under way of Ann: a task of the root of a host, the intent of \"load\"; app.close() ends it"
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

  @Test func `hosts and stores that are still held are named`() async throws {
    let keeper = Keeper()
    let messages = try await left {
      let (store, _) = try notes(2)
      keeper.kept.append(try TestHost(store, named: "Ann") { Text("") })
    }
    #expect(
      messages == [
        "the host of Ann, a TestHost, is still held",
        "the host of Ann, a ViewHost, is still held",
        "the store of the host of Ann is still held",
      ])
    keeper.kept = []
  }

  @Test func `objects that outlive their store are named, whenever they came`() async throws {
    let keeper = Keeper()
    let messages = try await left {
      let (store, notes) = try notes(2)
      let app = try TestHost(store) { Text("") }
      let made = Note()
      made.number = 7
      try app.host.store.add(made)
      keeper.kept += [notes[1], made]
    }
    #expect(
      messages == [
        "the object Note(number: 1) is still held", "the object Note(number: 7) is still held",
      ])
    keeper.kept = []
  }

  @Test func `the second host is watched like the first`() async throws {
    let keeper = Keeper()
    let messages = try await left {
      for _ in 0..<20 { _ = try TestHost(Store()) { Text("") } }
      for _ in 0..<20 { keeper.kept.append(try TestHost(Store()) { Text("") }) }
    }
    #expect(messages.count == 60)
    #expect(messages.filter { $0 == "the store of a host is still held" }.count == 20)
    keeper.kept = []
  }

  @Test func `thousands of hosts and objects are watched`() async throws {
    let keeper = Keeper()
    let messages = try await left {
      for number in 0..<500 {
        let (store, notes) = try notes(10)
        _ = try TestHost(store) { Text("") }
        if number % 250 == 0 { keeper.kept.append(notes[3]) }
      }
    }
    #expect(messages == .init(repeating: "the object Note(number: 3) is still held", count: 2))
    keeper.kept = []
  }

  @Test func `a store of a part of the screen is watched, too`() async throws {
    let keeper = Keeper()
    let messages = try await left {
      struct Part: View { var body: Element { Text("") } }
      let other = Store()
      _ = try TestHost(Store()) { Part().environment(\.store, other) }
      keeper.kept.append(other)
    }
    #expect(messages == ["another store of a host is still held"])
    keeper.kept = []
  }

  @Test func `a subscription that was not cancelled is reported`() async throws {
    let keeper = Keeper()
    let messages = try await left {
      let app = try TestHost(Store()) { Text("") }
      keeper.kept.append(app.host.store.commits.sink { _ in })
    }
    #expect(messages == ["still subscribed: an observer of the commits of a store"])
    keeper.kept = []
  }

  @Test func `finish reports what is under way in the middle of a test`() async throws {
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
