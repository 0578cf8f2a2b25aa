// Rows, lists and tables. Of many rows a page shows a part, and buttons lead to the others. A page
// with a script also has room for them: elements as high as the rows before and after the part. When
// one is scrolled into view, the script asks for the rows that belong there.

import Signals

extension PageWriter {
  /// Draws the rows of a `ForEach` that isn't in a list or a table.
  mutating func draw(_ rows: FrameRows, of scope: ScopeID, as flow: Flow) {
    if rows.isEmpty { return }
    guard flow == .block else {
      let shown = shown(rows, of: scope)
      for row in shown.rows { draw(row, in: context(.row, of: flow)) }
      return pages(shown)
    }
    markup.begin(.ul)
    markup.attribute(.class, "rows")
    let shown = shown(rows, of: scope)
    room(before: shown, as: .li)
    for row in shown.rows { draw(row, in: context(.item, of: .block)) }
    room(after: shown, as: .li)
    markup.end(.ul)
    pages(shown)
  }

  /// Draws a row as an item of a list.
  mutating func item(_ row: ScopeID, in context: ScopeContext) {
    markup.begin(.li)
    draw(frame.elements(of: row), in: row, as: .block)
    moves(row, in: context)
    markup.end(.li)
  }

  // MARK: - Parts of many rows

  /// The rows of a `ForEach` that a page shows.
  struct ShownRows {
    let name: String
    let rows: [ScopeID]
    let range: Range<Int>
    let count: Int
  }

  private mutating func shown(_ rows: FrameRows, of scope: ScopeID) -> ShownRows {
    let name = rows.count > rowLimit ? name(of: scope) { .rows($0) } : ""
    let first = min(max(0, firstRows[name] ?? 0), max(0, rows.count - rowLimit))
    let range = first..<min(first + rowLimit, rows.count)
    let shown = kept.rows[scope] ?? Array(rows[range])
    kept.rows[scope] = shown
    return ShownRows(name: name, rows: shown, range: range, count: rows.count)
  }

  /// Writes which rows are shown, and the buttons that lead to others.
  private mutating func pages(_ shown: ShownRows) {
    if shown.name.isEmpty { return }
    let last = shown.count - rowLimit
    markup.begin(.div)
    markup.attribute(.class, "pages")
    markup.attribute(.role, "group")
    markup.element(
      .span, "\(shown.range.lowerBound + 1)–\(shown.range.upperBound) of \(shown.count)")
    let first = shown.range.lowerBound
    let others = [
      ("First", 0), ("Earlier", max(0, first - rowLimit)), ("Later", min(first + rowLimit, last)),
      ("Last", last),
    ]
    for (title, place) in others {
      button(.rows(shown.name, from: place), isEnabled: place != first) { $0.markup.text(title) }
    }
    markup.end(.div)
  }

  private mutating func room(before shown: ShownRows, as tag: MarkupName) {
    room(for: 0..<shown.range.lowerBound, of: shown, as: tag)
  }

  private mutating func room(after shown: ShownRows, as tag: MarkupName) {
    room(for: shown.range.upperBound..<shown.count, of: shown, as: tag)
  }

  /// Writes an element in place of rows that aren't shown, which the script makes as high as they.
  private mutating func room(for rows: Range<Int>, of shown: ShownRows, as tag: MarkupName) {
    guard isLive, !shown.name.isEmpty else { return }
    markup.begin(tag)
    markup.key(.name("\(shown.name)\(rows.lowerBound == 0 ? "<" : ">")"))
    markup.attribute(.class, "room")
    markup.attribute(.ariaHidden, "true")
    markup.attribute(.dataList, shown.name)
    markup.attribute(.dataCount, "\(shown.count)")
    markup.attribute(.dataSize, "\(shown.range.count)")
    markup.attribute(.dataFrom, "\(rows.lowerBound)")
    markup.attribute(.dataRows, "\(rows.count)")
    if tag == .tr { markup.element(.td, "") }
    markup.end(tag)
  }

  // MARK: - Lists

  mutating func list(_ drawn: DrawnElement, in scope: ScopeID) {
    let name = name(of: drawn, in: scope)
    begin(.ul, "list", drawn.look)
    markup.identity(name)
    let outer = unfinished
    unfinished = []
    items(drawn.children, in: scope, list: drawn.move != nil && drawn.isEnabled ? name : nil)
    markup.end(.ul)
    unfinished.forEach { pages($0) }
    unfinished = outer
    drawn.errors.forEach { write(error: $0) }
  }

  private mutating func items(_ elements: [Element], in scope: ScopeID, list: String?) {
    for element in elements {
      guard case .scope(let inner)? = element.content else {
        if element.content == nil { continue }
        markup.begin(.li)
        draw([element], in: scope, as: .block)
        markup.end(.li)
        continue
      }
      note(inner)
      guard let rows = frame.rows(of: inner) else {
        items(frame.elements(of: inner), in: inner, list: list)
        continue
      }
      let shown = shown(rows, of: inner)
      room(before: shown, as: .li)
      for (place, row) in shown.rows.enumerated() {
        let position = shown.range.lowerBound + place
        var context = context(.item, of: .block)
        if let list {
          (context.list, context.isFirst) = (list, position == 0)
          context.isLast = position == rows.count - 1
        }
        draw(row, in: context)
      }
      room(after: shown, as: .li)
      unfinished.append(shown)
    }
  }

  /// Writes the buttons that move a row.
  private mutating func moves(_ row: ScopeID, in context: ScopeContext) {
    guard let list = context.list else { return }
    let name = name(of: row) { .row($0) }
    markup.begin(.span)
    button(
      .move(list: list, row: name, isUp: true), classes: "move", label: "Move up",
      isEnabled: !context.isFirst
    ) { $0.markup.text("↑") }
    button(
      .move(list: list, row: name, isUp: false), classes: "move", label: "Move down",
      isEnabled: !context.isLast
    ) { $0.markup.text("↓") }
    markup.end(.span)
  }

  // MARK: - Tables

  mutating func table(_ drawn: DrawnElement, in scope: ScopeID) {
    let name = name(of: drawn, in: scope)
    begin(.table, nil, drawn.look)
    markup.identity(name)
    var columns: [ElementAlignment?] = []
    var rows = drawn.children
    if case .drawn(let header)? = rows.first?.content, header.kind == .tableHeader {
      rows.removeFirst()
      columns = titles(header, in: scope)
    }
    markup.begin(.tbody)
    let outer = unfinished
    unfinished = []
    tableRows(rows, in: scope, columns)
    markup.end(.tbody)
    markup.end(.table)
    unfinished.forEach { pages($0) }
    unfinished = outer
    drawn.errors.forEach { write(error: $0) }
  }

  /// Writes the titles of a table, and returns the alignments of the columns.
  private mutating func titles(_ header: DrawnElement, in scope: ScopeID) -> [ElementAlignment?] {
    let titles = cells(header.children, in: scope)
    markup.begin(.thead)
    begin(.tr, nil, header.look)
    for (title, scope, _) in titles {
      // The order is on the title's cell, where assistive technology looks for it.
      begin(.th, nil, title.look)
      markup.attribute(.scope, "col")
      if let order = title.look.order {
        markup.attribute(.ariaSort, order == .ascending ? "ascending" : "descending")
      }
      if title.isActive {
        button(title, in: scope)
      } else {
        markup.text(title.text)
      }
      markup.end(.th)
    }
    markup.end(.tr)
    markup.end(.thead)
    return titles.map(\.element.look.alignment)
  }

  private typealias Cell = (element: DrawnElement, scope: ScopeID, isInRows: Bool)

  /// Returns the drawn elements of a row; views and elements that only add a look are replaced by
  /// their contents.
  private func cells(_ elements: [Element], in scope: ScopeID, isInRows: Bool = false) -> [Cell] {
    elements.flatMap { element -> [Cell] in
      switch element.content {
      case .drawn(let drawn) where drawn.kind == .modified && drawn.look == ElementLook():
        return cells(drawn.children, in: scope, isInRows: isInRows)
      case .drawn(let drawn): return [(drawn, scope, isInRows)]
      case .scope(let inner):
        note(inner)
        return cells(
          frame.elements(of: inner), in: inner, isInRows: isInRows || frame.rows(of: inner) != nil)
      case nil: return []
      }
    }
  }

  mutating func tableRows(
    _ elements: [Element], in scope: ScopeID, _ columns: [ElementAlignment?]
  ) {
    for element in elements {
      switch element.content {
      case .drawn(let row) where row.kind == .tableRow:
        tableRow(row, in: scope, columns, looks: [])
      case .drawn(let drawn):
        // What isn't a row takes the width of the table, unless it only adds a look to rows.
        if drawn.kind == .modified, let inner = onlyRow(drawn, in: scope) {
          tableRow(inner.element, in: inner.scope, columns, looks: [drawn.look])
          continue
        }
        markup.begin(.tr)
        markup.begin(.td)
        markup.attribute(.colspan, "\(max(1, columns.count))")
        draw([element], in: scope, as: .block)
        markup.end(.td)
        markup.end(.tr)
        // Whether it is a row depends on its content.
        if drawn.kind == .modified { _ = cells(drawn.children, in: scope) }
      case .scope(let inner):
        note(inner)
        guard let rows = frame.rows(of: inner) else {
          tableRows(frame.elements(of: inner), in: inner, columns)
          continue
        }
        let shown = shown(rows, of: inner)
        room(before: shown, as: .tr)
        var context = context(.tableRow, of: .block)
        context.columns = columns
        for row in shown.rows { draw(row, in: context) }
        room(after: shown, as: .tr)
        unfinished.append(shown)
      case nil: break
      }
    }
  }

  private func onlyRow(_ drawn: DrawnElement, in scope: ScopeID) -> Cell? {
    let inner = cells(drawn.children, in: scope)
    return inner.count == 1 && inner[0].element.kind == .tableRow ? inner[0] : nil
  }

  private mutating func tableRow(
    _ row: DrawnElement, in scope: ScopeID, _ columns: [ElementAlignment?], looks: [ElementLook]
  ) {
    // Lists in cells are deeper than the row.
    depth += 1
    defer { depth -= 1 }
    begin(.tr, nil, row.look, looks.compactMap { PageLook.classes(nil, $0) })
    let wasInTitle = isInTitle
    if (looks + [row.look]).contains(where: { $0.styles.contains(.title) }) { isInTitle = true }
    let cells = cells(row.children, in: scope)
    for (column, cell) in cells.enumerated() {
      let alignment = column < columns.count ? columns[column] : nil
      begin(.td, nil, ElementLook(), alignment.map { [PageLook.name(of: $0)] } ?? [])
      let title = found.title
      // The first cell is the button of the row, unless it has controls of its own.
      let isButton = column == 0 && row.isActive
      let isText = cell.element.kind == .text
      if isButton { button(row, showing: isText ? cell.element : nil, in: scope) }
      if isButton && isText {
        noteTitle(cell.element)
      } else {
        draw(cell.element, in: cell.scope, as: .inline)
      }
      // A title in a row isn't that of the screen.
      if cell.isInRows { found.title = title }
      markup.end(.td)
    }
    markup.end(.tr)
    isInTitle = wasInTitle
  }
}
