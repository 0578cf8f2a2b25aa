// The lines of a text that is edited in several lines.
//
// A line ends with a line end, which no line contains, or where the next character doesn't fit. It
// is broken after the last blank, if it has one. A position at a break belongs to the line after it.

extension TextBuffer {
  /// Returns the ranges of the characters of lines, at least one.
  ///
  /// - Parameters:
  ///   - width: The number of cells of a line; less than 1 counts as 1.
  ///   - start: The first character of the first line.
  ///   - limit: The largest number of lines to return.
  /// - Complexity: O(characters of the lines).
  package func lines(width: Int, from start: Int = 0, limit: Int = .max) -> [Range<Int>] {
    let width = max(1, width)
    var lines: [Range<Int>] = []
    var (first, used, place) = (start, 0, start)
    var blank: Int?
    func end(at last: Int, next: Int) {
      lines.append(first..<last)
      (first, used, place, blank) = (next, 0, next, nil)
    }
    while place < characters.count, lines.count < limit {
      let character = characters[place]
      if character.isNewline {
        end(at: place, next: place + 1)
        continue
      }
      let cells = CharacterWidth.ofShown(character)
      if used + cells > width, place > first {
        let next = blank.map { $0 + 1 } ?? place
        end(at: next, next: next)
        continue
      }
      if character == " " { blank = place }
      used += cells
      place += 1
    }
    if lines.count < limit { lines.append(first..<characters.count) }
    return lines
  }

  /// Returns the number of the line that has a position.
  package static func line(of place: Int, in lines: [Range<Int>]) -> Int {
    (lines.lastIndex { $0.lowerBound <= place }) ?? 0
  }

  /// Moves the cursor by a number of lines, to the nearest column.
  ///
  /// - Returns: `false`, without a move, if there is no such line.
  package mutating func moveVertically(by step: Int, width: Int, selects: Bool) -> Bool {
    let lines = lines(width: width)
    let present = TextBuffer.line(of: cursor, in: lines)
    guard lines.indices.contains(present + step) else { return false }
    let column = column(of: cursor, from: lines[present].lowerBound)
    move(.place(place(atColumn: column, in: lines, number: present + step)), selects: selects)
    return true
  }

  /// Returns the position in a line for a column, which is before the break of a broken line.
  package func place(atColumn column: Int, in lines: [Range<Int>], number: Int) -> Int {
    let line = lines[number]
    let isBroken = number + 1 < lines.count && lines[number + 1].lowerBound == line.upperBound
    let last = isBroken ? max(line.lowerBound, line.upperBound - 1) : line.upperBound
    return min(place(atColumn: column, from: line.lowerBound), last)
  }

  /// Returns the start of the line of the text that has the cursor, however it is broken.
  package var lineStart: Int {
    (characters[..<cursor].lastIndex(where: \.isNewline)).map { $0 + 1 } ?? 0
  }

  /// Returns the end of the line of the text that has the cursor.
  package var lineEnd: Int {
    characters[cursor...].firstIndex(where: \.isNewline) ?? characters.count
  }
}
