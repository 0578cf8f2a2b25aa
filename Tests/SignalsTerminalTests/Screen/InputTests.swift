import Signals
import SignalsTerminal
import Testing

final class Note: Object {
  @Field var title = ""
  @Field var isDone = false
}

@Suite struct `Screen, what keys and the mouse do` {
  let store = Store()

  private func notes(_ count: Int) throws -> Results<Note> {
    try store.write(undoable: false) {
      for number in 0..<count {
        let note = Note()
        note.title = "note \(number)"
        try store.add(note)
      }
    }
    return store.results(Note.self)
  }

  @Test func `a task without an actor to run on covers nothing and takes no key`() {
    let screen = TerminalScreen(store, width: 30, height: 4) {
      Column {
        Button("a", id: "a") {}
        Button("b", id: "b") {}
      }.task {}
    }
    #expect(screen.text.hasPrefix("[a]") && !screen.text.contains("actor"))
    screen.press("tab")
    #expect(screen.focus == "b")
  }

  @Test func `tab goes round, and space and return use what has the focus`() throws {
    let taps = Signal(0), isOn = Signal(false)
    let screen = TerminalScreen(store, width: 30, height: 5) {
      Button("Tap", id: "tap") { taps.value += 1 }
      Toggle("On", isOn: isOn.binding, id: "on")
      Text("\(taps.value) \(isOn.value)")
    }
    #expect(screen.focus == "tap")
    screen.press("return", " ")
    #expect(screen.text.contains("2 false"))
    screen.press("tab", " ")
    #expect(screen.focus == "on")
    #expect(screen.text.contains("2 true"))
    screen.press("tab")
    #expect(screen.focus == "tap")
    screen.press("shift-tab")
    #expect(screen.focus == "on")
  }

  @Test func `what is typed is in the model after each key, and the cursor where it was typed`() {
    let text = Signal("")
    let screen = TerminalScreen(store, width: 30, height: 5) {
      TextField("Name", text: text.binding, id: "name")
      Text("Hello, \(text.value)!")
    }
    screen.type("Wrld")
    screen.press("left", "left", "left")
    screen.type("o")
    #expect(text.value == "World")
    screen.press("ctrl-e", "shift-left", "shift-left")
    screen.type("k")
    #expect(screen.text == "Name: Work\nHello, Work!")
    screen.paste(" hard\nand well")
    #expect(text.value == "Work hard and well")
    screen.press("ctrl-w", "ctrl-w", "delete")
    #expect(text.value == "Work hard")
    screen.press("ctrl-u")
    #expect(text.value == "")
  }

  @Test func `a field shows where its cursor is, however long its text`() {
    let text = Signal("")
    let screen = TerminalScreen(store, width: 20, height: 4) {
      TextField("N", text: text.binding, id: "name")
    }
    screen.type("日本語 abcdefghijklmnop")
    #expect(screen.text == "N:   abcdefghijklmnop".replacingPrefix("N:   ", with: "N: "))
    screen.press("home")
    #expect(screen.text == "N: 日本語 abcdefghij")
  }

  @Test func `a model that changes what is typed is shown`() {
    let text = Signal("")
    let screen = TerminalScreen(store, width: 20, height: 4) {
      TextField(
        "N", text: Binding(get: { text.value }, set: { text.value = $0.uppercased() }), id: "name")
    }
    screen.type("abc")
    #expect(screen.text == "N: ABC")
  }

  @Test func `the arrows go from row to row of a list, as far as it goes`() {
    let rows = Array(0..<1_000_000), done = Signal<Int?>(nil)
    let screen = TerminalScreen(store, width: 30, height: 12) {
      Text("Notes")
      ListBox(id: "notes") {
        ForEach(rows, id: \.self) { row in Button("note \(row)") { done.value = row } }
      }
      Button("Foot", id: "foot") {}
    }
    #expect(screen.focus == "note 0")
    for _ in 0..<30 { screen.press("down") }
    #expect(screen.focus == "note 30")
    #expect(screen.text.contains("[note 30]"))
    screen.press("page-down", "up")
    #expect(screen.focus == "note 38")
    screen.press("end", "return")
    #expect(screen.focus == "note 999999")
    #expect(done.value == 999_999)
    screen.press("tab")
    #expect(screen.focus == "foot")
    screen.press("shift-tab", "home")
    #expect(screen.focus == "note 0")
    #expect(screen.host.bodies < 200, "only what was seen was made: \(screen.host.bodies)")
  }

  @Test func `what is typed or pasted into a field out of sight brings it back`() {
    let text = Signal("")
    let screen = TerminalScreen(store, width: 30, height: 8) {
      TextField("Name", text: text.binding, id: "name")
      for line in 0..<60 { Text("line \(line)") }
      Text("").onKey("f1") { throw Refusal() }
    }
    screen.press("f1")
    #expect(screen.text.contains("Refusal"))
    screen.scroll(by: 10, x: 2, y: 3)
    #expect(!screen.text.contains("Name"))
    screen.paste("past")
    #expect(screen.text.contains("Name: past") && !screen.text.contains("Refusal"))
    screen.scroll(by: 10, x: 2, y: 3)
    screen.type("ed")
    #expect(screen.text.contains("Name: pasted") && text.value == "pasted")
  }

  private struct Refusal: Error {}

  private final class Later { var actions: [() -> Void] = [] }

  private struct Leaving: View {
    @Focus var focus
    @Environment(\.terminalCopy) var copy
    @Environment(\.terminalQuit) var quit
    let later: Later

    var body: Element {
      Button("Keep", id: "keep") { later.actions = [{ copy("late") }, { quit() }] }
        .onDisappear {
          focus = nil
          copy("gone")
        }
    }
  }

  @Test func `what a view does when it goes with its screen, or later, does no harm`() {
    let later = Later()
    var screen: TerminalScreen? = TerminalScreen(store, width: 30, height: 4) {
      Leaving(later: later)
    }
    screen?.press("return")
    #expect(screen?.focus == "keep")
    screen = nil
    let actions = later.actions
    // They hold the view, and it them.
    later.actions = []
    for action in actions { action() }
    #expect(actions.count == 2)
  }

  @Test func `where lists were scrolled to is forgotten with the lists' rows`() throws {
    let notes = try notes(1000)
    let screen = TerminalScreen(store, width: 30, height: 12) {
      ListBox(id: "notes") {
        ForEach(notes) { note in
          ListBox(id: "lines") { for line in 0..<9 { Text("\(note.title) \(line)") } }
            .frame(maxHeight: 3)
        }
      }
    }
    for _ in 0..<300 { screen.press("page-down") }
    #expect(screen.text.contains("note 9"))
    #expect(screen.renderer.keptLists < 600)
  }

  @Test func `the wheel scrolls the list below it, and the focus stays`() {
    let screen = TerminalScreen(store, width: 30, height: 6) {
      Button("Top", id: "top") {}
      ListBox(id: "rows") { ForEach(Array(0..<100), id: \.self) { Text("row \($0)") } }
    }
    screen.handle(.mouse(TerminalMouse(.scrollDown, x: 3, y: 3)))
    #expect(screen.text.contains("row 3 "))
    #expect(!screen.text.contains("row 2 "))
    #expect(screen.focus == "top")
    screen.handle(.mouse(TerminalMouse(.scrollUp, x: 3, y: 3)))
    #expect(screen.text.contains("row 0 "))
    screen.press("down")
    #expect(screen.text.contains("row 1 "), "rows that nothing can be done with scroll by keys")
    screen.press("page-down")
    #expect(screen.text.contains("row 6 "))
  }

  @Test func `a click focuses and uses, and in a field it sets the cursor`() {
    let text = Signal("日本 go"), taps = Signal(0)
    let screen = TerminalScreen(store, width: 30, height: 5) {
      Button("Tap", id: "tap") { taps.value += 1 }
      TextField("N", text: text.binding, id: "name")
    }
    screen.click(x: 2, y: 0)
    #expect(taps.value == 1)
    screen.click(x: 5, y: 1)
    screen.type("x")
    #expect(text.value == "日x本 go")
    screen.handle(.mouse(TerminalMouse(.press, x: 3, y: 1)))
    screen.handle(.mouse(TerminalMouse(.drag, x: 6, y: 1)))
    screen.type("y")
    #expect(text.value == "y本 go")
    screen.click(x: 20, y: 4)
    #expect(taps.value == 1)
  }

  @Test func `a picker turns with the arrows, and shows its options`() {
    let choice = Signal("b")
    let screen = TerminalScreen(store, width: 20, height: 6) {
      Picker("P", selection: choice.binding, options: ["a", "b", "c"], id: "picker")
    }
    screen.press("right")
    #expect(choice.value == "c")
    screen.press("right", "left", "left")
    #expect(choice.value == "a")
    screen.press("return", "down")
    #expect(
      screen.text == """
        P: ‹a›
        ┌───┐
        │ a │
        │ b │
        │ c │
        └───┘
        """)
    screen.press("return")
    #expect(screen.text == "P: ‹b›")
    screen.press("return", "c", "escape")
    #expect(choice.value == "b")
    screen.click(x: 3, y: 0)
    screen.click(x: 2, y: 4)
    #expect(choice.value == "c")
  }

  @Test func `an error is shown at the foot until the next key, and undoes its intent`() throws {
    struct Refused: Error {}
    let note = Note()
    try store.add(note)
    let screen = TerminalScreen(store, width: 30, height: 4) {
      Button("Fail", id: "fail") {
        note.title = "changed"
        throw Refused()
      }
    }
    screen.press("return")
    #expect(screen.text.hasSuffix("Refused()"))
    #expect(note.title == "")
    screen.press("x")
    #expect(screen.text == "[Fail]")
  }

  @Test func `a message covers nothing of the app, which is drawn above it`() throws {
    struct Refused: Error {}
    let screen = TerminalScreen(store, width: 30, height: 5) {
      ListBox(id: "numbers") {
        ForEach(0..<100, id: \.self) { Button("row \($0)") { throw Refused() } }
      }
      Text("foot").style(.status)
    }
    func lines() -> [Substring] { screen.text.split(separator: "\n") }
    screen.press("end")
    #expect(lines().last == "foot")
    #expect(lines()[3].hasPrefix("[row 99]"))
    screen.press("return")
    #expect(lines().suffix(2) == ["foot", "Refused()"])
    #expect(lines()[2].hasPrefix("[row 99]"))
    // A click closes it, and means nothing in the app.
    screen.click(x: 2, y: 1)
    #expect(screen.focus == "row 99")
    #expect(lines().last == "foot")
    #expect(lines().count == 5)
  }

  @Test func `what the app binds goes before what the terminal does by itself, not before a field`()
  {
    let text = Signal(""), log = Signal("")
    let screen = TerminalScreen(store, width: 30, height: 4) {
      Column {
        TextField("N", text: text.binding, id: "name")
        Button("B", id: "b") { log.value += "B" }
      }.onKey("x") { log.value += "x" }.onKey("down") { log.value += "v" }
        .onKey("return") { log.value += "r" }
    }
    screen.press("x", "down")
    #expect((text.value, log.value, screen.focus) == ("x", "v", "name"))
    screen.press("tab", "x", "return")
    #expect(log.value == "vxB")
  }

  @Test func `where a row with the focus is deleted the next one gets it`() throws {
    let notes = try notes(5)
    let screen = TerminalScreen(store, width: 30, height: 8) {
      ListBox(id: "notes") {
        ForEach(notes) { note in Button(note.title) { try store.delete(note) } }
      }
    }
    screen.press("down", "down", "return")
    #expect(screen.focus == "note 3")
    screen.press("return", "return")
    #expect(screen.focus == "note 1")
    screen.press("return", "return")
    #expect(screen.focus == nil)
    #expect(screen.text == "")
  }

  @Test func `another screen begins with its first control, also where both scroll`() throws {
    let open = Signal(false)
    let screen = TerminalScreen(store, width: 30, height: 4) {
      if open.value {
        Button("Back", id: "back") { open.value = false }
        ForEach(Array(0..<20), id: \.self) { Button("detail \($0)") {} }
      } else {
        ForEach(Array(0..<20), id: \.self) { Button("row \($0)") { open.value = true } }
      }
    }
    for _ in 0..<9 { screen.press("down") }
    screen.press("return")
    #expect(screen.focus == "back")
    #expect(screen.text.hasPrefix("[Back]"))
  }

  @Test func `rows that come above leave what is on screen where it is`() throws {
    let notes = try notes(100)
    let sorted = notes.sorted(by: \.title)
    let screen = TerminalScreen(store, width: 30, height: 5) {
      ListBox(id: "notes") { ForEach(sorted) { Text($0.title) } }
    }
    screen.press("page-down")
    let before = screen.text.split(separator: "\n").map { $0.dropLast() }
    let first = Note()
    first.title = "a note"
    try store.add(first)
    #expect(screen.text.split(separator: "\n").map { $0.dropLast() } == before)
  }

  @Test func `a list is shown again as the user left it`() throws {
    let notes = try notes(100)
    let open = Signal<Note?>(nil)
    let screen = TerminalScreen(store, width: 30, height: 6) {
      if let note = open.value {
        Button("Back", id: "back") { open.value = nil }
        Text(note.title)
      } else {
        ListBox(id: "notes") {
          ForEach(notes) { note in Button(note.title) { open.value = note } }
        }
      }
    }
    for _ in 0..<20 { screen.press("down") }
    let before = screen.text
    screen.press("return")
    #expect((screen.focus, screen.text) == ("back", "[Back]\nnote 20"))
    screen.press("return")
    #expect((screen.focus, screen.text) == ("note 20", before))
  }

  @Test func `the app can set the focus, and end the app`() {
    struct Form: View {
      @Focus var focus
      @Environment(\.terminalQuit) var quit
      @State var text = ""

      var body: Element {
        Button("Go", id: "go") { focus = "name" }
        Button("Quit", id: "quit") { quit() }
        TextField("N", text: $text, id: "name")
      }
    }
    let screen = TerminalScreen(store, width: 30, height: 5) { Form() }
    screen.press("return")
    screen.type("a")
    #expect(screen.text.hasSuffix("N: a"))
  }
}

extension String {
  func replacingPrefix(_ prefix: String, with other: String) -> String {
    hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
  }
}
