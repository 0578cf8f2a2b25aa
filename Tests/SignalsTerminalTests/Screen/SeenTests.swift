import Signals
import SignalsTerminal
import Testing

/// A click and a key are meant for what was on screen, even if the app has gone on.
@Suite struct `Screen, what a click and a key are meant for` {
  private let rows = Signal(["a", "b", "c", "d"]), log = Signal(""), text = Signal("")
  private let isCovered = Signal(false)

  private func list(height: Int = 8, clock: FrameClock = .immediate) -> TerminalScreen {
    let (rows, log) = (rows, log)
    return TerminalScreen(Store(), width: 30, height: height, clock: clock) {
      ForEach(rows.value, id: \.self) { row in
        Button(row, id: "row") { log.value += row }.onKey("d") { log.value += "-\(row)" }
      }
      Picker("P", selection: text.binding, options: ["", "1", "2"], id: "picker")
    }
  }

  @Test(arguments: [false, true]) func `a click uses what was drawn where it was`(
    _ isManual: Bool
  ) {
    let screen = list(clock: isManual ? .manual : .immediate)
    #expect(screen.text.hasPrefix("[a]\n[b]\n[c]"))
    rows.value.insert("new", at: 0)
    screen.click(x: 1, y: 2)
    #expect(log.value == "c")
    #expect(screen.text.hasPrefix("[new]\n[a]\n[b]\n[c]"))
    rows.value.removeFirst(2)
    screen.click(x: 1, y: 3)
    #expect(log.value == "cc")
    rows.value.reverse()
    screen.click(x: 1, y: 0)
    #expect(log.value == "ccb")
  }

  @Test func `a click on what has gone does nothing`() {
    let screen = list()
    #expect(screen.text.contains("[c]"))
    rows.value.remove(at: 2)
    screen.click(x: 1, y: 2)
    #expect(log.value == "" && !screen.text.contains("not on screen"))
    screen.click(x: 1, y: 2)
    #expect(log.value == "d")
  }

  @Test func `a click on what was pushed out of sight uses it`() {
    let screen = list(height: 4)
    #expect(screen.text.contains("[c]"))
    rows.value.insert(contentsOf: (0..<20).map { "new \($0)" }, at: 1)
    screen.click(x: 1, y: 2)
    #expect(log.value == "c")
  }

  @Test func `a click on what a cover hides by now does nothing`() {
    let (log, isCovered) = (log, isCovered)
    let screen = TerminalScreen(Store(), width: 30, height: 8) {
      Column {
        Button("Save", id: "save") { log.value += "s" }
        Button("Open", id: "open") { log.value += "o" }
      }.covered(when: isCovered.value) {
        Button("Delete", id: "delete") { log.value += "d" }
        Button("Open", id: "open") { log.value += "x" }
      }
    }
    #expect(screen.text.hasPrefix("[Save]\n[Open]"))
    isCovered.value = true
    screen.click(x: 1, y: 0)
    #expect(log.value == "")
    isCovered.value = false
    screen.press("return")
    #expect(log.value == "")
    #expect(screen.text.hasPrefix("[Save]\n[Open]"))
    isCovered.value = true
    screen.press("return", "return")
    #expect(log.value == "d", "the first was meant for what was covered")
  }

  @Test(arguments: ["return", " "] as [TerminalKey])
  func `a key on a row that has gone does not use its neighbor`(_ key: TerminalKey) {
    let screen = list()
    screen.press("down", "down")
    #expect(screen.focus == "row")
    rows.value.remove(at: 2)
    screen.press(key)
    #expect(log.value == "")
    screen.press(key)
    #expect(log.value == "d")
  }

  @Test func `a key on a row that has moved uses that row`() {
    let screen = list()
    screen.press("down", "down")
    rows.value.insert("new", at: 0)
    screen.press("return")
    rows.value.reverse()
    screen.press("return")
    #expect(log.value == "cc")
  }

  @Test func `a key that rows bind uses the row that was first`() {
    let screen = list()
    #expect(screen.text.hasPrefix("[a]"))
    rows.value.insert("new", at: 0)
    screen.press("d")
    #expect(log.value == "-a")
    rows.value.removeFirst()
    #expect(screen.text.hasPrefix("[a]"))
    rows.value.removeFirst()
    screen.press("d")
    #expect(log.value == "-a", "what it was meant for has gone")
    screen.press("d")
    #expect(log.value == "-a-b")
  }

  @Test func `an arrow turns the picker that had the focus, and no other`() {
    let (rows, text) = (rows, text)
    let screen = TerminalScreen(Store(), width: 30, height: 8) {
      ForEach(rows.value, id: \.self) { row in
        Picker(
          row, selection: Binding(get: { "0" }, set: { text.value += row + $0 }),
          options: ["0", "1"], id: "picker")
      }
    }
    screen.press("down")
    rows.value.remove(at: 1)
    screen.press("right")
    #expect(text.value == "")
    screen.press("right")
    #expect(text.value == "c1")
  }

  @Test func `an option is chosen where it was drawn`() throws {
    let screen = list(height: 14)
    screen.press("tab", "tab", "tab", "tab", "return")
    let lines = screen.text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = try #require(lines.firstIndex { $0.contains("│ 2") })
    rows.value.insert("new", at: 0)
    screen.click(x: 2, y: line)
    #expect(text.value == "2")
  }

  @Test func `a click in a field sets the cursor in the text that was drawn`() {
    let text = text
    text.value = "hello world"
    let screen = TerminalScreen(Store(), width: 40, height: 4) {
      TextField("A", text: text.binding, id: "a")
    }
    #expect(screen.text == "A: hello world")
    text.value = "NEW hello world"
    screen.click(x: 3 + 5, y: 0)
    screen.type(",")
    #expect(text.value == "NEW hello, world")
  }

  @Test func `a table's row is used where it was drawn`() {
    let (rows, log) = (rows, log)
    let screen = TerminalScreen(Store(), width: 30, height: 8) {
      Table([TableColumn("N")], id: "table") {
        ForEach(rows.value, id: \.self) { row in
          TableRow(id: "row") {
            Text(row)
          } onTap: {
            log.value += row
          }
        }
      }
    }
    let lines = screen.text.split(separator: "\n")
    let line = lines.firstIndex { $0.hasPrefix("c") } ?? 0
    rows.value.insert("new", at: 0)
    screen.click(x: 1, y: line)
    #expect(log.value == "c")
  }
}
