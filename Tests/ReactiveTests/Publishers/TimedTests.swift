import Signals
import SignalsTesting
import TestSupport
import Testing

/// Marble diagrams: a column a second; a letter is a value, `|` the end, `#` a failure; several events of
/// one column stand in parentheses.
@MainActor
@Suite struct `Publishers, time` {
  let clock = ManualClock()

  typealias Letters = any Publisher<Character, Fault>

  private func marbles(_ input: String, _ apply: (Letters) -> Letters) -> String {
    let subject = Subject<Character, Fault>()
    var column: [Character] = []
    let token = apply(subject).sink { completion in
      column.append(completion == .finished ? "|" : "#")
    } receiveValue: {
      column.append($0)
    }
    var output = ""
    for symbol in input {
      switch symbol {
      case "-": break
      case "|": subject.send(completion: .finished)
      case "#": subject.send(completion: .failure(.broken))
      default: subject.send(symbol)
      }
      switch column.count {
      case 0: output.append("-")
      case 1: output.append(column[0])
      default: output += "(\(String(column)))"
      }
      column = []
      clock.advance(by: .seconds(1))
    }
    token.cancel()
    #expect(clock.waiting == 0, "a timer was left behind")
    return output
  }

  @Test(arguments: [
    ("a--------", "---a-----"),
    ("ab--c----", "----b--c-"),
    ("abcdefg---", "---------g"),
    ("a----b|---", "---a--(b|)---"),
    ("a----b#---", "---a--#---"),
    ("--|---", "--|---"),
    ("a--b--c---", "---a--b--c"),
  ])
  func `debounce sends a value once no other has come for 3 seconds`(input: String, output: String)
  {
    #expect(marbles(input) { $0.debounce(for: .seconds(3), clock: clock) } == output)
  }

  @Test(arguments: [
    ("abcdefgh---", "a--c--f--h-"),
    ("a-----b----", "a-----b----"),
    ("ab-------c-", "a--b-----c-"),
    ("ab|--", "a-(b|)--"),
    ("ab#--", "a-#--"),
  ])
  func `throttle sends the latest of each 3 seconds`(input: String, output: String) {
    #expect(marbles(input) { $0.throttle(for: .seconds(3), latest: true, clock: clock) } == output)
  }

  @Test(arguments: [
    ("abcdefgh---", "a--b--d--g-"),
    ("ab-------c-", "a--b-----c-"),
    ("abc|--", "a--(b|)--"),
  ])
  func `throttle sends the first of each 3 seconds`(input: String, output: String) {
    #expect(marbles(input) { $0.throttle(for: .seconds(3), latest: false, clock: clock) } == output)
  }

  @Test(arguments: [
    ("ab-c|-----", "--ab-c|---"),
    ("a#-----", "--a#---"),
  ])
  func `delay sends everything 2 seconds later`(input: String, output: String) {
    #expect(marbles(input) { $0.delay(for: .seconds(2), clock: clock) } == output)
  }

  @Test(arguments: [
    ("a-b-----c", "a-b--|---"),
    ("-----", "---|-"),
    ("a-b|---", "a-b|---"),
    ("--a-b--", "--a-b--"),
  ])
  func `timeout finishes after 3 seconds without a value`(input: String, output: String) {
    #expect(marbles(input) { $0.timeout(.seconds(3), clock: clock) } == output)
  }

  @Test func `timeout fails with the error given`() {
    #expect(marbles("a----") { $0.timeout(.seconds(3), clock: clock) { .broken } } == "a--#-")
  }

  @Test(arguments: [
    (1, "-ttttttt"), (2, "--t-t-t-"), (3, "---t--t-"),
  ])
  func `every ticks at its interval, first after one`(seconds: Int, output: String) {
    #expect(marbles("--------") { _ in ticks(every: .seconds(seconds)) } == output)
  }

  private func ticks(every interval: Duration) -> Letters {
    Every(interval, clock: clock).map { _ in Character("t") }.setFailureType(to: Fault.self)
  }

  @Test(arguments: [
    (3, "a-b---c-------(d#)-"), (1, "a-(b#)-"), (0, "(a#)-"),
  ])
  func `retry waits for 2, 4, 8 seconds`(count: Int, output: String) {
    var letters = "abcdefgh".makeIterator()
    let failing = Deferred {
      Merge([Just(letters.next() ?? "?").setFailureType(to: Fault.self), Fail(.broken)])
    }
    // Two events of one column take four characters.
    let input = String(repeating: "-", count: output.count - 3)
    #expect(
      marbles(input) { _ in failing.retry(count, clock: clock) { .seconds(1 << $0) } } == output)
  }

  @Test func `a completion is delayed with the value that was sent just before it`() {
    let subject = Subject<Character, Fault>()
    let recorder = Recorder(subject.delay(for: .seconds(2), clock: clock))
    subject.send("a")
    subject.send(completion: .finished)
    clock.advance(by: .seconds(1))
    #expect(recorder.events == [])
    clock.advance(by: .seconds(1))
    #expect(recorder.events == ["a", "finished"])
  }

  @Test func `several timed operators in a row`() {
    let output = marbles("ab---c------") {
      later($0.debounce(for: .seconds(2), clock: clock))
    }
    #expect(output == "----b---c---")
  }

  private func later(_ upstream: some Publisher<Character, Fault>) -> Letters {
    upstream.delay(for: .seconds(1), clock: clock)
  }

  @Test func `every ticks without drift, for each subscription by itself`() {
    let every = Every(.seconds(2), clock: clock)
    let a = Recorder(every.map { "\($0.offset.components.seconds)" })
    clock.advance(by: .seconds(3))
    let b = Recorder(every.map { "\($0.offset.components.seconds)" })
    clock.advance(by: .seconds(4))
    #expect(a.events == ["2", "4", "6"] && b.events == ["5", "7"])
    a.token = nil
    b.token?.cancel()
    #expect(clock.waiting == 0)
  }

  @Test func `a tick's subscriber may end it`() {
    let recorder = Recorder(Every(.seconds(1), clock: clock).map { _ in "tick" }.prefix(2))
    clock.advance(by: .seconds(10))
    #expect(recorder.events == ["tick", "tick", "finished"] && clock.waiting == 0)
  }

  @Test func `ticks that were missed are left out`() {
    let recorder = Recorder<String, Never>()
    var isLate = true
    recorder.onValue = { _ in
      if isLate {
        isLate = false
        clock.advance(by: .seconds(4))
      }
    }
    recorder.record(Every(.seconds(2), clock: clock).map { "\($0.offset.components.seconds)" })
    clock.advance(by: .seconds(2))
    clock.advance(by: .seconds(2))
    #expect(recorder.events == ["2", "4", "6", "8"])
  }

  @Test func `retry waits for the pause before each attempt`() {
    var attempts: [Int64] = []
    let failing = Deferred { () -> Fail<Int, Fault> in
      attempts.append(clock.now.offset.components.seconds)
      return Fail(.broken)
    }
    let recorder = Recorder(failing.retry(3, clock: clock) { .seconds(1 << $0) })
    clock.advance(by: .seconds(100))
    #expect(attempts == [0, 2, 6, 14] && recorder.events == ["failed: broken"])
  }

  @Test func `a retry that waits can be cancelled`() {
    let recorder = Recorder(
      Fail<Int, Fault>(.broken).retry(3, clock: clock) { _ in .seconds(1) })
    #expect(clock.waiting == 1)
    recorder.token = nil
    #expect(clock.waiting == 0)
    clock.advance(by: .seconds(10))
    #expect(recorder.events == [])
  }

  @Test func `a manual clock runs timers in the order in which they are due`() {
    var log: [String] = []
    let tokens = [3, 1, 2].map { seconds in
      Just(seconds).delay(for: .seconds(seconds), clock: clock).sink { log.append("\($0)") }
    }
    clock.advance(by: .seconds(2))
    #expect(log == ["1", "2"] && clock.now == ManualClock.Instant(offset: .seconds(2)))
    clock.advance(by: .seconds(2))
    #expect(log == ["1", "2", "3"] && tokens.count == 3)
  }

  @Test func `a manual clock wakes those who sleep, and forgets who is cancelled`() async throws {
    let clock = clock
    let sleeper = Task { try await clock.sleep(for: .seconds(5)) }
    let cancelled = Task { try await clock.sleep(for: .seconds(5)) }
    while clock.waiting < 2 { await Task.yield() }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    clock.advance(by: .seconds(5))
    try await sleeper.value
    try await clock.sleep(until: ManualClock.Instant(offset: .seconds(1)), tolerance: nil)
    #expect(clock.waiting == 0)
  }
}
