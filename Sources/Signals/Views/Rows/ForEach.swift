/// Rows made from the elements of a collection, each evaluated by itself.
///
/// - Two rows of one id are two rows, told apart by their order: what the second one keeps goes with that place.
///   A message on standard error names the view, the id and both places, once, since that is seldom meant. Objects
///   that stand in a ``List`` more than once are meant to.
/// - The collection is read by the rows alone: when it changes, the body around them does not run again.
/// - A row is told from others by its id, and keeps its state when rows move. It is made and evaluated
///   when a renderer first asks for it, and again when something that it read, or its value, has changed.
/// - When the body around the rows runs again so do those that were asked for, because their closures may
///   have captured something else; what a row shows as a view of its own only if its inputs differ.
///
/// Of ``Results`` and ``List``s that changed, the rows that came and went are found in O(changed); of any
/// other collection in O(n).
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
    _ data: @autoclosure @escaping () -> Data,
    @ElementBuilder row: @escaping (Data.Element) -> Element
  ) where Data.Element: Object {
    rows = RowSource(row) { rowData(of: data()) { ObjectIdentifier($0) } }
  }

  /// Makes a row for each projection, told apart by its root.
  public init<Data: RandomAccessCollection>(
    _ data: @autoclosure @escaping () -> Data,
    @ElementBuilder row: @escaping (Data.Element) -> Element
  ) where Data.Element: RootedProjection {
    rows = RowSource(row) { rowData(of: data()) { $0 } }
  }

  /// Makes a row for each value, told apart by its `id`.
  @_disfavoredOverload
  public init<Data: RandomAccessCollection>(
    _ data: @autoclosure @escaping () -> Data,
    @ElementBuilder row: @escaping (Data.Element) -> Element
  ) where Data.Element: Identifiable {
    rows = RowSource(row) { ValueRows(data()) { $0.id } }
  }

  /// Makes a row for each value, told apart by a property of it.
  public init<Data: RandomAccessCollection, ID: Hashable>(
    _ data: @autoclosure @escaping () -> Data, id: KeyPath<Data.Element, ID>,
    @ElementBuilder row: @escaping (Data.Element) -> Element
  ) {
    rows = RowSource(row) { ValueRows(data()) { $0[keyPath: id] } }
  }

  /// The rows, as they stand in a body.
  public var element: Element { Element(.rows(rows)) }
}

/// What a `ForEach` says: where its rows come from, and how each is made.
final class RowSource {
  /// The data as they are now; reading them is a dependency.
  let read: () -> any RowData
  /// What the row of a value shows.
  let make: (Any) -> Element

  init<Value>(_ make: @escaping (Value) -> Element, read: @escaping () -> any RowData) {
    self.read = read
    self.make = { value in
      guard let value = value as? Value else {
        trap("a row of \(Value.self) was given \(Swift.type(of: value))")
      }
      return make(value)
    }
  }
}
