/// Wraps and truncates text by the cells that it takes.
package enum TextLines {
  /// Returns the lines of a text wrapped to a width.
  ///
  /// Lines are broken at blanks, which are dropped, and within a word only if it is wider than a
  /// line.
  ///
  /// A width below 1 counts as 1. A wide character in a line of one cell gets its own line, and
  /// isn't drawn. At most `limit` lines are made.
  package static func wrap(_ text: String, width: Int, limit: Int = .max) -> [Substring] {
    let width = max(1, width)
    if let ascii = ASCIILines(text) { return ascii.wrap(width: width, limit: limit) }
    var lines: [Substring] = []
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      if lines.count >= limit { break }
      // A character never takes more cells than bytes.
      if line.utf8.count <= width {
        lines.append(line)
      } else {
        wrap(line, width: width, limit: limit, into: &lines)
      }
    }
    return lines
  }

  private static func wrap(
    _ line: Substring, width: Int, limit: Int, into lines: inout [Substring]
  ) {
    var start = line.startIndex
    var used = 0
    // The last blank at which the line can be broken, and the position after it.
    var breakAfter: (end: String.Index, next: String.Index)?
    var place = start
    while place < line.endIndex {
      let character = line[place]
      let next = line.index(after: place)
      let cells = CharacterWidth.of(CharacterWidth.shown(character))
      if used + cells > width, place > start {
        if lines.count + 1 >= limit {
          lines.append(line[start...])
          return
        }
        if character == " " {
          // The blank that doesn't fit ends the line.
          lines.append(line[start..<place])
          start = next
        } else if let found = breakAfter {
          lines.append(line[start..<found.end])
          start = found.next
        } else {
          lines.append(line[start..<place])
          start = place
        }
        // Further blanks at the break are dropped as well.
        if line[..<start].last == " " {
          start = line[start...].firstIndex { $0 != " " } ?? line.endIndex
        }
        breakAfter = nil
        place = start
        used = 0
        continue
      }
      if character == " " { breakAfter = (place, next) }
      used += cells
      place = next
    }
    if start < line.endIndex { lines.append(line[start...]) }
  }

  /// Returns the part of a line that fits into a width, with an ellipsis if it was cut.
  package static func truncate(_ line: some StringProtocol, width: Int) -> String {
    if line.utf8.count <= width || CharacterWidth.of(line, limit: max(0, width)) <= width {
      return String(line)
    }
    guard width > 0 else { return "" }
    return prefix(of: line, width: width - 1) + "…"
  }

  /// Returns the part of a line that fits into a width.
  package static func prefix(of line: some StringProtocol, width: Int) -> String {
    var used = 0
    var result = ""
    for character in line {
      let cells = CharacterWidth.of(CharacterWidth.shown(character))
      if used + cells > width { break }
      used += cells
      result.append(character)
    }
    return result
  }

  /// Returns the width of the widest line of a text and the number of lines, without wrapping.
  package static func size(of text: String) -> (width: Int, height: Int) {
    if let ascii = ASCIILines(text) { return ascii.size }
    var (width, height) = (0, 0)
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      width = max(width, CharacterWidth.of(line))
      height += 1
    }
    return (width, height)
  }

  /// Returns the width of the widest word of a text, at most `limit`.
  package static func widestWord(of text: String, limit: Int) -> Int {
    var (widest, present) = (0, 0)
    for character in text {
      if character == " " || character.isNewline {
        present = 0
      } else {
        present += CharacterWidth.of(CharacterWidth.shown(character))
        widest = max(widest, present)
        if widest >= limit { return limit }
      }
    }
    return widest
  }
}
