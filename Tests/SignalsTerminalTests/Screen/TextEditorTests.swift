import Signals
import SignalsTerminal
import SignalsTesting
import TestSupport
import Testing

/// Fields of several lines on a terminal, and passwords.
@Suite struct `Screen, text editors` {
  private let text = Signal(""), other = Signal("")

  private func screen(width: Int = 20, height: Int = 8) -> TerminalScreen {
    let (text, other) = (text, other)
    let screen = TerminalScreen(Store(), width: width, height: height) {
      TextEditor("Notes", text: text.binding, id: "notes")
      TextField("O", text: other.binding, id: "o")
    }
    while screen.focus != "notes" { screen.press("tab") }
    return screen
  }

  private func lines(_ screen: TerminalScreen) -> [String] {
    screen.text.split(separator: "\n").map { $0.trimmingEnd }.filter { !$0.isEmpty }
  }

  @Test func `return starts a line, and a paste keeps its lines`() {
    let screen = screen()
    screen.type("ab")
    screen.press("return")
    screen.paste("x\r\ny\n")
    #expect(text.value == "ab\nx\ny\n")
    #expect(lines(screen).joined(separator: "\n").hasPrefix("Notes:\n│ ab\n│ x\n│ y"))
    screen.press("tab")
    screen.paste("1\n2")
    #expect(other.value == "1 2", "a field of one line has none")
  }

  @Test func `arrows move by lines, and leave the field at its ends`() {
    text.value = "long line\nab\nlonger"
    let screen = screen()
    screen.press("up")
    screen.type("1")
    #expect(text.value == "long line\nab1\nlonger")
    screen.press("up")
    screen.type("2")
    #expect(text.value == "lon2g line\nab1\nlonger")
    screen.press("up")
    #expect(screen.focus == "notes")
    screen.press("down", "down", "down")
    #expect(screen.focus == "o")
  }

  @Test func `home and end belong to the line, with control to the text`() {
    text.value = "one\ntwo\nthree"
    let screen = screen()
    screen.press("up", "home")
    screen.type(">")
    screen.press("end")
    screen.type("<")
    #expect(text.value == "one\n>two<\nthree")
    screen.press("ctrl-home")
    screen.type("1")
    screen.press("ctrl-end")
    screen.type("2")
    #expect(text.value == "1one\n>two<\nthree2")
    screen.press("ctrl-u")
    #expect(text.value == "1one\n>two<\n")
    screen.press("delete", "ctrl-a", "ctrl-k")
    #expect(text.value == "1one\n")
  }

  @Test func `a long line is broken at blanks, or within a word`() {
    text.value = "some words that are here, abcdefghijklmnopqrstu"
    let screen = screen()
    #expect(
      lines(screen).prefix(5) == [
        "Notes:", "│ some words that", "│ are here,", "│ abcdefghijklmnopq", "│ rstu",
      ])
  }

  @Test func `it scrolls with the cursor`() {
    text.value = (1...30).map { "line \($0)" }.joined(separator: "\n")
    let screen = screen(height: 12)
    #expect(screen.text.contains("│ line 30\n") && !screen.text.contains("│ line 20"))
    for _ in 0..<15 { screen.press("up") }
    #expect(screen.text.contains("│ line 15") && screen.text.contains("│ line 24"))
    screen.press("ctrl-home")
    #expect(screen.text.contains("│ line 1\n") && !screen.text.contains("line 11"))
  }

  @Test func `a click puts the cursor there, a drag selects lines`() {
    text.value = "one\ntwo\nthree"
    let screen = screen()
    screen.click(x: 3, y: 2)
    screen.type("-")
    #expect(text.value == "one\nt-wo\nthree")
    screen.click(x: 13, y: 1)
    screen.type("!")
    #expect(text.value == "one!\nt-wo\nthree")
    screen.handle(.mouse(TerminalMouse(.press, x: 2, y: 1)))
    screen.handle(.mouse(TerminalMouse(.drag, x: 3, y: 3)))
    screen.handle(.mouse(TerminalMouse(.release, x: 3, y: 3)))
    screen.type("x")
    #expect(text.value == "xhree")
  }

  @Test func `lines that others write keep the cursor at its text`() {
    text.value = "one\ntwo"
    let screen = screen()
    screen.press("home")
    text.value = "zero\none\ntwo"
    screen.type("-")
    #expect(text.value == "zero\none\n-two")
  }

  @Test func `a password is shown as dots, and can't be copied`() {
    let secret = text
    let copied = Signal("")
    let screen = TerminalScreen(Store(), width: 20, height: 4) {
      SecureField("P", text: secret.binding, id: "p")
    }
    screen.press("tab")
    screen.type("pass")
    screen.press("left")
    screen.type("-")
    #expect(secret.value == "pas-s")
    #expect(screen.text.hasPrefix("P: •••••"))
    screen.press("alt-a", "alt-w")
    #expect(!screen.text.contains("s") && copied.value == "")
    screen.type("x")
    #expect(secret.value == "x")
  }

  @Test func `radio groups, links and images have a form`() {
    let size = Signal("m")
    let screen = TerminalScreen(Store(), width: 30, height: 4) {
      RadioGroup("Size", selection: size.binding, options: ["s", "m", "l"], id: "size")
      Hyperlink("Home", to: "https://a.b/")
      Image("/x.png", text: "A chart")
    }
    #expect(
      lines(screen) == [
        "Size: ( ) s  (•) m  ( ) l", "Home (https://a.b/)", "A chart",
      ])
    screen.press("tab", "right")
    #expect(size.value == "l")
    screen.press("return", "home", "return")
    #expect(size.value == "s")
  }

  @Test(arguments: 0..<20) func `lines are those of a simple model`(_ number: UInt64) {
    var random = SeededRandom(seed: number)
    for _ in 0..<200 {
      let alphabet = ["a", "b", " ", "\n", "日", "e\u{301}", "\r\n"]
      let text = (0..<Int.random(in: 0...30, using: &random)).map { _ in
        alphabet.randomElement(using: &random)!
      }.joined()
      let buffer = TextBuffer(text)
      let width = Int.random(in: 1...8, using: &random)
      let lines = buffer.lines(width: width)
      var next = 0
      for (place, line) in lines.enumerated() {
        // Between two lines is nothing, or the line end.
        if line.lowerBound != next {
          #expect(line.lowerBound == next + 1 && buffer.characters[next].isNewline)
        }
        #expect(buffer.characters[line].allSatisfy { !$0.isNewline })
        let cells = buffer.column(of: line.upperBound, from: line.lowerBound)
        let isWide = line.count == 1
        // A blank at a break takes no cell.
        let isBlank = buffer.characters[line].last == " "
        #expect(
          cells <= width + (isBlank ? 1 : 0) || isWide, "seed \(number): \(text.debugDescription)")
        for position in line { #expect(TextBuffer.line(of: position, in: lines) == place) }
        next = line.upperBound
      }
      #expect(next == buffer.characters.count)
      var moved = buffer
      moved.move(.place(Int.random(in: 0...buffer.characters.count, using: &random)))
      let start = moved.cursor
      if moved.moveVertically(by: 1, width: width, selects: false) {
        let (old, new) = (
          TextBuffer.line(of: start, in: lines), TextBuffer.line(of: moved.cursor, in: lines)
        )
        #expect(new == old + 1, "seed \(number): \(text.debugDescription) at \(start)")
      }
    }
  }
}

extension Substring {
  fileprivate var trimmingEnd: String {
    var text = String(self)
    while text.last == " " { text.removeLast() }
    return text
  }
}
