/// Rows made from the elements of a collection, each evaluated by itself.
///
/// A row is told from others by its id: it keeps its state when rows move, and is evaluated alone when
/// something that it read has changed. Rows are evaluated when the renderer asks for them. When the body
/// around them runs again so do the rows asked for, whose closures may have captured something else;
/// what a row shows as a view of its own is only evaluated again if its inputs differ.
///
/// ```swift
/// ForEach(books) { book in
///   Text(book.title)
/// }
/// ```
public struct ForEach: ElementContent {
  private let rows: RowSource

  /// Makes a row for each object, told apart by identity.
  public init<Data: RandomAccessCollection>(
    _ data: Data, @ElementBuilder row: @escaping (Data.Element) -> Element
  ) where Data.Element: Object {
    rows = RowSource(data, id: { AnyHashable(ObjectIdentifier($0)) }, row)
  }

  /// Makes a row for each value, told apart by its `id`.
  @_disfavoredOverload
  public init<Data: RandomAccessCollection>(
    _ data: Data, @ElementBuilder row: @escaping (Data.Element) -> Element
  ) where Data.Element: Identifiable {
    rows = RowSource(data, id: { AnyHashable($0.id) }, row)
  }

  /// Makes a row for each value, told apart by a property of it.
  public init<Data: RandomAccessCollection, ID: Hashable>(
    _ data: Data, id: KeyPath<Data.Element, ID>,
    @ElementBuilder row: @escaping (Data.Element) -> Element
  ) {
    rows = RowSource(data, id: { AnyHashable($0[keyPath: id]) }, row)
  }

  /// The rows, as they stand in a body.
  public var element: Element { Element(.rows(rows)) }
}

/// The rows of a `ForEach`: their ids, and how to make each.
final class RowSource {
  struct Row {
    let id: RowID
    let content: () -> Element
  }

  let rows: [Row]

  init<Data: RandomAccessCollection>(
    _ data: Data, id: (Data.Element) -> AnyHashable, _ content: @escaping (Data.Element) -> Element
  ) {
    let count = data.count
    var seen: [AnyHashable: Int] = [:]
    seen.reserveCapacity(count)
    var rows: [Row] = []
    rows.reserveCapacity(count)
    for value in data {
      let id = id(value)
      // Two rows of one id are two rows all the same, told apart by their order.
      let occurrence = seen.updateValue(0, forKey: id).map { $0 + 1 } ?? 0
      if occurrence > 0 { seen[id] = occurrence }
      rows.append(Row(id: RowID(id: id, occurrence: occurrence)) { content(value) })
    }
    self.rows = rows
  }
}

/// Tells rows apart: by id, and among equal ids by order.
struct RowID: Hashable {
  let id: AnyHashable
  let occurrence: Int
}
