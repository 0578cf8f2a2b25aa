// A screen as a picture: cells of a fixed size, with their content as text, so that it can be read
// and searched.
//
// Fonts differ. Therefore each run of cells specifies its length, and glyphs that fill their cell
// (bars, lines) are drawn as shapes.

extension TerminalScreen {
  /// Returns a picture of the screen as the text of an SVG file.
  ///
  /// - It shows the colors that the app requests on a dark background, and bold, dim, underlined
  ///   and reversed cells. The focused element is reversed, as on a terminal, and a field being
  ///   edited shows its cursor.
  /// - Equal screens give equal texts, so a published picture can be compared with the app's
  ///   current output.
  ///
  /// ```swift
  /// let screen = TerminalScreen(store, width: 80, height: 24) { LibraryScreen(library: library) }
  /// screen.type("neuro")
  /// try Data(screen.svg(title: "The library").utf8).write(to: file)
  /// ```
  ///
  /// - Parameter title: The text that screen readers read for the picture.
  /// - Returns: The text of the file.
  public func svg(title: String = "") -> String {
    layout()
    renderer.noteSeen()
    return ScreenPicture(renderer.grid, pool: renderer.pool, cursor: renderer.cursor).svg(title)
  }
}

/// Draws a grid of cells as SVG.
struct ScreenPicture {
  private let grid: CellGrid
  private let pool: GlyphPool
  private let cursor: (x: Int, y: Int)?

  private static let cell = (width: 8, height: 17)
  private static let margin = 12
  private static let ground = "#16181d"
  private static let ink = "#d7dae0"

  init(_ grid: CellGrid, pool: GlyphPool, cursor: (x: Int, y: Int)?) {
    self.grid = grid
    self.pool = pool
    self.cursor = cursor
  }

  func svg(_ title: String) -> String {
    let (cell, margin) = (ScreenPicture.cell, ScreenPicture.margin)
    let width = grid.width * cell.width + 2 * margin
    let height = grid.height * cell.height + 2 * margin
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 \(width) \(height)\""
        + " width=\"\(width)\" height=\"\(height)\">"
    ]
    if !title.isEmpty { lines.append("<title>\(ScreenPicture.escaped(title))</title>") }
    lines.append(
      "<rect width=\"\(width)\" height=\"\(height)\" rx=\"8\" fill=\"\(ScreenPicture.ground)\"/>")
    lines.append(
      "<g transform=\"translate(\(margin) \(margin))\" font-size=\"13\" fill=\"\(ScreenPicture.ink)\""
        + " font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\""
        + " xml:space=\"preserve\" shape-rendering=\"crispEdges\">")
    for y in 0..<grid.height {
      for run in runs(y) { draw(run, at: y, into: &lines) }
    }
    if let cursor {
      lines.append(
        ScreenPicture.rect(
          x: cursor.x, y: cursor.y, width: 1, looks: "fill=\"\(ScreenPicture.ink)\" opacity=\"0.5\""
        ))
    }
    return lines.joined(separator: "\n") + "\n</g>\n</svg>\n"
  }

  // MARK: - Runs

  /// Adjacent cells that are drawn together.
  private struct Run {
    let x: Int
    var width: Int
    var text: String
    let style: Style
    let kind: Kind

    enum Kind: Equatable {
      case text
      /// A cell drawn as a separate text, because fonts disagree on its width.
      case alone
      /// Glyphs that fill their cell, drawn as shapes.
      case full, shade, across, upright
    }
  }

  private func runs(_ y: Int) -> [Run] {
    var runs: [Run] = []
    for x in 0..<grid.width {
      let cell = grid[x, y]
      if cell.glyph == .rest {
        runs[runs.count - 1].width += 1
        continue
      }
      let text = pool.text(of: cell.glyph)
      let kind = ScreenPicture.kind(of: text)
      if let last = runs.last, last.style == cell.style, last.kind == kind, kind != .alone {
        runs[runs.count - 1].width += 1
        runs[runs.count - 1].text += text
      } else {
        runs.append(Run(x: x, width: 1, text: text, style: cell.style, kind: kind))
      }
    }
    return runs
  }

  private static func kind(of text: String) -> Run.Kind {
    switch text {
    case "█": .full
    case "░": .shade
    case "─": .across
    case "│": .upright
    default: text.utf8.count == 1 ? .text : .alone
    }
  }

  // MARK: - Drawing

  private func draw(_ run: Run, at y: Int, into lines: inout [String]) {
    let attributes = run.style.attributes
    var (ink, ground) = (
      ScreenPicture.hex(run.style.foreground), ScreenPicture.hex(run.style.background)
    )
    if attributes.contains(.reversed) {
      (ink, ground) = (ground ?? ScreenPicture.ground, ink ?? ScreenPicture.ink)
    }
    if let ground {
      lines.append(
        ScreenPicture.rect(x: run.x, y: y, width: run.width, looks: "fill=\"\(ground)\""))
    }
    var looks = ink.map { " fill=\"\($0)\"" } ?? ""
    if attributes.contains(.dim) { looks += " opacity=\"0.6\"" }
    let (cell, left) = (ScreenPicture.cell, run.x * ScreenPicture.cell.width)
    let (top, width) = (y * cell.height, run.width * cell.width)
    if attributes.contains(.underlined) {
      lines.append(
        "<rect x=\"\(left)\" y=\"\(top + cell.height - 2)\" width=\"\(width)\" height=\"1\""
          + "\(looks) fill-opacity=\"0.6\"/>")
    }
    switch run.kind {
    case .full:
      lines.append(ScreenPicture.rect(x: run.x, y: y, width: run.width, looks: looks.trimmedStart))
    case .shade:
      lines.append(
        ScreenPicture.rect(x: run.x, y: y, width: run.width, looks: "fill-opacity=\"0.25\"" + looks)
      )
    case .across:
      lines.append(
        "<rect x=\"\(left)\" y=\"\(top + cell.height / 2)\" width=\"\(width)\" height=\"1\"\(looks)/>"
      )
    case .upright:
      lines.append(
        "<rect x=\"\(left + cell.width / 2)\" y=\"\(top)\" width=\"1\" height=\"\(cell.height)\"\(looks)/>"
      )
    case .text, .alone:
      let text = run.text.drop { $0 == " " }
      guard let last = text.lastIndex(where: { $0 != " " }) else { return }
      let shown = text[...last]
      let start = (run.x + run.text.count - text.count) * cell.width
      let length = run.kind == .alone ? width : shown.count * cell.width
      if attributes.contains(.bold) { looks += " font-weight=\"bold\"" }
      if attributes.contains(.italic) { looks += " font-style=\"italic\"" }
      lines.append(
        "<text x=\"\(start)\" y=\"\(top + 13)\" textLength=\"\(length)\"\(looks)>"
          + "\(ScreenPicture.escaped(shown))</text>")
    }
  }

  private static func rect(x: Int, y: Int, width: Int, looks: String) -> String {
    "<rect x=\"\(x * cell.width)\" y=\"\(y * cell.height)\" width=\"\(width * cell.width)\""
      + " height=\"\(cell.height)\"\(looks.isEmpty ? "" : " ")\(looks)/>"
  }

  /// Returns a color in SVG notation; nil for the terminal's default color.
  private static func hex(_ color: Color) -> String? {
    switch color.parts {
    case .standard: return nil
    case .palette(let number) where number < 16: return named[Int(number)]
    case .palette(let number):
      let (red, green, blue) = Palette.components(of: number)
      return hex(red) + hex(green).dropFirst() + hex(blue).dropFirst()
    case .rgb(let red, let green, let blue):
      return hex(Int(red)) + hex(Int(green)).dropFirst() + hex(Int(blue)).dropFirst()
    }
  }

  private static func hex(_ byte: Int) -> String {
    "#" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  /// The 16 named colors.
  ///
  /// Each terminal defines its own; these are the picture's.
  private static let named = [
    "#2b2f37", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d7dae0",
    "#5c6370", "#ff7b86", "#b5e890", "#ffd68a", "#7cc4ff", "#de8ff0", "#6fd3df", "#ffffff",
  ]

  private static func escaped(_ text: some StringProtocol) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

extension String {
  fileprivate var trimmedStart: String { hasPrefix(" ") ? String(dropFirst()) : self }
}
