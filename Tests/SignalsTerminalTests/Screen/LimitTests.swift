import Signals
import SignalsTerminal
import Testing

/// Data, looks and sizes that nobody would choose.
@Suite struct `Screen, whatever it is given` {
  @Test func `nothing in the data does anything to the terminal`() {
    let bad = "a\u{1B}[2J\u{1B}]0;t\u{7}\u{9B}31m\u{90}\u{0}\u{202E}\u{8}\r\n\u{85}b"
    let text = Signal(bad), isOn = Signal(true), choice = Signal(bad)
    let screen = TerminalScreen(Store(), width: 60, height: 24) {
      TextField(bad, text: text.binding, id: "field")
      Text(bad)
      Toggle(bad, isOn: isOn.binding, id: "toggle")
      Picker(bad, selection: choice.binding, options: [bad, "other"], id: "picker")
      Button(bad, id: "button") { throw Failure(description: bad) }
      ProgressBar(bad, value: 0.5)
      Section(bad) { ErrorText([bad]) }
      Table([TableColumn(bad) {}], id: bad) { TableRow { Text(bad) } }
    }
    var terminal = Emulator(width: 60, height: 24)
    let keys: [TerminalKey] = ["tab", "tab", "return", "down", "escape", "tab", "return"]
    terminal.write(screen.renderer.update())
    for key in keys {
      screen.press(key)
      let bytes = screen.renderer.update()
      #expect(!String(decoding: bytes, as: UTF8.self).unicodeScalars.contains("\u{9B}"))
      terminal.write(bytes)
      #expect(terminal.text == screen.text)
    }
    #expect(terminal.unknown == [])
    #expect(terminal.modes.isSubset(of: ["?25", "?2026"]))
    #expect(screen.text.hasSuffix("b"), "the error is at the foot")
  }

  struct Failure: Error, CustomStringConvertible { let description: String }

  @Test func `looks of any size lay out`() {
    let numbers = [Int.min, -1, 0, 1, .max]
    for number in numbers {
      let screen = TerminalScreen(Store(), width: 30, height: 6) {
        Row {
          Text("one").frame(minWidth: number, maxWidth: 5, flex: .greatestFiniteMagnitude)
          Text("two").frame(minWidth: number, flex: .greatestFiniteMagnitude)
          Text("three").frame(maxWidth: number, flex: .infinity)
          Text("four").frame(flex: .nan)
        }
        Column { Text("five").frame(minHeight: number) }.frame(minHeight: number)
        ListBox(id: "list") { Text("six").frame(maxHeight: number) }.frame(maxHeight: number)
        Text("seven").frame(minHeight: number, maxHeight: number)
      }
      screen.press("down", "page-down", "end", "up", "home")
      #expect(screen.text.split(separator: "\n").allSatisfy { $0.count <= 30 })
    }
  }

  @Test func `a size that no terminal has is the nearest that one could have`() {
    let screen = TerminalScreen(Store(), width: .max, height: .max) { Text("hello") }
    #expect((screen.renderer.width, screen.renderer.height) == (2000, 1000))
    screen.resize(width: 65535, height: 65535)
    #expect((screen.renderer.width, screen.renderer.height) == (2000, 1000))
    screen.resize(width: .min, height: 0)
    #expect((screen.renderer.width, screen.renderer.height) == (1, 1))
    #expect(screen.text.count == 1)
  }

  @Test func `a long text scrolls line by line`() {
    let lines = (0..<5000).map { "line \($0)" }.joined(separator: "\n")
    let screen = TerminalScreen(Store(), width: 30, height: 5) { Text(lines) }
    screen.handle(.mouse(TerminalMouse(.scrollDown, x: 1, y: 1)))
    #expect(screen.text.hasPrefix("line 3 "))
    screen.press("end")
    #expect(screen.text.hasPrefix("line 4995 ") && screen.text.contains("line 4999 "))
    screen.press("page-up")
    #expect(screen.text.hasPrefix("line 4991 "))
    screen.press("home")
    #expect(screen.text.hasPrefix("line 0 "))
  }
}
