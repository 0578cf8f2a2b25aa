import Signals
import SignalsTesting
import TestSupport
import Testing

/// `@Focus` and the focus of a host.
@Suite struct `Views, focus` {
  struct Form: View {
    @Focus var focus
    @State var name = ""
    @State var isDone = false
    var body: Element {
      Text("focus: \(focus ?? "nobody")")
      TextField("Name", text: $name)
      if !isDone { Button("Done") { isDone = true } }
      Button("Disabled") {}.disabled()
      Button("To name") { focus = "Name" }
    }
  }

  @Test func `a view reads it and sets it`() throws {
    let app = try TestHost(Store()) { Form() }
    #expect(app.text.hasPrefix("focus: nobody\n"))
    try app.tap("To name")
    #expect(app.text.hasPrefix("focus: Name\n"))
    #expect(app.host.focus == "Name")
  }

  @Test func `it moves in the order of the frame, over what can be used`() throws {
    let app = try TestHost(Store()) { Form() }
    #expect(app.host.focusOrder == ["Name", "Done", "To name"])
    #expect((0..<4).map { _ in app.host.focusNext() } == ["Name", "Done", "To name", "Name"])
    #expect((0..<2).map { _ in app.host.focusPrevious() } == ["To name", "Done"])
    app.host.focus = nil
    #expect(app.host.focusPrevious() == "To name")
  }

  @Test func `it is on no element once its element can't be used any more`() throws {
    let app = try TestHost(Store()) { Form() }
    app.host.focus = "Done"
    #expect(app.text.hasPrefix("focus: Done\n"))
    try app.tap("Done")
    #expect(app.text.hasPrefix("focus: nobody\n"))
    app.host.focus = "Disabled"
    #expect(app.text.hasPrefix("focus: nobody\n"))
    app.host.focus = "nowhere"
    #expect(app.text.hasPrefix("focus: nobody\n"))
  }

  @Test func `it may name what appears in the next frame`() throws {
    struct Adding: View {
      @Focus var focus
      @State var isAdding = false
      @State var name = ""
      var body: Element {
        Button("Add") {
          isAdding = true
          focus = "New"
        }
        if isAdding { TextField("New", text: $name) }
      }
    }
    let app = try TestHost(Store()) { Adding() }
    try app.tap("Add")
    #expect(app.host.focus == "New")
  }

  @Test func `it stays with its element through changes of others and of rows`() throws {
    let (numbers, tick) = (Signal([1, 2, 3]), Signal(0))
    let app = try TestHost(Store()) {
      Text("\(tick.value)")
      ForEach(numbers.value, id: \.self) { number in Button("\(number)") {} }
    }
    app.host.focus = "2"
    tick.value = 1
    numbers.value = [3, 2]
    #expect(app.host.focus == "2")
    numbers.value = [3]
    #expect(app.host.focus == nil)
  }

  @Test func `on an id that is nowhere it is nil at once`() throws {
    let app = try TestHost(Store()) { Button("a") {} }
    app.host.focus = "nowhere"
    #expect(app.host.focus == nil)
    app.host.focus = "a"
    #expect(app.host.focus == "a")
  }

  @Test func `it waits for the frame that a clock has still to allow`() throws {
    let isShown = Signal(false)
    let clock = FrameClock.manual
    let app = try TestHost(Store(), clock: clock) { if isShown.value { Button("a") {} } }
    batch {
      isShown.value = true
      app.host.focus = "a"
    }
    #expect(app.host.focus == "a")
    clock.tick()
    #expect(app.host.focus == "a")
    isShown.value = false
    clock.tick()
    #expect(app.host.focus == nil)
  }

  @Test func `elements of one id are one stop`() throws {
    let app = try TestHost(Store()) { for name in ["a", "x", "b", "x", "c"] { Button(name) {} } }
    #expect(app.host.focusOrder == ["a", "x", "b", "c"])
    #expect((0..<5).map { _ in app.host.focusNext() } == ["a", "x", "b", "c", "a"])
  }

  @Test func `rows are in their order, and so are their keys`() throws {
    let pressed = Signal(-1)
    let app = try TestHost(Store()) {
      ForEach(0..<50, id: \.self) { number in
        Button("\(number)") {}.onKey("k") { pressed.value = number }.onKey(KeyPress("k\(number)")) {
        }
      }
    }
    #expect(app.host.focusOrder == (0..<50).map { "\($0)" })
    #expect(app.host.keys == ["k"] + (0..<50).map { KeyPress("k\($0)") })
    try app.press("k")
    #expect(pressed.value == 0)
  }

  @Test func `each host has its own, and outside of a view it is a value`() throws {
    let store = Store()
    let one = try TestHost(store) { Form() }
    let two = try TestHost(store) { Form() }
    one.host.focus = "Name"
    #expect(two.host.focus == nil)
    struct Plain { @Focus var focus }
    let plain = Plain()
    plain.focus = "x"
    #expect(plain.focus == "x")
  }

  @Test func `nothing to focus on is no focus`() throws {
    let app = try TestHost(Store()) { Text("a") }
    #expect(app.host.focusNext() == nil)
    #expect(app.host.focusOrder == [])
  }
}
