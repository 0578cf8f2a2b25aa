// Turns the elements of a frame into boxes.

import Signals

/// Creates the boxes of elements.
///
/// State: `lists`, the number of lists without an id found so far in each scope; `depth`, the
/// nesting depth of the element being built.
final class BoxBuilder {
  let frame: Frame
  /// The maximum number of rows in a column: more than the screen has lines can't be visible.
  private let rowLimit: Int
  private let cover: Cover?
  /// The number of covers shown.
  ///
  /// Only the topmost is drawn.
  let layer: Int
  private var lists: [ScopeID: Int] = [:]
  private var depth = 0

  init(_ frame: Frame, cover: Cover?, rowLimit: Int) {
    self.frame = frame
    self.cover = cover
    self.rowLimit = max(1, rowLimit)
    layer = cover.map { $0.depth + 1 } ?? 0
  }

  /// Returns the box of the whole screen or its topmost cover.
  ///
  /// It is one column, or a list that scrolls if the column is too tall even after its lists have
  /// shrunk.
  func root() -> Box {
    let elements = cover?.element.children ?? frame.elements(of: frame.root)
    let scope = cover?.scope ?? frame.root
    let flow = ElementFlow(
      self, of: elements, in: scope, style: .plain, columns: nil, takesLists: true)
    let column = Box(.column(boxes(elements, in: scope, style: .plain)), style: .plain)
    return Box(
      .scroll(column, ListPart(key: .screen(layer), flow: flow, header: nil)), style: .plain)
  }

  /// Returns the boxes of a scope's elements, in order.
  func boxes(_ elements: [Element], in scope: ScopeID, style: Style) -> [Box] {
    var boxes: [Box] = []
    depth += 1
    for element in elements {
      let isDeep = depth > NestingLimit.plain
      let inner = isDeep ? unwrapped(element, in: scope, style: style) : (element, scope, style)
      append(inner.0, in: inner.1, style: inner.2, to: &boxes)
    }
    depth -= 1
    return boxes
  }

  /// Skips elements that only contain a single other one, and returns the first element that
  /// doesn't.
  private func unwrapped(
    _ element: Element, in scope: ScopeID, style: Style
  ) -> (Element, ScopeID, Style) {
    var (element, scope, style) = (element, scope, style)
    while true {
      switch element.content {
      case .drawn(let drawn):
        guard let inner = drawn.unwrapped else { return (element, scope, style) }
        (element, style) = (inner, BoxBuilder.style(drawn.look, in: style))
      case .scope(let inner):
        guard frame.rows(of: inner) == nil else { return (element, scope, style) }
        let elements = frame.elements(of: inner)
        guard elements.count == 1 else { return (element, scope, style) }
        (element, scope) = (elements[0], inner)
      case nil: return (element, scope, style)
      }
    }
  }

  private func append(_ element: Element, in scope: ScopeID, style: Style, to boxes: inout [Box]) {
    if NestingLimit.isTooDeep(depth) {
      let drawn: DrawnElement? = if case .drawn(let drawn) = element.content { drawn } else { nil }
      let text = NestingLimit.refusal(of: drawn, depth: depth)
      return boxes.append(Box(.text(text), style: style.with(Theme.error)))
    }
    switch element.content {
    case .drawn(let drawn): append(drawn, in: scope, style: style, to: &boxes)
    case .scope(let inner):
      guard let rows = frame.rows(of: inner) else {
        boxes += self.boxes(frame.elements(of: inner), in: inner, style: style)
        return
      }
      for row in rows.prefix(rowLimit) {
        boxes += self.boxes(frame.elements(of: row), in: row, style: style)
      }
    case nil: break
    }
  }

  private func append(
    _ drawn: DrawnElement, in scope: ScopeID, style: Style, to boxes: inout [Box]
  ) {
    let look = drawn.look
    let inner = BoxBuilder.style(look, in: style)
    guard drawn.kind == .modified else { return boxes.append(box(drawn, in: scope, style: style)) }
    let content = self.boxes(drawn.children, in: scope, style: inner)
    // An element that only adds a style takes no part in the layout.
    if look.hasSpace {
      boxes.append(Box(.column(content), look: look, style: inner))
    } else {
      boxes += content
    }
  }

  /// Returns the style of an element within an outer style.
  static func style(_ look: ElementLook, in outer: Style) -> Style {
    var style = look.styles.reduce(outer) { $0.with(Theme.style($1)) }
    if let tint = look.tint { style.foreground = Theme.color(tint) }
    return style
  }

  /// Returns the box of one element.
  func box(_ drawn: DrawnElement, in scope: ScopeID, style outer: Style) -> Box {
    let look = drawn.look
    let style = BoxBuilder.style(look, in: outer)
    func box(_ content: Box.Content, isTarget: Bool = false) -> Box {
      Box(
        content, look: look, style: style,
        target: isTarget && drawn.isActive ? (drawn, scope) : nil, errors: drawn.errors)
    }
    switch drawn.kind {
    case .text: return box(.text(drawn.text))
    case .divider: return box(.divider)
    case .errorText: return box(.empty)
    case .button, .toggle, .picker, .radioGroup, .link, .textField, .secureField, .progressBar,
      .tableColumn:
      return box(.control(drawn), isTarget: true)
    case .textEditor: return box(.editor(drawn), isTarget: true)
    case .image: return box(.text(drawn.text))
    case .row: return box(.row(boxes(drawn.children, in: scope, style: style), spacing: 2))
    case .section:
      let title = drawn.text.isEmpty ? [] : [title(drawn, style: style)]
      return box(.column(title + boxes(drawn.children, in: scope, style: style)))
    case .sectionHeader, .sectionFooter:
      let inner = BoxBuilder.style(of: drawn.kind, in: style)
      return box(.column(boxes(drawn.children, in: scope, style: inner)))
    case .scrollBox:
      let part = list(
        drawn, in: scope, rows: drawn.children, header: nil, style: style, takesLists: true)
      let column = Box(.column(boxes(drawn.children, in: scope, style: style)), style: style)
      return box(.scroll(column, part))
    case .listBox:
      return box(.list(list(drawn, in: scope, rows: drawn.children, header: nil, style: style)))
    case .table:
      let header = self.header(of: drawn, in: scope, style: style)
      let looks = header?.columnLooks ?? []
      let rows = Array(drawn.children.dropFirst())
      return box(
        .list(list(drawn, in: scope, rows: rows, header: header, style: style, columns: looks)))
    case .tableHeader:
      let titles = boxes(drawn.children, in: scope, style: style.with(Theme.header))
      return Box(.cells(titles, titles.map(BoxBuilder.column)), style: style.with(Theme.header))
    case .tableRow:
      return box(.cells(boxes(drawn.children, in: scope, style: style), []), isTarget: true)
    default: return other(drawn, in: scope, style: style, box: box)
    }
  }

  /// Returns the box of a column, or of an unknown kind: its text followed by its children.
  private func other(
    _ drawn: DrawnElement, in scope: ScopeID, style: Style,
    box: (Box.Content, Bool) -> Box
  ) -> Box {
    let children = boxes(drawn.children, in: scope, style: style)
    if drawn.text.isEmpty { return box(.column(children), drawn.isActive) }
    if drawn.isActive, children.isEmpty { return box(.control(drawn), true) }
    return box(.column([Box(.text(drawn.text), style: style)] + children), false)
  }

  /// Returns the box of a section's title.
  func title(_ drawn: DrawnElement, style: Style) -> Box {
    Box(.text(drawn.text), style: style.with(Theme.style(.title)))
  }

  /// Returns the style of a section's header or footer.
  static func style(of kind: ElementKind, in outer: Style) -> Style {
    outer.with(Theme.style(kind == .sectionHeader ? .title : .secondary))
  }

  private func header(of table: DrawnElement, in scope: ScopeID, style: Style) -> Box? {
    table.children.first.map { boxes([$0], in: scope, style: style) }?.first
  }

  /// Returns the looks of a table's columns, which give their widths.
  func columns(of table: DrawnElement, in scope: ScopeID, style: Style) -> [ElementLook] {
    header(of: table, in: scope, style: style)?.columnLooks ?? []
  }

  /// Returns the look of a column, which is at least as wide as its title unless it has an explicit
  /// width.
  private static func column(_ title: Box) -> ElementLook {
    var look = title.look
    if look.minWidth == nil, look.maxWidth == nil {
      look.flex = look.flex ?? 1
      look.minWidth = title.width.ideal
    }
    return look
  }

  private func list(
    _ drawn: DrawnElement, in scope: ScopeID, rows: [Element], header: Box?, style: Style,
    columns: [ElementLook]? = nil, takesLists: Bool = false
  ) -> ListPart {
    let number = lists[scope, default: 0]
    if drawn.id == nil { lists[scope] = number + 1 }
    let key = ListKey(
      layer: layer, scope: drawn.id == nil ? scope : nil, name: drawn.id ?? "#\(number)")
    let flow = ElementFlow(
      self, of: rows, in: scope, style: style, columns: columns, list: drawn,
      takesLists: takesLists)
    return ListPart(key: key, flow: flow, header: header)
  }
}

extension ElementLook {
  /// Whether the look sets a size, a flex share or an alignment.
  var hasSpace: Bool {
    minWidth != nil || maxWidth != nil || minHeight != nil || maxHeight != nil || flex != nil
      || alignment != nil
  }
}

extension Box {
  /// The looks of the columns, if the box is the titles of a table.
  fileprivate var columnLooks: [ElementLook] {
    if case .cells(_, let looks) = content { looks } else { [] }
  }

  /// Returns a row of cells with the columns of a table.
  func below(_ columns: [ElementLook]) -> Box {
    guard case .cells(let boxes, _) = content else { return self }
    return Box(.cells(boxes, columns), look: look, style: style, target: target, errors: errors)
  }
}
