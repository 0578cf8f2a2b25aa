import Signals
import SignalsTesting
import TestSupport
import Testing

/// What every operator guarantees.
@MainActor
@Suite struct `Publishers, the contract of every operator` {
  let clock = ManualClock()
  let subject = Subject<Int, any Error>()

  private func subscribe(_ operation: Operator) -> Recorder<Int, any Error> {
    Recorder(operation(subject, clock))
  }

  private func send(_ value: Int) {
    subject.send(value)
    settle()
  }

  private func settle() { clock.advance(by: .seconds(10)) }

  @Test(arguments: Operator.allCases)
  func `values arrive in order`(operation: Operator) {
    let recorder = subscribe(operation)
    for value in 1...5 { send(value) }
    #expect(recorder.events == ["1", "2", "3", "4", "5"])
  }

  @Test(arguments: Operator.allCases)
  func `it finishes once, and nothing comes after`(operation: Operator) {
    let recorder = subscribe(operation)
    send(1)
    subject.send(completion: .finished)
    settle()
    #expect(recorder.events == ["1", "finished"])
    send(2)
    subject.send(completion: .failure(Fault.broken))
    settle()
    #expect(recorder.events == ["1", "finished"])
  }

  @Test(arguments: Operator.allCases)
  func `it fails once, and nothing comes after`(operation: Operator) {
    let recorder = subscribe(operation)
    send(1)
    subject.send(completion: .failure(Fault.broken))
    settle()
    send(2)
    subject.send(completion: .finished)
    settle()
    #expect(recorder.events == ["1", "failed: broken"])
  }

  @Test(arguments: Operator.allCases)
  func `an upstream that breaks the rules sends nothing after its end`(operation: Operator) {
    let recorder = Recorder(operation(Unruly(), clock))
    settle()
    #expect(recorder.events.last == "finished")
    #expect(recorder.events.count { $0 == "finished" } == 1)
    #expect(!recorder.events.contains("2"))
  }

  @Test(arguments: Operator.allCases)
  func `nothing comes after a cancellation, and upstream is released`(operation: Operator) {
    let recorder = subscribe(operation)
    send(1)
    #expect(subject.subscriberCount == 1)
    subject.send(2)
    recorder.token?.cancel()
    let known = recorder.events
    #expect(subject.subscriberCount == 0)
    settle()
    send(3)
    subject.send(completion: .finished)
    settle()
    #expect(recorder.events == known)
    #expect(clock.waiting == 0)
  }

  @Test(arguments: Operator.allCases)
  func `releasing the token is a cancellation`(operation: Operator) {
    let recorder = subscribe(operation)
    send(1)
    recorder.token = nil
    send(2)
    #expect(recorder.events == ["1"] && subject.subscriberCount == 0 && clock.waiting == 0)
  }

  @Test(arguments: Operator.allCases)
  func `a subscriber that cancels while it gets a value gets nothing more`(operation: Operator) {
    let recorder = subscribe(operation)
    recorder.onValue = { [unowned recorder] _ in
      subject.send(2)
      recorder.token?.cancel()
      subject.send(3)
    }
    send(1)
    send(4)
    #expect(recorder.events == ["1"] && subject.subscriberCount == 0 && clock.waiting == 0)
  }

  @Test(arguments: Operator.allCases)
  func `a subscriber that releases its token while it gets a value gets nothing more`(
    operation: Operator
  ) {
    let recorder = subscribe(operation)
    recorder.onValue = { [unowned recorder] _ in
      subject.send(2)
      recorder.token = nil
      subject.send(3)
    }
    send(1)
    send(4)
    #expect(recorder.events == ["1"] && subject.subscriberCount == 0 && clock.waiting == 0)
  }

  @Test(arguments: Operator.allCases)
  func `what is sent during a delivery comes after it`(operation: Operator) {
    let recorder = subscribe(operation)
    var log: [String] = []
    recorder.onValue = { value in
      log.append("begin \(value)")
      if value < 4 { subject.send(value + 1) }
      log.append("end \(value)")
    }
    send(1)
    for _ in 0..<5 { settle() }
    #expect(recorder.events == ["1", "2", "3", "4"])
    #expect(log == (1...4).flatMap { ["begin \($0)", "end \($0)"] })
  }

  @Test(arguments: Operator.allCases)
  func `a completion sent during a delivery comes after it`(operation: Operator) {
    let recorder = subscribe(operation)
    recorder.onValue = { value in
      if value == 1 { subject.send(completion: .failure(Fault.broken)) }
    }
    send(1)
    #expect(recorder.events == ["1", "failed: broken"])
  }

  @Test(arguments: Operator.allCases)
  func `when downstream wants no more, upstream is released`(operation: Operator) {
    let recorder = Recorder(prefix(operation(subject, clock)))
    send(1)
    send(2)
    #expect(recorder.events == ["1", "finished"])
    #expect(subject.subscriberCount == 0 && clock.waiting == 0)
  }

  @Test(arguments: Operator.allCases)
  func `when downstream wants no more of what comes at once, upstream is released`(
    operation: Operator
  ) {
    let current = CurrentValueSubject<Int, any Error>(1)
    var connections = 0
    let counted = current.handleEvents(
      receiveSubscription: { connections += 1 }, receiveCompletion: { _ in connections -= 1 },
      receiveCancel: { connections -= 1 })
    let recorder = Recorder(prefix(operation(counted, clock)))
    settle()
    current.send(2)
    settle()
    #expect(recorder.events == ["1", "finished"] && connections == 0 && clock.waiting == 0)
  }

  @Test(arguments: Operator.allCases)
  func `an end that comes at once is sent once`(operation: Operator) {
    let failed = Recorder(operation(Fail<Int, any Error>(Fault.broken), clock))
    let empty = Recorder(operation(Empty<Int, any Error>(), clock))
    settle()
    #expect(failed.events == ["failed: broken"] && empty.events == ["finished"])
    #expect(clock.waiting == 0)
  }

  @Test(arguments: Operator.allCases)
  func `a long sequence neither fills the stack nor is lost`(operation: Operator) {
    var (count, last, ends) = (0, 0, 0)
    let token = operation((1...20_000).publisher.setFailureType(to: (any Error).self), clock).sink {
      _ in
      ends += 1
    } receiveValue: {
      (count, last) = (count + 1, $0)
    }
    settle()
    switch operation {
    case .prefix: #expect(count == 100)
    case .zip, .zipSecond, .zipOfThree: #expect(count == 1000)
    case .debounce, .throttle, .combineLatest, .combineLatestOfThree: #expect(last == 20_000)
    case .throttleFirst: #expect(count == 2)
    default: #expect(count == 20_000)
    }
    #expect(ends == 1 && clock.waiting == 0)
    token.cancel()
  }

  private func prefix(_ upstream: some Publisher<Int, any Error>) -> Operator.Ints {
    upstream.prefix(1)
  }

  @Test(arguments: Operator.allCases)
  func `two subscriptions run side by side`(operation: Operator) {
    let publisher = operation(subject, clock)
    let (first, second) = (Recorder(publisher), Recorder(publisher))
    send(1)
    first.token?.cancel()
    send(2)
    subject.send(completion: .finished)
    settle()
    #expect(first.events == ["1"] && second.events == ["1", "2", "finished"])
  }

  @Test(arguments: Operator.allCases, ["finished", "failed", "cancelled", "released"])
  func `the end releases what the pipeline holds`(operation: Operator, end: String) {
    var released = 0
    var recorder: Recorder<Int, any Error>?
    do {
      let life = Lifetime { released += 1 }
      recorder = Recorder(operation(hold(life), clock))
    }
    send(1)
    subject.send(2)
    #expect(released == 0)
    switch end {
    case "finished": subject.send(completion: .finished)
    case "failed": subject.send(completion: .failure(Fault.broken))
    case "cancelled": recorder?.token?.cancel()
    default: recorder?.token = nil
    }
    settle()
    // A publisher of several subscriptions is held by the recorder's token alone.
    recorder?.token = nil
    #expect(released == 1 && subject.subscriberCount == 0 && clock.waiting == 0)
  }

  private func hold(_ life: Lifetime) -> Operator.Ints {
    subject.map { value in
      life.use()
      return value
    }
  }
}

/// Sends on after its end.
private struct Unruly: Publisher {
  typealias Output = Int
  typealias Failure = any Error

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Int, Downstream.Failure == any Error {
    _ = downstream.receive(1)
    downstream.finish(.finished)
    _ = downstream.receive(2)
    downstream.finish(.failure(Fault.broken))
    return nil
  }
}
