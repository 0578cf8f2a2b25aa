import SignalsTerminal
import SignalsTesting
import Testing

/// Clusters that terminals draw in different numbers of cells, on a terminal that draws each scalar by itself.
@Suite struct `Cells, clusters of uncertain width` {
  static let clusters = [
    "👨‍👩‍👧‍👦", "👩🏽‍🚀", "👍🏽", "🇫🇷", "\u{2764}\u{FE0F}", "1\u{FE0F}\u{20E3}",
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}", "\u{231A}\u{FE0E}",
    "\u{915}\u{94D}\u{937}\u{93F}", "\u{1112}\u{1161}\u{11AB}", "x\u{200D}",
  ]

  /// A terminal that doesn't join, and the grid that it is to show.
  private struct Shown {
    let pool = GlyphPool()
    var terminal: Emulator
    var grid: CellGrid?

    init(width: Int, height: Int = 1) {
      terminal = Emulator(width: width, height: height, pool: pool, joins: false)
    }

    mutating func show(_ new: CellGrid) {
      var writer = EscapeWriter(.full)
      writer.update(from: grid, to: new, pool)
      terminal.write(writer.bytes)
      grid = new
    }

    mutating func show(_ lines: String...) {
      var new = CellGrid(width: terminal.grid.width, height: terminal.grid.height)
      for (y, line) in lines.enumerated() {
        new.write(line, x: 0, y: y, style: .plain, in: new.bounds, pool: pool)
      }
      show(new)
    }

    /// The cells that differ from the grid, apart from those of clusters.
    var wrong: [String] {
      guard let grid else { return [] }
      var wrong: [String] = []
      for y in 0..<grid.height {
        for x in 0..<grid.width {
          let (want, shown) = (grid[x, y], terminal.grid[x, y])
          let isCluster =
            isCluster(want) || x > 0 && want.glyph == .rest && isCluster(grid[x - 1, y])
          if isCluster || want.glyph == shown.glyph { continue }
          wrong.append("\(x),\(y): \(pool.text(of: shown.glyph)) for \(pool.text(of: want.glyph))")
        }
      }
      return wrong
    }

    private func isCluster(_ cell: Cell) -> Bool {
      pool.text(of: cell.glyph).unicodeScalars.dropFirst().isEmpty == false
    }
  }

  @Test(arguments: clusters) func `a cluster that is replaced leaves nothing`(_ cluster: String) {
    for text in ["abc", "", "a", "日", "é", "👍", "abcdefghijkl"] {
      var shown = Shown(width: 20)
      shown.show(cluster)
      #expect(shown.wrong == [])
      shown.show(text)
      #expect(shown.terminal.text == text)
    }
  }

  @Test(arguments: clusters) func `what stands behind a cluster is seen`(_ cluster: String) {
    var shown = Shown(width: 30)
    shown.show("abcdefghijklmnopqrst")
    shown.show("ab\(cluster)cd efgh  日本 xyz")
    #expect(shown.wrong == [])
    shown.show("ab\(cluster)cd efgh  日本 xYz")
    #expect(shown.wrong == [])
    shown.show("aB\(cluster)cd")
    #expect(shown.wrong == [])
    shown.show("a\(cluster)\(cluster)d")
    #expect(shown.wrong == [])
    shown.show("abcdefg")
    #expect(shown.terminal.text == "abcdefg")
  }

  @Test(arguments: clusters) func `a cluster that comes leaves nothing of what was there`(
    _ cluster: String
  ) {
    var shown = Shown(width: 20)
    shown.show("abcdefghij")
    shown.show(cluster)
    #expect(shown.wrong == [])
    let own = CharacterWidth.of(cluster)
    for x in 0..<own {
      let text = shown.pool.text(of: shown.terminal.grid[x, 0].glyph)
      #expect(!"abcdefghij".contains(text) || text.isEmpty)
    }
    shown.show("", cluster)
    #expect(shown.terminal.text == "")
  }

  @Test func `an accent costs nothing`() {
    var writer = EscapeWriter(.full)
    let pool = GlyphPool()
    var grid = CellGrid(width: 40, height: 1)
    writer.update(from: grid, to: grid, pool)
    let old = grid
    grid.write("cafe\u{301}", x: 0, y: 0, style: .plain, in: grid.bounds, pool: pool)
    writer.update(from: old, to: grid, pool)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "\u{1B}[H\u{1B}[mcafe\u{301}")
  }

  @Test(arguments: 0..<40) func `any screen is turned into any other`(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let (width, height) = (
      Int.random(in: 1...24, using: &random), Int.random(in: 1...8, using: &random)
    )
    var shown = Shown(width: width, height: height)
    var new = CellGrid(width: width, height: height)
    let texts = Self.clusters + ["a", "word", "日本", "e\u{301}", "   ", "long text here", "🇫"]
    let styles = [.plain, .reversed, Style(background: .blue, .dim), Style(.underlined)]
    for _ in 0..<40 {
      if Int.random(in: 0..<6, using: &random) == 0 {
        new.scroll(0..<height, by: Int.random(in: -2...2, using: &random))
      }
      for _ in 0..<3 {
        new.write(
          texts.randomElement(using: &random) ?? "", x: Int.random(in: -2..<width, using: &random),
          y: Int.random(in: 0..<height, using: &random),
          style: styles.randomElement(using: &random) ?? .plain, in: new.bounds, pool: shown.pool)
      }
      shown.show(new)
      #expect(shown.wrong == [])
      if shown.wrong != [] { return }
    }
    #expect(shown.terminal.unknown == [])
  }
}
