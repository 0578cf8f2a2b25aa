import Signals
import SignalsTerminal
import Testing

/// Typing, while others change what is typed into, or take it away.
@Suite struct `Screen, typing` {
  private let names = Signal(["ab", "ac"]), log = Signal(""), isShown = Signal(true)
  private let text = Signal(""), other = Signal("")

  /// Fields of the names that begin with an "a", between two buttons.
  private func filtered(id: @escaping (Int) -> String) -> TerminalScreen {
    let (names, log) = (names, log)
    return TerminalScreen(Store(), width: 30, height: 10) {
      ForEach(names.value.indices.filter { names.value[$0].hasPrefix("a") }, id: \.self) { row in
        TextField(
          "N", text: Binding(get: { names.value[row] }, set: { names.value[row] = $0 }),
          id: id(row), onSubmit: { log.value += "s" })
      }
      Column { Button("B", id: "b") { log.value += "b" } }
        .onKey("y") { log.value += "y" }.onKey("f1") { log.value += "1" }
    }
  }

  @Test(arguments: [false, true]) func `what is typed into a row that goes is in no other`(
    _ isSame: Bool
  ) {
    let screen = filtered { isSame ? "name" : "name \($0)" }
    screen.press("home")
    screen.type("xyz q")
    screen.press("delete", "forward-delete", "ctrl-w", "ctrl-u")
    screen.paste("pasted")
    #expect(names.value == ["xab", "ac"] && log.value == "")
    #expect(screen.focus == (isSame ? "name" : "name 1"))
    screen.press("down", "up")
    screen.type("d")
    #expect(names.value == ["xab", "acd"])
  }

  @Test func `what is typed into a last field presses no button`() {
    names.value = ["a"]
    let screen = filtered { "name \($0)" }
    screen.press("home")
    screen.type("x y ")
    screen.press("return")
    #expect(log.value == "" && screen.focus == "b")
    screen.press(" ")
    #expect(log.value == "b", "return was the end of what was typed")
  }

  @Test(arguments: ["left", "right", "home", "end", "ctrl-a"] as [TerminalKey])
  func `a key that moves the cursor ends it, and does nothing else`(_ key: TerminalKey) {
    let screen = filtered { "name \($0)" }
    screen.press("home", "x", key)
    #expect(screen.focus == "name 1")
    screen.type("d")
    #expect(names.value[1].count == 3)
  }

  @Test(arguments: ["tab", "down", "up", "escape", "f1"] as [TerminalKey])
  func `a key that moves on ends it`(_ key: TerminalKey) {
    let screen = filtered { "name \($0)" }
    screen.press("home")
    screen.type("xx")
    screen.press(key)
    screen.press("shift-tab", "tab")
    let focus = screen.focus
    screen.type("a ")
    #expect(focus == "b" ? log.value.hasSuffix("b") : names.value[1].count == 4)
    #expect(log.value.hasPrefix("1") == (key == "f1"))
  }

  @Test func `a click ends it`() {
    let screen = filtered { "name \($0)" }
    screen.press("home")
    screen.type("xx")
    screen.click(x: 20, y: 0)
    screen.type("d")
    #expect(names.value == ["xab", "acd"])
  }

  private func form(_ isEnabled: Bool = true) -> TerminalScreen {
    let (text, other, isShown, log) = (text, other, isShown, log)
    return TerminalScreen(Store(), width: 30, height: 8) {
      if isShown.value {
        TextField("A", text: text.binding, id: "a", onSubmit: { isShown.value = false })
      }
      TextField("O", text: other.binding, id: "o")
      Button("B", id: "b") { log.value += "b" }
    }
  }

  @Test func `others taking the field away is no reason to type elsewhere`() {
    let screen = form()
    screen.type("he")
    isShown.value = false
    #expect(screen.text.hasPrefix("O:"))
    screen.type("llo")
    #expect((text.value, other.value) == ("he", ""))
    isShown.value = true
    screen.press("shift-tab", "tab", "shift-tab")
    screen.type("!")
    #expect(text.value == "he!" || other.value == "!")
  }

  @Test func `a field that went before the first letter gets none, and no other does`() {
    let screen = form()
    #expect(screen.focus == "a")
    isShown.value = false
    screen.type("ab")
    #expect((text.value, other.value) == ("", ""))
  }

  @Test func `a field that was seen to go is no obstacle`() {
    let screen = form()
    #expect(screen.focus == "a")
    isShown.value = false
    #expect(screen.focus == "o")
    screen.type("ab")
    #expect((text.value, other.value) == ("", "ab"))
  }

  @Test func `a text that is completed leaves the keys to the next field`() {
    let screen = form()
    screen.type("he")
    screen.press("return")
    screen.type("ab")
    #expect((text.value, other.value) == ("he", "ab"))
  }

  @Test func `where the app moves the focus the typing goes`() {
    struct Code: View {
      @Focus var focus
      @State var first = ""
      @Binding var second: String

      var body: Element {
        if first.count < 2 {
          TextField(
            "1",
            text: Binding(
              get: { first },
              set: {
                first = $0
                if $0.count == 2 { focus = "2" }
              }), id: "1")
        }
        TextField("0", text: .constant(""), id: "0")
        TextField("2", text: $second, id: "2")
      }
    }
    let screen = TerminalScreen(Store(), width: 30, height: 8) { Code(second: text.binding) }
    screen.type("1234")
    #expect(text.value == "34")
  }

  @Test func `a field that is made again with what was typed gets the rest`() {
    let text = text
    let screen = TerminalScreen(Store(), width: 30, height: 8) {
      TextField("Other", text: other.binding, id: "other")
      if text.value.isEmpty {
        Column { TextField("Search", text: text.binding, id: "search") }
      } else {
        ForEach([0], id: \.self) { _ in TextField("Search", text: text.binding, id: "search") }
      }
    }
    screen.press("tab")
    screen.type("hello")
    screen.press("left")
    screen.type("!")
    #expect((text.value, other.value) == ("hell!o", ""))
  }

  @Test func `a cover that comes while one types gets no letter`() {
    let (text, isCovered, log) = (text, isShown, log)
    isCovered.value = false
    let screen = TerminalScreen(Store(), width: 30, height: 8) {
      TextField("A", text: text.binding, id: "a")
        .covered(when: isCovered.value) {
          Column {
            TextField("C", text: Binding(get: { "" }, set: { log.value += $0 }), id: "c")
            Button("Sure", id: "sure") { log.value += "sure" }
          }.onKey("y") { log.value += "y" }.onKey("escape") { isCovered.value = false }
        }
    }
    screen.type("x")
    isCovered.value = true
    screen.type("yes ")
    screen.press("return")
    #expect((text.value, log.value) == ("x", ""))
    screen.press("escape")
    screen.type("z")
    #expect(text.value == "xz")
  }

  @Test func `the cursor moves with the text around it`() {
    let text = text
    text.value = "world"
    let screen = TerminalScreen(Store(), width: 40, height: 4) {
      TextField("A", text: text.binding, id: "a")
    }
    screen.press("home")
    screen.type("he")
    text.value = "NEW " + text.value
    screen.type("llo ")
    #expect(text.value == "NEW hello world")
    text.value += "!"
    screen.press("delete")
    #expect(text.value == "NEW helloworld!")
    screen.press("end", "shift-left")
    text.value = "A " + text.value
    screen.type("?")
    #expect(text.value == "A NEW helloworld?")
  }

  @Test func `what others append stands behind what is typed`() {
    let text = text
    let screen = TerminalScreen(Store(), width: 40, height: 4) {
      TextField("A", text: text.binding, id: "a")
    }
    screen.type("he")
    text.value += " END"
    screen.type("llo")
    #expect(text.value == "hello END")
  }

  @Test(arguments: [false, true]) func `what others write on both sides leaves the cursor there`(
    _ isInLines: Bool
  ) {
    let text = text
    let screen = TerminalScreen(Store(), width: 40, height: 6) {
      if isInLines {
        TextEditor("A", text: text.binding, id: "a")
      } else {
        TextField("A", text: text.binding, id: "a")
      }
    }
    screen.type("abc")
    text.value = "z abc"
    text.value += "!"
    screen.type("X")
    #expect(text.value == "z abcX!")
    text.value = "one two three four"
    #expect(screen.focus == "a")
    screen.press("home")
    for _ in 0..<8 { screen.press("right") }
    text.value = "oone twoo three foour"
    screen.press("delete")
    #expect(text.value == "oone twoothree foour")
  }

  @Test func `a field that is hidden and shown again gets the rest, at its cursor`() {
    let screen = form()
    screen.type("abc")
    screen.press("left")
    screen.type("d")
    isShown.value = false
    #expect(screen.text.hasPrefix("O:"))
    screen.type("x")
    isShown.value = true
    #expect(screen.focus == "a")
    screen.type("e")
    #expect((text.value, other.value) == ("abdec", ""))
  }

  @Test func `a field that is shown again later takes nothing from the field in use`() {
    let screen = form()
    screen.type("ab")
    isShown.value = false
    #expect(screen.focus == "o")
    screen.press("tab", "shift-tab")
    screen.type("c")
    isShown.value = true
    screen.type("d")
    #expect((text.value, other.value) == ("ab", "cd"))
  }

  private final class Task: Object {
    @Field var title = ""
    @Field var number = 0
    @Field var isDone = false
  }

  private struct TaskRow: View {
    @ObservedObject var task: Task
    var body: Element { TextField("t", text: $task.title, id: "t\(task.number)") }
  }

  private struct OpenTasks: View {
    @ObservedResults(Task.self, sortedBy: \.number, where: { !$0.isDone }) var tasks
    var body: Element {
      ListBox(id: "list") { ForEach(tasks) { TaskRow(task: $0) } }
      TextField("O", text: .constant(""), id: "o")
    }
  }

  @Test(arguments: [0, 1, 4, 19]) func `a row that leaves its list and comes back gets the rest`(
    _ number: Int
  ) throws {
    let store = Store()
    var tasks: [Task] = []
    for number in 0..<20 {
      let task = Task()
      try store.add(task)
      task.number = number
      tasks.append(task)
    }
    let screen = TerminalScreen(store, width: 30, height: 6) { OpenTasks() }
    screen.press("home")
    for _ in 0..<number { screen.press("down") }
    // The row is at the top, from where it leaves without a trace on the screen.
    if number == 4 { screen.scroll(by: -10, x: 0, y: 0) }
    screen.type("abc")
    screen.press("left")
    screen.type("d")
    tasks[number].isDone = true
    _ = screen.text
    screen.type("x")
    tasks[number].isDone = false
    _ = screen.text
    screen.type("e")
    #expect(tasks[number].title == "abdec")
    #expect(tasks.filter { !$0.title.isEmpty }.count == 1)
  }

  @Test(arguments: [false, true], [false, true])
  func `a cover that comes and goes leaves the cursor where it was`(
    _ isDrawn: Bool, _ hasField: Bool
  ) {
    let (text, isCovered) = (text, isShown)
    isCovered.value = false
    let screen = TerminalScreen(Store(), width: 30, height: 8) {
      TextField("A", text: text.binding, id: "a")
        .covered(when: isCovered.value) {
          Text("Saving")
          if hasField { TextField("C", text: .constant("cover"), id: "c") }
        }
    }
    screen.type("abc")
    screen.press("left")
    screen.type("d")
    isCovered.value = true
    if isDrawn { #expect(screen.text.hasPrefix("Saving")) }
    text.value = "> " + text.value
    isCovered.value = false
    screen.type("e")
    #expect(text.value == "> abdec")
  }

  @Test func `what is typed into a cover that others close is in no field below it`() {
    let (text, other, isCovered) = (text, other, isShown)
    isCovered.value = false
    let screen = TerminalScreen(Store(), width: 30, height: 8) {
      TextField("A", text: text.binding, id: "a")
        .covered(when: isCovered.value) { TextField("C", text: other.binding, id: "c") }
    }
    #expect(screen.focus == "a")
    isCovered.value = true
    #expect(screen.focus == "c")
    screen.type("d")
    isCovered.value = false
    screen.type("e")
    #expect((text.value, other.value) == ("", "d"))
    #expect(screen.focus == "a")
    screen.press("tab")
    screen.type("f")
    #expect(text.value == "f")
  }

  @Test func `a field with the same id and text in a cover gets no letter`() {
    let (text, other, isCovered) = (text, other, isShown)
    isCovered.value = false
    let screen = TerminalScreen(Store(), width: 30, height: 8) {
      TextField("A", text: text.binding, id: "a")
        .covered(when: isCovered.value) {
          ForEach([0], id: \.self) { _ in TextField("C", text: other.binding, id: "a") }
        }
    }
    screen.type("abc")
    other.value = "abc"
    isCovered.value = true
    screen.type("d")
    #expect((text.value, other.value) == ("abc", "abc"))
    isCovered.value = false
    screen.type("e")
    #expect((text.value, other.value) == ("abce", "abc"))
  }

  @Test func `what the app makes of a text leaves the cursor at its end`() {
    let text = text
    let screen = TerminalScreen(Store(), width: 40, height: 4) {
      TextField(
        "A",
        text: Binding(get: { text.value }, set: { text.value = $0.count == 2 ? $0 + "/" : $0 }),
        id: "a")
    }
    screen.type("1224")
    #expect(text.value == "12/24")
  }
}
