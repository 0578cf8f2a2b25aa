import Signals
import SignalsTerminal
import SignalsTesting
import Testing

/// What a frame costs in bytes, and that a terminal shows what was drawn.
@Suite struct `Screen, what frames tell a terminal` {
  private let rows = (0..<1000).map { Signal("row \($0)") }

  private func screen(_ width: Int = 200, _ height: Int = 60) -> TerminalScreen {
    TerminalScreen(Store(), width: width, height: height) { [rows] in
      Text("A title").style(.title)
      ListBox(id: "rows") {
        ForEach(Array(rows.enumerated()), id: \.offset) { row in
          Row {
            Text(row.element.value).frame(minWidth: 20)
            Text("what fills the line, more or less: \(row.offset * 7919)")
          }
        }
      }
      Text("A line at the foot").style(.status)
    }
  }

  @Test func `a row that changes is sent in few bytes, and one that is not visible in none`() {
    let screen = screen()
    #expect(screen.renderer.update().count > 2000)
    rows[3].value = "row III"
    #expect(screen.renderer.update().count < 60)
    rows[900].value = "out of sight"
    #expect(screen.renderer.update() == [])
    #expect(screen.renderer.update() == [])
  }

  @Test func `a list that scrolls by a few lines is told by what came into sight`() {
    let screen = screen()
    let whole = screen.renderer.update().count
    screen.handle(.mouse(TerminalMouse(.scrollDown, x: 5, y: 5)))
    #expect(screen.renderer.update().count < whole / 5)
  }

  @Test(arguments: [(80, 24), (40, 10), (200, 60), (21, 5)])
  func `whatever is done, the terminal shows what was drawn`(_ width: Int, _ height: Int) {
    let screen = screen(width, height)
    var terminal = Emulator(width: width, height: height)
    var random = SeededRandom(seed: UInt64(width))
    let keys: [TerminalKey] = [
      "down", "up", "page-down", "page-up", "end", "home", "tab", "ctrl-l",
    ]
    for step in 0..<120 {
      switch step % 4 {
      case 0: rows[Int.random(in: 0..<30, using: &random)].value = "日本 \(step) e\u{301}"
      case 1:
        let kind: TerminalMouse.Kind = Bool.random(using: &random) ? .scrollDown : .scrollUp
        screen.handle(.mouse(TerminalMouse(kind, x: 2, y: 3)))
      default: screen.press(keys.randomElement(using: &random) ?? "down")
      }
      _ = screen.text
      terminal.write(screen.renderer.update())
      #expect(terminal.text == screen.text)
    }
    #expect(terminal.unknown == [])
  }
}
