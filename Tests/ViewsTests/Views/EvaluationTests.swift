import Signals
import SignalsTesting
import TestSupport
import Testing

/// When a body runs.
@Suite struct `Views, evaluation` {
  struct Line: View {
    @ObservedObject var note: Note
    let count: Count

    var body: Element {
      let _ = count.value += 1
      Text(note.isDone ? "done" : note.title)
    }
  }

  struct Child: View {
    let name: String
    var object: Count? = nil
    let count: Count

    var body: Element {
      let _ = count.value += 1
      Text(name)
    }
  }

  @Test func `a body runs when it appears, and again only if something that it read has changed`()
    throws
  {
    let (store, notes) = try notes(1)
    let count = Count()
    let app = try TestHost(store) { Line(note: notes[0], count: count) }
    #expect(app.text == "note 0")
    notes[0].rank = 7
    #expect(count.value == 1)
    notes[0].title = "new"
    #expect((app.text, count.value) == ("new", 2))
    notes[0].title = "new"
    #expect(count.value == 2)
  }

  @Test func `what the last body did not read is no dependency any more`() throws {
    let (store, notes) = try notes(1)
    let count = Count()
    let app = try TestHost(store) { Line(note: notes[0], count: count) }
    notes[0].isDone = true
    #expect((app.text, count.value) == ("done", 2))
    notes[0].title = "unread"
    #expect(count.value == 2)
  }

  @Test func `one commit runs a body once and makes one frame`() throws {
    let (store, notes) = try notes(3)
    let count = Count()
    let app = try TestHost(store) {
      Text("\(notes.map(\.rank).reduce(0, +)) \(count.value)")
      let _ = count.value += 1
    }
    try store.write { for note in notes { note.rank += 1 } }
    #expect((count.value, app.frames, app.text) == (2, 2, "6 1"))
  }

  @Test func `a commit that ends where it began runs nothing and makes no frame`() throws {
    let (store, notes) = try notes(1)
    let count = Count()
    let app = try TestHost(store) { Line(note: notes[0], count: count) }
    try store.write {
      notes[0].title = "other"
      notes[0].title = "note 0"
    }
    #expect((count.value, app.frames) == (1, 1))
  }

  @Test func `a computed that stays equal stops the change`() throws {
    let number = Signal(1), count = Count()
    let isEven = Computed { number.value.isMultiple(of: 2) }
    let app = try TestHost(Store()) {
      let _ = count.value += 1
      Text(isEven.value ? "even" : "odd")
    }
    number.value = 3
    #expect((count.value, app.frames, app.text) == (1, 1, "odd"))
    number.value = 4
    #expect((count.value, app.text) == (2, "even"))
  }

  @Test func `a child whose inputs are equal is not evaluated with its parent`() throws {
    let number = Signal(0), count = Count(), shared = Count()
    let app = try TestHost(Store()) {
      Text("\(number.value)")
      Child(name: "same", object: shared, count: count)
    }
    number.value = 1
    #expect((app.text, count.value, app.bodies) == ("1\nsame", 1, 3))
  }

  @Test func `a child whose inputs differ is evaluated with its parent, once`() throws {
    let number = Signal(0), count = Count()
    let app = try TestHost(Store()) { Child(name: "\(number.value)", count: count) }
    number.value = 1
    #expect((app.text, count.value) == ("1", 2))
  }

  @Test func `a child that reads what its parent reads is evaluated once`() throws {
    struct Reader: View {
      let number: Signal<Int>
      let plus: Int
      let count: Count
      var body: Element {
        let _ = count.value += 1
        Text("\(number.value + plus)")
      }
    }
    let number = Signal(0), count = Count()
    let app = try TestHost(Store()) {
      Reader(number: number, plus: number.value, count: count)
    }
    number.value = 1
    #expect((app.text, count.value, app.bodies) == ("2", 2, 4))
  }

  @Test func `an effect runs before the host makes its frame`() throws {
    let number = Signal(0), doubled = Signal(0), count = Count()
    let effect = Effect { doubled.value = number.value * 2 }
    let app = try TestHost(Store()) {
      let _ = count.value += 1
      Text("\(number.value) \(doubled.value)")
    }
    number.value = 2
    #expect((app.text, count.value, app.frames) == ("2 4", 2, 2))
    effect.cancel()
  }

  @Test func `a throwing transaction shows nothing`() throws {
    let (store, notes) = try notes(1)
    let count = Count()
    let app = try TestHost(store) { Line(note: notes[0], count: count) }
    #expect(throws: Count.Stop.self) {
      try store.write {
        notes[0].title = "half"
        throw Count.Stop()
      }
    }
    #expect((app.text, count.value, app.frames) == ("note 0", 1, 1))
  }

  @Test func `an effect made in a body lives until the next body`() throws {
    let number = Signal(0), other = Signal(0), count = Count()
    let app = try TestHost(Store()) {
      let made = number.value
      let _ = Effect { count.log.append("\(made) \(other.value)") }
      Text("\(made)")
    }
    other.value = 1
    number.value = 1
    other.value = 2
    #expect(count.log == ["0 0", "0 1", "1 1", "1 2"])
    #expect(app.text == "1")
  }

  @Test func `views may nest 2,000 deep`() throws {
    struct Nest: View {
      let depth: Int
      let number: Signal<Int>
      var body: Element {
        if depth == 0 { Text("\(number.value)") } else { Nest(depth: depth - 1, number: number) }
      }
    }
    let number = Signal(0)
    let log = FrameLog()
    let host = ViewHost(Store(), renderer: log) { Nest(depth: 2000, number: number) }
    #expect(host.bodies == 2002)
    number.value = 1
    #expect((host.bodies, log.frames.last?.changed.count) == (2003, 1))
  }

  @Test func `a write in a body traps and names the view`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      struct Writing: View {
        let number: Signal<Int>
        var body: Element {
          let _ = number.value += 1
          Text("never")
        }
      }
      let number = Signal(0, name: "number")
      _ = try TestHost(Store()) { Writing(number: number) }
    }
    expectError(
      result,
      "Signals: the body of Writing must not write signal 'number': it may only read")
  }
}
