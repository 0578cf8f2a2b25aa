/// Rows of cells below column titles.
///
/// Each row is a ``TableRow``, usually made by a ``ForEach``. A renderer may scroll the rows and
/// align the cells with their titles. A sortable column is used like a ``Button``.
///
/// ```swift
/// Table([
///   TableColumn("Title", flex: 1, order: order) { order.toggle() },
///   TableColumn("Pages", minWidth: 6, alignment: .trailing),
/// ]) {
///   ForEach(books) { book in
///     TableRow(id: book.isbn) { Text(book.title); Text("\(book.pages)") } onTap: { shown = book }
///   }
/// }
/// ```
public struct Table: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Arranges rows below column titles.
  ///
  /// - Parameters:
  ///   - columns: The columns, in the order in which they are shown.
  ///   - id: The name by which intents and tests find the element.
  ///   - rows: Returns the rows, such as a ``ForEach`` of ``TableRow``s.
  public init(
    _ columns: [TableColumn], id: String? = nil, @ElementBuilder rows: () -> Element
  ) {
    let header = Element(kind: .tableHeader, children: columns.map(\.element))
    element = Element(kind: .table, id: id, children: [header, rows()])
  }
}

/// The title of a column of a ``Table``, with the column's width.
public struct TableColumn: ElementContent {
  /// The element that represents this column in the header.
  public let element: Element

  /// Creates a title.
  ///
  /// Without any width the column takes an equal share of the space left.
  ///
  /// - Parameters:
  ///   - title: The title; also the element's id for a sortable column unless `id` is given.
  ///   - id: The id of the title.
  ///   - minWidth: The minimum width, in the renderer's units.
  ///   - maxWidth: The maximum width, in the renderer's units.
  ///   - flex: The column's share of the space left.
  ///   - alignment: The alignment of the column's cells.
  ///   - order: The direction in which the rows are sorted by this column, shown beside the title;
  ///     nil if they aren't.
  ///   - onSort: Runs when the title is tapped.
  public init(
    _ title: String, id: String? = nil, minWidth: Int? = nil, maxWidth: Int? = nil,
    flex: Double? = nil, alignment: ElementAlignment? = nil, order: SortDirection? = nil,
    onSort: (() throws -> Void)? = nil
  ) {
    let element = Element(
      kind: .tableColumn, id: onSort == nil ? id : id ?? title, text: title,
      action: onSort.map { .tap($0) } ?? .none)
    self.element = element.changing { look in
      look.minWidth = minWidth
      look.maxWidth = maxWidth
      look.flex = flex
      look.alignment = alignment
      look.order = order
    }
  }
}

/// The cells of one row of a ``Table``, in the order of its columns.
public struct TableRow: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Creates a row without an intent.
  ///
  /// - Parameters:
  ///   - id: The name by which intents and tests find the element.
  ///   - cells: Returns the cells, one for each column.
  public init(id: String? = nil, @ElementBuilder _ cells: () -> Element) {
    element = Element(kind: .tableRow, id: id, children: [cells()])
  }

  /// Creates a row that runs an intent when it is tapped.
  ///
  /// - Parameters:
  ///   - id: The name by which intents and tests find the element.
  ///   - cells: Returns the cells, one for each column.
  ///   - onTap: The intent that a tap runs.
  public init(
    id: String, @ElementBuilder _ cells: () -> Element, onTap: @escaping () throws -> Void
  ) {
    element = Element(kind: .tableRow, id: id, action: .tap(onTap), children: [cells()])
  }
}
