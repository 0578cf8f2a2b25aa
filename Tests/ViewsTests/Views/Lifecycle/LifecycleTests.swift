import Signals
import SignalsTesting
import TestSupport
import Testing

/// The life of a view, sentence by sentence.
@Suite struct `Views, lifecycle` {
  struct Stop: Error, Equatable {}

  struct Child: View {
    @ObservedObject var note: Note
    let input: Int
    let count: Count
    @State var taps = 0
    var body: Element {
      let _ = count.value += 1
      Button("\(note.title) \(input) \(taps)", id: "child") { taps += 1 }
    }
  }

  // MARK: - When a body runs

  @Test func `a body runs when its view appears`() throws {
    let (store, notes) = try notes(1)
    let count = Count(), isShown = Signal(false)
    let app = try TestHost(store) {
      if isShown.value { Child(note: notes[0], input: 0, count: count) }
    }
    #expect(count.value == 0)
    isShown.value = true
    #expect((count.value, app.text) == (1, "[note 0 0 0]"))
  }

  @Test func `a body runs when something that it read has changed, and for nothing else`() throws {
    let (store, notes) = try notes(1)
    let count = Count()
    let app = try TestHost(store) { Child(note: notes[0], input: 0, count: count) }
    notes[0].rank = 5
    notes[0].title = "note 0"
    #expect((count.value, app.frames) == (1, 1))
    notes[0].title = "new"
    try app.tap("child")
    #expect((count.value, app.text) == (3, "[new 0 1]"))
  }

  @Test func `a body runs when the inputs of its view differ from the last, and for no others`()
    throws
  {
    let (store, notes) = try notes(1)
    let count = Count(), number = Signal(0)
    let app = try TestHost(store) {
      Text("\(number.value)")
      Child(note: notes[0], input: number.value / 2, count: count)
    }
    number.value = 1
    #expect(count.value == 1)
    number.value = 2
    #expect((count.value, app.text) == (2, "2\n[note 0 1 0]"))
  }

  @Test func `a body runs once in a commit, however much of what it read has changed`() throws {
    let (store, notes) = try notes(1)
    let count = Count(), number = Signal(0)
    let app = try TestHost(store) { Child(note: notes[0], input: number.value, count: count) }
    try app.host.perform {
      number.value = 1
      notes[0].title = "one"
      notes[0].title = "two"
    }
    #expect((count.value, app.frames, app.text) == (2, 2, "[two 1 0]"))
  }

  @Test func `a body does not run once its view has gone`() throws {
    let (store, notes) = try notes(1)
    let count = Count(), isShown = Signal(true)
    let app = try TestHost(store) {
      if isShown.value { Child(note: notes[0], input: 0, count: count) }
    }
    try app.host.perform {
      isShown.value = false
      notes[0].title = "never seen"
    }
    #expect((count.value, app.text) == (1, ""))
  }

  @Test func `a write in a body traps and names its view`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      struct Writing: View {
        @ObservedObject var note: Note
        var body: Element {
          let _ = note.rank += 1
          Text("never")
        }
      }
      let (store, notes) = try notes(1)
      _ = try TestHost(store) { Writing(note: notes[0]) }
    }
    expectError(result, "Signals: the body of Writing must not write Note(number: 0).rank")
  }

  @Test func `a write in a row traps and names the view around it`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      struct Writing: View {
        @State var number = 0
        var body: Element {
          ForEach(0..<2, id: \.self) { index in
            let _ = number = index
            Text("never")
          }
        }
      }
      _ = try TestHost(Store()) { Writing() }
    }
    expectError(
      result, "Signals: a row of the body of Writing must not write signal 'Writing.number'")
  }

  // MARK: - Identity, and what is kept with it

  @Test func `identity is structure, the view in it, and an explicit id`() throws {
    let journal = Journal(), isFirst = Signal(true), id = Signal(1)
    let app = try TestHost(Store()) {
      if isFirst.value {
        Noted(name: "a", journal: journal)
      } else {
        Noted(name: "b", journal: journal)
      }
      Noted(name: "c", journal: journal).id(id.value)
    }
    #expect(journal.entries == ["+a", "+c"])
    isFirst.value = false
    id.value = 2
    #expect(journal.entries == ["+a", "+c", "-a", "+b", "-c", "+c"])
    withExtendedLifetime(app) {}
  }

  @Test func `state is kept through reorder, and dropped when identity goes`() throws {
    let journal = Journal(), names = Signal(["a", "b", "c"])
    let app = try TestHost(Store()) {
      ForEach(names.value, id: \.self) { Noted(name: $0, journal: journal) }
    }
    try app.tap("a")
    names.value = ["c", "b", "a"]
    #expect(app.text == "[c 0]\n[b 0]\n[a 1]")
    names.value = ["c", "b"]
    names.value = ["a", "c", "b"]
    #expect(app.text == "[a 0]\n[c 0]\n[b 0]")
  }

  final class Model {
    let number: Int
    init(_ count: Count, _ number: Int) {
      count.value += 1
      self.number = number
    }
  }

  struct Owner: View {
    @StateObject private var model: Model
    let isRead: Bool
    init(_ count: Count, _ number: Int, isRead: Bool = true) {
      _model = StateObject(wrappedValue: Model(count, number))
      self.isRead = isRead
    }
    var body: Element { Text(isRead ? "\(model.number)" : "unread") }
  }

  @Test func `a state object is made once, also when a parent makes the view again`() throws {
    let count = Count(), number = Signal(0)
    let app = try TestHost(Store()) { Owner(count, number.value) }
    number.value = 1
    number.value = 2
    #expect((count.value, app.text) == (1, "0"))
  }

  @Test func `a state object is made lazily, when it is first read`() throws {
    let count = Count(), isRead = Signal(false)
    let app = try TestHost(Store()) { Owner(count, 7, isRead: isRead.value) }
    #expect((count.value, app.text) == (0, "unread"))
    isRead.value = true
    #expect((count.value, app.text) == (1, "7"))
  }

  @Test func `a state object is made again for another identity`() throws {
    let count = Count(), id = Signal(0)
    let app = try TestHost(Store()) { Owner(count, id.value).id(id.value) }
    id.value = 1
    #expect((count.value, app.text) == (2, "1"))
  }
}
