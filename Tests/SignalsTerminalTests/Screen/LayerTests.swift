import Signals
import SignalsTerminal
import Testing

/// What lies over the app takes keys, mouse and pastes: a cover, the options of a picker, an error, the message on a
/// screen that is too small.
@MainActor @Suite struct `Screen, layers` {
  private struct Refused: Error {}

  private let done = Signal(""), text = Signal(""), choice = Signal("a"), isCovered = Signal(false)

  /// An app of which every input leaves a trace.
  private func screen(width: Int = 40, height: Int = 12, rows: Int = 3) -> TerminalScreen {
    let (done, isCovered) = (done, isCovered)
    return TerminalScreen(Store(), width: width, height: height) {
      Column {
        TextField("Name", text: text.binding, id: "name")
        Picker("Letter", selection: choice.binding, options: ["a", "b", "c"], id: "letter")
        Button("Fail", id: "fail") { throw Refused() }
        ScrollBox {
          ForEach(0..<rows, id: \.self) { row in
            Button("row \(row)", id: "row") { done.value += "\(row)" }
          }
        }
      }
      .covered(when: isCovered.value) {
        Column {
          ScrollBox { ForEach(0..<30, id: \.self) { Text("help \($0)") } }
          Text("esc close")
        }.onKey("escape") { isCovered.value = false }
      }
      .onKey("d") { done.value += "d" }
      .onKey("return") { done.value += "r" }
    }
  }

  /// Everything that a user can do, but for what closes a layer.
  private func useEverything(_ screen: TerminalScreen) {
    screen.press("d", "return", " ", "tab", "shift-tab", "up", "down", "left", "right", "x")
    screen.press("delete", "ctrl-w", "alt-w", "f1", "home", "end", "page-up", "page-down")
    screen.paste("pasted")
    for y in 0..<12 { screen.click(x: 3, y: y) }
    screen.scroll(by: 2, x: 3, y: 6)
    screen.handle(.mouse(TerminalMouse(.drag, x: 4, y: 1)))
  }

  @Test func `a cover takes all input`() {
    let screen = screen()
    screen.press("tab", "tab", "tab")
    isCovered.value = true
    useEverything(screen)
    #expect(screen.text.hasPrefix("help"))
    #expect((done.value, text.value, choice.value) == ("", "", "a"))
    #expect(screen.focus == nil)
  }

  @Test func `the focus returns when a cover goes, to the row that had it`() {
    let screen = screen()
    screen.press("tab", "tab", "tab", "down", "down")
    let before = screen.text
    isCovered.value = true
    screen.press("escape")
    #expect(screen.text == before)
    #expect(screen.focus == "row")
    screen.press("return")
    #expect(done.value == "2")
  }

  @Test(arguments: [(80, 24), (40, 12), (20, 5), (20, 4)])
  func `a cover without controls scrolls by keys and wheel at every size`(
    _ width: Int, _ height: Int
  ) {
    let screen = screen(width: width, height: height, rows: 40)
    screen.press("tab", "tab", "tab", "down", "down")
    isCovered.value = true
    let top = screen.text
    #expect(top.hasPrefix("help 0"))
    screen.press("down", "down")
    #expect(screen.text.hasPrefix("help 2"))
    screen.press("up", "up")
    #expect(screen.text == top)
    screen.press("page-down", "page-down")
    let page = screen.text
    #expect(page != top)
    screen.press("page-up", "page-up")
    #expect(screen.text == top)
    screen.press("end")
    #expect(screen.text.contains("help 29"))
    screen.press("home")
    #expect(screen.text == top)
    screen.scroll(by: 2, x: 1, y: 1)
    #expect(screen.text.hasPrefix("help 6"))
    isCovered.value = false
    #expect(screen.focus == "row")
    isCovered.value = true
    #expect(screen.text == top, "a cover begins at its top")
  }

  @Test func `the options of a picker take all input but what closes them`() {
    let screen = screen()
    screen.press("tab", "return")
    let open = screen.text
    for key: TerminalKey in ["d", "x", "up", "f1", "left", "delete", "ctrl-w", "alt-w"] {
      screen.press(key)
    }
    screen.paste("pasted")
    screen.handle(.mouse(TerminalMouse(.drag, x: 4, y: 1)))
    #expect(screen.text == open)
    screen.press("escape")
    #expect((done.value, text.value, choice.value) == ("", "", "a"))
  }

  @Test(arguments: ["d", "return", " ", "tab", "down", "escape", "ctrl-c"] as [TerminalKey])
  func `an error takes the key that closes it`(_ key: TerminalKey) {
    let screen = screen()
    screen.press("tab", "tab", "return")
    #expect(screen.text.hasSuffix("Refused()"))
    screen.press(key)
    #expect(!screen.text.hasSuffix("Refused()"))
    #expect((done.value, screen.focus, screen.hasQuit) == ("", "fail", false))
    screen.press("d")
    #expect(done.value == "d")
  }

  @Test func `an error takes the click that closes it, and leaves the wheel to the app`() {
    let screen = screen()
    screen.press("tab", "tab", "return")
    screen.scroll(by: 1, x: 1, y: 4)
    #expect(screen.text.hasSuffix("Refused()"))
    screen.click(x: 2, y: 3)
    #expect(!screen.text.hasSuffix("Refused()"))
    #expect(done.value == "")
  }

  @Test func `what is typed into a field is not lost to an error`() {
    let screen = screen()
    try? screen.host.perform { throw Refused() }
    #expect(screen.text.hasSuffix("Refused()"))
    screen.type("ab")
    #expect(text.value == "ab")
    try? screen.host.perform { throw Refused() }
    screen.paste("cd")
    #expect(text.value == "abcd")
  }

  @Test func `an error lies over the options of a picker`() {
    let screen = screen()
    screen.press("tab", "return")
    let open = screen.text
    try? screen.host.perform { throw Refused() }
    screen.press("return")
    #expect(screen.text == open)
    screen.press("down", "return")
    #expect(choice.value == "b")
  }

  @Test func `a screen that is too small takes all input`() {
    let screen = screen(width: 19, height: 12)
    useEverything(screen)
    screen.resize(width: 40, height: 12)
    #expect((done.value, text.value, choice.value) == ("", "", "a"))
  }
}
