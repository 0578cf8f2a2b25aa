/// The cells of a screen, row by row.
///
/// A wide character is in its first cell, followed by a ``Glyph/rest``. Overwriting one half of it
/// blanks the other half.
package struct CellGrid: Equatable {
  package let width: Int
  package let height: Int
  private(set) var cells: [Cell]

  /// Creates a blank screen.
  package init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
    cells = Array(repeating: .blank, count: self.width * self.height)
  }

  package var bounds: Rect { Rect(width: width, height: height) }

  package subscript(x: Int, y: Int) -> Cell {
    get { cells[y * width + x] }
    set { cells[y * width + x] = newValue }
  }

  /// Puts a character of a given width into a cell, if all of it is within `clip`.
  mutating func put(
    _ glyph: Glyph, width glyphWidth: Int, x: Int, y: Int, style: Style, in clip: Rect
  ) {
    guard y >= clip.y, y < clip.bottom, x >= clip.x, x + glyphWidth <= clip.right else { return }
    free(x: x, y: y)
    self[x, y] = Cell(glyph, style: style)
    guard glyphWidth == 2 else { return }
    free(x: x + 1, y: y)
    self[x, y] = Cell(glyph, style: style)
    self[x + 1, y] = Cell(.rest, style: style)
  }

  /// Blanks the other half of a wide character that occupies a cell.
  private mutating func free(x: Int, y: Int) {
    if self[x, y].glyph == .rest, x > 0 { self[x - 1, y].glyph = .blank }
    if x + 1 < width, self[x + 1, y].glyph == .rest { self[x + 1, y].glyph = .blank }
  }

  /// Writes one line of text, beginning at a cell.
  ///
  /// Control characters, which could send any command to a terminal, are replaced (see
  /// ``CharacterWidth``).
  ///
  /// - Returns: The number of cells that the text takes, including those outside of `clip`.
  @discardableResult
  package mutating func write(
    _ text: some StringProtocol, x: Int, y: Int, style: Style, in clip: Rect, pool: GlyphPool
  ) -> Int {
    let clip = clip.intersection(bounds)
    let count = unsafe ASCII.withBytes(of: text) { bytes in
      for place in bytes.indices {
        let glyph = Glyph(Unicode.Scalar(unsafe bytes[place]))
        put(glyph, width: 1, x: x + place, y: y, style: style, in: clip)
      }
      return bytes.count
    }
    if let count { return count }
    var column = x
    for character in text {
      let shown = CharacterWidth.shown(character)
      let width = CharacterWidth.of(shown)
      if width == 0 { continue }
      put(pool.glyph(shown), width: width, x: column, y: y, style: style, in: clip)
      column += width
    }
    return column - x
  }

  /// Fills a rectangle with a glyph in a style.
  package mutating func fill(_ rect: Rect, style: Style, with glyph: Glyph = .blank) {
    let rect = rect.intersection(bounds)
    guard !rect.isEmpty else { return }
    for y in rect.y..<rect.bottom {
      free(x: rect.x, y: y)
      free(x: rect.right - 1, y: y)
      for x in rect.x..<rect.right { self[x, y] = Cell(glyph, style: style) }
    }
  }

  /// Applies a style on top of the styles of a rectangle's cells.
  package mutating func lay(_ style: Style, over rect: Rect) {
    let rect = rect.intersection(bounds)
    guard !rect.isEmpty else { return }
    for y in rect.y..<rect.bottom {
      for x in rect.x..<rect.right { self[x, y].style = self[x, y].style.with(style) }
    }
  }

  /// Moves the rows of a range up, or down if `distance` is negative, and blanks the vacated rows.
  package mutating func scroll(_ rows: Range<Int>, by distance: Int) {
    let order = distance > 0 ? Array(rows) : rows.reversed()
    for y in order {
      let source = y + distance
      for x in 0..<width {
        self[x, y] = rows.contains(source) ? self[x, source] : .blank
      }
    }
  }

  /// Returns the text of each row, without trailing blanks.
  package func lines(_ pool: GlyphPool) -> [String] {
    (0..<height).map { y in
      var line = ""
      for x in 0..<width { line += pool.text(of: self[x, y].glyph) }
      let end = line.lastIndex { $0 != " " }
      return end.map { String(line[...$0]) } ?? ""
    }
  }
}
