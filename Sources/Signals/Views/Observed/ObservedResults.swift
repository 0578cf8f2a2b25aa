/// Live results of a class in the store of the view's environment, as objects or projections.
///
/// - `$books.where(on:)` narrows the results by the view's own state. `$books.results(on:)` makes
///   other results with it.
/// - `distinctBy:` shows only the first row for each value of a property. For a choice of the user,
///   `$books.results(on: choice) { $0.distinct(by: …) }` does so with the view's state.
/// - Offsets in edits of `$books` refer to the rows currently on screen.
/// - The results are made once for the view's identity, so a condition given here must not depend
///   on the view's inputs.
/// - Outside of a view, the wrapper needs an explicit store, and offsets refer to the current rows.
///
/// ```swift
/// struct Shelf: View {
///   @ObservedResults(Book.self, sortedBy: \.title) var books
///   @State private var query = ""
///
///   var body: Element {
///     TextField("Search", text: $query, id: "search")
///     ForEach($books.where(on: query) { $0.title.contains(query) }) { book in
///       Text(book.title)
///     }
///   }
/// }
/// ```
@propertyWrapper
public struct ObservedResults<Element: _ResultElement>: DynamicProperty, BoundProperty {
  private var source: ObservedSource<Results<Element>>

  /// Observes all objects of a class, sorted by a property.
  ///
  /// - Parameters:
  ///   - type: The class: of objects, or of a ``Projection`` of one.
  ///   - path: The property to sort by.
  ///   - order: The direction of the order.
  ///   - key: Returns a value; of rows with equal values only the first is shown. Nil to show all
  ///     rows.
  ///   - limit: The maximum number of rows.
  ///   - isIncluded: The condition; it must not depend on the view's inputs.
  ///   - store: The store; by default that of the view's environment.
  public init<Key: Comparable>(
    _ type: Element.Type, sortedBy path: KeyPath<Element, Key>, order: SortDirection = .ascending,
    distinctBy key: ((Element) -> AnyHashable)? = nil, limit: Int? = nil,
    where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.init(
      type, sortedBy: RowSort(path, order: order), distinctBy: key, limit: limit, where: isIncluded,
      in: store)
  }

  /// Observes all objects of a class, sorted by an optional property; nil comes first.
  ///
  /// - Parameters:
  ///   - type: The class: of objects, or of a ``Projection`` of one.
  ///   - path: The property to sort by.
  ///   - order: The direction of the order.
  ///   - key: Returns a value; of rows with equal values only the first is shown. Nil to show all
  ///     rows.
  ///   - limit: The maximum number of rows.
  ///   - isIncluded: The condition; it must not depend on the view's inputs.
  ///   - store: The store; by default that of the view's environment.
  public init<Key: Comparable>(
    _ type: Element.Type, sortedBy path: KeyPath<Element, Key?>, order: SortDirection = .ascending,
    distinctBy key: ((Element) -> AnyHashable)? = nil, limit: Int? = nil,
    where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.init(
      type, sortedBy: RowSort(path, order: order), distinctBy: key, limit: limit, where: isIncluded,
      in: store)
  }

  /// Observes all objects of a class, sorted by several properties, or in insertion order without
  /// any.
  ///
  /// ```swift
  /// @ObservedResults(Book.self, sortedBy: .ascending(\.author), .descending(\.year), limit: 20) var books
  /// ```
  ///
  /// - Parameters:
  ///   - type: The class: of objects, or of a ``Projection`` of one.
  ///   - sorts: The sort keys, the most significant one first.
  ///   - key: Only the first row for each value of this property is shown, as with
  ///     ``Results/distinct(by:)``. It applies to the rows that satisfy the condition, and also to
  ///     results made with the view's state.
  ///   - limit: The maximum number of rows. It counts rows that satisfy the condition, and also
  ///     limits results made with the view's state.
  ///   - isIncluded: The condition; it must not depend on the view's inputs.
  ///   - store: The store; by default that of the view's environment.
  public init(
    _ type: Element.Type, sortedBy sorts: RowSort<Element>...,
    distinctBy key: ((Element) -> AnyHashable)? = nil, limit: Int? = nil,
    where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) {
    source = ObservedSource(
      "@ObservedResults of \(Element.self)", type, sortedBy: sorts, where: isIncluded, in: store
    ) {
      let results = Results<Element>(query: $0)
      let distinct = key.map { results.distinct(by: $0) } ?? results
      return limit.map { distinct.limit($0) } ?? distinct
    }
  }

  /// Binds the wrapper to the results of its view; the host calls it before each body.
  mutating func bind(to slot: ViewSlot) { source.bind(to: slot) }

  /// The live results.
  public var wrappedValue: Results<Element> { source.live }

  /// Results that use the view's state, and edits of the rows on screen.
  public var projectedValue: BoundResults<Element> { BoundResults(source: source) }
}

extension ObservedResults: ComparableInput {
  // The slot keeps the query. Its definition is part of the view's type, so only the store can
  // differ.
  func isSameInput(as other: ObservedResults) -> Bool { source.store === other.source.store }
}
