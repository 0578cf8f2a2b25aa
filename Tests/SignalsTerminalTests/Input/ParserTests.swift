import Signals
import SignalsTerminal
import SignalsTesting
import Testing

@Suite struct `Input, from bytes to keys` {
  private func parse(_ text: String) -> [TerminalInput] {
    var parser = InputParser()
    return parser.parse(text.utf8) + parser.flush()
  }

  private func keys(_ text: String) -> [String] {
    parse(text).map { input in
      if case .key(let key) = input { key.fullName } else { "\(input)" }
    }
  }

  @Test func `a name that no key has traps, with those that there are`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let screen = TerminalScreen(Store(), width: 20, height: 4, isolation: nil) { Text("x") }
      screen.press("ctrl-s", "?", "é", "shift-f5")
      screen.press("enter")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Signals: no key is named \"enter\": there are characters, and delete, "))
    #expect(text.contains("right, tab, up, f1, "))
  }

  @Test func `characters are keys, however many bytes they have`() {
    #expect(keys("aÄ日👍 ") == ["a", "Ä", "日", "👍", " "])
  }

  @Test func `control characters have names`() {
    #expect(
      keys("\r\t\u{7F}\u{8}\u{0}\u{1}\u{3}\u{1A}\u{1F}")
        == [
          "return", "tab", "delete", "ctrl-delete", "ctrl- ", "ctrl-a", "ctrl-c", "ctrl-z",
          "ctrl-_",
        ])
  }

  @Test(arguments: [
    ("\u{1B}[A", "up"), ("\u{1B}OB", "down"), ("\u{1B}[1;5C", "ctrl-right"),
    ("\u{1B}[1;2D", "shift-left"), ("\u{1B}[H", "home"), ("\u{1B}[4~", "end"),
    ("\u{1B}[5~", "page-up"), ("\u{1B}[6;3~", "alt-page-down"), ("\u{1B}[3~", "forward-delete"),
    ("\u{1B}[Z", "shift-tab"), ("\u{1B}OP", "f1"), ("\u{1B}[15~", "f5"),
    ("\u{1B}[24;6~", "ctrl-shift-f12"),
    ("\u{1B}x", "alt-x"), ("\u{1B}é", "alt-é"), ("\u{1B}\u{7F}", "alt-delete"),
    ("\u{1B}[97;5u", "ctrl-a"), ("\u{1B}[27u", "escape"), ("\u{1B}", "escape"),
    ("\u{1B}[", "alt-["),
    ("\u{1B}O", "alt-O"),
  ])
  func `a sequence is a key with what was held down`(_ bytes: String, _ name: String) {
    #expect(keys(bytes) == [name])
    #expect(TerminalKey(parsing: name).fullName == name)
  }

  @Test func `an escape alone is a key when nothing follows it`() {
    var parser = InputParser()
    #expect(parser.parse([0x1B]) == [])
    #expect(parser.patience != nil)
    #expect(parser.flush() == [.key("escape")])
    #expect(parser.patience == nil)
    #expect(keys("\u{1B}\u{1B}[A") == ["escape", "up"])
  }

  @Test func `the mouse tells what and where`() {
    #expect(
      parse("\u{1B}[<0;5;3M\u{1B}[<32;6;3M\u{1B}[<0;6;3m\u{1B}[<64;1;1M\u{1B}[<65;1;1M")
        == [
          .mouse(TerminalMouse(.press, x: 4, y: 2)), .mouse(TerminalMouse(.drag, x: 5, y: 2)),
          .mouse(TerminalMouse(.release, x: 5, y: 2)), .mouse(TerminalMouse(.scrollUp, x: 0, y: 0)),
          .mouse(TerminalMouse(.scrollDown, x: 0, y: 0)),
        ])
    #expect(parse("\u{1B}[<0;0;3M\u{1B}[<0;3M\u{1B}[<2;1;1M") == [], "no place, or another button")
  }

  @Test func `a paste is data, whatever it contains`() {
    #expect(
      parse("\u{1B}[200~a\u{1B}[Ab\r\u{3}\u{1B}[201~x")
        == [.paste("a\u{1B}[Ab\r\u{3}"), .key("x")])
  }

  @Test func `a paste of any length arrives whole, in pieces`() {
    let text = String(repeating: "Zeile 日本 e\u{301}\n", count: 20_000)
    let events = parse("\u{1B}[200~\(text)\u{1B}[201~")
    let pasted = events.map { if case .paste(let part) = $0 { part } else { "?" } }
    #expect(pasted.joined() == text)
    #expect(pasted.count > 1)
  }

  @Test func `answers of the terminal and unknown sequences say nothing`() {
    #expect(
      keys("\u{1B}[?62;22c\u{1B}[24;80R\u{1B}]11;rgb:0/0/0\u{7}\u{1B}P1+r\u{1B}\\\u{1B}[99~a") == [
        "a"
      ])
    #expect(keys("\u{1B}[M !!b") == ["b"], "the mouse as it was told of old")
    #expect(keys("\u{1B}[" + String(repeating: "1;", count: 100) + "Ax").last == "x")
  }

  @Test func `invalid UTF-8 becomes a replacement, and what follows is read`() {
    var parser = InputParser()
    #expect(
      parser.parse([0xFF, 0x61, 0xE6, 0x97, 0x62, 0xC3])
        == [.key("\u{FFFD}"), .key("a"), .key("\u{FFFD}"), .key("b")])
    #expect(parser.flush() == [.key("\u{FFFD}")])
  }

  @Test(arguments: 0..<30) func `bytes cut anywhere say the same, and garbage never ends it`(
    _ seed: UInt64
  ) {
    var random = SeededRandom(seed: seed)
    let pieces = [
      "a", "é", "日", "\u{1B}[A", "\u{1B}[1;5C", "\u{1B}OP", "\u{1B}[<0;5;3M",
      "\u{1B}[200~pa\u{1B}ste\u{1B}[201~",
      "\u{1B}x", "\u{1B}]0;t\u{7}", "\r",
    ]
    var bytes: [UInt8] = []
    for _ in 0..<100 {
      if Int.random(in: 0..<5, using: &random) == 0 {
        bytes.append(UInt8.random(in: 0...255, using: &random))
      } else {
        bytes += Array((pieces.randomElement(using: &random) ?? "").utf8)
      }
    }
    var whole = InputParser()
    let expected = whole.parse(bytes)
    var cut = InputParser()
    var events: [TerminalInput] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = min(rest.count, Int.random(in: 1...5, using: &random))
      events += cut.parse(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    #expect(events == expected)
  }
}
