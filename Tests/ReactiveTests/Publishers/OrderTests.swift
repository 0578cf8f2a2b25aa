import Signals
import SignalsTesting
import TestSupport
import Testing

@MainActor
@Suite struct `Publishers, the order of things that are due together` {
  private final class Log {
    var lines: [String] = []
  }

  @Test func `debounces with one due time send in the order of their last values`() {
    let clock = ManualClock()
    let subject = Subject<Int, Never>()
    let log = Log()
    let first = subject.debounce(for: .seconds(10), clock: clock).sink {
      log.lines.append("first \($0)")
    }
    subject.send(1)
    clock.advance(by: .seconds(5))
    let second = subject.debounce(for: .seconds(10), clock: clock).sink {
      log.lines.append("second \($0)")
    }
    subject.send(2)
    clock.advance(by: .seconds(10))
    #expect(log.lines == ["first 2", "second 2"])
    first.cancel()
    second.cancel()
  }

  @Test func `delays and timeouts with one due time run in order`() {
    let clock = ManualClock()
    let subject = Subject<Int, Never>()
    let log = Log()
    func begin(_ name: String) -> [any Cancellable] {
      [
        subject.delay(for: .seconds(10), clock: clock).sink { log.lines.append("\(name) \($0)") },
        subject.timeout(.seconds(10), clock: clock).sink { _ in
          log.lines.append("\(name) over")
        } receiveValue: { _ in
        },
      ]
    }
    let first = begin("first")
    subject.send(1)
    clock.advance(by: .seconds(5))
    let second = begin("second")
    subject.send(2)
    clock.advance(by: .seconds(10))
    #expect(
      log.lines == ["first 1", "first 2", "first over", "second 2", "second over"])
    (first + second).forEach { $0.cancel() }
  }

  @Test func `futures of one actor start in the order of their subscriptions`() async {
    for _ in 0..<100 {
      let log = Log()
      let saves = Subject<Int, Never>()
      let token = saves.flatMap { value in
        Future { () async throws(Never) -> Int in
          log.lines.append("\(value)")
          return value
        }
      }.sink { _ in }
      for value in 0..<5 { saves.send(value) }
      #expect(log.lines == [])
      while log.lines.count < 5 { await Task.yield() }
      #expect(log.lines == ["0", "1", "2", "3", "4"])
      token.cancel()
    }
  }

  private actor Desk {
    private var lines: [Int] = []

    func order() async -> [Int] {
      let saves = Subject<Int, Never>()
      let token = saves.flatMap { value in
        Future { () async throws(Never) -> Void in self.note(value) }
      }.sink { _ in }
      for value in 0..<5 { saves.send(value) }
      while lines.count < 5 { await Task.yield() }
      token.cancel()
      defer { lines = [] }
      return lines
    }

    private func note(_ value: Int) { lines.append(value) }
  }

  @Test func `also on an actor of one's own`() async {
    let desk = Desk()
    for _ in 0..<100 { #expect(await desk.order() == [0, 1, 2, 3, 4]) }
  }

  @Test func `a future that is cancelled before it starts never does`() async {
    let log = Log()
    let token = Future { () async throws(Never) -> Void in log.lines.append("ran") }.sink { _ in }
    token.cancel()
    for _ in 0..<10 { await Task.yield() }
    #expect(log.lines == [])
  }

  @Test func `switchToLatest drops what a subject waits to send when the next one arrives`() {
    let outer = Subject<Subject<Int, Never>, Never>()
    let (one, two) = (Subject<Int, Never>(), Subject<Int, Never>())
    var seen: [Int] = []
    let token = outer.switchToLatest().sink { value in
      seen.append(value)
      guard value == 1 else { return }
      one.send(2)
      outer.send(two)
      two.send(3)
    }
    outer.send(one)
    one.send(1)
    two.send(4)
    #expect(seen == [1, 3, 4])
    token.cancel()
  }
}
