import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite struct `Publishers, sharing and failures` {
  let subject = Subject<Int, Fault>()

  @Test func `share subscribes once, at the first, until the last has gone`() {
    let shared = subject.share()
    #expect(subject.subscriberCount == 0)
    let (a, b) = (Recorder(shared), Recorder(shared))
    #expect(subject.subscriberCount == 1)
    subject.send(1)
    a.token = nil
    #expect(subject.subscriberCount == 1)
    subject.send(2)
    b.token = nil
    #expect(subject.subscriberCount == 0 && a.events == ["1"] && b.events == ["1", "2"])
    let c = Recorder(shared)
    subject.send(3)
    #expect(c.events == ["3"])
  }

  @Test func `who comes after the completion of a share gets the completion`() {
    let shared = [1, 2].publisher.share()
    #expect(Recorder(shared).events == ["1", "2", "finished"])
    #expect(Recorder(shared).events == ["finished"])
  }

  @Test func `replay sends the last values first to those who come later`() {
    let shared = subject.replay(2)
    let a = Recorder(shared)
    for value in 1...3 { subject.send(value) }
    let b = Recorder(shared)
    subject.send(4)
    #expect(a.events == ["1", "2", "3", "4"] && b.events == ["2", "3", "4"])
    subject.send(completion: .failure(.broken))
    #expect(Recorder(shared).events == ["3", "4", "failed: broken"])
  }

  @Test func `when the last has gone before the completion, replay forgets`() {
    let shared = subject.replay(2)
    let a = Recorder(shared)
    subject.send(1)
    a.token = nil
    #expect(Recorder(shared).events == [] && subject.subscriberCount == 0)
  }

  @Test func `what is sent during a replay comes after it`() {
    let shared = subject.replay(2)
    let a = Recorder(shared)
    subject.send(1)
    subject.send(2)
    let b = Recorder<Int, Fault>()
    b.onValue = { if $0 == 1 { subject.send(3) } }
    b.record(shared)
    #expect(a.events == ["1", "2", "3"] && b.events == ["1", "2", "3"])
  }

  @Test func `replay wants no more than its subscribers do`() {
    let shared = subject.replay(3)
    let a = Recorder(shared.prefix(1))
    subject.send(1)
    #expect(a.events == ["1", "finished"] && subject.subscriberCount == 0)
  }

  @Test func `catch continues with another publisher, whose failure is the failure`() {
    let caught = subject.catch { error in [error == .broken ? 8 : 9].publisher }
    let recorder = Recorder(caught)
    subject.send(1)
    subject.send(completion: .failure(.broken))
    #expect(recorder.events == ["1", "8", "finished"])
    let failing = Fail<Int, Fault>(.broken).catch { _ in Fail<Int, Fault>(.other) }
    #expect(Recorder(failing).events == ["failed: other"])
  }

  @Test func `catch calls nothing at a normal end`() {
    let recorder = Recorder(Just(1).setFailureType(to: Fault.self).catch { _ in Just(2) })
    #expect(recorder.events == ["1", "finished"])
  }

  @Test func `retry subscribes again so many times, and sends the last failure`() {
    var attempts = 0
    let failing = Deferred {
      attempts += 1
      return Fail<Int, Fault>(attempts < 4 ? .broken : .other)
    }
    #expect(Recorder(failing.retry(3)).events == ["failed: other"] && attempts == 4)
    attempts = 0
    #expect(Recorder(failing.retry(0)).events == ["failed: broken"] && attempts == 1)
  }

  @Test func `retry stops at success`() {
    var attempts = 0
    let flaky = Deferred {
      attempts += 1
      return [attempts].publisher.tryMap { (value: Int) throws -> Int in
        if value < 3 { throw Fault.broken }
        return value
      }
    }
    #expect(Recorder(flaky.retry(10)).events == ["3", "finished"])
  }

  @Test func `endless failures do not fill the stack`() {
    var attempts = 0
    let failing = Deferred {
      attempts += 1
      return Fail<Int, Fault>(.broken)
    }
    #expect(Recorder(failing.retry(100_000)).events == ["failed: broken"] && attempts == 100_001)
  }

  @Test func `mapError changes the failure`() {
    let mapped = Fail<Int, Fault>(.broken).mapError { _ in Fault.other }
    #expect(Recorder(mapped).events == ["failed: other"])
  }
}
