// From boxes to cells: one pass over what is to be seen.
//
// State: `grid`, what was drawn so far; `state`, what the screen keeps; `targets`, `lists`, `cursor`: what input needs to
// know of the frame; `list`, the list that is being drawn.

import Signals

/// Draws boxes into a grid, and notes what a click or a key would meet.
struct Painter {
  var grid: CellGrid
  var state: ScreenState
  var targets: [Target] = []
  var lists: [(key: ListKey, flow: ElementFlow, area: Rect)] = []
  /// Where the terminal's cursor is to be seen.
  var cursor: (x: Int, y: Int)?
  let pool: GlyphPool
  /// How many targets of a name there were so far.
  private var numbers: [TargetName: Int] = [:]
  var list: ListPlace?
  /// The number of covers that are shown.
  var layer = 0

  init(_ grid: CellGrid, _ state: ScreenState, _ pool: GlyphPool) {
    self.grid = grid
    self.state = state
    self.pool = pool
  }

  /// What the app is drawn in: all but the line of a message, which covers nothing of it where there are two lines.
  var screen: Rect {
    var screen = grid.bounds
    if state.message != nil, screen.height > 1 { screen.height -= 1 }
    return screen
  }

  // MARK: - Boxes

  /// Draws a box in a rectangle, as far as that is within `clip`.
  mutating func paint(
    _ box: Box, in rect: Rect, clip: Rect, alignment: ElementAlignment? = nil
  ) {
    let clip = clip.intersection(rect)
    guard !clip.isEmpty else { return }
    var body = rect
    // What has nothing but errors needs no line of its own.
    let own = if case .empty = box.content { 0 } else { 1 }
    body.height -= min(box.errors.count, max(0, rect.height - own))
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
    case .scroll(let column, let part):
      // What has no lists of its own is one, whether it fits or not: the focus knows its neighbors there.
      if column.isTall || part.key.isScreen,
        column.minimumHeight(width: body.width) <= body.height
      {
        paint(column, in: body, clip: clip, alignment: alignment)
      } else {
        paint(part, body, clip)
      }
    case .list(let part): paint(part, body, clip)
    case .empty: break
    }
    if isFocused(box), case .cells = box.content { grid.lay(Theme.focused, over: clip) }
    for (place, error) in box.errors.enumerated() {
      let line = TextLines.truncate("! \(error)", width: rect.width)
      write(line, rect.x, body.bottom + place, box.style.with(Theme.error), clip)
    }
  }

  mutating func write(_ text: String, _ x: Int, _ y: Int, _ style: Style, _ clip: Rect) {
    grid.write(text, x: x, y: y, style: style, in: clip, pool: pool)
  }

  mutating func paint(
    _ text: String, _ rect: Rect, _ clip: Rect, _ style: Style, _ alignment: ElementAlignment?
  ) {
    let lines = TextLines.wrap(text, width: rect.width, limit: rect.height)
    // What is not to be seen is not measured either.
    let first = max(0, clip.y - rect.y)
    for place in first..<max(first, min(lines.count, clip.bottom - rect.y)) {
      let line = TextLines.truncate(lines[place], width: rect.width)
      let free =
        alignment == nil || alignment == .leading ? 0 : rect.width - CharacterWidth.of(line)
      let x = rect.x + (alignment == .center ? free / 2 : free)
      write(line, x, rect.y + place, style, clip)
    }
    // A line about the whole screen is one from end to end.
    if style.attributes.contains(.reversed) { grid.lay(style, over: rect.intersection(clip)) }
  }

  mutating func divide(_ rect: Rect, _ clip: Rect, _ style: Style) {
    let isUpright = rect.width == 1 && rect.height > 1
    for y in 0..<(isUpright ? rect.height : 1) {
      write(
        String(repeating: isUpright ? "│" : "─", count: rect.width), rect.x, rect.y + y,
        style.with(.dim), clip)
    }
  }

  mutating func paint(
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

  mutating func paint(
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

  mutating func paint(
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

  // MARK: - Targets and the focus

  mutating func note(_ box: Box, _ rect: Rect) {
    guard let target = box.target, target.element.isEnabled, !rect.isEmpty else { return }
    var noted = Target(target.element, target.scope)
    noted.rect = rect
    noted.place = list
    if let name = noted.name {
      noted.number = numbers[name, default: 0]
      numbers[name] = noted.number + 1
      box.number = noted.number
    }
    targets.append(noted)
    if state.focus?.isSame(as: noted) == true { state.focus?.place = noted.place }
  }

  func isFocused(_ box: Box) -> Bool {
    guard let focus = state.focus, let target = target(of: box) else { return false }
    return focus.isSame(as: target)
  }

  /// What a box that was noted is drawn for.
  func target(of box: Box) -> Target? {
    box.target.map { Target($0.element, $0.scope, number: box.number) }
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
