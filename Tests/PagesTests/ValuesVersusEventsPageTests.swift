// Statements of the first table of "Values versus events".

import Signals
import Testing

@Suite("Values versus events, the page") struct ValuesVersusEventsPageTests {
  final class Book: Object {
    @Field var title = ""
  }
  struct Stop: Error {}

  let store = Store(), book = Book()
  init() throws { try store.add(book) }

  @Test func `values wait for the end of a transaction, a subject sends at once`() throws {
    let subject = Subject<Int, Never>()
    var heard: [String] = []
    let tokens: [any Cancellable] = [
      subject.sink { heard.append("event \($0)") },
      book.observe(\.title) { _, new in heard.append("value \(new)") },
      Effect { heard.append("effect \(book.title)") },
    ]
    try store.write {
      book.title = "Solaris"
      subject.send(1)
      heard.append("end")
    }
    #expect(heard == ["effect ", "event 1", "end", "effect Solaris", "value Solaris"])
    tokens.forEach { $0.cancel() }
  }

  @Test func `an equal value is no change, an equal event another event`() {
    let signal = Signal(1), subject = Subject<Int, Never>()
    var runs = 0, events = 0
    let tokens: [any Cancellable] = [
      Effect { runs += signal.value },
      subject.sink { events += $0 },
    ]
    signal.value = 1
    subject.send(1)
    subject.send(1)
    #expect((runs, events) == (1, 2))
    tokens.forEach { $0.cancel() }
  }

  @Test func `a transaction that fails sends its events, and no values`() {
    let subject = Subject<Int, Never>()
    var events = 0, values = 0
    let tokens: [any Cancellable] = [
      subject.sink { events += $0 },
      book.observe(\.title) { _, _ in values += 1 },
    ]
    #expect(throws: Stop.self) {
      try store.write {
        book.title = "Solaris"
        subject.send(1)
        throw Stop()
      }
    }
    #expect((events, values) == (1, 0))
    tokens.forEach { $0.cancel() }
  }
}
