// Fields of several lines: a label, and the lines of the text beside a bar. A text that is higher than
// its field scrolls with the cursor.

import Signals

/// The shape of a field of several lines.
enum TextEditorShape {
  /// The smallest and the greatest number of lines of a field that requests no height.
  private static let lines = 3...10
  /// The cells of the bar and the blank after it.
  static let bar = 2

  /// Returns the number of lines above the text.
  static func labelHeight(of element: DrawnElement) -> Int { element.text.isEmpty ? 0 : 1 }

  /// Returns the area of the text in a field.
  static func area(of element: DrawnElement, in rect: Rect) -> Rect {
    let label = labelHeight(of: element)
    return Rect(
      x: rect.x + bar, y: rect.y + label, width: max(0, rect.width - bar),
      height: max(0, rect.height - label))
  }

  /// Returns the number of cells of a line of text; the cursor takes another one after it.
  static func lineWidth(of area: Rect) -> Int { max(1, area.width - 1) }

  /// Returns the height that a field of a width requests.
  static func height(of element: DrawnElement, width: Int) -> Int {
    let text = TextBuffer(element.value.editedText ?? "")
    let count = text.lines(width: max(1, width - bar - 1), limit: lines.upperBound).count
    return labelHeight(of: element) + min(max(count, lines.lowerBound), lines.upperBound)
  }
}

extension Painter {
  mutating func paint(
    editor element: DrawnElement, of box: Box, in rect: Rect, clip: Rect
  ) {
    let style = element.isEnabled ? box.style : box.style.with(Theme.disabled)
    let isFocused = isFocused(box)
    if !element.text.isEmpty {
      let label = TextLines.truncate("\(element.text):", width: rect.width)
      write(label, x: rect.x, y: rect.y, style: isFocused ? style.with(.bold) : style, in: clip)
    }
    let area = TextEditorShape.area(of: element, in: rect)
    let inside = clip.intersection(area)
    for y in area.y..<area.bottom {
      write("│", x: rect.x, y: y, style: style.with(isFocused ? .bold : .dim), in: clip)
    }
    guard !inside.isEmpty, let text = element.value.editedText else { return }
    let width = TextEditorShape.lineWidth(of: area)
    guard isFocused, let focus = target(of: box).flatMap(FocusedElement.init) else {
      let buffer = TextBuffer(text)
      let lines = buffer.lines(width: width, limit: area.height)
      return paint(buffer, lines[...], in: area, clip: inside, style: style)
    }
    var editor = editor(of: focus, text: text)
    editor.width = width
    let buffer = editor.buffer
    let lines = buffer.lines(width: width)
    let present = TextBuffer.line(of: buffer.cursor, in: lines)
    var first = TextBuffer.line(of: editor.first, in: lines)
    first = max(min(first, present), present - area.height + 1)
    first = max(0, min(first, lines.count - area.height))
    editor.first = lines[first].lowerBound
    let shown = lines[first..<min(lines.count, first + area.height)]
    paint(buffer, shown, in: area, clip: inside, style: style)
    let column = area.x + buffer.column(of: buffer.cursor, from: lines[present].lowerBound)
    let line = area.y + present - first
    if clip.contains(x: column, y: line) { cursor = (column, line) }
    state.editor = editor
  }

  private mutating func paint(
    _ buffer: TextBuffer, _ lines: ArraySlice<Range<Int>>, in area: Rect, clip: Rect, style: Style
  ) {
    for (row, line) in lines.enumerated() {
      var x = area.x
      for place in line {
        let isSelected = buffer.selection?.contains(place) == true
        let look = isSelected ? style.with(Theme.selected) : style
        let character = String(buffer.characters[place])
        x += grid.write(character, x: x, y: area.y + row, style: look, in: clip, pool: pool)
      }
    }
  }
}

extension TerminalScreen {
  /// Edits a focused field of several lines with the keys that mean something else there.
  ///
  /// - Returns: `nil` if a key means what it means in any field; otherwise whether it was used.
  func editLines(with key: TerminalKey) -> Bool? {
    // These keys move the row with the field, if it is in one.
    if key.fullName == "alt-up" || key.fullName == "alt-down" { return nil }
    let width = renderer.state.editor?.width ?? 1
    let selects = key.modifiers.contains(.shift)
    let isWhole = key.modifiers.contains(.control)
    switch (key.name, key.fullName) {
    case ("up", _), ("down", _):
      var isMoved = false
      let step = key.name == "up" ? -1 : 1
      edit { isMoved = $0.moveVertically(by: step, width: width, selects: selects) }
      return isMoved
    case ("home", _):
      return edit { $0.move(isWhole ? .start : .place($0.lineStart), selects: selects) }
    case ("end", _): return edit { $0.move(isWhole ? .end : .place($0.lineEnd), selects: selects) }
    case (_, "ctrl-a"): return edit { $0.move(.place($0.lineStart)) }
    case (_, "ctrl-e"): return edit { $0.move(.place($0.lineEnd)) }
    case (_, "ctrl-u"): return edit { $0.delete(.place($0.lineStart)) }
    case (_, "ctrl-k"): return edit { $0.delete(.place($0.lineEnd)) }
    case ("return", _): return edit { $0.insert("\n", keepsLines: true) }
    default: return nil
    }
  }
}
