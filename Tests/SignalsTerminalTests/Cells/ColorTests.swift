import SignalsTerminal
import Testing

@Suite struct `Cells, colors and styles by what a terminal can` {
  private func bytes(_ styles: Style..., depth: ColorDepth) -> String {
    var writer = EscapeWriter(TerminalCapabilities(colors: depth, isUTF8: true))
    for style in styles { writer.set(style) }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test func `a true color becomes the nearest of 256, of 16, and none`() {
    let style = Style(foreground: .rgb(250, 10, 5))
    #expect(bytes(style, depth: .trueColor) == "\u{1B}[0;38;2;250;10;5m")
    #expect(bytes(style, depth: .palette) == "\u{1B}[0;38;5;196m")
    #expect(bytes(style, depth: .sixteen) == "\u{1B}[0;91m")
    #expect(bytes(style, depth: .none) == "\u{1B}[m")
  }

  @Test func `without colors bold, dim and reversed stay`() {
    let style = Style(foreground: .red, [.bold, .reversed])
    #expect(bytes(style, depth: .none) == "\u{1B}[0;1;7m")
  }

  @Test func `a style is sent as its additions, and as a whole if something goes`() {
    #expect(
      bytes(.plain, .bold, Style(foreground: .green, .bold), depth: .sixteen)
        == "\u{1B}[m\u{1B}[1m\u{1B}[32m")
    #expect(bytes(.bold, .dim, depth: .sixteen) == "\u{1B}[0;1m\u{1B}[0;2m")
    #expect(bytes(.bold, .bold, depth: .sixteen) == "\u{1B}[0;1m")
  }

  @Test func `drawing characters have stand-ins where there is ASCII alone`() {
    let pool = GlyphPool()
    var grid = CellGrid(width: 8, height: 1)
    grid.write("─│…é日a", x: 0, y: 0, style: .plain, in: grid.bounds, pool: pool)
    var writer = EscapeWriter(TerminalCapabilities(colors: .none, isUTF8: false))
    writer.update(from: CellGrid(width: 8, height: 1), to: grid, pool)
    #expect(writer.bytes.allSatisfy { $0 < 0x80 })
    #expect(String(decoding: writer.bytes, as: UTF8.self).hasPrefix("\u{1B}[H\u{1B}[m-|.?? a"))
  }

  @Test(arguments: [
    (["TERM": "xterm-256color"], ColorDepth.palette, true),
    (["TERM": "xterm-256color", "COLORTERM": "truecolor"], .trueColor, true),
    (["TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"], .none, true),
    (["TERM": "xterm", "NO_COLOR": "", "LANG": "de_DE.UTF-8"], .sixteen, true),
    (["TERM": "linux", "LC_ALL": "C", "LANG": "de_DE.UTF-8"], .sixteen, false),
    (["TERM": "vt100"], .none, true),
    (["TERM": "xterm-direct"], .trueColor, true),
  ])
  func `the environment says what a terminal can`(
    _ environment: [String: String], _ colors: ColorDepth, _ isUTF8: Bool
  ) {
    #expect(
      TerminalCapabilities { environment[$0] }
        == TerminalCapabilities(colors: colors, isUTF8: isUTF8))
  }
}
