// From boxes to cells: one pass over what is to be seen.
//
// State: `grid`, what was drawn so far; `state`, what the screen keeps; `targets`, `lists`, `cursor`: what input needs to
// know of the frame; `list`, the list that is being drawn.

import Signals

/// Draws boxes into a grid, and notes what a click or a key would meet.
struct Painter {
  private(set) var grid: CellGrid
  private(set) var state: ScreenState
  private(set) var targets: [Target] = []
  private(set) var lists: [(key: ListKey, flow: ElementFlow, area: Rect)] = []
  /// Where the terminal's cursor is to be seen.
  private(set) var cursor: (x: Int, y: Int)?
  private let pool: GlyphPool
  private var list: (key: ListKey, path: FlowPath, row: (scope: ScopeID, rows: ScopeID)?)?
  private var isDrawingFocus = false

  init(_ grid: CellGrid, _ state: ScreenState, _ pool: GlyphPool) {
    self.grid = grid
    self.state = state
    self.pool = pool
  }

  // MARK: - Boxes

  /// Draws a box in a rectangle, as far as that is within `clip`.
  mutating func paint(
    _ box: Box, in rect: Rect, clip: Rect, alignment: ElementAlignment? = nil
  ) {
    let clip = clip.intersection(rect)
    guard !clip.isEmpty else { return }
    var body = rect
    body.height -= min(box.errors.count, max(0, rect.height - 1))
    note(box, clip.intersection(body))
    let alignment = box.look.alignment ?? alignment
    switch box.content {
    case .text(let text): paint(text, body, clip, box.style, alignment)
    case .control(let element): paint(element, box, body, clip, alignment)
    case .divider: divide(body, clip, box.style)
    case .row(let boxes, let spacing):
      paint(boxes, Box.widths(boxes, in: body.width, spacing: spacing), spacing, body, clip)
    case .column(let boxes): paint(boxes, below: body, clip, alignment)
    case .cells(let boxes, let columns): paint(boxes, columns, body, clip)
    case .list(let part): paint(part, body, clip)
    case .empty: break
    }
    if isFocused(box), case .cells = box.content { grid.lay(Theme.focused, over: clip) }
    for (place, error) in box.errors.enumerated() {
      let line = TextLines.truncate("! \(error)", width: rect.width)
      write(line, rect.x, body.bottom + place, box.style.with(Theme.error), clip)
    }
  }

  private mutating func write(_ text: String, _ x: Int, _ y: Int, _ style: Style, _ clip: Rect) {
    grid.write(text, x: x, y: y, style: style, in: clip, pool: pool)
  }

  private mutating func paint(
    _ text: String, _ rect: Rect, _ clip: Rect, _ style: Style, _ alignment: ElementAlignment?
  ) {
    let lines = TextLines.wrap(text, width: rect.width, limit: rect.height)
    for (place, line) in lines.enumerated() {
      let line = TextLines.truncate(line, width: rect.width)
      let free =
        alignment == nil || alignment == .leading ? 0 : rect.width - CharacterWidth.of(line)
      let x = rect.x + (alignment == .center ? free / 2 : free)
      write(line, x, rect.y + place, style, clip)
    }
    // A line about the whole screen is one from end to end.
    if style.attributes.contains(.reversed) { grid.lay(style, over: rect.intersection(clip)) }
  }

  private mutating func divide(_ rect: Rect, _ clip: Rect, _ style: Style) {
    let isUpright = rect.width == 1 && rect.height > 1
    for y in 0..<(isUpright ? rect.height : 1) {
      write(
        String(repeating: isUpright ? "│" : "─", count: rect.width), rect.x, rect.y + y,
        style.with(.dim), clip)
    }
  }

  private mutating func paint(
    _ boxes: [Box], _ widths: [Int], _ spacing: Int, _ rect: Rect, _ clip: Rect
  ) {
    var x = rect.x
    for (box, width) in zip(boxes, widths) {
      let isHigh =
        if case .divider = box.content { true } else { box.isTall }
      let height = isHigh ? rect.height : min(rect.height, box.height(width: width))
      paint(box, in: Rect(x: x, y: rect.y, width: width, height: height), clip: clip)
      x += width + spacing
    }
  }

  private mutating func paint(
    _ boxes: [Box], below rect: Rect, _ clip: Rect, _ alignment: ElementAlignment?
  ) {
    var y = rect.y
    for (box, height) in zip(boxes, Box.heights(boxes, width: rect.width, in: rect.height)) {
      paint(
        box, in: Rect(x: rect.x, y: y, width: rect.width, height: height), clip: clip,
        alignment: alignment)
      y += height
    }
  }

  private mutating func paint(
    _ boxes: [Box], _ columns: [ElementLook], _ rect: Rect, _ clip: Rect
  ) {
    let items = boxes.indices.map { place in
      place < columns.count ? columns[place].column : FlexItem(ideal: 10, flex: 1)
    }
    var x = rect.x
    for (place, width) in FlexLayout.lengths(items, in: rect.width, spacing: 2).enumerated() {
      paint(
        boxes[place], in: Rect(x: x, y: rect.y, width: width, height: 1), clip: clip,
        alignment: place < columns.count ? columns[place].alignment : nil)
      x += width + 2
    }
  }

  // MARK: - Lists

  private mutating func paint(_ part: ListPart, _ rect: Rect, _ clip: Rect) {
    var area = rect
    // The last column is the scroll bar's.
    let width = max(1, rect.width - 1)
    if let header = part.header {
      paint(header, in: Rect(x: rect.x, y: rect.y, width: width, height: 1), clip: clip)
      area.y += 1
      area.height -= 1
    }
    let flow = part.flow
    flow.width = width
    lists.append((part.key, flow, area.intersection(clip)))
    var kept = state.lists[part.key] ?? ListState()
    kept.follow(flow)
    if state.mustReveal, var place = state.focus?.place, place.list == part.key {
      state.mustReveal = false
      if let path = flow.present(place) {
        place.path = path
        state.focus?.place = place
        kept.position.reveal(path, in: flow, height: area.height)
      }
    }
    let shown = kept.position.visible(in: flow, height: area.height)
    kept.anchor = kept.position.top.flatMap { flow.row(of: $0)?.scope }
    state.lists[part.key] = kept
    let outer = list
    for row in shown {
      list = (part.key, row.place, flow.row(of: row.place))
      paint(
        flow.box(at: row.place),
        in: Rect(x: area.x, y: area.y + row.y, width: width, height: row.height),
        clip: clip.intersection(area))
    }
    list = outer
    paintBar(shown, flow, area, clip)
  }

  private mutating func paintBar(
    _ shown: [ScrollPosition<FlowPath>.Visible], _ flow: ElementFlow, _ area: Rect, _ clip: Rect
  ) {
    guard let first = shown.first, let last = shown.last, area.height > 1 else { return }
    let isWhole =
      first.y >= 0 && last.y + last.height <= area.height
      && flow.previous(before: first.place) == nil && flow.next(after: last.place) == nil
    if isWhole { return }
    let height = Double(area.height)
    let start = Int(flow.fraction(of: first.place, after: false) * height)
    let end = Int((flow.fraction(of: last.place, after: true) * height).rounded(.up))
    for y in 0..<area.height {
      let isThumb = y >= min(start, area.height - 1) && y < max(end, start + 1)
      write(isThumb ? "█" : "│", area.right - 1, area.y + y, .dim, clip)
    }
  }

  // MARK: - Targets and the focus

  private mutating func note(_ box: Box, _ rect: Rect) {
    guard let target = box.target, target.element.isEnabled, !rect.isEmpty else { return }
    var noted = Target(target.element, target.scope)
    noted.rect = rect
    noted.place = list.map { ListPlace(list: $0.key, path: $0.path, row: $0.row) }
    targets.append(noted)
    if state.focus?.isSame(as: noted) == true { state.focus?.place = noted.place }
  }

  private func isFocused(_ box: Box) -> Bool {
    guard let target = box.target, let focus = state.focus else { return false }
    return focus.isSame(as: Target(target.element, target.scope))
  }

  // MARK: - Controls

  private mutating func paint(
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

  private mutating func paint(_ line: StyledLine, _ rect: Rect, _ clip: Rect, _ style: Style) {
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

  private mutating func paint(
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

  private func editor(_ id: String, _ scope: ScopeID, _ text: String) -> FieldEditor {
    guard var editor = state.editor, editor.id == id, editor.scope == scope else {
      return FieldEditor(id: id, scope: scope, buffer: TextBuffer(text))
    }
    editor.buffer.replaceText(text)
    return editor
  }

  // MARK: - Over everything

  /// Draws the options of a picker over what was drawn.
  mutating func paintPicker() {
    guard var picker = state.picker else { return }
    guard
      let target = targets.first(where: { $0.element.id == picker.id && $0.scope == picker.scope })
    else {
      state.picker = nil
      return
    }
    let screen = grid.bounds
    let width = min(
      screen.width, (picker.options.map { CharacterWidth.of($0) }.max() ?? 0) + 4)
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
    grid.fill(rect, .plain)
    let edge = String(repeating: "─", count: max(0, width - 2))
    write("┌\(edge)┐", rect.x, rect.y, .plain, rect)
    write("└\(edge)┘", rect.x, rect.bottom - 1, .plain, rect)
    for row in 0..<rows where picker.top + row < picker.options.count {
      let option = TextLines.truncate(picker.options[picker.top + row], width: width - 4)
      let line = Rect(x: rect.x, y: rect.y + 1 + row, width: width, height: 1)
      write("│ \(option)", line.x, line.y, .plain, line)
      write("│", rect.right - 1, line.y, .plain, line)
      if picker.top + row == picker.index {
        grid.lay(Theme.selected, over: Rect(x: line.x + 1, y: line.y, width: width - 2, height: 1))
      }
    }
    state.picker = picker
    cursor = nil
  }

  /// Draws a message over the last line.
  mutating func paintMessage() {
    guard let message = state.message, grid.height > 0 else { return }
    let line = Rect(x: 0, y: grid.height - 1, width: grid.width, height: 1)
    let style = Style(foreground: .red, .reversed)
    grid.fill(line, style)
    write(TextLines.truncate(message, width: grid.width), 0, line.y, style, line)
    if let cursor, cursor.y == line.y { self.cursor = nil }
  }
}

extension ElementLook {
  /// What a column of a table wants.
  fileprivate var column: FlexItem {
    let isFixed = minWidth != nil || maxWidth != nil
    return FlexItem(
      minimum: minWidth ?? 0, ideal: max(minWidth ?? 0, min(maxWidth ?? 8, 8)),
      maximum: maxWidth ?? .max, flex: flex ?? (isFixed ? 0 : 1))
  }
}

extension ListState {
  /// Stays with the row at the top where rows came or went above it; at the very top it stays at the top.
  mutating func follow(_ flow: ElementFlow) {
    guard let top = position.top else { return }
    let isAtStart = position.offset == 0 && !top.steps.contains { $0 != 0 }
    if isAtStart { return position.jump(to: flow.first()) }
    if let anchor, flow.row(of: top)?.scope != anchor, let moved = flow.find(anchor, near: top) {
      return position.follow(moved)
    }
    if let near = flow.nearest(to: top), near != top { position.jump(to: near) }
  }
}

extension ElementFlow {
  /// Where what stood at a place stands now, or what came there.
  func present(_ place: ListPlace) -> FlowPath? {
    if let row = place.row, self.row(of: place.path)?.scope != row.scope,
      let moved = find(row.scope, near: place.path)
    {
      return moved
    }
    return nearest(to: place.path)
  }
}

extension FieldEditor {
  /// Brings the cursor into sight.
  mutating func scroll(in width: Int) {
    let column = buffer.column(of: buffer.cursor)
    scrolled = max(min(scrolled, column), column - width + 1)
  }
}
