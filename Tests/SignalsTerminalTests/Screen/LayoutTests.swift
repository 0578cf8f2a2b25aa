import Signals
import SignalsTerminal
import Testing

@Suite struct `Screen, how elements are laid out` {
  private func screen(
    _ width: Int, _ height: Int, @ElementBuilder _ root: @escaping () -> Element
  ) -> TerminalScreen {
    TerminalScreen(Store(), width: width, height: height, root: root)
  }

  @Test func `a column stands one below the other, a row side by side, and texts wrap`() {
    let screen = screen(20, 10) {
      Text("a title").style(.title)
      Row {
        Text("left")
        Column {
          Text("one")
          Text("two")
        }
      }
      Text("a text that is longer than a line")
      Divider()
      Button("Do it", id: "do") {}
    }
    #expect(
      screen.text == """
        a title
        left  one
              two
        a text that is
        longer than a line
        ────────────────────
        [Do it]
        """)
  }

  @Test func `widths have minima, maxima, and parts of what is left`() {
    let screen = screen(30, 5) {
      Row {
        Text("a").frame(minWidth: 5)
        Text("middle").frame(flex: 1)
        Text("far too long").frame(maxWidth: 5)
      }
      Row {
        Text("x").frame(flex: 1).aligned(.trailing)
        Text("|")
        Text("y").frame(flex: 1).aligned(.center)
        Text("|")
      }
    }
    #expect(
      screen.text == """
        a      middle            far
        \(String(repeating: " ", count: 25))too
        \(String(repeating: " ", count: 25))long
        \(String(repeating: " ", count: 10))x  |       y       |
        """)
  }

  @Test func `controls show what they are, and what is wrong stands below`() {
    let store = Store()
    let text = Signal("Neuromancer"), isOn = Signal(true), choice = Signal("asc")
    let screen = TerminalScreen(store, width: 40, height: 10) {
      TextField("Title", text: text.binding, id: "title")
      Toggle("Held", isOn: isOn.binding, id: "held")
      Picker("Order", selection: choice.binding, options: ["asc", "desc"], id: "order")
      ProgressBar("Loading", value: 0.5)
      Element(kind: .textField, id: "bad", text: "ISBN", value: .text("x"), errors: ["too short"])
    }
    #expect(
      screen.text == """
        Title: Neuromancer
        [x] Held
        Order: ‹asc›
        Loading █████████████░░░░░░░░░░░░░░  50%
        ISBN: x
        ! too short
        """)
  }

  @Test func `a list takes the space that is left, and what is below it stands at the foot`() {
    let screen = screen(20, 7) {
      Text("head")
      ListBox(id: "list") { ForEach(Array(0..<100), id: \.self) { Text("row \($0)") } }
      Text("foot")
    }
    #expect(
      screen.text == """
        head
        row 0              █
        row 1              │
        row 2              │
        row 3              │
        row 4              │
        foot
        """)
  }

  @Test func `a section's title scrolls with its rows, and a column shows no more than fits`() {
    let sections = ["fruit", "roots"]
    let screen = screen(20, 6) {
      ListBox(id: "list") {
        ForEach(sections, id: \.self) { name in
          Section(name) {
            ForEach(Array(0..<3), id: \.self) { Text("\(name) \($0)") }
          }
        }
      }
    }
    #expect(
      screen.text == """
        fruit              █
        fruit 0            █
        fruit 1            █
        fruit 2            █
        roots              █
        roots 0            │
        """)
    screen.press("end")
    #expect(screen.text.hasSuffix("roots 2            █"))
  }

  @Test func `the columns of a table stand below their titles`() {
    let screen = screen(30, 5) {
      Table(
        [
          TableColumn("Name", flex: 1, order: .ascending) {},
          TableColumn("Size", minWidth: 6, maxWidth: 6, alignment: .trailing),
        ], id: "table"
      ) {
        ForEach(["apt", "a package with a long name"], id: \.self) { name in
          TableRow(id: name) {
            Text(name)
            Text("\(name.count)")
          } onTap: {
          }
        }
      }
    }
    #expect(
      screen.text == """
        Name ▲                   Size
        apt                         3
        a package with a lon…      26
        """)
  }

  @Test func `a screen that is too high scrolls as a whole, with the focus`() {
    let names = (0..<10).map { "field \($0)" }
    let screen = screen(24, 4) {
      Text("A form")
      ForEach(names, id: \.self) { name in Button(name) {} }
    }
    #expect(screen.text.hasPrefix("A form"))
    for _ in 0..<5 { screen.press("tab") }
    #expect(screen.focus == "field 5")
    #expect(screen.text.contains("[field 5]"))
    #expect(!screen.text.contains("A form"))
    screen.press("end")
    #expect(screen.focus == "field 9")
  }

  @Test
  func `where lists and the rest don't fit the screen scrolls, and everything can be reached`() {
    let names = (0..<6).map { "field \($0)" }
    let screen = screen(24, 4) {
      ForEach(names, id: \.self) { name in Button(name) {} }
      ListBox(id: "list") { ForEach(Array(0..<9), id: \.self) { Button("row \($0)") {} } }
      Table([TableColumn("Title", flex: 1) {}]) {
        ForEach(Array(0..<3), id: \.self) { row in
          TableRow(id: "cell \(row)") {
            Text("[cell \(row)]")
          } onTap: {
          }
        }
      }
      Button("last") {}
    }
    var seen: Set<String> = []
    for _ in 0..<30 {
      if let focus = screen.focus {
        seen.insert(focus)
        #expect(screen.text.contains(focus))
      }
      screen.press("down")
    }
    #expect(seen.isSuperset(of: names + ["row 0", "row 8", "cell 2", "last"]))
  }

  @Test func `a list within a list scrolls with it, and its rows are reached in turn`() {
    let screen = screen(20, 4) {
      ListBox(id: "outer") {
        Button("first") {}
        ListBox(id: "inner") { ForEach(Array(0..<5), id: \.self) { Button("row \($0)") {} } }
        Table([TableColumn("Title")]) {
          TableRow(id: "cell") {
            Text("[cell]")
          } onTap: {
          }
        }
        Button("last") {}
      }
    }
    var seen: [String] = []
    for _ in 0..<8 {
      seen += screen.focus.map { [$0] } ?? []
      #expect(screen.text.contains("[\(screen.focus ?? "")]"))
      screen.press("down")
    }
    #expect(seen == ["first"] + (0..<5).map { "row \($0)" } + ["cell", "last"])
  }

  @Test func `lists side by side on a screen that scrolls are reached, each by its rows`() {
    let screen = screen(30, 4) {
      ForEach(Array(0..<4), id: \.self) { Button("field \($0)") {} }
      Row {
        ListBox(id: "left") { ForEach(Array(0..<5), id: \.self) { Button("left \($0)") {} } }
        ListBox(id: "right") { ForEach(Array(0..<5), id: \.self) { Button("right \($0)") {} } }
      }
      Button("last") {}
    }
    func go(_ key: TerminalKey, _ count: Int) -> [String] {
      (0..<count).map { _ in
        screen.press(key)
        let focus = screen.focus ?? "none"
        #expect(screen.text.contains("[\(focus)]"))
        return focus
      }
    }
    let left = (0..<5).map { "left \($0)" }
    #expect(go("down", 9) == ["field 1", "field 2", "field 3"] + left + ["last"])
    #expect(go("up", 2) == ["left 0", "field 3"])
    #expect(go("tab", 5) == ["left 0", "right 0", "last", "field 0", "field 1"])
    #expect(go("shift-tab", 4) == ["field 0", "last", "right 0", "left 0"])
    #expect(go("right", 1) == ["right 0"])
    #expect(go("end", 1) == ["right 4"])
  }

  @Test func `a screen that is too small says so, and comes back when it grows`() {
    let screen = screen(10, 3) { Text("hello") }
    #expect(screen.text == "Needs 20×4\nctrl-c\nquits")
    screen.resize(width: 40, height: 10)
    #expect(screen.text == "hello")
    screen.resize(width: 1, height: 1)
    #expect(screen.text.count == 1)
  }

  @Test func `on a screen that is too small nothing is done unseen`() {
    let log = Signal("")
    let screen = screen(20, 4) {
      Button("Delete", id: "delete") { log.value += "deleted" }.onKey("d") { log.value += "d" }
      TextField("Name", text: log.binding, id: "name")
    }
    #expect(screen.focus == "delete")
    screen.resize(width: 10, height: 3)
    screen.press("return", "d", "tab")
    screen.type("x")
    screen.paste("y")
    screen.click(x: 1, y: 0)
    #expect((log.value, screen.focus) == ("", "delete"))
    screen.resize(width: 20, height: 4)
    screen.press("d")
    #expect(log.value == "d")
  }

  @Test func `what is styled or framed stands as it would, and views too`() {
    struct Two: View {
      var body: Element {
        Text("one")
        Text("two")
      }
    }
    let screen = screen(20, 5) {
      Row {
        Two().style(.emphasized)
        Two().frame(minWidth: 6)
        Text("|")
      }
    }
    #expect(screen.text == "one  two  one     |\n          two")
  }

  @Test func `wide and combining characters keep their columns`() {
    let screen = screen(20, 4) {
      Row {
        Text("日本語").frame(minWidth: 8)
        Text("|")
      }
      Row {
        Text("e\u{301}te\u{301}").frame(minWidth: 8)
        Text("|")
      }
      Row {
        Text("👨‍👩‍👧").frame(minWidth: 8)
        Text("|")
      }
    }
    #expect(
      screen.text == "日本語    |\ne\u{301}te\u{301}       |\n👨‍👩‍👧        |")
  }
}
