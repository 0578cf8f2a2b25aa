/// Breaks texts into lines, and cuts lines, by cells.
package enum TextLines {
  /// The lines of a text in a width, broken at blanks, which go, and within a word only if it is wider than a line.
  ///
  /// A width below 1 is taken as 1; a wide character in a line of one cell stands alone, and is not drawn. At most
  /// `limit` lines are made.
  package static func wrap(_ text: String, width: Int, limit: Int = .max) -> [Substring] {
    let width = max(1, width)
    if let ascii = ASCIILines(text) { return ascii.wrap(width: width, limit: limit) }
    var lines: [Substring] = []
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      if lines.count >= limit { break }
      // A byte is at least a cell, as no character of one byte is wide.
      if line.utf8.count <= width {
        lines.append(line)
      } else {
        wrap(line, width, limit, into: &lines)
      }
    }
    return lines
  }

  private static func wrap(
    _ line: Substring, _ width: Int, _ limit: Int, into lines: inout [Substring]
  ) {
    var start = line.startIndex
    var used = 0
    // After the last blank that a line can be broken at.
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
          // The blank that does not fit is the end of the line.
          lines.append(line[start..<place])
          start = next
        } else if let found = breakAfter {
          lines.append(line[start..<found.end])
          start = found.next
        } else {
          lines.append(line[start..<place])
          start = place
        }
        // Of several blanks where a line ends none begins the next.
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

  /// As much of a line as stands in a width, with an ellipsis if that is not all.
  package static func truncate(_ line: some StringProtocol, width: Int) -> String {
    if line.utf8.count <= width || CharacterWidth.of(line, limit: max(0, width)) <= width {
      return String(line)
    }
    guard width > 0 else { return "" }
    return prefix(of: line, width: width - 1) + "…"
  }

  /// As much of a line as stands in a width.
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

  /// The cells of the widest line of a text, and how many lines it has; not broken.
  package static func size(of text: String) -> (width: Int, height: Int) {
    if let ascii = ASCIILines(text) { return ascii.size }
    var (width, height) = (0, 0)
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      width = max(width, CharacterWidth.of(line))
      height += 1
    }
    return (width, height)
  }

  /// The cells of the widest word of a text, at most `limit`.
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
