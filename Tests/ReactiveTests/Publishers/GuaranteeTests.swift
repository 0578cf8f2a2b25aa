import Signals
import SignalsTesting
import TestSupport
import Testing

/// Sentences of the behavior lists that no other suite shows.
@MainActor
@Suite struct `Publishers, the rest of what is promised` {
  let clock = ManualClock()
  let a = Subject<Int, Fault>()
  let b = Subject<Int, Fault>()

  @Test
  func `who subscribes to a current-value subject in a delivery gets the present value first`() {
    let subject = CurrentValueSubject<Int, Never>(0)
    let late = Recorder<Int, Never>()
    let token = subject.sink { value in
      guard value == 1 else { return }
      subject.send(2)
      late.record(subject)
      subject.send(3)
    }
    subject.send(1)
    #expect(late.events == ["2", "3"])
    token.cancel()
  }

  @Test func `combineLatest and zip fail with the first and cancel the others`() {
    func expectFailure(
      _ make: (Subject<Int, Fault>, Subject<Int, Fault>) -> any Publisher<Int, Fault>
    ) {
      let (first, second) = (Subject<Int, Fault>(), Subject<Int, Fault>())
      let recorder = Recorder(make(first, second))
      first.send(1)
      second.send(completion: .failure(.broken))
      #expect(recorder.events == ["failed: broken"] && first.subscriberCount == 0)
    }
    expectFailure { $0.combineLatest($1).map { $0.0 } }
    expectFailure { CombineLatest([$0, $1]).map { $0[0] } }
    expectFailure { $0.zip($1).map { $0.0 } }
    expectFailure { Zip([$0, $1]).map { $0[0] } }
  }

  @Test func `CombineLatest and Zip of many finish as those of two do`() {
    let silent = Recorder(CombineLatest([a, b]))
    a.send(1)
    b.send(completion: .finished)
    #expect(silent.events == ["finished"] && a.subscriberCount == 0)
    let (c, d) = (Subject<Int, Never>(), Subject<Int, Never>())
    let latest = Recorder(CombineLatest([c, d]))
    let zipped = Recorder(Zip([c, d]))
    c.send(1)
    d.send(2)
    c.send(completion: .finished)
    #expect(zipped.events == ["[1, 2]", "finished"] && latest.events == ["[1, 2]"])
    d.send(3)
    d.send(completion: .finished)
    #expect(latest.events == ["[1, 2]", "[1, 3]", "finished"])
  }

  @Test func `an array that a subscriber keeps is not changed by the next event`() {
    var kept: [[Int]] = []
    let token = CombineLatest([a, b]).sink { _ in
    } receiveValue: {
      kept.append($0)
    }
    a.send(1)
    b.send(2)
    a.send(3)
    #expect(kept == [[1, 2], [3, 2]])
    token.cancel()
  }

  @Test func `what was sent before a failure stays sent, whatever retries`() {
    var attempts = 0
    let failing = Deferred {
      attempts += 1
      return Merge([Just(attempts).setFailureType(to: Fault.self), Fail<Int, Fault>(.broken)])
    }
    #expect(Recorder(failing.retry(2)).events == ["1", "2", "3", "failed: broken"])
    attempts = 0
    var numbers: [Int] = []
    let paused = failing.retry(2, clock: clock) { attempt in
      numbers.append(attempt)
      return attempt == 1 ? .zero : .seconds(1)
    }
    let recorder = Recorder(paused)
    // A pause of zero is none.
    #expect(recorder.events == ["1", "2"] && numbers == [1, 2])
    clock.advance(by: .seconds(1))
    #expect(recorder.events == ["1", "2", "3", "failed: broken"])
  }

  @Test func `a replay of 0 is a share`() {
    let shared = a.replay(0)
    let first = Recorder(shared)
    a.send(1)
    let second = Recorder(shared)
    a.send(2)
    #expect(first.events == ["1", "2"] && second.events == ["2"] && a.subscriberCount == 1)
  }

  @Test func `timeout releases upstream when the time is over`() {
    let recorder = Recorder(a.timeout(.seconds(1), clock: clock))
    #expect(a.subscriberCount == 1)
    clock.advance(by: .seconds(1))
    #expect(recorder.events == ["finished"] && a.subscriberCount == 0)
  }

  @Test func `a timer that was due when it was cancelled does not run`() {
    let (first, second) = (Recorder<Int, Fault>(), Recorder<Int, Fault>())
    first.onValue = { _ in second.token = nil }
    first.record(a.delay(for: .seconds(1), clock: clock))
    second.record(a.delay(for: .seconds(1), clock: clock))
    a.send(1)
    clock.advance(by: .seconds(1))
    #expect(first.events == ["1"] && second.events == [])
  }

  @Test func `assign ends when its token is released`() {
    let (subject, signal) = (Subject<Int, Never>(), Signal(0))
    var token: (any Cancellable)? = subject.assign(to: signal)
    subject.send(1)
    #expect(token != nil)
    token = nil
    subject.send(2)
    #expect(signal.value == 1 && subject.subscriberCount == 0)
  }

  @Test func `once the task is cancelled the next value is nil, whatever is buffered`() async {
    let task = Task {
      var values = a.values(buffering: .unbounded).makeAsyncIterator()
      a.send(1)
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await values.next() == nil && a.subscriberCount == 0
    }
    #expect(await (try? task.value) == true)
  }

  @Test func `each iterator has a subscription and a buffer of its own`() async throws {
    let values = a.values(buffering: .unbounded)
    #expect(a.subscriberCount == 0)
    var first = values.makeAsyncIterator()
    a.send(1)
    var second = values.makeAsyncIterator()
    a.send(2)
    #expect(try await first.next() == 1)
    #expect(try await second.next() == 2)
    #expect(a.subscriberCount == 2)
  }

  @Test func `the next element is taken when the one before has been delivered`() async {
    let log = Log()
    let recorder = Recorder<Int, Never>()
    recorder.onValue = { log.add("delivered \($0)") }
    recorder.record(Counting(log: log).publisher())
    while recorder.events.last != "finished" { await Task.yield() }
    #expect(
      log.lines == ["taken 1", "delivered 1", "taken 2", "delivered 2", "taken 3", "delivered 3"])
  }

  @Test func `a future runs on the actor that made it, and replay keeps its result for several`()
    async
  {
    var runs = 0
    let shared = Future { () async -> Int in
      MainActor.preconditionIsolated()
      runs += 1
      return runs
    }.replay(1)
    let first = Recorder(shared)
    while first.events.count < 2 { await Task.yield() }
    let second = Recorder(shared)
    #expect(first.events == ["1", "finished"] && second.events == first.events && runs == 1)
  }

  @Test func `operators of counts take 0`() {
    #expect(Recorder([1].publisher.dropFirst(0)).events == ["1", "finished"])
    #expect(Recorder([Int]().publisher.prefix(0)).events == ["finished"])
    #expect(Recorder(Fail<Int, Fault>(.broken).prefix(0)).events == ["finished"])
  }

  @Test func `removeDuplicates compares with the value sent last`() {
    let close = [1, 2, 3, 4].publisher.removeDuplicates { abs($0 - $1) < 2 }
    #expect(Recorder(close).events == ["1", "3", "finished"])
  }
}

/// What happened, in order.
private final class Log: @unchecked Sendable {
  // Touched by one side at a time: the next element is taken only after the delivery.
  private(set) var lines: [String] = []
  func add(_ line: String) { lines.append(line) }
}

private struct Counting: AsyncSequence, Sendable {
  let log: Log

  struct AsyncIterator: AsyncIteratorProtocol {
    let log: Log
    var count = 0

    mutating func next() async -> Int? {
      if count == 3 { return nil }
      count += 1
      log.add("taken \(count)")
      return count
    }

    mutating func next(isolation actor: isolated (any Actor)?) async -> Int? { await next() }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(log: log) }
}
