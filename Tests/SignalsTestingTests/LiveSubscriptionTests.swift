import Signals
import SignalsTesting
import TestSupport
import Testing

/// Subscriptions that a test has left.
@Suite struct `Tests that leave subscriptions` {
  final class Row: Projection<Note> {
    @Projected(\Note.title) var title: String
  }

  /// Holds what a test has left; unchecked, and safe: the one around it touches it when the other
  /// has ended.
  private final class Keeper: @unchecked Sendable { var kept: [AnyObject] = [] }

  private func left(
    _ make: @escaping @Sendable (Store, [Note]) throws -> [any Cancellable]
  ) async throws -> [String] {
    let current = try #require(Test.current)
    let keeper = Keeper()
    let messages = try await issues {
      try await LeavesNothing().provideScope(for: current, testCase: Test.Case.current) {
        let (store, notes) = try notes(1)
        keeper.kept += try make(store, notes)
      }
    }
    for case let token as any Cancellable in keeper.kept { token.cancel() }
    return messages
  }

  @Test func `observers of objects are named by object and property`() async throws {
    let messages = try await left { _, notes in
      [
        notes[0].observe(\.title) { _, _ in },
        notes[0].observe(computing: { $0.rank + 1 }) { _, _ in },
        notes[0].observe { _ in },
      ]
    }
    #expect(
      messages == [
        "still subscribed: an observer of Note(number: 0).title",
        "still subscribed: an observer of Note(number: 0)",
        "still subscribed: an observer of Note(number: 0)",
      ])
  }

  @Test func `a loader that no work of a host has started is named while it is under way`()
    async throws
  {
    let current = try #require(Test.current)
    let messages = try await issues {
      try await LeavesNothing().provideScope(for: current, testCase: Test.Case.current) {
        await Self.leaveLoading()
      }
    }
    #expect(messages == ["still subscribed: a loader of Int, under way outside of a host"])
    let none = try await issues {
      try await LeavesNothing().provideScope(for: current, testCase: Test.Case.current) {
        await Self.load()
      }
    }
    #expect(none == [])
  }

  @MainActor private static func leaveLoading() async {
    let loader = Loader<Int> {
      while !Task.isCancelled { await Task.yield() }
      return 1
    }
    let task = Task { await loader.load() }
    while !loader.state.isLoading { await Task.yield() }
    left.append((loader, task))
  }

  @MainActor private static func load() async {
    for (loader, _) in left { loader.cancel() }
    left = []
    _ = await Loader { 1 }.load()
  }

  @MainActor private static var left: [(Loader<Int>, Task<Loadable<Int>, Never>)] = []

  @Test func `so are those of results, sections and projections`() async throws {
    let messages = try await left { store, notes in
      let results = store.results(Note.self)
      let row = Row.shared(for: notes[0])
      return [
        results.observe { _ in }, results.sectioned(by: \.isDone).observe { _ in },
        row.observe(\.title) { _, _ in },
      ]
    }
    #expect(
      messages == [
        "still subscribed: an observer of the results of Note",
        "still subscribed: an observer of the sections of Note",
        "still subscribed: an observer of Row of Note(number: 0)",
      ])
  }

  @Test func `so are effects, and subscribers of whatever publishes`() async throws {
    let messages = try await left { store, notes in
      let subject = Subject<Int, Never>(), signal = Signal(0)
      return [
        Effect(name: "titles") { _ = notes[0].title }, subject.map { $0 + 1 }.sink { _ in },
        signal.publisher.sink { _ in }, store.commits.sink { _ in },
        store.results(Note.self).changes.sink { _ in },
      ]
    }
    #expect(
      messages == [
        "still subscribed: the effect 'titles'", "still subscribed: a subscriber of a subject",
        "still subscribed: a subscriber of a signal",
        "still subscribed: an observer of the commits of a store",
        "still subscribed: an observer of the results of Note",
      ])
  }

  @Test func `what was cancelled, released or has ended is not told`() async throws {
    let messages = try await left { store, notes in
      let subject = Subject<Int, Never>()
      let ended = subject.sink { _ in }
      subject.send(completion: .finished)
      let first = subject.prefix(1).sink { _ in }
      let effect = Effect { _ = notes[0].title }
      effect.cancel()
      let observer = notes[0].observe(\.title) { _, _ in }
      observer.cancel()
      _ = store.results(Note.self).observe { _ in }
      _ = notes[0].observe { _ in }
      let scope = EffectScope { _ = Effect { _ = notes[0].rank } }
      scope.cancel()
      return [ended, first, effect, observer, scope]
    }
    #expect(messages == [])
  }

  @Test func `what other tests have is not told`() async throws {
    let (store, notes) = try notes(1)
    let mine = notes[0].observe(\.title) { _, _ in }
    let messages = try await left { _, _ in [] }
    #expect(messages == [])
    mine.cancel()
    _ = store
  }

  /// A key whose last reference may be the one in the name of a subscription.
  private final class Key: Codable, Sendable {
    let onEnd: (@Sendable () -> Void)?

    init(onEnd: (@Sendable () -> Void)? = nil) { self.onEnd = onEnd }
    convenience init(from decoder: any Decoder) throws { self.init() }
    func encode(to encoder: any Encoder) throws {}

    deinit { onEnd?() }
  }

  private struct Label: Codable, Hashable {
    let number: Int
    var key = Key()

    static func == (lhs: Label, rhs: Label) -> Bool { lhs.number == rhs.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  private final class Labeled: Object {
    @PrimaryKey var label = Label(number: 0)
    @Field var title = ""
  }

  /// Subscribes under a register to an object whose key nothing else refers to afterwards.
  private func subscription(
    in register: LiveSubscriptions, onEnd: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    LiveSubscriptions.$current.withValue(register) {
      let object = Labeled()
      object.label = Label(number: 1, key: Key(onEnd: onEnd))
      defer { object.label = Label(number: 2) }
      return object.observe(\.title) { _, _ in }
    }
  }

  /// Subscribes in the register that is current.
  private static func subscribe() { Subject<Int, Never>().sink { _ in }.cancel() }

  // Released under the lock of the registers, they would wait for it for ever.
  @Test(.timeLimit(.minutes(1)))
  func `the key of a subscription that ends may subscribe when it is released`() {
    let register = LiveSubscriptions()
    let isReleased = Locked(false)
    let token = subscription(in: register) {
      LiveSubscriptions.$current.withValue(LiveSubscriptions()) { Self.subscribe() }
      isReleased.withLock { $0 = true }
    }
    #expect(!isReleased.withLock { $0 })
    #expect(register.names.count == 1)
    token.cancel()
    #expect(register.names.isEmpty)
    #expect(isReleased.withLock { $0 })
  }

  @Test(.timeLimit(.minutes(1)))
  func `the keys in a register that ends may subscribe when they are released`() {
    var register: LiveSubscriptions? = LiveSubscriptions()
    let isReleased = Locked(false)
    let token = subscription(in: register!) {
      LiveSubscriptions.$current.withValue(LiveSubscriptions()) { Self.subscribe() }
      isReleased.withLock { $0 = true }
    }
    register = nil
    #expect(isReleased.withLock { $0 })
    token.cancel()
  }
}
