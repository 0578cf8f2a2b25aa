// Mouse input: a click moves the focus to the element under the mouse and uses it.

import Signals

extension TerminalScreen {
  /// Handles a mouse action on the app, or on its topmost cover.
  func handle(_ mouse: TerminalMouse) {
    switch mouse.kind {
    case .press:
      renderer.state.isSelecting = false
      if let seen = renderer.seen?.target(x: mouse.x, y: mouse.y), let target = present(seen) {
        click(target, seenAs: seen, with: mouse)
      }
    case .drag: if renderer.state.isSelecting { select(to: mouse) }
    case .release: renderer.state.isSelecting = false
    case .scrollUp, .scrollDown:
      let seen = renderer.seen?.lists.last { $0.area.contains(x: mouse.x, y: mouse.y) }
      let list = seen.flatMap { seen in renderer.lists.last { $0.key == seen.key } } ?? mainList
      if let list { scroll(list.key, in: list.flow, by: mouse.kind == .scrollUp ? -3 : 3) }
    }
  }

  private func click(_ target: Target, seenAs seen: Target, with mouse: TerminalMouse) {
    focus(target)
    switch target.element.value {
    case .choice(let choice, let options): open(target, choice: choice, options: options)
    case .text, .secret:
      // A field must be drawn with the focus before it has a cursor.
      layout()
      moveCursor(to: mouse, in: seen)
      renderer.state.isSelecting = true
      if mouse.clicks == 2 { edit { $0.selectWord(at: $0.cursor) } }
      if mouse.clicks > 2 { edit { $0.selectAll() } }
    default: _ = use(target)
    }
  }

  /// Puts the cursor at a cell of a field that the user saw, even if its text has changed since.
  private func moveCursor(to mouse: TerminalMouse, in seen: Target) {
    guard let (shown, first) = renderer.seen?.text(of: seen) else { return }
    var buffer = shown
    buffer.move(.place(place(of: mouse, in: seen, buffer, from: first)))
    edit { present in
      buffer.replaceText(present.text, isAnswer: false)
      present.move(.place(buffer.cursor))
    }
  }

  /// Extends the selection of the focused field to a cell.
  private func select(to mouse: TerminalMouse) {
    guard let target = focusedTarget, let editor = renderer.state.editor else { return }
    let place = place(of: mouse, in: target, editor.buffer, from: editor.first)
    edit { $0.move(.place(place), selects: true) }
  }

  /// Returns the position in a field's text for a cell.
  private func place(
    of mouse: TerminalMouse, in field: Target, _ buffer: TextBuffer, from first: Int
  ) -> Int {
    if field.element.kind == .textEditor { return line(of: mouse, in: field, buffer, from: first) }
    let label = CharacterWidth.of(Controls.label(of: field.element))
    let column = mouse.x - field.rect.x - label
    // Beyond the left edge, the text scrolls with the cursor.
    return column < 0 ? first - 1 : buffer.place(atColumn: column, from: first)
  }

  /// Returns the position in the text of a field of several lines for a cell.
  private func line(
    of mouse: TerminalMouse, in field: Target, _ buffer: TextBuffer, from first: Int
  ) -> Int {
    let area = TextEditorShape.area(of: field.element, in: field.rect)
    let lines = buffer.lines(width: TextEditorShape.lineWidth(of: area))
    let top = TextBuffer.line(of: first, in: lines)
    // Beyond the edges, the text scrolls with the cursor.
    let number = min(max(0, top + mouse.y - area.y), lines.count - 1)
    return buffer.place(atColumn: max(0, mouse.x - area.x), in: lines, number: number)
  }
}
