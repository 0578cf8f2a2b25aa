// What a terminal has to be told to show one screen instead of another.
//
// First, whether rows moved: a list that scrolls is told in a few bytes. Then, row by row, the runs of cells that
// differ; a few equal cells between two runs are written again, because going over them would be longer.

extension EscapeWriter {
  /// Writes what turns one screen into another; without an old one everything.
  package mutating func update(from old: CellGrid?, to new: CellGrid, _ pool: GlyphPool) {
    guard var shown = old, shown.width == new.width, shown.height == new.height else {
      set(.plain)
      command("\u{1B}[2J")
      let blank = CellGrid(width: new.width, height: new.height)
      for y in 0..<new.height { updateRow(y, from: blank, to: new, pool) }
      return
    }
    if let shift = RowShift(from: shown, to: new) {
      scroll(shift.rows, by: shift.distance)
      shown.scroll(shift.rows, by: shift.distance)
    }
    for y in 0..<new.height { updateRow(y, from: shown, to: new, pool) }
  }

  /// How many equal cells between two runs are written again.
  private static var gap: Int { 4 }

  private mutating func updateRow(
    _ y: Int, from old: CellGrid, to new: CellGrid, _ pool: GlyphPool
  ) {
    let width = new.width
    let first = y * width
    let cells = new.cells.span
    let before = old.cells.span
    guard let start = (first..<first + width).first(where: { cells[$0] != before[$0] }) else {
      return
    }
    // From here on to the end of the line there is nothing to be seen.
    var tail = first + width
    while tail > start, cells[tail - 1].glyph == .blank, cells[tail - 1].style.isInvisible {
      tail -= 1
    }
    var place = start
    while place < tail {
      if cells[place] == before[place] {
        place += 1
        continue
      }
      if cells[place].glyph == .rest { place -= 1 }
      var end = place + 1
      var last = place
      while end < tail, end - last <= EscapeWriter.gap {
        if cells[end] != before[end] { last = end }
        end += 1
      }
      end = last + 1
      while end < first + width, cells[end].glyph == .rest { end += 1 }
      write(place..<end, of: new, pool)
      place = end
    }
    guard let last = (tail..<first + width).last(where: { cells[$0] != before[$0] }) else { return }
    let from = (tail...last).first { cells[$0] != before[$0] } ?? tail
    // Erasing takes 3 bytes, and has to be told in the terminal's own style.
    if last - from < 3 {
      write(from..<last + 1, of: new, pool)
    } else {
      move(x: from - first, y: y)
      eraseLine()
    }
  }

  private mutating func write(_ run: Range<Int>, of grid: CellGrid, _ pool: GlyphPool) {
    let width = grid.width
    for place in run {
      let cell = grid.cells[place]
      if cell.glyph == .rest { continue }
      let x = place % width
      move(x: x, y: place / width)
      set(cell.style)
      let isWide = x + 1 < width && grid.cells[place + 1].glyph == .rest
      put(cell.glyph, width: isWide ? 2 : 1, in: width, pool)
    }
  }
}

/// Rows that moved together from one screen to the next.
struct RowShift: Equatable {
  /// The rows in which they moved.
  let rows: Range<Int>
  /// How far up; negative is down.
  let distance: Int

  init(rows: Range<Int>, distance: Int) {
    self.rows = rows
    self.distance = distance
  }

  /// The longest run of rows that stand elsewhere, if telling so is shorter than writing them again.
  init?(from old: CellGrid, to new: CellGrid) {
    let before = RowShift.hashes(of: old)
    let after = RowShift.hashes(of: new)
    // Where little differs there is nothing to gain.
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
        // Blank rows, and those that stand there already, are no gain.
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
