// How controls are drawn: what is one line, and a field with its cursor and selection.

import Signals

extension Painter {
  mutating func paint(
    _ element: DrawnElement, _ box: Box, _ rect: Rect, _ clip: Rect,
    _ alignment: ElementAlignment?
  ) {
    let style = element.isEnabled ? box.style : box.style.with(Theme.disabled)
    if case .text(let text) = element.value {
      return paint(field: element, text, box, style, rect, clip)
    }
    if case .fraction = element.value {
      return paint(Controls.bar(element, width: rect.width), rect, clip, style)
    }
    let line = Controls.line(of: element)
    var rect = rect
    let free = max(0, rect.width - line.width)
    if alignment == .trailing { rect.x += free } else if alignment == .center { rect.x += free / 2 }
    paint(line, rect, clip, isFocused(box) ? style.with(Theme.focused) : style)
  }

  mutating func paint(_ line: StyledLine, _ rect: Rect, _ clip: Rect, _ style: Style) {
    var left = rect.width
    var x = rect.x
    for (text, own) in line.pieces where left > 0 {
      let text = TextLines.truncate(text, width: left)
      let width = CharacterWidth.of(text)
      write(text, x, rect.y, style.with(own), clip)
      x += width
      left -= width
    }
  }

  mutating func paint(
    field element: DrawnElement, _ text: String, _ box: Box, _ style: Style, _ rect: Rect,
    _ clip: Rect
  ) {
    let isFocused = isFocused(box)
    let label = TextLines.truncate(Controls.label(of: element), width: max(0, rect.width - 3))
    write(label, rect.x, rect.y, isFocused ? style.with(.bold) : style, clip)
    let used = CharacterWidth.of(label)
    let area = Rect(
      x: rect.x + used, y: rect.y, width: rect.width - used, height: min(1, rect.height))
    guard !area.isEmpty else { return }
    let inside = clip.intersection(area)
    grid.fill(inside, style.with(Style(.underlined)))
    guard isFocused, let id = element.id, let scope = box.target?.scope else {
      let shown = TextLines.truncate(text, width: area.width)
      return write(shown, area.x, area.y, style.with(Style(.underlined)), inside)
    }
    var editor = editor(id, scope, text)
    editor.scroll(in: area.width)
    let selection = editor.buffer.selection
    var x = area.x - editor.scrolled
    for (place, character) in editor.buffer.characters.enumerated() {
      var look = style.with(Style(.underlined))
      if let selection, selection.contains(place) { look = look.with(Theme.selected) }
      x += grid.write(String(character), x: x, y: area.y, style: look, in: inside, pool: pool)
      if x >= area.right { break }
    }
    let column = area.x + editor.buffer.column(of: editor.buffer.cursor) - editor.scrolled
    if clip.contains(x: column, y: area.y) { cursor = (column, area.y) }
    state.editor = editor
  }

  func editor(_ id: String, _ scope: ScopeID, _ text: String) -> FieldEditor {
    guard var editor = state.editor, editor.id == id, editor.scope == scope else {
      return FieldEditor(id: id, scope: scope, buffer: TextBuffer(text))
    }
    editor.buffer.replaceText(text)
    return editor
  }
}

extension FieldEditor {
  /// Brings the cursor into sight.
  mutating func scroll(in width: Int) {
    let column = buffer.column(of: buffer.cursor)
    scrolled = max(min(scrolled, column), column - width + 1)
  }
}
