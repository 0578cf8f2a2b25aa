/// The live results of a class in the store around a view: objects, or projections of them.
///
/// `$books.where(on:)` narrows them by the view's own state, and `$books.results(on:)` makes anything of them with
/// it; what is on screen is what offsets mean.
/// They are made once for the view's identity: a condition given here must not depend on the view's
/// inputs. Outside of a view the wrapper needs a store of its own, and offsets mean the present rows.
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
public struct ObservedResults<Element: _ResultElement>: DynamicProperty {
  private var source: ObservedSource<Results<Element>>

  /// Observes all objects of a class, sorted by a property.
  public init<Key: Comparable>(
    _ type: Element.Type, sortedBy path: KeyPath<Element, Key>, order: SortDirection = .ascending,
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.init(
      type, sortedBy: RowSort(path, order), limit: limit, where: isIncluded, in: store)
  }

  /// Observes all objects of a class, sorted by an optional property; nil stands before everything.
  public init<Key: Comparable>(
    _ type: Element.Type, sortedBy path: KeyPath<Element, Key?>, order: SortDirection = .ascending,
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.init(
      type, sortedBy: RowSort(path, order), limit: limit, where: isIncluded, in: store)
  }

  /// Observes all objects of a class, sorted by a flag: those for which it is false stand first.
  public init(
    _ type: Element.Type, sortedBy path: KeyPath<Element, Bool>, order: SortDirection = .ascending,
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.init(
      type, sortedBy: RowSort(path, order), limit: limit, where: isIncluded, in: store)
  }

  /// Observes all objects of a class, sorted by several properties, or as they were added.
  ///
  /// ```swift
  /// @ObservedResults(Book.self, sortedBy: .ascending(\.author), .descending(\.year), limit: 20) var books
  /// ```
  ///
  /// - Parameters:
  ///   - type: The class: of objects, or of a ``Projection`` of one.
  ///   - sorts: The sort keys, the first of which decides.
  ///   - limit: How many are shown at most, of those that satisfy the condition and of those made with the view's
  ///     state.
  ///   - isIncluded: The condition; it must not depend on the view's inputs.
  ///   - store: The store; by default the one around the view.
  public init(
    _ type: Element.Type, sortedBy sorts: RowSort<Element>..., limit: Int? = nil,
    where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) {
    source = ObservedSource("@ObservedResults of \(Element.self)", in: store) { store in
      let results = store.results(type).sorted(by: sorts)
      return (isIncluded.map { results.where($0) } ?? results).query
    } make: {
      Results(query: $0).limited(to: limit)
    }
  }

  /// Binds the wrapper to the results kept for a view; the host calls it before each body.
  public mutating func bind(to slot: Slot) { source.bind(to: slot) }

  /// The results.
  public var wrappedValue: Results<Element> { source.live }

  /// The results narrowed by state, and edits of what is on screen.
  public var projectedValue: BoundResults<Element> { BoundResults(source: source) }
}

extension ObservedResults: ComparableInput {
  // The slot keeps the query; how it is made is declared with the view's type.
  func isSameInput(as other: ObservedResults) -> Bool { source.store === other.source.store }
}

extension Results {
  /// As many of the rows as a limit allows.
  func limited(to limit: Int?) -> Results { limit.map { self.limit($0) } ?? self }
}
