import Signals
import SignalsTesting
import TestSupport
import Testing

/// What comes from inside: sends, cancellations and subscriptions in the middle of something else.
@MainActor
@Suite struct `Publishers, hostile use` {
  let subject = Subject<Int, Fault>()

  @Test func `who subscribes stays connected if the last other one leaves during its replay`() {
    let shared = subject.replay(1)
    let a = Recorder(shared)
    subject.send(1)
    let b = Recorder<Int, Fault>()
    b.onValue = { if $0 == 1 { a.token = nil } }
    b.record(shared)
    subject.send(2)
    #expect(b.events == ["1", "2"] && subject.subscriberCount == 1)
    b.token = nil
    #expect(subject.subscriberCount == 0)
  }

  @Test func `what is sent while a replay catches up comes after it, one at a time`() {
    let shared = subject.replay(2)
    let a = Recorder(shared)
    subject.send(1)
    var log: [String] = []
    let b = Recorder<Int, Fault>()
    b.onValue = { value in
      log.append("begin \(value)")
      if value == 1 {
        subject.send(2)
        subject.send(3)
      }
      if value == 2 { subject.send(4) }
      log.append("end \(value)")
    }
    b.record(shared)
    #expect(b.events == ["1", "2", "3", "4"] && a.events == b.events)
    #expect(log == (1...4).flatMap { ["begin \($0)", "end \($0)"] })
  }

  @Test func `a share whose only subscriber wants no more of the replay is released`() {
    let shared = subject.replay(2)
    let a = Recorder(shared)
    subject.send(1)
    let b = Recorder<Int, Fault>()
    b.onValue = { _ in a.token = nil }
    b.record(shared.prefix(1))
    #expect(b.events == ["1", "finished"] && subject.subscriberCount == 0)
  }

  @Test func `handleEvents reports a cancellation where nothing is under way`() {
    var log: [String] = []
    let never = Empty<Int, Never>(completeImmediately: false)
    let token = never.handleEvents(receiveCancel: { log.append("cancel") }).sink { _ in }
    token.cancel()
    #expect(log == ["cancel"])
  }

  @Test func `handleEvents reports exactly one end, once`() {
    for ends in ["prefix", "merged", "cancelled", "completed", "immediately", "first value"] {
      var log: [String] = []
      let handled = subject.handleEvents(
        receiveCompletion: { _ in log.append("completion") },
        receiveCancel: { log.append("cancel") })
      let recorder = Recorder<Int, Fault>()
      switch ends {
      case "prefix": recorder.record(handled.prefix(1))
      case "merged": recorder.record(handled.merge(with: Empty()).prefix(1))
      case "immediately":
        recorder.record(
          Just(1).setFailureType(to: Fault.self).handleEvents(
            receiveCompletion: { _ in log.append("completion") },
            receiveCancel: { log.append("cancel") }
          ).prefix(1))
      case "first value":
        recorder.record(
          CurrentValueSubject<Int, Fault>(1).handleEvents(
            receiveCompletion: { _ in log.append("completion") },
            receiveCancel: { log.append("cancel") }
          ).prefix(1))
      default: recorder.record(handled)
      }
      subject.send(1)
      if ends == "completed" {
        handled.sink { _ in
        } receiveValue: { _ in
        }.cancel()
        log = []
        let other = Subject<Int, Fault>()
        let token = other.handleEvents(
          receiveCompletion: { _ in log.append("completion") },
          receiveCancel: { log.append("cancel") }
        ).sink { _ in
        } receiveValue: { _ in
        }
        other.send(completion: .finished)
        token.cancel()
      }
      let expected = ends == "completed" ? ["completion"] : ["cancel"]
      if ends != "completed" { recorder.token?.cancel() }
      #expect(log == expected, "\(ends)")
    }
  }

  @Test func `what is read while subscribing is no dependency of the effect that subscribes`() {
    let (other, trigger) = (Signal(0), Signal(0))
    let current = CurrentValueSubject<Int, Never>(1)
    var (runs, tokens) = (0, [any Cancellable]())
    let effect = Effect {
      _ = trigger.value
      runs += 1
      current.map { $0 + other.value }.sink { _ in _ = other.value }.store(in: &tokens)
      Just(1).map { $0 + other.value }.sink { _ in _ = other.value }.store(in: &tokens)
      Just(1).map { $0 + other.value }.assign(to: Signal(0)).store(in: &tokens)
    }
    other.value = 1
    #expect(runs == 1)
    trigger.value = 1
    #expect(runs == 2)
    effect.cancel()
  }

  @Test func `a subscriber in a computed may not write, while it subscribes either`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let signal = Signal(0)
      let computed = Computed(name: "sum") { () -> Int in
        Just(1).sink { signal.value = $0 }.cancel()
        return 1
      }
      _ = computed.value
    }
    expectError(result, "computed 'sum' must not write")
  }

  @Test func `zip releases what it has delivered, while more waits`() {
    let (a, b) = (Subject<Lifetime, Never>(), Subject<Int, Never>())
    var released = 0
    let token = a.zip(b).sink { _ in }
    a.send(Lifetime { released += 1 })
    a.send(Lifetime { released += 1 })
    b.send(1)
    #expect(released == 1)
    token.cancel()
    #expect(released == 2)
  }

  @Test func `a subject releases what it has delivered, while more waits`() {
    let subject = Subject<Lifetime, Never>()
    var (released, seen, count) = (0, [Int](), 0)
    let token = subject.sink { _ in
      seen.append(released)
      count += 1
      if count < 5 { subject.send(Lifetime { released += 1 }) }
    }
    subject.send(Lifetime())
    #expect(seen == [0, 0, 1, 2, 3] && released == 4)
    token.cancel()
  }

  @Test func `a merge releases what it has delivered, while more waits`() {
    let (a, b) = (Subject<Lifetime, Never>(), Subject<Lifetime, Never>())
    var (released, seen, count) = (0, [Int](), 0)
    let token = a.merge(with: b).sink { _ in
      seen.append(released)
      count += 1
      if count < 5 { b.send(Lifetime { released += 1 }) }
    }
    a.send(Lifetime())
    #expect(seen == [0, 0, 1, 2, 3] && released == 4)
    token.cancel()
  }

  @Test func `delay releases what it has delivered, while more waits`() {
    let clock = ManualClock()
    let subject = Subject<Lifetime, Never>()
    var released = 0
    let token = subject.delay(for: .seconds(2), clock: clock).sink { _ in }
    subject.send(Lifetime { released += 1 })
    clock.advance(by: .seconds(1))
    subject.send(Lifetime { released += 1 })
    clock.advance(by: .seconds(1))
    #expect(released == 1)
    token.cancel()
    #expect(released == 2 && clock.waiting == 0)
  }

  @Test func `two tasks that wait for one iterator trap`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await waitTwice()
    }
    expectError(result, "values(buffering:): two tasks wait for one iterator")
  }

  @Test(arguments: ["subject", "current", "merge", "combine", "zip", "flatMap", "share", "replay"])
  func `sending again and again from a sink does not fill the stack`(operation: String) {
    let (subject, current) = (Subject<Int, Never>(), CurrentValueSubject<Int, Never>(0))
    var count = 0
    func sink(_ publisher: some Publisher<Int, Never>) -> any Cancellable {
      publisher.sink { value in
        count += 1
        if count < 100_000 { operation == "current" ? current.send(value) : subject.send(value) }
      }
    }
    let token =
      switch operation {
      case "subject": sink(subject)
      case "current": sink(current)
      case "merge": sink(subject.merge(with: Empty(completeImmediately: false)))
      case "combine": sink(subject.combineLatest(Just(0)).map { $0.0 })
      case "zip": sink(subject.zip(subject).map { $0.0 })
      case "flatMap": sink(subject.flatMap { Just($0) })
      case "share": sink(subject.share())
      default: sink(subject.replay(3))
      }
    subject.send(1)
    #expect(count == 100_000)
    token.cancel()
  }

  @Test func `a subject that is sent to while it completes sends nothing more`() {
    let recorder = Recorder(subject)
    let other = Recorder<Int, Fault>()
    let token = subject.sink { _ in
      subject.send(2)
      subject.send(completion: .finished)
      other.record(subject)
    } receiveValue: { _ in
    }
    subject.send(completion: .failure(.broken))
    subject.send(3)
    #expect(recorder.events == ["failed: broken"] && other.events == recorder.events)
    token.cancel()
  }

  @Test func `values and the completion that are sent in one delivery keep their order`() {
    let recorder = Recorder(subject)
    recorder.onValue = { value in
      guard value == 1 else { return }
      subject.send(2)
      subject.send(completion: .finished)
      subject.send(3)
    }
    subject.send(1)
    #expect(recorder.events == ["1", "2", "finished"])
  }

  @Test func `cancelling one pipeline from a branch of another`() {
    let (a, b) = (Subject<Int, Never>(), Subject<Int, Never>())
    let pipelines: [() -> any Publisher<Int, Never>] = [
      { a.merge(with: b) }, { a.combineLatest(b).map { $0.0 } }, { a.zip(b).map { $0.0 } },
      { a.flatMap { _ in b } }, { a.map { _ in b }.switchToLatest() }, { a.share() },
      { a.replay(1) },
    ]
    for make in pipelines {
      let combined = Recorder(make())
      let killer = a.sink { _ in combined.token?.cancel() }
      a.send(1)
      b.send(2)
      a.send(3)
      #expect(combined.events.count <= 1)
      combined.token = nil
      killer.cancel()
    }
    #expect(a.subscriberCount == 0 && b.subscriberCount == 0)
  }

  @Test func `a subject may be freed in its own delivery`() {
    var (subject, log): (Subject<Int, Never>?, [Int]) = (Subject(), [])
    var tokens: [any Cancellable] = []
    weak let gone = subject
    for _ in 0..<2 {
      subject?.sink {
        subject = nil
        tokens = []
        log.append($0)
      }.store(in: &tokens)
    }
    subject?.send(1)
    #expect(log == [1] && gone == nil)
  }

  @Test func `a token may be freed in its own sink`() {
    let life = Subject<Int, Never>()
    var (token, log, released): ((any Cancellable)?, [Int], Int) = (nil, [], 0)
    do {
      let kept = Lifetime { released += 1 }
      token = life.map {
        kept.use()
        return $0
      }.sink {
        token = nil
        log.append($0)
        life.send(2)
      }
    }
    life.send(1)
    life.send(3)
    #expect(log == [1] && released == 1 && token == nil)
  }
}

@MainActor
private func waitTwice() async {
  let subject = Subject<Int, Never>()
  var first = subject.values(buffering: .unbounded).makeAsyncIterator()
  var second = first
  let one = Task { _ = await first.next() }
  let two = Task { _ = await second.next() }
  await one.value
  await two.value
}
