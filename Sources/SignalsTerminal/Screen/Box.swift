// The measured content of one frame: elements become boxes, and boxes become cells.
//
// Boxes are created for each frame, only for visible content, and discarded after it. The rows of a
// scroll list are created one by one while it is drawn (see ElementFlow.swift).

import Signals

/// A part of the screen, with the space that it requests.
final class Box {
  enum Content {
    case text(String)
    /// An interactive element, or another one that is drawn in one line.
    case control(DrawnElement)
    /// A field of several lines.
    case editor(DrawnElement)
    case divider
    /// Boxes side by side, with a number of blank cells between them.
    case row([Box], spacing: Int)
    case column([Box])
    /// A column if it fits, otherwise the same content as a list that scrolls.
    case scroll(Box, ListPart)
    /// Rows that scroll, below the titles if they are those of a table.
    case list(ListPart)
    /// The titles, or one row, of a table.
    case cells([Box], [ElementLook])
    case empty
  }

  let content: Content
  let look: ElementLook
  /// The style of the box, combined with the styles around it.
  let style: Style
  /// The active element that clicks and keys in this box are meant for.
  let target: (element: DrawnElement, scope: ScopeID)?
  /// The validation errors shown below the box.
  let errors: [String]
  /// The number of earlier targets with the same name in its view; see `Painter.note`.
  var number = 0
  private var measured: FlexItem?
  private var lines: (width: Int, height: Int)?

  init(
    _ content: Content, look: ElementLook = ElementLook(), style: Style,
    target: (element: DrawnElement, scope: ScopeID)? = nil, errors: [String] = []
  ) {
    self.content = content
    self.look = look.limited
    self.style = style
    self.target = target
    self.errors = errors
  }

  /// Whether the box takes the remaining height.
  var isTall: Bool {
    switch content {
    case .list, .scroll: true
    case .column(let boxes), .row(let boxes, _): boxes.contains(where: \.isTall)
    default: false
    }
  }

  // MARK: - Width

  /// The width that the box requests within a row.
  var width: FlexItem {
    if let measured { return measured }
    let own = ownWidth
    var item = FlexItem(
      minimum: look.minWidth ?? min(own.minimum, look.maxWidth ?? .max),
      ideal: own.ideal, maximum: look.maxWidth ?? .max, flex: look.flex ?? own.flex)
    if look.maxWidth != nil, look.flex == nil, own.flex == 0 { item.maximum = max(item.ideal, 0) }
    measured = item
    return item
  }

  private var ownWidth: FlexItem {
    switch content {
    case .text(let text):
      let size = TextLines.size(of: text).width
      return FlexItem(
        minimum: min(size, TextLines.widestWord(of: text, limit: 12)), ideal: size)
    case .control(let element): return Controls.width(of: element)
    case .editor: return FlexItem(minimum: 10, ideal: 40, flex: 1)
    case .divider: return FlexItem(minimum: 1, ideal: 1, flex: 1)
    case .row(let boxes, let spacing):
      return boxes.map(\.width).reduce(
        FlexItem(ideal: spacing * max(0, boxes.count - 1))
      ) { whole, part in
        FlexItem(
          minimum: whole.minimum + part.minimum, ideal: whole.ideal + part.ideal,
          flex: max(whole.flex, part.flex))
      }
    case .column(let boxes):
      return boxes.map(\.width).reduce(FlexItem(ideal: 0)) { whole, part in
        FlexItem(
          minimum: max(whole.minimum, part.minimum), ideal: max(whole.ideal, part.ideal),
          flex: max(whole.flex, part.flex))
      }
    case .scroll(let column, _): return column.width
    case .list: return FlexItem(minimum: 10, ideal: 20, flex: 1)
    case .cells(let boxes, _): return FlexItem(ideal: 10 * boxes.count, flex: 1)
    case .empty: return FlexItem(ideal: 0)
    }
  }

  /// Returns the widths of boxes side by side in a given width.
  static func widths(_ boxes: [Box], in width: Int, spacing: Int) -> [Int] {
    FlexLayout.lengths(boxes.map(\.width), in: width, spacing: spacing)
  }

  // MARK: - Height

  /// Returns the number of lines that the box takes in a given width.
  func height(width: Int) -> Int {
    if let lines, lines.width == width { return lines.height }
    let own = ownHeight(width) + errors.count
    let height = min(max(own, look.minHeight ?? 0), look.maxHeight ?? .max)
    lines = (width, height)
    return height
  }

  /// Returns the minimum number of lines of the box: lists can shrink to a single row.
  func minimumHeight(width: Int) -> Int {
    switch content {
    case .list(let list): return max(list.header == nil ? 1 : 2, look.minHeight ?? 0)
    case .scroll(let column, _):
      return max(min(column.minimumHeight(width: width), 3), look.minHeight ?? 0)
    case .column(let boxes) where isTall:
      return boxes.reduce(errors.count) { $0 + $1.minimumHeight(width: width) }
    case .row(let boxes, let spacing) where isTall:
      let widths = Box.widths(boxes, in: width, spacing: spacing)
      return zip(boxes, widths).map { $0.minimumHeight(width: $1) }.max() ?? 0
    default: return height(width: width)
    }
  }

  private func ownHeight(_ width: Int) -> Int {
    switch content {
    case .text(let text): return TextLines.wrap(text, width: width).count
    case .control, .divider, .cells: return 1
    case .editor(let element): return TextEditorShape.height(of: element, width: width)
    case .row(let boxes, let spacing):
      let widths = Box.widths(boxes, in: width, spacing: spacing)
      return zip(boxes, widths).map { $0.height(width: $1) }.max() ?? 0
    case .column(let boxes): return boxes.reduce(0) { $0 + $1.height(width: width) }
    case .scroll(let column, _): return column.height(width: width)
    case .list(let list): return list.header == nil ? 3 : 4
    case .empty: return 0
    }
  }

  /// Returns the heights of boxes in a column of a given height.
  static func heights(_ boxes: [Box], width: Int, in height: Int) -> [Int] {
    let items = boxes.map { box in
      let own = box.height(width: width)
      return FlexItem(
        minimum: box.isTall ? min(own, box.minimumHeight(width: width)) : own, ideal: own,
        maximum: box.isTall ? box.look.maxHeight ?? .max : own, flex: box.isTall ? 1 : 0)
    }
    return FlexLayout.lengths(items, in: height)
  }
}

extension ElementLook {
  /// Limits sizes, so that they can be summed.
  ///
  /// No screen has more cells.
  private static let limit = 0...1 << 16

  /// The look with its sizes limited, so that sums don't overflow.
  fileprivate var limited: ElementLook {
    if minWidth == nil, maxWidth == nil, minHeight == nil, maxHeight == nil { return self }
    func limit(_ number: Int?) -> Int? {
      number.map { min(max($0, ElementLook.limit.lowerBound), ElementLook.limit.upperBound) }
    }
    var look = self
    look.minWidth = limit(minWidth)
    look.maxWidth = limit(maxWidth)
    look.minHeight = limit(minHeight)
    look.maxHeight = limit(maxHeight)
    return look
  }
}

/// A scrolling list in a frame.
struct ListPart {
  let key: ListKey
  let flow: ElementFlow
  /// The titles, if the list is a table.
  let header: Box?
}

/// Identifies a list of a screen across frames.
struct ListKey: Hashable {
  /// The layer of the list: 0 in the app, 1 in its first cover, and so on.
  ///
  /// A list in a new cover starts at the top.
  let layer: Int
  /// Nil if the list has an id: then a list that is removed and shown again is the same list.
  let scope: ScopeID?
  /// The id of the list, or its number among the lists of the scope.
  let name: String
}
