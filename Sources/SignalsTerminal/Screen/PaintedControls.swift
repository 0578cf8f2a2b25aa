// Drawing controls: single-line ones, and a field with its cursor and selection.

import Signals

extension Painter {
  mutating func paint(
    _ element: DrawnElement, of box: Box, in rect: Rect, clip: Rect,
    alignment: ElementAlignment?
  ) {
    let style = element.isEnabled ? box.style : box.style.with(Theme.disabled)
    if let text = element.value.editedText {
      return paint(field: element, text: text, of: box, style: style, in: rect, clip: clip)
    }
    if case .fraction = element.value {
      return paint(Controls.bar(element, width: rect.width), in: rect, clip: clip, style: style)
    }
    let line = Controls.line(of: element)
    var rect = rect
    let free = max(0, rect.width - line.width)
    if alignment == .trailing { rect.x += free } else if alignment == .center { rect.x += free / 2 }
    paint(line, in: rect, clip: clip, style: isFocused(box) ? style.with(Theme.focused) : style)
  }

  mutating func paint(_ line: StyledLine, in rect: Rect, clip: Rect, style: Style) {
    var left = rect.width
    var x = rect.x
    for (text, own) in line.pieces where left > 0 {
      let text = TextLines.truncate(text, width: left)
      let width = CharacterWidth.of(text)
      write(text, x: x, y: rect.y, style: style.with(own), in: clip)
      x += width
      left -= width
    }
  }

  mutating func paint(
    field element: DrawnElement, text: String, of box: Box, style: Style, in rect: Rect,
    clip: Rect
  ) {
    let isFocused = isFocused(box)
    let label = TextLines.truncate(Controls.label(of: element), width: max(0, rect.width - 3))
    write(label, x: rect.x, y: rect.y, style: isFocused ? style.with(.bold) : style, in: clip)
    let used = CharacterWidth.of(label)
    let area = Rect(
      x: rect.x + used, y: rect.y, width: rect.width - used, height: min(1, rect.height))
    guard !area.isEmpty else { return }
    let inside = clip.intersection(area)
    grid.fill(inside, style: style.with(Style(.underlined)))
    guard isFocused, let focus = target(of: box).flatMap(FocusedElement.init) else {
      let text = element.value.isSecret ? ElementValue.masked(text) : text
      let shown = TextLines.truncate(text, width: area.width)
      return write(shown, x: area.x, y: area.y, style: style.with(Style(.underlined)), in: inside)
    }
    var editor = editor(of: focus, text: text)
    let buffer = element.value.isSecret ? editor.buffer.masked : editor.buffer
    // The cursor takes a cell after the last character.
    editor.first = buffer.firstPlace(editor.first, showing: buffer.cursor, in: area.width - 1)
    var x = area.x
    for place in editor.first..<buffer.characters.count {
      if x >= area.right { break }
      var look = style.with(Style(.underlined))
      if buffer.selection?.contains(place) == true { look = look.with(Theme.selected) }
      let character = String(buffer.characters[place])
      x += grid.write(character, x: x, y: area.y, style: look, in: inside, pool: pool)
    }
    let column = area.x + buffer.column(of: buffer.cursor, from: editor.first)
    if clip.contains(x: column, y: area.y) { cursor = (column, area.y) }
    state.editor = editor
  }

  func editor(of field: FocusedElement, text: String) -> FieldEditor {
    guard var editor = state.editor, editor.field.name == field.name,
      editor.field.number == field.number
    else { return FieldEditor(field: field, buffer: TextBuffer(text)) }
    editor.show(text, isAnswer: isAnswer)
    return editor
  }
}

extension FieldEditor {
  /// Adopts the text that the app shows.
  ///
  /// If the app refused the last edit, the text and the cursor return to their previous state.
  fileprivate mutating func show(_ text: String, isAnswer: Bool) {
    let edited = before
    before = nil
    if text == buffer.text { return }
    if let edited, edited.text == text {
      buffer = edited
    } else {
      buffer.replaceText(text, isAnswer: isAnswer)
    }
    first = min(first, buffer.characters.count)
  }
}
