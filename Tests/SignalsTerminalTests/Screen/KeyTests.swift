import Signals
import SignalsTerminal
import Testing

/// Which intent a key or a click runs, and what finding it costs.
@MainActor @Suite struct `Screen, whose a key is` {
  private let store = Store()

  /// Waits for what an asynchronous intent does.
  private func expect(_ what: Comment, _ isSo: () -> Bool) async {
    for _ in 0..<10_000 where !isSo() { await Task.yield() }
    #expect(isSo(), what)
  }

  @Test func `an asynchronous intent that is bound to a key runs`() async {
    let saved = Signal(0)
    let screen = TerminalScreen(store, width: 30, height: 4) {
      Text("saved \(saved.value)").onKey("s") {
        await Task.yield()
        saved.value += 1
      }
    }
    screen.press("s")
    await expect("it ran") { saved.value == 1 }
    #expect(screen.text == "saved 1")
  }

  @Test func `an asynchronous button runs, also where another row has its id`() async {
    let loaded = Signal<[Int]>([])
    let screen = TerminalScreen(store, width: 30, height: 6) {
      ForEach(Array(0..<3), id: \.self) { row in
        Button("Load", id: "load") {
          await Task.yield()
          loaded.value.append(row)
        }
      }
    }
    screen.press("down", "return")
    await expect("the second ran") { loaded.value == [1] }
    screen.click(x: 1, y: 2)
    await expect("the third ran") { loaded.value == [1, 2] }
    #expect(screen.text == "[Load]\n[Load]\n[Load]")
  }

  @Test func `without an actor an asynchronous intent is refused at the foot`() {
    let screen = TerminalScreen(store, width: 60, height: 4, isolation: nil) {
      Button("Load", id: "load") { await Task.yield() }
    }
    screen.press("return")
    #expect(screen.text.contains("needs an actor"))
  }

  /// Counts how often somebody asks who it is.
  private struct Named {
    final class Count { var asked = 0 }

    let number: Int
    let count: Count
    var id: Int {
      count.asked += 1
      return number
    }
  }

  @Test func `a key costs what is bound, not the rows above what is seen`() {
    let count = Named.Count(), pressed = Signal(0)
    let rows = (0..<100_000).map { Named(number: $0, count: count) }
    let screen = TerminalScreen(store, width: 30, height: 6) {
      ListBox(id: "list") { ForEach(rows, id: \.id) { Button("row \($0.number)") {} } }
        .onKey("x") { pressed.value += 1 }
    }
    screen.press("end")
    #expect(screen.focus == "row 99999")
    _ = screen.text
    let before = count.asked
    screen.press("x", "y", "up", "down")
    #expect(pressed.value == 1)
    #expect(count.asked - before < 5000)
  }

  @Test func `of rows that bind a key the first one gets it, and one that goes passes it on`() {
    let pressed = Signal(""), shown = Signal(Array(0..<5))
    let screen = TerminalScreen(store, width: 30, height: 8) {
      ListBox(id: "list") {
        ForEach(shown.value, id: \.self) { row in
          if row.isMultiple(of: 2) {
            Text("row \(row)")
          } else {
            Text("row \(row)").onKey("k") { pressed.value += "\(row)" }
          }
        }
      }
    }
    screen.press("k")
    shown.value = [3, 2, 4]
    #expect(screen.text.hasPrefix("row 3"))
    screen.press("k")
    shown.value = [2, 4]
    screen.press("k")
    #expect(pressed.value == "13")
    #expect(screen.host.keys == [])
  }

  @Test func `a key may be bound with what is held down in any order`() {
    let pressed = Signal(0)
    let screen = TerminalScreen(store, width: 30, height: 4) {
      Text("a").onKey("shift-ctrl-f5") { pressed.value += 1 }
    }
    screen.press("ctrl-shift-f5")
    #expect(pressed.value == 1)
  }

  @Test func `what has one id twice in a view is told apart`() {
    let log = Signal(""), first = Signal("one"), second = Signal("two")
    let screen = TerminalScreen(store, width: 30, height: 8) {
      Button("Remove") { log.value += "a" }
      Button("Remove") { log.value += "b" }
      TextField("Name", text: first.binding)
      TextField("Name", text: second.binding)
      Button("Last") { log.value += "c" }
    }
    screen.press("return", "tab", "return", "tab")
    screen.type("1")
    screen.press("tab")
    screen.type("2")
    screen.press("tab", "return", "shift-tab")
    screen.type("!")
    #expect((log.value, first.value, second.value) == ("abc", "one1", "two2!"))
  }

  @Test func `what is refused was not typed, and the cursor is where it was`() {
    let text = Signal("1234")
    let screen = TerminalScreen(store, width: 30, height: 4) {
      TextField(
        "N",
        text: Binding(
          get: { text.value }, set: { if $0.allSatisfy(\.isNumber) { text.value = $0 } }),
        id: "number")
    }
    screen.press("home", "right")
    screen.type("abc")
    screen.type("9")
    #expect(text.value == "19234")
    screen.press("shift-right")
    screen.type("x")
    screen.type("0")
    #expect(text.value == "19034", "the selection is there again, too")
  }

  @Test func `only who pressed in a field selects in it by dragging`() {
    let text = Signal("some words")
    let screen = TerminalScreen(store, width: 30, height: 4) {
      TextField("N", text: text.binding, id: "name")
      Text("a text")
    }
    screen.handle(.mouse(TerminalMouse(.press, x: 2, y: 1)))
    screen.handle(.mouse(TerminalMouse(.drag, x: 4, y: 0)))
    screen.type("!")
    #expect(text.value == "some words!")
    screen.handle(.mouse(TerminalMouse(.press, x: 3, y: 0)))
    screen.handle(.mouse(TerminalMouse(.drag, x: 7, y: 0)))
    screen.handle(.mouse(TerminalMouse(.release, x: 7, y: 0)))
    screen.handle(.mouse(TerminalMouse(.drag, x: 9, y: 0)))
    screen.type("-")
    #expect(text.value == "- words!")
  }

  @Test func `a double click selects a word, a third all, and alt-w copies it`() {
    let text = Signal("some good words")
    let screen = TerminalScreen(store, width: 30, height: 4) {
      TextField("N", text: text.binding, id: "name")
    }
    screen.press("alt-w")
    #expect(screen.copied == nil, "nothing is selected")
    screen.click(x: 10, y: 0, count: 2)
    screen.press("alt-w")
    #expect(screen.copied == "good")
    screen.click(x: 10, y: 0, count: 3)
    screen.press("alt-w")
    #expect(screen.copied == "some good words")
    screen.click(x: 10, y: 0)
    screen.type("-")
    #expect(text.value == "some go-od words")
  }

  @Test func `what the app copies is told to the terminal, once`() {
    struct Copying: View {
      @Environment(\.terminalCopy) var copy

      var body: Element {
        Text("a").onKey("1") { copy("Ma") }.onKey("2") { copy("\u{1B}[2J") }.onKey("3") { copy("") }
      }
    }
    let screen = TerminalScreen(store, width: 30, height: 4) { Copying() }
    var terminal = Emulator(width: 30, height: 4)
    for (key, sent) in [("1", "TWE="), ("2", "G1sySg=="), ("3", "c")] {
      screen.press(TerminalKey(key))
      terminal.write(screen.renderer.update())
      #expect(terminal.clipboard == sent)
    }
    #expect(screen.renderer.update() == [])
    #expect(terminal.text == "a")
    #expect(terminal.unknown == [])
  }
}
