// Content drawn last: the options of a picker, on top of the screen, and a message at the bottom.

import Signals

extension Painter {
  /// Draws the options of a picker on top of the drawing so far.
  mutating func paintPicker() {
    guard var picker = state.picker else { return }
    guard
      let target = targets.first(where: picker.picker.isSame(as:))
    else {
      state.picker = nil
      return
    }
    let width = min(
      screen.width, (picker.options.map { CharacterWidth.of($0.title) }.max() ?? 0) + 4)
    let below = screen.height - target.rect.bottom
    let isBelow = below >= min(picker.options.count + 2, screen.height / 2)
    let room = isBelow ? below : max(target.rect.y, below)
    let height = min(room, picker.options.count + 2)
    let y = isBelow || target.rect.y < below ? target.rect.bottom : target.rect.y - height
    let rect = Rect(
      x: max(0, min(target.rect.x, screen.width - width)), y: y, width: width, height: height)
    let rows = max(1, height - 2)
    picker.top = max(min(picker.top, picker.index), picker.index - rows + 1)
    picker.rect = Rect(x: rect.x, y: rect.y + 1, width: width, height: rows)
    grid.fill(rect, style: .plain)
    let edge = String(repeating: "─", count: max(0, width - 2))
    write("┌\(edge)┐", x: rect.x, y: rect.y, style: .plain, in: rect)
    write("└\(edge)┘", x: rect.x, y: rect.bottom - 1, style: .plain, in: rect)
    for row in 0..<rows where picker.top + row < picker.options.count {
      let option = TextLines.truncate(picker.options[picker.top + row].title, width: width - 4)
      let line = Rect(x: rect.x, y: rect.y + 1 + row, width: width, height: 1)
      let tints = target.element.look.optionTints
      let tint = picker.top + row < tints.count ? tints[picker.top + row] : nil
      write("│", x: line.x, y: line.y, style: .plain, in: line)
      write(
        option, x: line.x + 2, y: line.y,
        style: Style(foreground: tint.map(Theme.color) ?? .standard), in: line)
      write("│", x: rect.right - 1, y: line.y, style: .plain, in: line)
      if picker.top + row == picker.index {
        grid.lay(Theme.selected, over: Rect(x: line.x + 1, y: line.y, width: width - 2, height: 1))
      }
    }
    state.picker = picker
    cursor = nil
  }

  /// Draws a message in the last line, which isn't part of the app's area while it is shown.
  mutating func paintMessage() {
    guard let message = state.message, grid.height > 0 else { return }
    let line = Rect(x: 0, y: grid.height - 1, width: grid.width, height: 1)
    let style = Style(foreground: .red, .reversed)
    grid.fill(line, style: style)
    write(TextLines.truncate(message, width: grid.width), x: 0, y: line.y, style: style, in: line)
    if let cursor, cursor.y == line.y { self.cursor = nil }
  }
}
