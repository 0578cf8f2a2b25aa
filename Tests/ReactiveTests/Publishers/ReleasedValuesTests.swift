import Signals
import SignalsTesting
import TestSupport
import Testing

/// A value of several parts whose release runs code: an enum is destroyed before it is written anew.
private enum Item {
  case one(Lifetime, text: String)
  case two(String)

  var text: String {
    switch self {
    case .one(_, let text), .two(let text): text
    }
  }
}

@Suite("A value that an operator releases may send and read") struct ReleasedValuesTests {
  @Test func `the last value of a CurrentValueSubject reads the next`() {
    let subject = CurrentValueSubject<Item?, Never>(nil)
    var seen: [String] = []
    subject.value = .one(
      Lifetime { seen.append(subject.value?.text ?? "none") }, text: "a text that is not small")
    subject.value = .two("another text that is not small")
    #expect(seen == ["another text that is not small"])
  }

  @Test func `the last value of one side of combineLatest sends to the other`() {
    let (first, second) = (Subject<Item, Never>(), Subject<Int, Never>())
    var seen: [String] = []
    let token = first.combineLatest(second).sink { seen.append("\($0.text) \($1)") }
    second.send(1)
    first.send(.one(Lifetime { second.send(2) }, text: "a text that is not small"))
    first.send(.two("another text that is not small"))
    #expect(
      seen == [
        "a text that is not small 1", "another text that is not small 1",
        "another text that is not small 2",
      ])
    token.cancel()
  }

  @Test func `the last value of one of several inputs sends to another`() {
    let inputs = (Subject<Item, Never>(), Subject<Item, Never>())
    var seen: [[String]] = []
    let token = CombineLatest([inputs.0, inputs.1]).sink { seen.append($0.map(\.text)) }
    inputs.1.send(.two("1"))
    inputs.0.send(.one(Lifetime { inputs.1.send(.two("2")) }, text: "a text that is not small"))
    inputs.0.send(.two("b"))
    #expect(seen == [["a text that is not small", "1"], ["b", "1"], ["b", "2"]])
    token.cancel()
  }

  @Test func `a CurrentValueSubject ends with what its last value has sent, and tells it last`() {
    let subject = CurrentValueSubject<Item, Never>(.two("0"))
    var seen: [String] = []
    let token = subject.sink { seen.append($0.text) }
    subject.send(.one(Lifetime { subject.send(.two("5")) }, text: "1"))
    subject.send(.two("2"))
    #expect(seen == ["0", "1", "2", "5"])
    #expect(subject.value.text == "5")
    token.cancel()
  }

  @MainActor @Test func `a value that waits in a timed operator may cancel it`() {
    let clock = ManualClock()
    for isDebounced in [true, false] {
      let subject = Subject<Item, Never>()
      var token: (any Cancellable)?
      var ends = 0
      let sink = { (_: Item) in }
      token =
        isDebounced
        ? subject.debounce(for: .seconds(1), clock: clock).sink(receiveValue: sink)
        : subject.throttle(for: .seconds(1), latest: true, clock: clock).sink(receiveValue: sink)
      let end = {
        ends += 1
        token?.cancel()
      }
      for text in ["a", "b", "c"] { subject.send(.one(Lifetime(end), text: text)) }
      #expect(ends == 3)
      token = nil
    }
  }

  @MainActor @Test func `a value that a timer or a delay releases may let time pass`() {
    let clock = ManualClock()
    var ends = 0
    let end = {
      ends += 1
      clock.advance(by: .seconds(5))
    }
    do {
      let lifetime = Lifetime(end)
      let failing = Deferred {
        withExtendedLifetime(lifetime) { Fail<Int, Refusal>(Refusal()) }
      }
      failing.retry(3, clock: clock) { _ in .seconds(1) }
        .sink(receiveCompletion: { _ in }) { _ in }.cancel()
    }
    let subject = Subject<Item, Never>()
    let token = subject.delay(for: .seconds(1), clock: clock).sink { _ in }
    subject.send(.one(Lifetime(end), text: "a"))
    subject.send(.two("b"))
    token.cancel()
    #expect(ends == 2)
  }

  @MainActor @Test func `a value that a future or a sequence releases may cancel it once more`() {
    var token: (any Cancellable)?
    var ends = 0
    let end = {
      ends += 1
      token?.cancel()
    }
    token = Future<Int, Never> { 1 }.subscribe(Keeping(lifetime: Lifetime(end)))
    token?.cancel()
    token = AsyncStream<Int> { _ in }.publisher().subscribe(Keeping(lifetime: Lifetime(end)))
    token?.cancel()
    #expect(ends == 2)
  }

  /// A subscriber that owns something.
  private struct Keeping: Subscriber {
    typealias Input = Int
    typealias Failure = Never

    let lifetime: Lifetime

    func receive(_ value: Int) -> Bool { true }
    func finish(_ completion: Completion<Never>) {}
  }

  @Test(arguments: ["merge", "combineLatest", "zip", "flatMap", "prefix"])
  func `an input that is cancelled may finish another`(how: String) {
    let inputs = (Subject<Int, Never>(), Subject<Int, Never>())
    var (seen, completions) = (0, 0)
    let first = inputs.0.handleEvents(receiveCancel: { inputs.1.send(completion: .finished) })
    func listen(_ publisher: some Publisher<Int, Never>) -> any Cancellable {
      publisher.sink(receiveCompletion: { _ in completions += 1 }) { _ in seen += 1 }
    }
    let token =
      switch how {
      case "merge": listen(first.merge(with: inputs.1))
      case "combineLatest": listen(first.combineLatest(inputs.1).map { $0 + $1 })
      case "zip": listen(first.zip(inputs.1).map { $0 + $1 })
      case "flatMap": listen(first.flatMap { _ in inputs.1 })
      default: listen(first.merge(with: inputs.1).prefix(1))
      }
    inputs.0.send(1)
    inputs.1.send(2)
    let before = (seen, completions)
    token.cancel()
    #expect((seen, completions) == before)
    #expect(completions == (how == "prefix" ? 1 : 0))
    inputs.0.send(3)
    #expect(seen == before.0)
  }

  @Test func `a share whose last subscriber leaves in a delivery takes nothing more`() {
    var (taken, seen): ([Int], [Int]) = ([], [])
    let upstream = (1...).publisher.map { value in
      taken.append(value)
      return value
    }
    let tokens = [
      upstream.share().prefix(2).sink { seen.append($0) },
      upstream.replay(3).prefix(2).sink { seen.append($0) },
    ]
    #expect(seen == [1, 2, 1, 2])
    #expect(taken == [1, 2, 1, 2])
    tokens.forEach { $0.cancel() }
  }
}
