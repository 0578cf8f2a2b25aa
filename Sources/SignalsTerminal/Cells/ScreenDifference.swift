// Writes the commands that change a terminal from one screen to another.
//
// First it looks for rows that have moved: a list that scrolls needs only a few bytes. Then it
// writes, row by row, the runs of cells that differ. A few equal cells between two runs are written
// again, because skipping them would take more bytes.
//
// A glyph of uncertain width (see `Glyph.hasUncertainWidth`) may cover any number of the cells
// behind it. So if one is drawn, or drawn over, the rest of its row is written again. Then the
// terminal shows exactly the grid, apart from the cells of such glyphs.

extension EscapeWriter {
  /// Writes the difference between two screens.
  ///
  /// Writes everything if there is no old one, or if it has another size.
  package mutating func update(from old: CellGrid?, to new: CellGrid, _ pool: GlyphPool) {
    guard var shown = old, shown.width == new.width, shown.height == new.height else {
      set(.plain)
      command("\u{1B}[2J")
      let blank = CellGrid(width: new.width, height: new.height)
      for y in 0..<new.height { updateRow(y, from: blank, to: new, pool: pool) }
      return
    }
    if let shift = RowShift(from: shown, to: new) {
      scroll(shift.rows, by: shift.distance)
      shown.scroll(shift.rows, by: shift.distance)
    }
    for y in 0..<new.height { updateRow(y, from: shown, to: new, pool: pool) }
  }

  /// The number of equal cells between two runs that are written again.
  private static var gap: Int { 4 }

  private mutating func updateRow(
    _ y: Int, from old: CellGrid, to new: CellGrid, pool: GlyphPool
  ) {
    let width = new.width
    let first = y * width
    let cells = new.cells.span
    let before = old.cells.span
    guard let start = (first..<first + width).first(where: { cells[$0] != before[$0] }) else {
      return
    }
    // The cells from `tail` to the end of the line are blank.
    var tail = first + width
    while tail > start, cells[tail - 1].glyph == .blank, cells[tail - 1].style.isInvisible {
      tail -= 1
    }
    let rewritten = rewrittenStart(in: start..<first + width, from: old, to: new)
    writeRuns(start..<min(tail, rewritten ?? tail), from: old, to: new, pool: pool)
    if let rewritten {
      return rewrite(min(rewritten, tail)..<tail, of: new, pool: pool)
    }
    guard let last = (tail..<first + width).last(where: { cells[$0] != before[$0] }) else { return }
    let from = (tail...last).first { cells[$0] != before[$0] } ?? tail
    // Erasing takes 3 bytes and requires the plain style.
    if last - from < 3 {
      write(from..<last + 1, of: new, pool: pool)
    } else {
      move(x: from - first, y: y)
      eraseLine()
    }
  }

  /// Writes the runs of cells that differ.
  private mutating func writeRuns(
    _ range: Range<Int>, from old: CellGrid, to new: CellGrid, pool: GlyphPool
  ) {
    let cells = new.cells.span
    let before = old.cells.span
    let isUTF8 = isUTF8
    var place = range.lowerBound
    while place < range.upperBound {
      if cells[place] == before[place] {
        place += 1
        continue
      }
      if cells[place].glyph == .rest { place -= 1 }
      var end = place + 1
      var last = place
      while end < range.upperBound, end - last <= EscapeWriter.gap {
        if cells[end] != before[end] {
          last = end
        } else if isUTF8, cells[end].glyph.hasUncertainWidth {
          break
        }
        end += 1
      }
      end = last + 1
      while end < range.upperBound, cells[end].glyph == .rest { end += 1 }
      write(place..<end, of: new, pool: pool)
      place = end
    }
  }

  // MARK: - Uncertain widths

  /// Returns the first cell of a row that differs and has, or had, a glyph of uncertain width.
  private func rewrittenStart(
    in range: Range<Int>, from old: CellGrid, to new: CellGrid
  ) -> Int? {
    // Other terminals are sent a replacement of a single byte.
    guard isUTF8 else { return nil }
    let cells = new.cells.span
    let before = old.cells.span
    for place in range where cells[place] != before[place] {
      if cells[place].glyph.hasUncertainWidth || before[place].glyph.hasUncertainWidth {
        return place
      }
      // Only the style of a second half can differ alone.
      if cells[place].glyph == .rest, cells[place - 1].glyph.hasUncertainWidth { return place - 1 }
    }
    return nil
  }

  /// Writes the cells from one to the last that isn't blank, and erases the rest of the line.
  private mutating func rewrite(_ run: Range<Int>, of grid: CellGrid, pool: GlyphPool) {
    let width = grid.width
    let y = run.lowerBound / width
    let lineEnd = (y + 1) * width
    var isErased = false
    for place in run {
      let cell = grid.cells[place]
      if cell.glyph == .rest { continue }
      let isWide = place + 1 < lineEnd && grid.cells[place + 1].glyph == .rest
      let end = place + (isWide ? 2 : 1)
      guard cell.glyph.hasUncertainWidth else {
        write(place..<end, of: grid, pool: pool)
        continue
      }
      // A terminal that draws the glyph in one cell would leave the second as it was.
      if isWide {
        move(x: place % width, y: y)
        set(cell.style)
        putBlanks(2)
      }
      write(place..<end, of: grid, pool: pool)
      guard end < lineEnd else { return }
      move(x: end % width, y: y)
      eraseLine()
      isErased = true
    }
    guard !isErased, run.upperBound < lineEnd else { return }
    move(x: run.upperBound % width, y: y)
    eraseLine()
  }

  private mutating func write(_ run: Range<Int>, of grid: CellGrid, pool: GlyphPool) {
    let width = grid.width
    for place in run {
      let cell = grid.cells[place]
      if cell.glyph == .rest { continue }
      let x = place % width
      move(x: x, y: place / width)
      set(cell.style)
      let isWide = x + 1 < width && grid.cells[place + 1].glyph == .rest
      put(cell.glyph, width: isWide ? 2 : 1, in: width, pool: pool)
    }
  }
}

/// A group of rows that moved together from one screen to the next.
struct RowShift: Equatable {
  /// The rows within which the group moved.
  let rows: Range<Int>
  /// The number of lines that the group moved up; negative if it moved down.
  let distance: Int

  /// Finds the longest run of rows that moved.
  ///
  /// Returns nil if writing them again is shorter.
  init?(from old: CellGrid, to new: CellGrid) {
    let before = RowShift.hashes(of: old)
    let after = RowShift.hashes(of: new)
    // If only a few rows differ, scrolling saves nothing.
    guard after.indices.count(where: { before[$0] != after[$0] }) > 3 else { return nil }
    var best: (start: Int, count: Int, distance: Int)?
    for distance in -(new.height - 1)..<new.height where distance != 0 {
      var count = 0
      var gain = 0
      for y in max(0, -distance)..<min(new.height, new.height - distance) {
        guard before[y + distance] == after[y] else {
          (count, gain) = (0, 0)
          continue
        }
        count += 1
        // Rows that are already correct, such as blank ones, gain nothing.
        if before[y] != after[y] { gain += 1 }
        if gain > 3, gain > best?.count ?? 0 { best = (y + 1 - count, gain, distance) }
      }
    }
    guard let best else { return nil }
    var end = best.start
    while end < new.height, end + best.distance < new.height, end + best.distance >= 0,
      before[end + best.distance] == after[end]
    {
      end += 1
    }
    rows =
      min(best.start, best.start + best.distance)..<max(end, end + best.distance)
    distance = best.distance
  }

  private static func hashes(of grid: CellGrid) -> [UInt64] {
    let cells = grid.cells.span
    return (0..<grid.height).map { y in
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      for place in y * grid.width..<(y + 1) * grid.width {
        let cell = cells[place]
        let style =
          UInt64(cell.style.foreground.hash) << 32 ^ UInt64(cell.style.background.hash) << 8
          ^ UInt64(cell.style.attributes.rawValue)
        hash = (hash ^ UInt64(cell.glyph.hash) ^ style &* 0x9E37_79B9_7F4A_7C15) &* 0x100_0000_01B3
        hash ^= hash >> 29
      }
      return hash
    }
  }
}
