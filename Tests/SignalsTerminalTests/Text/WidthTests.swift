import SignalsTerminal
import SignalsTesting
import Testing

@Suite struct `Text, how wide it is and where it breaks` {
  @Test(arguments: [
    ("a", 1), ("é", 1), ("e\u{301}", 1), ("日", 2), ("ﾊ", 1), ("Ａ", 2), ("한", 2), ("한", 2),
    ("👍", 2), ("👍🏽", 2), ("👨‍👩‍👧‍👦", 2), ("🇫🇷", 2), ("❤️", 2), ("❤", 1), ("1️⃣", 2), ("\u{200B}", 0),
    ("\u{301}", 0), ("\u{202E}", 0), ("─", 1), ("नि", 1), ("ก็", 1), ("\u{FEFF}", 0), ("☃", 1),
  ])
  func `a character has the width that terminals give it`(_ text: String, _ width: Int) {
    #expect(CharacterWidth.of(text) == width)
  }

  @Test func `what could do something to a terminal is replaced`() {
    #expect(CharacterWidth.shown("\u{1B}") == "\u{FFFD}")
    #expect(CharacterWidth.shown("\u{9B}") == "\u{FFFD}")
    #expect(CharacterWidth.shown("\u{7F}") == "\u{FFFD}")
    #expect(CharacterWidth.shown("\r\n") == " ")
    #expect(CharacterWidth.shown("\t") == " ")
    let pool = GlyphPool()
    var grid = CellGrid(width: 20, height: 1)
    grid.write("a\u{1B}[2J\u{202E}b\u{7}", x: 0, y: 0, style: .plain, in: grid.bounds, pool: pool)
    #expect(grid.lines(pool) == ["a\u{FFFD}[2Jb\u{FFFD}"])
  }

  @Test func `a text breaks at blanks, and within a word only if it must`() {
    func wrap(_ text: String, _ width: Int) -> [String] {
      TextLines.wrap(text, width: width).map(String.init)
    }
    #expect(wrap("one two three", 7) == ["one two", "three"])
    #expect(wrap("one two three", 5) == ["one", "two", "three"])
    #expect(wrap("incomprehensible", 6) == ["incomp", "rehens", "ible"])
    #expect(wrap("a\n\nb", 5) == ["a", "", "b"])
    #expect(wrap("日本語の文", 5) == ["日本", "語の", "文"])
    #expect(wrap("日本", 1) == ["日", "本"])
    #expect(wrap("", 5) == [""])
    #expect(wrap("e\u{301}e\u{301}e\u{301}", 2) == ["e\u{301}e\u{301}", "e\u{301}"])
  }

  @Test func `a line that is cut ends with an ellipsis, and never in half a character`() {
    #expect(TextLines.truncate("abcdef", width: 4) == "abc…")
    #expect(TextLines.truncate("abcd", width: 4) == "abcd")
    #expect(TextLines.truncate("日本語", width: 4) == "日…")
    #expect(TextLines.truncate("abc", width: 0) == "")
  }

  @Test(arguments: 0..<20) func `no line is wider than it may be, and nothing is lost`(
    _ seed: UInt64
  ) {
    var random = SeededRandom(seed: seed)
    let words = ["a", "word", "日本語", "e\u{301}te\u{301}", "👨‍👩‍👧", "extraordinarily", " ", "  "]
    for _ in 0..<50 {
      let text = (0..<Int.random(in: 0..<12, using: &random))
        .map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
      let width = Int.random(in: 2...20, using: &random)
      let lines = TextLines.wrap(text, width: width)
      #expect(lines.allSatisfy { CharacterWidth.of($0) <= width })
      #expect(
        lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
    }
  }
}
