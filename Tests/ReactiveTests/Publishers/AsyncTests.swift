import Signals
import SignalsTesting
import TestSupport
import Testing

/// A clock that only sleeps, as clocks do: what waits on it waits in a task.
private struct SleepingClock: Clock {
  let base: ManualClock
  var now: ManualClock.Instant { base.now }
  var minimumResolution: Duration { .zero }
  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    try await base.sleep(until: deadline, tolerance: tolerance)
  }

  /// Waits until so many sleep.
  nonisolated(nonsending) func sleepers(_ count: Int) async {
    while base.waiting != count { await Task.yield() }
  }
}

@MainActor
@Suite struct `Publishers, asynchronous sequences` {
  let subject = Subject<Int, Fault>()

  @Test func `an unbounded buffer loses nothing, and ends with the publisher`() async throws {
    var iterator = subject.values(buffering: .unbounded).makeAsyncIterator()
    for value in 0..<3000 { subject.send(value) }
    subject.send(completion: .finished)
    var values: [Int] = []
    while let value = try await iterator.next() { values.append(value) }
    #expect(values == Array(0..<3000))
    #expect(try await iterator.next() == nil)
  }

  @Test func `newest keeps the newest, oldest the oldest`() async throws {
    var newest = subject.values(buffering: .newest(2)).makeAsyncIterator()
    var oldest = subject.values(buffering: .oldest(2)).makeAsyncIterator()
    for value in 1...5 { subject.send(value) }
    subject.send(completion: .finished)
    let a = try await [newest.next(), newest.next(), newest.next()]
    let b = try await [oldest.next(), oldest.next(), oldest.next()]
    #expect(a == [4, 5, nil] && b == [1, 2, nil])
  }

  @Test func `the latest value of a signal, coalesced`() async {
    let signal = Signal(1)
    var values = signal.publisher.values(buffering: .newest(1)).makeAsyncIterator()
    #expect(await values.next() == 1)
    signal.value = 2
    signal.value = 3
    #expect(await values.next() == 3)
  }

  @Test func `a failure is thrown after what was sent before it`() async throws {
    var iterator = subject.values(buffering: .unbounded).makeAsyncIterator()
    subject.send(1)
    subject.send(completion: .failure(.broken))
    #expect(try await iterator.next() == 1)
    await #expect(throws: Fault.broken) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func `a waiting task is woken by the next value`() async {
    let subject = Subject<Int, Never>()
    var log: [Int] = []
    let task = Task {
      for await value in subject.values(buffering: .unbounded) { log.append(value) }
    }
    while subject.subscriberCount == 0 { await Task.yield() }
    for value in 1...3 {
      subject.send(value)
      while log.count < value { await Task.yield() }
    }
    subject.send(completion: .finished)
    await task.value
    #expect(log == [1, 2, 3])
  }

  @Test func `cancelling the task ends the loop and the subscription`() async {
    let subject = Subject<Int, Never>()
    let task = Task {
      var count = 0
      for await _ in subject.values(buffering: .unbounded) { count += 1 }
      return count
    }
    while subject.subscriberCount == 0 { await Task.yield() }
    task.cancel()
    #expect(await task.value == 0 && subject.subscriberCount == 0)
  }

  @Test func `leaving the loop ends the subscription`() async throws {
    let subject = CurrentValueSubject<Int, Never>(1)
    var released = 0
    do {
      let life = Lifetime { released += 1 }
      let values = subject.map {
        life.use(); return $0
      }
      for await _ in values.values(buffering: .unbounded) { break }
    }
    #expect(released == 1)
  }

  @Test func `an asynchronous sequence is published, element by element`() async {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let recorder = Recorder(stream.publisher())
    continuation.yield(1)
    continuation.yield(2)
    continuation.finish()
    while recorder.events.count < 3 { await Task.yield() }
    #expect(recorder.events == ["1", "2", "finished"])
  }

  @Test func `what an asynchronous sequence throws is the failure`() async {
    let (stream, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
    let recorder = Recorder(stream.publisher())
    continuation.yield(1)
    continuation.finish(throwing: Fault.broken)
    while recorder.events.count < 2 { await Task.yield() }
    #expect(recorder.events == ["1", "failed: broken"])
  }

  @Test func `cancelling a subscription cancels the sequence's task`() async {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    await confirmation { ended in
      let (ends, end) = AsyncStream<Void>.makeStream()
      continuation.onTermination = { _ in end.finish() }
      let recorder = Recorder(stream.publisher())
      continuation.yield(1)
      while recorder.events.isEmpty { await Task.yield() }
      recorder.token?.cancel()
      for await _ in ends {}
      ended()
      #expect(recorder.events == ["1"])
    }
  }

  @Test func `a sequence that waits keeps neither its actor nor its subscriber`() async {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    weak var listener: Listener?
    do {
      let made = Listener()
      await made.listen(to: stream)
      continuation.yield(1)
      while await made.count == 0 { await Task.yield() }
      listener = made
    }
    while listener != nil { await Task.yield() }
    continuation.finish()
  }

  @Test func `ticks keep neither their actor nor their subscriber`() async {
    let clock = SleepingClock(base: ManualClock())
    weak var listener: Listener?
    do {
      let made = Listener()
      await made.tick(clock)
      listener = made
      await clock.sleepers(1)
    }
    while listener != nil { await Task.yield() }
    await clock.sleepers(0)
  }

  @Test func `a future that runs keeps its actor alive, until it has ended`() async {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    weak var listener: Listener?
    do {
      let made = Listener()
      await made.work(until: stream)
      while await made.count == 0 { await Task.yield() }
      listener = made
    }
    for _ in 0..<100 { await Task.yield() }
    #expect(listener != nil)
    continuation.finish()
    while listener != nil { await Task.yield() }
  }

  @Test func `a future runs for each subscription and sends what it returns or throws`() async {
    var runs = 0
    let future = Future { () async throws -> Int in
      runs += 1
      await Task.yield()
      if runs == 2 { throw Fault.broken }
      return runs
    }
    for expected in [["1", "finished"], ["failed: broken"], ["3", "finished"]] {
      let recorder = Recorder(future)
      while recorder.events.count < expected.count { await Task.yield() }
      #expect(recorder.events == expected)
    }
  }

  @Test func `a future is cancelled with its subscription`() async {
    var log: [String] = []
    let clock = ManualClock()
    let recorder = Recorder(
      Future { () async throws -> Int in
        do { try await clock.sleep(for: .seconds(1)) } catch {
          log.append("cancelled")
          throw error
        }
        return 1
      })
    while clock.waiting == 0 { await Task.yield() }
    recorder.token?.cancel()
    while log.isEmpty { await Task.yield() }
    #expect(recorder.events == [])
  }

  @Test func `a future that was cancelled before it started does not run`() async {
    var runs = 0
    let token = Future { runs += 1 }.sink { _ in }
    token.cancel()
    let other = Recorder(Future { "other" })
    while other.events.isEmpty { await Task.yield() }
    #expect(runs == 0)
  }

  @Test func `debounce waits in a task on a clock that only sleeps`() async {
    let clock = SleepingClock(base: ManualClock())
    let recorder = Recorder(subject.debounce(for: .seconds(2), clock: clock))
    subject.send(1)
    await clock.sleepers(1)
    clock.base.advance(by: .seconds(1))
    subject.send(2)
    clock.base.advance(by: .seconds(1))
    // It woke too early, and sleeps for the rest.
    await clock.sleepers(1)
    #expect(recorder.events == [])
    clock.base.advance(by: .seconds(1))
    while recorder.events.isEmpty { await Task.yield() }
    #expect(recorder.events == ["2"])
  }

  @Test func `a cancelled timer's task ends, and delivers nothing`() async {
    let clock = SleepingClock(base: ManualClock())
    let recorder = Recorder(subject.delay(for: .seconds(1), clock: clock))
    subject.send(1)
    await clock.sleepers(1)
    recorder.token?.cancel()
    await clock.sleepers(0)
    clock.base.advance(by: .seconds(1))
    #expect(recorder.events == [])
  }

  @Test func `every ticks in tasks`() async {
    let clock = SleepingClock(base: ManualClock())
    let recorder = Recorder(Every(.seconds(1), clock: clock).map { "\($0.offset)" })
    for tick in 1...3 {
      await clock.sleepers(1)
      clock.base.advance(by: .seconds(1))
      while recorder.events.count < tick { await Task.yield() }
    }
    #expect(recorder.events == ["1.0 seconds", "2.0 seconds", "3.0 seconds"])
    recorder.token?.cancel()
    await clock.sleepers(0)
  }
}

private actor Listener {
  private var tokens: [any Cancellable] = []
  private let received = Counter()
  var count: Int { received.count }

  private final class Counter { var count = 0 }

  func listen(to stream: AsyncStream<Int>) {
    let received = received
    stream.publisher().sink { _ in received.count += 1 }.store(in: &tokens)
  }

  func work(until stream: AsyncStream<Void>) {
    let received = received
    Future<Void, Never> {
      received.count += 1
      for await _ in stream {}
    }.sink {}.store(in: &tokens)
  }

  func tick(_ clock: SleepingClock) {
    Every(.seconds(1), clock: clock).sink { _ in }.store(in: &tokens)
  }
}
