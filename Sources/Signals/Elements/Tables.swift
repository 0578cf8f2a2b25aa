/// Rows of cells below titles.
///
/// Each row is a ``TableRow``, mostly made by a ``ForEach``; a renderer may scroll them, and lay the cells out below
/// their titles. A column that can be sorted by is used as a ``Button`` is.
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
  /// What stands in the body.
  public let element: Element

  /// Holds rows below titles.
  public init(
    _ columns: [TableColumn], id: String? = nil, @ElementBuilder _ rows: () -> Element
  ) {
    let header = Element(kind: .tableHeader, children: columns.map(\.element))
    element = Element(kind: .table, id: id, children: [header, rows()])
  }
}

/// The title of a column of a ``Table``, and how wide that is.
public struct TableColumn: ElementContent {
  /// What stands in the header.
  public let element: Element

  /// Creates a title.
  ///
  /// `order` is shown beside it: which way the rows are sorted by this column. `onSort` runs when it is tapped. Without
  /// any width the column takes an equal part of what is left.
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
  /// What stands in the body.
  public let element: Element

  /// Holds cells that nothing happens to.
  public init(id: String? = nil, @ElementBuilder _ cells: () -> Element) {
    element = Element(kind: .tableRow, id: id, children: [cells()])
  }

  /// Holds cells, and runs an intent when the row is tapped.
  public init(
    id: String, @ElementBuilder _ cells: () -> Element, onTap: @escaping () throws -> Void
  ) {
    element = Element(kind: .tableRow, id: id, action: .tap(onTap), children: [cells()])
  }
}

extension ElementKind {
  /// Rows below titles: a ``tableHeader``, and what makes the rows.
  public static let table = ElementKind("table")
  /// The titles of a table.
  public static let tableHeader = ElementKind("tableHeader")
  /// One title of a table.
  public static let tableColumn = ElementKind("tableColumn")
  /// One row of a table.
  public static let tableRow = ElementKind("tableRow")
}
