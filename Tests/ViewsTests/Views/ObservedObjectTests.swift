import Signals
import SignalsTesting
import TestSupport
import Testing

/// `@ObservedObject` and `@StateObject`.
@Suite struct `Views, objects` {
  final class Model {
    @Signal var text = "model"
    let lifetime: Lifetime
    var effect: Effect?

    init(_ count: Count) {
      count.value += 1
      lifetime = Lifetime { count.log.append("released") }
      effect = Effect { [unowned self] in count.log.append(text) }
    }
  }

  struct Owner: View {
    @StateObject private var model: Model
    let isRead: Bool

    init(_ count: Count, isRead: Bool = true) {
      _model = StateObject(wrappedValue: Model(count))
      self.isRead = isRead
    }

    var body: Element {
      if isRead { TextField("text", text: $model.text) }
    }
  }

  @Test func `a state object is made when it is first read, once for its identity`() throws {
    let count = Count(), isRead = Signal(false), number = Signal(0)
    let app = try TestHost(Store()) {
      Text("\(number.value)")
      Owner(count, isRead: isRead.value)
    }
    #expect(count.value == 0)
    isRead.value = true
    number.value = 1
    #expect(count.value == 1)
    try app.type("typed", into: "text")
    number.value = 2
    #expect((app.text, count.value) == ("2\ntext: [typed]", 1))
  }

  @Test func `the effects of its initializer live as long as the state object`() throws {
    let count = Count()
    let app = try TestHost(Store()) { Owner(count) }
    try app.type("one", into: "text")
    try app.type("two", into: "text")
    #expect(count.log == ["model", "one", "two"])
  }

  @Test func `a state object is released with its view`() throws {
    let count = Count(), isShown = Signal(true)
    let app = try TestHost(Store()) { if isShown.value { Owner(count) } }
    isShown.value = false
    #expect(app.text == "")
    #expect(count.log == ["model", "released"])
  }

  @Test func `another id makes another state object`() throws {
    let count = Count(), id = Signal(0)
    let app = try TestHost(Store()) { Owner(count).id(id.value) }
    try app.type("typed", into: "text")
    id.value = 1
    #expect((app.text, count.value) == ("text: [model]", 2))
  }

  @Test func `outside of a view a state object is kept by the wrapper and its copies`() {
    let count = Count()
    let owner = StateObject(wrappedValue: Model(count))
    let copy = owner
    #expect(owner.wrappedValue === copy.wrappedValue)
    #expect(count.value == 1)
  }

  @Test func `what an initializer reads is no dependency, and what it writes is no error`() throws {
    let number = Signal(0)
    final class Writer {
      let number: Int
      init(_ signal: Signal<Int>) {
        number = signal.value
        signal.value += 1
      }
    }
    struct Child: View {
      @StateObject private var writer: Writer
      init(_ number: Signal<Int>) { _writer = StateObject(wrappedValue: Writer(number)) }
      var body: Element { Text("\(writer.number)") }
    }
    let app = try TestHost(Store()) {
      Child(number)
      Text("\(number.value)")
    }
    #expect(app.text == "0\n1")
    number.value = 7
    #expect(app.text == "0\n7")
  }

  @Test func `an observed object that is exchanged is another input`() throws {
    struct Line: View {
      @ObservedObject var note: Note
      var body: Element { Text(note.title) }
    }
    let (store, notes) = try notes(2)
    let index = Signal(0)
    let app = try TestHost(store) { Line(note: notes[index.value]) }
    index.value = 1
    #expect(app.text == "note 1")
    let bodies = app.bodies
    notes[0].title = "left"
    #expect(app.bodies == bodies)
    notes[1].title = "right"
    #expect(app.text == "right")
  }
}
