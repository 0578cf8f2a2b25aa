import Signals
import TestSupport
import Testing

@Suite struct `Publishers, several into one` {
  let a = Subject<Int, Fault>()
  let b = Subject<Int, Fault>()

  @Test func `merge sends what either sends, and finishes with the last`() {
    let recorder = Recorder(a.merge(with: b))
    a.send(1)
    b.send(2)
    a.send(completion: .finished)
    b.send(3)
    b.send(completion: .finished)
    #expect(recorder.events == ["1", "2", "3", "finished"])
  }

  @Test func `merge fails with the first and cancels the others`() {
    let recorder = Recorder(Merge([a, b]))
    a.send(completion: .failure(.broken))
    b.send(1)
    #expect(recorder.events == ["failed: broken"] && b.subscriberCount == 0)
  }

  @Test func `merge delivers what one input sends in a delivery of the other after that`() {
    var log: [String] = []
    let token = a.merge(with: b).sink { _ in
    } receiveValue: { value in
      log.append("begin \(value)")
      if value == 1 { b.send(2) }
      log.append("end \(value)")
    }
    a.send(1)
    #expect(log == ["begin 1", "end 1", "begin 2", "end 2"])
    token.cancel()
  }

  @Test func `an input that ends everything stops the subscription to the next`() {
    var subscribed = false
    let other = b.handleEvents(receiveSubscription: { subscribed = true })
    #expect(Recorder(Fail<Int, Fault>(.broken).merge(with: other)).events == ["failed: broken"])
    #expect(!subscribed)
  }

  @Test func `combineLatest waits for all and then sends with each`() {
    let recorder = Recorder(a.combineLatest(b).map { "\($0.0)\($0.1)" })
    a.send(1)
    a.send(2)
    b.send(3)
    b.send(4)
    a.send(5)
    a.send(completion: .finished)
    b.send(6)
    b.send(completion: .finished)
    #expect(recorder.events == ["23", "24", "54", "56", "finished"])
  }

  @Test func `combineLatest of optionals counts nil as a value`() {
    let first = Subject<Int?, Never>()
    let recorder = Recorder(first.combineLatest(Just<Int?>(nil)).map { "\($0.0 ?? 0)" })
    first.send(nil)
    first.send(1)
    #expect(recorder.events == ["0", "1"])
    #expect(Recorder(CombineLatest([Just<Int?>(nil), Just(1)])).events.count == 2)
  }

  @Test func `combineLatest finishes as soon as one finishes without having sent`() {
    let recorder = Recorder(a.combineLatest(b))
    a.send(1)
    b.send(completion: .finished)
    #expect(recorder.events == ["finished"] && a.subscriberCount == 0)
  }

  @Test func `combineLatest of many and of three`() {
    let recorder = Recorder(CombineLatest([a, b]))
    a.send(1)
    b.send(2)
    a.send(3)
    #expect(recorder.events == ["[1, 2]", "[3, 2]"])
    let three = a.combineLatest(b, Just(0).setFailureType(to: Fault.self)).map { [$0, $1, $2] }
    let tripled = Recorder(three)
    a.send(1)
    b.send(2)
    #expect(tripled.events == ["[1, 2, 0]"])
  }

  @Test func `zip pairs the first with the first, and keeps what came early`() {
    let recorder = Recorder(a.zip(b).map { "\($0.0)\($0.1)" })
    for value in 1...3 { a.send(value) }
    b.send(7)
    b.send(8)
    #expect(recorder.events == ["17", "28"])
    a.send(completion: .finished)
    #expect(recorder.events == ["17", "28"])
    b.send(9)
    #expect(recorder.events == ["17", "28", "39", "finished"] && b.subscriberCount == 0)
  }

  @Test func `zip keeps thousands in order`() {
    var pairs: [Bool] = []
    let token = a.zip(b).sink { _ in
    } receiveValue: {
      pairs.append($0.0 == $0.1)
    }
    for value in 0..<5000 { a.send(value) }
    for value in 0..<5000 { b.send(value) }
    #expect(pairs.count == 5000 && pairs.allSatisfy { $0 })
    token.cancel()
  }

  @Test func `zip of many and of three`() {
    let recorder = Recorder(Zip([a, b]))
    a.send(1)
    b.send(2)
    #expect(recorder.events == ["[1, 2]"])
    let three = a.zip(b, [5, 6].publisher.setFailureType(to: Fault.self)).map { [$0, $1, $2] }
    let tripled = Recorder(three)
    a.send(1)
    b.send(2)
    #expect(tripled.events == ["[1, 2, 5]"])
  }

  @Test func `flatMap sends what all inner publishers send, and finishes with the last`() {
    let outer = Subject<Subject<Int, Fault>, Fault>()
    let recorder = Recorder(outer.flatMap { $0 })
    outer.send(a)
    outer.send(b)
    a.send(1)
    b.send(2)
    outer.send(completion: .finished)
    a.send(completion: .finished)
    b.send(3)
    b.send(completion: .finished)
    #expect(recorder.events == ["1", "2", "3", "finished"])
  }

  @Test func `flatMap fails with the first and cancels the others`() {
    let outer = Subject<Subject<Int, Fault>, Fault>()
    let recorder = Recorder(outer.flatMap { $0 })
    outer.send(a)
    outer.send(b)
    a.send(completion: .failure(.broken))
    #expect(
      recorder.events == ["failed: broken"] && b.subscriberCount == 0 && outer.subscriberCount == 0)
  }

  @Test func `flatMap delivers sequences whole, in order, also from within`() {
    let outer = Subject<Int, Never>()
    let recorder = Recorder(outer.flatMap { [$0, $0 + 1].publisher })
    recorder.onValue = { if $0 == 1 { outer.send(10) } }
    outer.send(1)
    #expect(recorder.events == ["1", "2", "10", "11"])
  }

  @Test func `switchToLatest follows the latest, and cancels the one before`() {
    let outer = Subject<Subject<Int, Fault>, Fault>()
    let recorder = Recorder(outer.switchToLatest())
    outer.send(a)
    a.send(1)
    outer.send(b)
    #expect(a.subscriberCount == 0)
    a.send(2)
    b.send(3)
    outer.send(completion: .finished)
    b.send(4)
    b.send(completion: .finished)
    #expect(recorder.events == ["1", "3", "4", "finished"])
  }

  @Test func `switchToLatest switches also while the one before is being subscribed to`() {
    let outer = Subject<Int, Never>()
    var ended: [Int] = []
    let inner = outer.map { number in
      CurrentValueSubject<Int, Never>(number).handleEvents(receiveCancel: { ended.append(number) })
    }
    let recorder = Recorder(inner.switchToLatest())
    recorder.onValue = { if $0 < 3 { outer.send($0 + 1) } }
    outer.send(1)
    #expect(recorder.events == ["1", "2", "3"] && ended.sorted() == [1, 2])
  }
}
