import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite struct `Publishers, subjects` {
  @Test func `a value reaches all subscribers, in the order in which they subscribed`() {
    let subject = Subject<Int, Never>()
    var log: [String] = []
    let tokens = ["a", "b", "c"].map { name in subject.sink { log.append("\(name)\($0)") } }
    subject.send(1)
    subject.send(2)
    #expect(log == ["a1", "b1", "c1", "a2", "b2", "c2"] && tokens.count == 3)
  }

  @Test func `without a subscriber a value is lost`() {
    let subject = Subject<Int, Never>()
    subject.send(1)
    let recorder = Recorder(subject)
    subject.send(2)
    #expect(recorder.events == ["2"])
  }

  @Test func `a value sent in a delivery goes to all after it`() {
    let subject = Subject<Int, Never>()
    var log: [String] = []
    let a = subject.sink { value in
      log.append("a\(value)")
      if value == 1 { subject.send(2) }
    }
    let b = subject.sink { log.append("b\($0)") }
    subject.send(1)
    #expect(log == ["a1", "b1", "a2", "b2"])
    withExtendedLifetime((a, b)) {}
  }

  @Test func `who subscribes in a delivery gets what is sent after that`() {
    let subject = Subject<Int, Never>()
    var tokens: [any Cancellable] = []
    var log: [String] = []
    subject.sink { value in
      log.append("a\(value)")
      guard value == 1 else { return }
      subject.send(2)
      subject.sink { log.append("b\($0)") }.store(in: &tokens)
      subject.send(3)
    }.store(in: &tokens)
    subject.send(1)
    #expect(log == ["a1", "a2", "a3", "b3"])
    // The first pipeline holds them, and they hold it.
    tokens = []
  }

  @Test func `who is cancelled in a delivery gets nothing more of it`() {
    let subject = Subject<Int, Never>()
    var second: (any Cancellable)?
    var log: [String] = []
    let first = subject.sink { value in
      log.append("a\(value)")
      second?.cancel()
    }
    second = subject.sink { log.append("b\($0)") }
    let third = subject.sink { log.append("c\($0)") }
    subject.send(1)
    #expect(log == ["a1", "c1"] && subject.subscriberCount == 2)
    withExtendedLifetime((first, third)) {}
  }

  @Test func `who subscribes after the completion gets the completion`() {
    let subject = Subject<Int, Fault>()
    subject.send(completion: .failure(.broken))
    subject.send(completion: .finished)
    #expect(Recorder(subject).events == ["failed: broken"])
  }

  @Test func `many come and go in any order`() {
    let subject = Subject<Int, Never>()
    var generator = SeededRandom(seed: 7)
    var living: [Int: any Cancellable] = [:]
    var seen: [Int] = []
    for step in 0..<500 {
      if step % 3 == 2, let name = living.keys.sorted().randomElement(using: &generator) {
        living[name]?.cancel()
        living[name] = nil
      } else {
        living[step] = subject.sink { _ in seen.append(step) }
      }
      seen = []
      subject.send(step)
      #expect(seen == living.keys.sorted() && subject.subscriberCount == living.count)
    }
  }

  @Test func `what a subscriber reads is no dependency of the effect that sends`() {
    let subject = Subject<Int, Never>()
    let (source, other) = (Signal(0), Signal(0))
    var runs = 0
    let token = subject.sink { _ in _ = other.value }
    let effect = Effect {
      runs += 1
      subject.send(source.value)
    }
    other.value = 1
    #expect(runs == 1)
    source.value = 1
    #expect(runs == 2)
    withExtendedLifetime((token, effect)) {}
  }

  @Test func `sending in a computed traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let subject = Subject<Int, Never>()
      let computed = Computed(name: "sum") { () -> Int in
        subject.send(1)
        return 1
      }
      _ = computed.value
    }
    expectError(result, "computed 'sum' must not write to a subject: it may only read")
  }

  @Test func `a current-value subject sends its value first`() {
    let subject = CurrentValueSubject<Int, Never>(1)
    let recorder = Recorder(subject)
    subject.value = 2
    subject.send(2)
    #expect(recorder.events == ["1", "2", "2"] && subject.value == 2)
    #expect(Recorder(subject).events == ["2"])
  }

  @Test func `a current-value subject loses nothing that is sent while it sends its value`() {
    let subject = CurrentValueSubject<Int, Never>(1)
    let recorder = Recorder<Int, Never>()
    recorder.onValue = { value in if value < 4 { subject.send(value + 1) } }
    recorder.record(subject)
    #expect(recorder.events == ["1", "2", "3", "4"])
    let late = Recorder<Int, Never>()
    late.onValue = { value in if value == 4 { subject.send(completion: .finished) } }
    late.record(subject)
    #expect(late.events == ["4", "finished"] && recorder.events.last == "finished")
  }

  @Test func `the value of a current-value subject is the one sent last, in a delivery too`() {
    let subject = CurrentValueSubject<Int, Never>(0)
    var log: [String] = []
    let token = subject.sink { value in
      if value == 1 { subject.send(2) }
      log.append("\(value) \(subject.value)")
    }
    subject.send(1)
    #expect(log == ["0 0", "1 2", "2 2"])
    token.cancel()
  }

  @Test func `a finished current-value subject keeps its value and sends only the completion`() {
    let subject = CurrentValueSubject<Int, Fault>(1)
    subject.send(completion: .finished)
    subject.value = 2
    #expect(subject.value == 1 && Recorder(subject).events == ["finished"])
  }

  @Test func `a subscriber that wants only the first value leaves no trace`() {
    let subject = CurrentValueSubject<Int, Never>(1)
    let recorder = Recorder(subject.prefix(1))
    subject.send(2)
    #expect(recorder.events == ["1", "finished"])
  }
}
