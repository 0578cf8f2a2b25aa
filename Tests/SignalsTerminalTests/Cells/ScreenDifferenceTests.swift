import SignalsTerminal
import SignalsTesting
import Testing

@Suite struct `Cells, what a terminal has to be told` {
  private func bytes(_ old: CellGrid?, _ new: CellGrid, _ pool: GlyphPool) -> [UInt8] {
    var writer = EscapeWriter(.full)
    writer.update(from: old, to: new, pool)
    return writer.bytes
  }

  private func grid(_ lines: [String], width: Int, _ pool: GlyphPool) -> CellGrid {
    var grid = CellGrid(width: width, height: lines.count)
    for (y, line) in lines.enumerated() {
      grid.write(line, x: 0, y: y, style: .plain, in: grid.bounds, pool: pool)
    }
    return grid
  }

  @Test func `an equal screen needs no byte`() {
    let pool = GlyphPool()
    let screen = grid(["one", "two"], width: 10, pool)
    #expect(bytes(screen, screen, pool) == [])
  }

  @Test func `one cell that changed is a place, a style and a character`() {
    let pool = GlyphPool()
    let old = grid(["one", "two"], width: 10, pool)
    let new = grid(["one", "tao"], width: 10, pool)
    #expect(String(decoding: bytes(old, new, pool), as: UTF8.self) == "\u{1B}[2;2H\u{1B}[ma")
  }

  @Test func `what became blank up to the end of a line is erased`() {
    let pool = GlyphPool()
    let old = grid(["a long line of text"], width: 40, pool)
    let new = grid(["a long"], width: 40, pool)
    #expect(String(decoding: bytes(old, new, pool), as: UTF8.self) == "\u{1B}[1;8H\u{1B}[m\u{1B}[K")
  }

  @Test func `rows that scroll are told in a few bytes`() {
    let pool = GlyphPool()
    let lines = (0..<30).map { "row number \($0) with some text in it" }
    let old = grid(["title"] + lines[0..<20] + ["foot"], width: 60, pool)
    let new = grid(["title"] + lines[3..<23] + ["foot"], width: 60, pool)
    let told = bytes(old, new, pool)
    #expect(told.count < 200)
    var terminal = Emulator(width: 60, height: 22, pool: pool)
    terminal.write(bytes(nil, old, pool))
    terminal.write(told)
    #expect(terminal.grid == new)
  }

  @Test(arguments: 0..<40) func `any screen is turned into any other`(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let pool = GlyphPool()
    let (width, height) = (
      Int.random(in: 1...24, using: &random), Int.random(in: 1...12, using: &random)
    )
    var terminal = Emulator(width: width, height: height, pool: pool)
    var old: CellGrid?
    var new = CellGrid(width: width, height: height)
    for _ in 0..<30 {
      change(&new, pool, &random)
      terminal.write(bytes(old, new, pool))
      #expect(terminal.grid.isSeen(as: new))
      old = new
    }
    #expect(terminal.unknown == [])
  }

  private func change(
    _ grid: inout CellGrid, _ pool: GlyphPool, _ random: inout SeededRandom
  ) {
    let texts = ["a", "word", "日本", "é", "e\u{301}", "👨‍👩‍👧", "   ", "🇫🇷x", "─", "long text here"]
    let styles = [
      .plain, .bold, .reversed, Style(foreground: .red), Style(background: .blue, .dim),
      Style(foreground: .palette(200), background: .rgb(1, 2, 3), .underlined),
    ]
    switch Int.random(in: 0..<6, using: &random) {
    case 0: grid.scroll(0..<grid.height, by: Int.random(in: -3...3, using: &random))
    case 1:
      let rect = Rect(
        x: Int.random(in: 0..<grid.width, using: &random),
        y: Int.random(in: 0..<grid.height, using: &random), width: 6, height: 3)
      grid.fill(rect, style: styles.randomElement(using: &random) ?? .plain)
    default:
      for _ in 0..<4 {
        grid.write(
          texts.randomElement(using: &random) ?? "",
          x: Int.random(in: -2..<grid.width, using: &random),
          y: Int.random(in: 0..<grid.height, using: &random),
          style: styles.randomElement(using: &random) ?? .plain, in: grid.bounds, pool: pool)
      }
    }
  }
}

extension CellGrid {
  /// Whether both look the same: a blank that nothing is to be seen of has any style.
  func isSeen(as other: CellGrid) -> Bool {
    guard width == other.width, height == other.height else { return false }
    for y in 0..<height {
      for x in 0..<width {
        let (left, right) = (self[x, y], other[x, y])
        if left == right { continue }
        let areBlank = left.glyph == .blank && right.glyph == .blank
        let seen: Style.Attributes = [.reversed, .underlined]
        if !areBlank || left.style.background != right.style.background
          || left.style.attributes.intersection(seen) != right.style.attributes.intersection(seen)
        {
          return false
        }
      }
    }
    return true
  }
}
