import SignalsTerminal
import SignalsTesting
import Testing

/// Texts that are too long, or mean to do something.
@Suite struct `Text, whatever it contains` {
  @Test func `a letter with accents without end is drawn as one with some`() {
    let pool = GlyphPool()
    let endless = "e" + String(repeating: "\u{301}", count: 100_000) + "x"
    var grid = CellGrid(width: 4, height: 1)
    grid.write(endless, x: 0, y: 0, style: .plain, in: grid.bounds, pool: pool)
    let line = grid.lines(pool)[0]
    #expect(line.count == 2 && line.hasSuffix("x") && line.utf8.count < 140)
    #expect(CharacterWidth.of(endless) == 2)
  }

  @Test func `what is typed or pasted into a field has no control characters`() {
    var buffer = TextBuffer("")
    buffer.insert("a\u{1B}[2Jb\u{0}\tc\u{9B}d\r\ne")
    #expect(buffer.text == "a[2Jb cd e")
    #expect(buffer.cursor == 10)
  }

  @Test(arguments: 0..<40) func `a text of ASCII breaks as any other`(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let pieces = [
      "a", "bcd", " ", "  ", "\n", "\r\n", "\r", "\t", "\u{B}", "\u{1B}", "efghijkl", "\u{7F}",
    ]
    for _ in 0..<50 {
      let text = (0..<Int.random(in: 0..<20, using: &random))
        .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      // The same with a letter that is no ASCII at the end of the last line.
      let other = text + "é"
      let ascii = text + "e"
      let width = Int.random(in: 1...9, using: &random)
      let limit = Int.random(in: 1...9, using: &random)
      #expect(
        TextLines.wrap(ascii, width: width, limit: limit).map { $0.replacing("e", with: "é") }
          == TextLines.wrap(other, width: width, limit: limit).map { $0.replacing("e", with: "é") })
      #expect(TextLines.size(of: ascii) == TextLines.size(of: other))
    }
  }

  @Test(arguments: 0..<20) func `an edit is that of the whole text`(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let texts = [
      "a", "\u{301}", "🇫", "🇷", "🇩🇪", "👨", "\u{200D}", "🏽", "日", "ᄒ", "ᅡ", "\u{600}", "\u{94D}", "क",
    ]
    for _ in 0..<100 {
      func some(_ count: Int) -> String {
        (0..<count).map { _ in texts.randomElement(using: &random) ?? "" }.joined()
      }
      let text = some(8)
      var buffer = TextBuffer(text)
      let place = Int.random(in: 0...buffer.characters.count, using: &random)
      let before = String(buffer.characters[..<place])
      let rest = String(buffer.characters[place...])
      buffer.move(.place(place))
      let new = some(2)
      buffer.insert(new)
      #expect(buffer.text.unicodeScalars.elementsEqual((before + new + rest).unicodeScalars))
      #expect(buffer.characters == Array(buffer.text))
      let head = String(buffer.characters[..<buffer.cursor])
      #expect(head.utf8.count >= (before + new).utf8.count)
    }
  }

  @Test func `the part of a field that is seen moves as little as shows the cursor`() {
    var buffer = TextBuffer("0123456789")
    #expect(buffer.firstPlace(0, showing: 10, in: 4) == 6)
    #expect(buffer.firstPlace(6, showing: 8, in: 4) == 6)
    #expect(buffer.firstPlace(6, showing: 2, in: 4) == 2)
    buffer.replaceText("日本語")
    #expect(buffer.firstPlace(0, showing: 3, in: 4) == 1)
    #expect(buffer.firstPlace(9, showing: 3, in: 4) == 3)
  }
}
