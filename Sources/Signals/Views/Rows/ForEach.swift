/// Rows made from the elements of a collection, each evaluated separately.
///
/// - A row is identified by its id, and keeps its state when rows move. It is made and evaluated
///   when a renderer first requests it. It is evaluated again when something that it read, or its
///   value, has changed.
/// - Only the rows read the collection: when it changes, the body around them doesn't run again.
/// - When the body around the rows runs again, so do the rows that were requested, because their
///   closures may have captured other values. A view inside of a row only runs if its inputs
///   differ.
/// - Two rows with the same id are told apart by their place, and what happens to one concerns no
///   other. Of values that are equal, those at the start stay, so one that is added or removed is
///   the last of them. Because that is seldom intended, a message on standard error names the view, the
///   id and both positions, once. An object that is in a ``List`` more than once isn't reported.
///
/// ```swift
/// ForEach(books) { book in
///   Text(book.title)
/// }
/// ```
///
/// - Complexity: When ``Results`` or a ``List`` changes, the rows that were inserted and removed
///   are found in O(changed); for any other collection in O(*n*).
public struct ForEach: ElementContent {
  private let rows: ForEachSource

  /// Creates a row for each object, identified by its identity.
  public init<Data: RandomAccessCollection>(
    _ data: @autoclosure @escaping () -> Data,
    @ElementBuilder row: @escaping (Data.Element) -> Element
  ) where Data.Element: Object {
    rows = ForEachSource(row) { forEachData(of: data()) { ObjectIdentifier($0) } }
  }

  /// Creates a row for each projection, identified by its root.
  public init<Data: RandomAccessCollection>(
    _ data: @autoclosure @escaping () -> Data,
    @ElementBuilder row: @escaping (Data.Element) -> Element
  ) where Data.Element: ProjectionProtocol {
    rows = ForEachSource(row) { forEachData(of: data()) { $0 } }
  }

  /// Creates a row for each value, identified by its `id`.
  @_disfavoredOverload
  public init<Data: RandomAccessCollection>(
    _ data: @autoclosure @escaping () -> Data,
    @ElementBuilder row: @escaping (Data.Element) -> Element
  ) where Data.Element: Identifiable {
    rows = ForEachSource(row) { ValueRows(data()) { $0.id } }
  }

  /// Creates a row for each value, identified by one of its properties.
  ///
  /// - Parameters:
  ///   - data: The values, in the order of their rows.
  ///   - id: The property that identifies a value.
  ///   - row: Returns the content of a value's row.
  public init<Data: RandomAccessCollection, ID: Hashable>(
    _ data: @autoclosure @escaping () -> Data, id: KeyPath<Data.Element, ID>,
    @ElementBuilder row: @escaping (Data.Element) -> Element
  ) {
    rows = ForEachSource(row) { ValueRows(data()) { $0[keyPath: id] } }
  }

  /// The element that represents the rows in a body.
  public var element: Element { Element(.rows(rows)) }
}

/// The data of a `ForEach`, and how each row is created.
final class ForEachSource {
  /// Returns the current data; the read is tracked.
  let read: () -> any ForEachData
  /// Returns the content of a value's row, given the row's scope.
  let make: (Any, Scope) -> Element

  convenience init<Value>(
    _ make: @escaping (Value) -> Element, read: @escaping () -> any ForEachData
  ) {
    self.init(placing: { value, _ in make(value) }, read: read)
  }

  init<Value>(
    placing make: @escaping (Value, Scope) -> Element, read: @escaping () -> any ForEachData
  ) {
    self.read = read
    self.make = { value, scope in
      guard let value = value as? Value else {
        trap("a row of \(Value.self) was given \(Swift.type(of: value))")
      }
      return make(value, scope)
    }
  }
}
