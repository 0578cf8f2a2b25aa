// Mouse input: a click moves the focus to the element under the mouse and uses it.

import Signals

extension TerminalScreen {
  /// Handles a mouse action on the app, or on its topmost cover.
  func handle(_ mouse: TerminalMouse) {
    switch mouse.kind {
    case .press:
      renderer.state.isSelecting = false
      if let target = renderer.targets.last(where: { $0.rect.contains(x: mouse.x, y: mouse.y) }) {
        click(target, with: mouse)
      }
    case .drag: if renderer.state.isSelecting { moveCursor(to: mouse, selects: true) }
    case .release: renderer.state.isSelecting = false
    case .scrollUp, .scrollDown:
      let list = renderer.lists.last { $0.area.contains(x: mouse.x, y: mouse.y) } ?? mainList
      if let list { scroll(list.key, in: list.flow, by: mouse.kind == .scrollUp ? -3 : 3) }
    }
  }

  private func click(_ target: Target, with mouse: TerminalMouse) {
    focus(target)
    switch target.element.value {
    case .choice(let choice, let options): open(target, choice: choice, options: options)
    case .text:
      // A field must be drawn with the focus before a column can be mapped to a cursor position.
      layout()
      moveCursor(to: mouse, selects: false)
      renderer.state.isSelecting = true
      if mouse.clicks == 2 { edit { $0.selectWord(at: $0.cursor) } }
      if mouse.clicks > 2 { edit { $0.selectAll() } }
    default: _ = use(target)
    }
  }

  private func moveCursor(to mouse: TerminalMouse, selects: Bool) {
    guard let target = focusedTarget, case .text = target.element.value,
      let editor = renderer.state.editor
    else { return }
    let label = CharacterWidth.of(Controls.label(of: target.element))
    let column = mouse.x - target.rect.x - label
    edit { buffer in
      // Beyond the left edge, the text scrolls with the cursor.
      let place =
        column < 0 ? editor.first - 1 : buffer.place(atColumn: column, from: editor.first)
      buffer.move(.place(place), selects: selects)
    }
  }
}
