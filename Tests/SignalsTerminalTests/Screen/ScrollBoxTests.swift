import Signals
import SignalsTerminal
import SignalsTesting
import Testing

@MainActor
@Suite struct `Screen, a part that scrolls` {
  private let text = Signal("")

  private func screen(_ height: Int, rows: Int = 5) -> TerminalScreen {
    TerminalScreen(Store(), width: 20, height: height) { [text] in
      ScrollBox {
        TextField("Name", text: text.binding, id: "name")
        Section("Rows") {
          for row in 0..<rows { Button("row \(row)") {} }
        }
      }
      Button("foot") {}
    }
  }

  @Test func `where there is room it is a column, and what is below stands at the foot`() {
    #expect(
      screen(9).text == """
        Name:
        Rows
        [row 0]
        [row 1]
        [row 2]
        [row 3]
        [row 4]

        [foot]
        """)
  }

  @Test func `where there is none it scrolls, and what is below stays`() {
    let screen = screen(4)
    #expect(
      screen.text == """
        Name:              █
        Rows               █
        [row 0]            │
        [foot]
        """)
    screen.press("down", "down", "down", "down")
    #expect(screen.focus == "row 3")
    #expect(screen.text.hasSuffix("[row 3]            █\n[foot]"))
  }

  @Test func `tab goes through all of it, then to what is around it, and on from the start`() {
    let screen = screen(4)
    var order: [String?] = []
    for _ in 0..<8 {
      order.append(screen.focus)
      screen.press("tab")
    }
    let all = ["name", "row 0", "row 1", "row 2", "row 3", "row 4", "foot"]
    #expect(order == all + ["name"])
    screen.press("shift-tab", "shift-tab")
    #expect(screen.focus == "foot")
    screen.press("shift-tab")
    #expect(screen.focus == "row 4")
  }

  @Test func `the focus stays where it is when the screen becomes too small, and back`() {
    let screen = screen(9)
    screen.press("down", "down", "down", "down")
    #expect(screen.focus == "row 3")
    screen.resize(width: 20, height: 4)
    #expect(screen.focus == "row 3")
    screen.press("down")
    #expect(screen.focus == "row 4")
    #expect(screen.text.contains("[row 4]"))
    screen.resize(width: 20, height: 9)
    #expect(screen.focus == "row 4")
  }

  @Test func `the app can move the focus to what is out of sight, which then is in sight`() {
    let screen = screen(4)
    screen.press("tab", "end")
    #expect(!screen.text.contains("Name"))
    screen.host.focus = "name"
    #expect(screen.text.hasPrefix("Name:"))
    screen.type("x")
    #expect(text.value == "x")
  }

  @Test func `an error is in a line of its own where there is nothing else`() {
    let screen = TerminalScreen(Store(), width: 20, height: 4) {
      Text("above")
      ErrorText(["somebody has to", "come"])
      Text("below")
    }
    #expect(screen.text == "above\n! somebody has to\n! come\nbelow")
    let box = TerminalScreen(Store(), width: 20, height: 4) {
      ScrollBox {
        Text("above")
        ErrorText([])
        Text("below")
      }
    }
    #expect(box.text == "above\nbelow")
  }

  @Test func `no line begins with the blanks that it was broken at`() {
    let screen = TerminalScreen(Store(), width: 20, height: 4) {
      Text("n new  ? help  u un   q quit  x")
    }
    #expect(screen.text == "n new  ? help  u un\nq quit  x")
  }

  @Test func `where what has the focus goes, its neighbor gets it, also if its row stays`() {
    let names = Signal(["a", "b", "c", "d"]), hidden = Signal("")
    let screen = TerminalScreen(Store(), width: 20, height: 8) {
      ScrollBox {
        Button("first") {}
        ForEach(names.value, id: \.self) { name in
          if name != hidden.value { Button(name) {} }
        }
      }
    }
    screen.press("down", "down")
    #expect(screen.focus == "b")
    hidden.value = "b"
    #expect(screen.focus == "c")
    names.value = ["a", "b", "d"]
    #expect(screen.focus == "d")
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `whatever comes and goes, the focus is on something that is there`(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let rows = Signal(Array(0..<8)), hidden = Signal<Set<Int>>([])
    let screen = TerminalScreen(Store(), width: 24, height: 6) { [text] in
      ScrollBox {
        TextField("Search", text: text.binding, id: "search")
        ForEach(rows.value, id: \.self) { row in
          if !hidden.value.contains(row) { Button("row \(row)") {} }
        }
      }
      Button("foot") {}
    }
    let keys: [TerminalKey] = [
      "down", "up", "tab", "shift-tab", "end", "home", "page-down", "page-up",
    ]
    for step in 0..<300 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: rows.value = (0..<12).filter { _ in Bool.random(using: &random) }
      case 1: hidden.value = Set(rows.value.filter { _ in Bool.random(using: &random) })
      case 2: screen.resize(width: 24, height: Int.random(in: 4...14, using: &random))
      case 3: rows.value.shuffle(using: &random)
      default: screen.press(keys.randomElement(using: &random) ?? "down")
      }
      let there =
        ["search", "foot"] + rows.value.filter { !hidden.value.contains($0) }.map { "row \($0)" }
      let focus = screen.focus
      #expect(focus.map(there.contains) == true, "step \(step): \(focus ?? "nothing")")
    }
  }

  @Test func `only the rows in sight are made`() {
    var made = 0
    func button(_ row: Int) -> Button {
      made += 1
      return Button("row \(row)") {}
    }
    let screen = TerminalScreen(Store(), width: 20, height: 6) {
      ScrollBox {
        Text("many")
        ForEach(Array(0..<100_000), id: \.self) { button($0) }
      }
      Text("foot").style(.status)
    }
    #expect(screen.text.hasSuffix("[row 3]            │\nfoot"))
    screen.press("end")
    #expect(screen.text.hasSuffix("[row 99999]        █\nfoot"))
    #expect(made < 50)
  }

  @Test func `a list in it scrolls by itself as long as there is room for a row`() {
    let screen = TerminalScreen(Store(), width: 20, height: 5) {
      ScrollBox {
        Text("head")
        ListBox(id: "list") { ForEach(Array(0..<9), id: \.self) { Button("row \($0)") {} } }
      }
      Text("foot").style(.status)
    }
    screen.press("end")
    #expect(screen.text.hasPrefix("head\n"))
    #expect(screen.text.hasSuffix("[row 8]            █\nfoot"))
    screen.resize(width: 20, height: 4)
    #expect(screen.text.hasPrefix("head\n"))
  }

  @Test func `options are drawn in their colors, and so is the chosen one`() {
    let red = ElementColor(red: 1, green: 0, blue: 0)
    let chosen = Signal("red")
    let screen = TerminalScreen(Store(), width: 30, height: 8) {
      Picker(
        "Color", selection: chosen.binding, options: ["red", "none"],
        tint: { $0 == "red" ? red : nil })
      Button("other") {}
    }
    screen.press("down")
    #expect(screen.svg().contains(" fill=\"#ff0000\""))
    chosen.value = "none"
    #expect(!screen.svg().contains("#ff0000"))
    screen.press("up", "return", "down")
    #expect(screen.svg().contains(" fill=\"#ff0000\""))
  }

  @MainActor @Test func `a key may start work that waits`() async {
    let done = Signal(false)
    let screen = TerminalScreen(Store(), width: 30, height: 8) {
      Text("x").onKey("r") {
        await Task.yield()
        done.value = true
      }
    }
    screen.press("r")
    // The actor may be busy with other tests.
    for _ in 0..<1000 where !done.value { try? await Task.sleep(for: .milliseconds(10)) }
    #expect(done.value)
    #expect(screen.text == "x")
  }
}
