import SignalsTerminal
import Testing

/// What no user types: too long, cut off, or meant for another program.
@Suite struct `Input, from a terminal that is not well` {
  private func keys(_ text: String, backspace: UInt8 = 0x7F) -> [String] {
    var parser = InputParser(backspace: backspace)
    return (parser.parse(text.utf8) + parser.flush()).map { input in
      if case .key(let key) = input { key.fullName } else { "\(input)" }
    }
  }

  @Test func `nothing of a sequence or an answer is a key, however long it is`() {
    let long = String(repeating: "1;", count: 100_000)
    #expect(keys("\u{1B}[\(long)Ax") == ["x"])
    #expect(keys("\u{1B}]52;c;\(long)\u{7}x") == ["x"])
    #expect(keys("\u{1B}P\(long)\u{1B}\\x") == ["x"])
    #expect(keys("\u{1B}]\(long)") == [], "nor if its end never comes")
  }

  @Test func `a paste of bytes that are no text costs its length, and is kept in pieces`() {
    var parser = InputParser()
    let garbage = [UInt8](repeating: 0x80, count: 1 << 17)
    let events = parser.parse("\u{1B}[200~".utf8) + parser.parse(garbage)
    #expect(events.count >= 2)
    let escapes = [UInt8](repeating: 0x1B, count: 1 << 17)
    #expect(parser.parse(escapes).count >= 1)
    #expect(parser.parse("\u{1B}[201~x".utf8).last == .key("x"))
  }

  @Test func `a paste whose end was lost is told, and left by ctrl-c`() {
    var parser = InputParser()
    #expect(parser.parse("\u{1B}[200~text\u{3}".utf8) == [], "ctrl-c in a paste is data")
    #expect(parser.patience == 1000)
    #expect(parser.flush() == [.paste("text\u{3}")])
    #expect(parser.parse("more".utf8) == [])
    #expect(parser.flush() == [.paste("more")], "it goes on, whatever the time")
    #expect(parser.patience == nil)
    #expect(parser.parse("\u{3}q".utf8) == [.key("ctrl-c"), .key("q")])
  }

  @Test func `a line end and a character are in one piece of a paste`() {
    var parser = InputParser()
    #expect(parser.parse("\u{1B}[200~one\r".utf8) == [])
    #expect(parser.flush() == [.paste("one")])
    #expect(parser.parse("\ntwo\u{1B}[201~".utf8) == [.paste("\r\ntwo")])
  }

  @Test(arguments: [
    ("\u{1B}[[A", "f1"), ("\u{1B}[[E", "f5"), ("\u{1B}]", "alt-]"), ("\u{1B}P", "alt-P"),
    ("\u{1B}[27;5;97~", "ctrl-a"), ("\u{1B}[27;2;65~", "A"), ("\u{1B}[97;2u", "A"),
    ("\u{1B}[223;2u", "ß"), ("\u{1B}[32;2u", " "), ("\u{1B}[97:65;5:1u", "ctrl-a"),
  ])
  func `keys of other terminals are the same keys`(_ bytes: String, _ name: String) {
    #expect(keys(bytes) == [name])
  }

  @Test func `keys without a character, and unknown ones, are none`() {
    #expect(keys("\u{1B}[57441u\u{1B}[57358;1u\u{1B}[155u\u{1B}[[Zx") == ["x"])
  }

  @Test func `the terminal says what its backspace sends`() {
    #expect(keys("\u{8}\u{7F}") == ["ctrl-delete", "delete"])
    #expect(keys("\u{8}\u{7F}", backspace: 0x08) == ["delete", "delete"])
  }

  @Test func `what is held down may be named in any order`() {
    #expect(TerminalKey(parsing: "shift-alt-ctrl-f5").fullName == "ctrl-alt-shift-f5")
    #expect(TerminalKey(parsing: "ctrl--").fullName == "ctrl--")
  }

  @Test func `presses in one place in short order are one click of several`() {
    var counter = ClickCounter()
    func clicks(_ x: Int, _ time: Int64) -> Int {
      guard
        case .mouse(let mouse) = counter.count(.mouse(TerminalMouse(.press, x: x, y: 1)), at: time)
      else { return 0 }
      return mouse.clicks
    }
    #expect([clicks(1, 0), clicks(1, 300), clicks(1, 700), clicks(1, 900)] == [1, 2, 3, 1])
    #expect([clicks(1, 1400), clicks(2, 1500), clicks(2, 1600)] == [1, 1, 2])
    #expect(counter.count(.key("a"), at: 0) == .key("a"))
  }
}
