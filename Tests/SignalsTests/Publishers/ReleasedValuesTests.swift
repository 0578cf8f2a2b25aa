import Signals
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

@Suite("A value that an operator lets go of may send and read") struct ReleasedValuesTests {
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
        "a text that is not small 1", "another text that is not small 2",
        "another text that is not small 2",
      ])
    token.cancel()
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
