// Paints boxes into cells, in one pass over the visible ones.
//
// State: `grid`, the cells drawn so far; `state`, the state that the screen keeps between frames;
// `targets`, `lists` and `cursor`, which input handling needs to know about the frame; `list`, the
// list that is being drawn; `columns`, what was drawn as a column and may be a list in the next
// drawing; `previous`, the lists and columns of the drawing before.

import Signals

/// Draws boxes into a grid, and records the targets of clicks and keys.
struct Painter {
  var grid: CellGrid
  var state: ScreenState
  var targets: [Target] = []
  var lists: [(key: ListKey, flow: ElementFlow, area: Rect)] = []
  /// The position of the terminal's cursor, if it is visible.
  var cursor: (x: Int, y: Int)?
  let pool: GlyphPool
  /// The number of targets so far with a given name.
  private var numbers: [TargetName: Int] = [:]
  var list: ListPlace?
  private(set) var columns: [ListKey: ElementFlow] = [:]
  let previous: DrawnLists
  /// The number of covers shown.
  var layer = 0
  /// Whether the frame shows the effects of the user's last input.
  let isAnswer: Bool

  init(
    _ grid: CellGrid, state: ScreenState, pool: GlyphPool, isAnswer: Bool, previous: DrawnLists
  ) {
    self.grid = grid
    self.state = state
    self.pool = pool
    self.isAnswer = isAnswer
    self.previous = previous
  }

  /// The area of the app: the screen without the line of a message.
  ///
  /// With a single line, the message covers the app.
  var screen: Rect {
    var screen = grid.bounds
    if state.message != nil, screen.height > 1 { screen.height -= 1 }
    return screen
  }

  // MARK: - Boxes

  /// Draws the part of a box's rectangle that is within `clip`.
  mutating func paint(
    _ box: Box, in rect: Rect, clip: Rect, alignment: ElementAlignment? = nil
  ) {
    let clip = clip.intersection(rect)
    guard !clip.isEmpty else { return }
    var body = rect
    // A box whose only content is errors needs no line for itself.
    let own = if case .empty = box.content { 0 } else { 1 }
    body.height -= min(box.errors.count, max(0, rect.height - own))
    note(box, in: clip.intersection(body))
    let alignment = box.look.alignment ?? alignment
    switch box.content {
    case .text(let text): paint(text, in: body, clip: clip, style: box.style, alignment: alignment)
    case .control(let element): paint(element, of: box, in: body, clip: clip, alignment: alignment)
    case .editor(let element): paint(editor: element, of: box, in: body, clip: clip)
    case .divider: divide(in: body, clip: clip, style: box.style)
    case .row(let boxes, let spacing):
      paint(
        boxes, widths: Box.widths(boxes, in: body.width, spacing: spacing), spacing: spacing,
        in: body, clip: clip)
    case .column(let boxes): paint(boxes, below: body, clip: clip, alignment: alignment)
    case .cells(let boxes, let columns): paint(boxes, columns: columns, in: body, clip: clip)
    case .scroll(let column, let part):
      // A scroll box without nested lists is always painted as a list, even if it fits, so that
      // the focus knows its neighbors there.
      if column.isTall || part.key.isScreen,
        column.minimumHeight(width: body.width) <= body.height
      {
        columns[part.key] = part.flow
        paint(column, in: body, clip: clip, alignment: alignment)
      } else {
        paint(part, in: body, clip: clip)
      }
    case .list(let part): paint(part, in: body, clip: clip)
    case .empty: break
    }
    if isFocused(box), case .cells = box.content { grid.lay(Theme.focused, over: clip) }
    for (place, error) in box.errors.enumerated() {
      let line = TextLines.truncate("! \(error)", width: rect.width)
      write(line, x: rect.x, y: body.bottom + place, style: box.style.with(Theme.error), in: clip)
    }
  }

  mutating func write(_ text: String, x: Int, y: Int, style: Style, in clip: Rect) {
    grid.write(text, x: x, y: y, style: style, in: clip, pool: pool)
  }

  mutating func paint(
    _ text: String, in rect: Rect, clip: Rect, style: Style, alignment: ElementAlignment?
  ) {
    let lines = TextLines.wrap(text, width: rect.width, limit: rect.height)
    // Lines that aren't visible aren't measured either.
    let first = max(0, clip.y - rect.y)
    for place in first..<max(first, min(lines.count, clip.bottom - rect.y)) {
      let line = TextLines.truncate(lines[place], width: rect.width)
      let free =
        alignment == nil || alignment == .leading ? 0 : rect.width - CharacterWidth.of(line)
      let x = rect.x + (alignment == .center ? free / 2 : free)
      write(line, x: x, y: rect.y + place, style: style, in: clip)
    }
    // A reversed line, such as a status bar, fills the full width.
    if style.attributes.contains(.reversed) { grid.lay(style, over: rect.intersection(clip)) }
  }

  mutating func divide(in rect: Rect, clip: Rect, style: Style) {
    let isUpright = rect.width == 1 && rect.height > 1
    for y in 0..<(isUpright ? rect.height : 1) {
      write(
        String(repeating: isUpright ? "│" : "─", count: rect.width), x: rect.x, y: rect.y + y,
        style: style.with(.dim), in: clip)
    }
  }

  mutating func paint(
    _ boxes: [Box], widths: [Int], spacing: Int, in rect: Rect, clip: Rect
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
    _ boxes: [Box], below rect: Rect, clip: Rect, alignment: ElementAlignment?
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
    _ boxes: [Box], columns: [ElementLook], in rect: Rect, clip: Rect
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

  mutating func note(_ box: Box, in rect: Rect) {
    guard let target = box.target, target.element.isEnabled, !rect.isEmpty else { return }
    var noted = Target(target.element, in: target.scope)
    noted.rect = rect
    noted.place = list
    if let name = noted.name {
      noted.number = numbers[name, default: 0]
      numbers[name] = noted.number + 1
      box.number = noted.number
    }
    targets.append(noted)
    if state.focus?.isSame(as: noted) == true {
      state.focus?.place = noted.place
      state.focus?.rect = noted.rect
      state.focus?.layer = layer
    }
  }

  func isFocused(_ box: Box) -> Bool {
    guard let focus = state.focus, let target = target(of: box) else { return false }
    return focus.isSame(as: target)
  }

  /// Returns the target of a box that has been recorded.
  func target(of box: Box) -> Target? {
    box.target.map { Target($0.element, in: $0.scope, number: box.number) }
  }
}

/// The lists of a drawing.
struct DrawnLists {
  var lists: Set<ListKey> = []
  /// What was drawn as a column because it fitted, in this drawing or before it was covered.
  var columns: [ListKey: ElementFlow] = [:]
}

extension ElementLook {
  /// The width that a table column requests.
  fileprivate var column: FlexItem {
    let isFixed = minWidth != nil || maxWidth != nil
    return FlexItem(
      minimum: minWidth ?? 0, ideal: max(minWidth ?? 0, min(maxWidth ?? 8, 8)),
      maximum: maxWidth ?? .max, flex: flex ?? (isFixed ? 0 : 1))
  }
}
