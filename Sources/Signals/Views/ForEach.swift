/// Rows made from the elements of a collection, each evaluated by itself.
///
/// A row is told from others by its id: it keeps its state when rows move, and is evaluated alone when
/// something that it read has changed. Rows are evaluated when the renderer asks for them.
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

  public var element: Element { Element(.rows(rows)) }
}

/// The rows of a `ForEach`: their ids, and how to make each.
struct RowSource {
  struct Row {
    let id: RowID
    let content: () -> Element
  }

  let rows: [Row]

  init<Data: RandomAccessCollection>(
    _ data: Data, id: (Data.Element) -> AnyHashable, _ content: @escaping (Data.Element) -> Element
  ) {
    var seen: [AnyHashable: Int] = [:]
    seen.reserveCapacity(data.count)
    rows = data.map { value in
      let id = id(value)
      // Two rows of one id are two rows all the same, told apart by their order.
      let occurrence = seen[id, default: 0]
      seen[id] = occurrence + 1
      return Row(id: RowID(id: id, occurrence: occurrence)) { content(value) }
    }
  }
}

/// Tells rows apart: by id, and among equal ids by order.
struct RowID: Hashable {
  let id: AnyHashable
  let occurrence: Int
}
