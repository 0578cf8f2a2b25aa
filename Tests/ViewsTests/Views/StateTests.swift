import Signals
import SignalsTesting
import TestSupport
import Testing

/// `@State` and `Binding`.
@Suite struct `Views, state` {
  struct Pair: View {
    @State var first = 0
    @State var second = "x"
    var body: Element {
      Text("\(first) \(second)")
      Button("first") { first += 1 }
      TextField("second", text: $second)
    }
  }

  @Test func `each state of a view is its own`() throws {
    let app = try TestHost(Store()) {
      Pair()
      Pair().id("other").disabled()
    }
    let host = app.host
    #expect { try host.perform("first") } throws: { error in
      "\(error)".contains("several elements with the id \"first\"")
    }
    let one = try TestHost(Store()) { Pair() }
    try one.tap("first")
    try one.type("y", into: "second")
    #expect(one.text.hasPrefix("1 y\n"))
    #expect(app.text.hasPrefix("0 x\n"))
  }

  @Test func `the initial value counts once, and writes of equal values do nothing`() throws {
    struct Child: View {
      @State var number: Int
      var body: Element {
        Text("\(number)")
        Button("set") { number = 7 }
      }
    }
    let initial = Signal(1)
    let app = try TestHost(Store()) { Child(number: initial.value) }
    initial.value = 2
    #expect(app.text == "1\n[set]")
    try app.tap("set")
    let bodies = app.bodies
    try app.tap("set")
    #expect((app.text, app.bodies) == ("7\n[set]", bodies))
  }

  @Test func `a state that can't be compared changes with every write`() throws {
    struct Opaque { var number = 0 }
    struct Child: View {
      @State var opaque = Opaque()
      var body: Element {
        Text("\(opaque.number)")
        Button("same") { opaque = opaque }
      }
    }
    let app = try TestHost(Store()) { Child() }
    let bodies = app.bodies
    try app.tap("same")
    #expect(app.bodies == bodies + 1)
  }

  @Test func `outside of a view a state keeps its value by itself, shared by copies`() {
    let pair = Pair()
    pair.first = 3
    let copy = pair
    copy.$second.wrappedValue = "z"
    #expect((copy.first, pair.second, Pair().first) == (3, "z", 0))
    let seen = Computed { pair.first * 2 }
    #expect(seen.value == 6)
    pair.first = 4
    #expect(seen.value == 8)
  }

  @Test func `closures run later, by a child or after an await, write to the right scope`()
    async throws
  {
    struct Child: View {
      let name: String
      let act: () -> Void
      var body: Element { Button(name) { act() } }
    }
    struct Parent: View {
      let name: String
      @State var taps = 0
      var body: Element {
        Text("\(name) \(taps)")
        Child(name: "sync \(name)") { taps += 1 }
        Button("async \(name)") {
          await Task.yield()
          taps += 10
        }
      }
    }
    let app = try TestHost(Store()) {
      Parent(name: "a")
      Parent(name: "b")
    }
    try app.tap("sync b")
    try await app.tapAsync("async b")
    try app.tap("sync a")
    #expect(app.text.contains("a 1\n"))
    #expect(app.text.contains("b 11\n"))
  }

  @Test func `a wrapper of the user's is bound through, at any depth`() throws {
    struct Inner: DynamicProperty {
      @State var text = "inner"
      @State var number = 0
    }
    struct Outer: DynamicProperty {
      let constant = 1
      var inner = Inner()
      var twin = Inner()
    }
    struct Child: View {
      var outer = Outer()
      @State var own = 5
      var body: Element {
        Text("\(outer.inner.number) \(outer.twin.number) \(outer.twin.text) \(own)")
        Button("inner") { outer.inner.number += 1 }
        Button("twin") { outer.twin.number -= 1 }
        Button("own") { own += 1 }
      }
    }
    let app = try TestHost(Store()) { Child() }
    try app.tap("inner")
    try app.tap("inner")
    try app.tap("twin")
    try app.tap("own")
    #expect(app.text.hasPrefix("2 -1 inner 6\n"))
  }

  @Test func `a binding reads and writes what it leads to, and members of it`() throws {
    struct Size: Equatable { var width = 1, height = 2 }
    struct Editor: View {
      @Binding var size: Size
      var body: Element {
        Text("\(size.width)x\(size.height)")
        Stepper(value: $size.width, id: "wider")
      }
    }
    struct Stepper: View {
      @Binding var value: Int
      let id: String
      var body: Element { Button("+", id: id) { value += 1 } }
    }
    struct Parent: View {
      @State var size = Size()
      var body: Element { Editor(size: $size) }
    }
    let app = try TestHost(Store()) { Parent() }
    try app.tap("wider")
    #expect(app.text == "2x2\n[+]")
    let constant = Binding.constant(3)
    constant.wrappedValue = 4
    #expect(constant.wrappedValue == 3)
    let signal = Signal([1, 2])
    signal.binding[dynamicMember: \.[0]].wrappedValue = 9
    #expect(signal.value == [9, 2])
  }

  @Test func `a binding to an object's property writes one commit, and skips equal values`() throws
  {
    let (store, notes) = try notes(1)
    @ObservedObject var note = notes[0]
    let title = $note.title
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    title.wrappedValue = "new"
    title.wrappedValue = "new"
    #expect((notes[0].title, commits.count) == ("new", 1))
    try store.write {
      title.wrappedValue = "newer"
      notes[0].rank = 5
    }
    #expect(commits.count == 2, "within a transaction it is part of it")
    token.cancel()
  }

  @Test func `after its object was deleted a binding keeps the last value, and writes stay local`()
    throws
  {
    let (store, notes) = try notes(1)
    struct Editor: View {
      @ObservedObject var note: Note
      var body: Element { TextField("title", text: $note.title) }
    }
    let app = try TestHost(store) { Editor(note: notes[0]) }
    var commits = 0
    try store.delete(notes[0])
    let token = store.commits.sink { _ in commits += 1 }
    #expect(app.text == "title: [note 0]")
    try app.type("local", into: "title")
    #expect((app.text, notes[0].title, commits) == ("title: [local]", "local", 0))
    try store.undo()
    #expect(notes[0].title == "note 0")
    #expect(app.text == "title: [note 0]")
    token.cancel()
  }
}
