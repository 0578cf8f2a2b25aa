import Signals
import TestSupport
import Testing

@Suite struct `Publishers, operators` {
  let numbers: some Publisher<Int, Never> = (1...6).publisher

  @Test func `a sequence sends its elements and finishes`() {
    #expect(Recorder([1, 2].publisher).events == ["1", "2", "finished"])
  }

  @Test func `an endless sequence stops when no more is wanted`() {
    #expect(Recorder((0...).publisher.prefix(2)).events == ["0", "1", "finished"])
  }

  @Test func `just, empty, fail and deferred`() {
    #expect(Recorder(Just(1)).events == ["1", "finished"])
    #expect(Recorder(Empty<Int, Never>()).events == ["finished"])
    #expect(Recorder(Empty<Int, Never>(completeImmediately: false)).events == [])
    #expect(Recorder(Fail<Int, Fault>(.broken)).events == ["failed: broken"])
    var made = 0
    let deferred = Deferred {
      made += 1
      return Just(made)
    }
    #expect(made == 0)
    #expect(Recorder(deferred).events == ["1", "finished"])
    #expect(Recorder(deferred).events == ["2", "finished"])
  }

  @Test func `map sends what the closure makes`() {
    #expect(Recorder(numbers.map { $0 * 2 }.prefix(2)).events == ["2", "4", "finished"])
  }

  @Test func `tryMap fails with the error of the closure, and takes no more`() {
    var taken = 0
    let mapped = numbers.tryMap { (value: Int) throws -> Int in
      taken += 1
      if value == 2 { throw Fault.broken }
      return value
    }
    #expect(Recorder(mapped).events == ["1", "failed: broken"] && taken == 2)
  }

  @Test func `compactMap leaves nil out, filter what is not wanted`() {
    let texts = ["1", "x", "3"].publisher
    #expect(Recorder(texts.compactMap { Int($0) }).events == ["1", "3", "finished"])
    #expect(Recorder(numbers.filter { $0 % 3 == 0 }).events == ["3", "6", "finished"])
  }

  @Test func `removeDuplicates compares with the value before`() {
    #expect(
      Recorder([1, 1, 2, 2, 1].publisher.removeDuplicates()).events == ["1", "2", "1", "finished"])
    #expect(
      Recorder(numbers.removeDuplicates { $0 / 3 == $1 / 3 }).events == ["1", "3", "6", "finished"])
  }

  @Test func `scan starts again with each subscription`() {
    let sums = numbers.scan(0) { $0 + $1 }.prefix(3)
    for _ in 0..<2 { #expect(Recorder(sums).events == ["1", "3", "6", "finished"]) }
  }

  @Test func `prefix of 0 finishes at once and never subscribes`() {
    var subscribed = false
    let publisher = numbers.handleEvents(receiveSubscription: { subscribed = true }).prefix(0)
    #expect(Recorder(publisher).events == ["finished"] && !subscribed)
  }

  @Test func `dropFirst leaves the first values out, for each subscription`() {
    let rest = numbers.dropFirst(4)
    for _ in 0..<2 { #expect(Recorder(rest).events == ["5", "6", "finished"]) }
    #expect(Recorder(numbers.dropFirst().prefix(1)).events == ["2", "finished"])
  }

  @Test func `handleEvents sees each event before downstream does`() {
    let subject = Subject<Int, Fault>()
    var log: [String] = []
    let handled = subject.handleEvents(
      receiveSubscription: { log.append("subscribe") }, receiveOutput: { log.append("see \($0)") },
      receiveCompletion: { log.append("see \($0)") }, receiveCancel: { log.append("cancel") })
    let token = handled.sink {
      log.append("\($0)")
    } receiveValue: {
      log.append("get \($0)")
    }
    subject.send(1)
    token.cancel()
    token.cancel()
    #expect(log == ["subscribe", "see 1", "get 1", "cancel"])
    log = []
    let second = handled.sink {
      log.append("\($0)")
    } receiveValue: { _ in
    }
    subject.send(completion: .finished)
    second.cancel()
    #expect(log == ["subscribe", "see finished", "finished"])
  }

  @Test func `an operator that failed in the middle is not asked again`() {
    let subject = Subject<Int, Never>()
    let recorder = Recorder(subject.tryMap { (_: Int) throws -> Int in throw Fault.other })
    subject.send(1)
    subject.send(2)
    #expect(recorder.events == ["failed: other"] && subject.subscriberCount == 0)
  }

  @Test func `assign writes a property, weakly`() {
    final class Model { var text = "" }
    let subject = Subject<String, Never>()
    var model: Model? = Model()
    weak let gone = model
    let token = subject.assign(to: \.text, on: model!)
    subject.send("a")
    #expect(model?.text == "a")
    model = nil
    #expect(gone == nil && subject.subscriberCount == 1)
    subject.send("b")
    #expect(subject.subscriberCount == 0)
    token.cancel()
  }

  @Test func `assign writes a field, in a commit of its own`() throws {
    let store = Store()
    let novel = Novel()
    try store.add(novel)
    var commits = 0
    let sink = store.commits.sink { _ in commits += 1 }
    let subject = Subject<String, Never>()
    let token = subject.assign(to: \.name, on: novel)
    subject.send("a")
    token.cancel()
    subject.send("b")
    #expect(novel.name == "a" && commits == 1)
    sink.cancel()
  }

  @Test func `assign writes a signal, weakly`() {
    let subject = Subject<Int, Never>()
    var signal: Signal? = Signal(0)
    weak let gone = signal
    let token = subject.assign(to: signal!)
    subject.send(1)
    #expect(signal?.value == 1)
    signal = nil
    #expect(gone == nil)
    subject.send(2)
    #expect(subject.subscriberCount == 0)
    token.cancel()
  }

  @Test func `stored tokens end together`() {
    let subject = Subject<Int, Never>()
    var tokens: [any Cancellable] = []
    for _ in 0..<3 { subject.sink { _ in }.store(in: &tokens) }
    #expect(subject.subscriberCount == 3)
    tokens = []
    #expect(subject.subscriberCount == 0)
  }

  @Test func `an existential publisher has the operators too`() {
    let any: any Publisher<Int, Never> = numbers
    let mapped: any Publisher<String, Never> = any.map { "<\($0)>" }
    #expect(Recorder(mapped.prefix(1)).events == ["<1>", "finished"])
  }
}
