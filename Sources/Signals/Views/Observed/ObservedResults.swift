/// The live results of a class in the store around a view.
///
/// `$books.where(on:)` narrows them by the view's own state; what is on screen is what offsets mean.
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
public struct ObservedResults<Element: Object>: DynamicProperty {
  private let make: (Store) -> Results<Element>
  private let store: Store?
  private let unbound = ObservedQuery<Results<Element>>()
  private var bound: ObservedQuery<Results<Element>>?

  /// Observes all objects of a class; `store` is the one around the view unless it is given.
  ///
  /// `limit` is how many there are at most, of those that satisfy the condition.
  public init(
    _ type: Element.Type, limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil,
    in store: Store? = nil
  ) {
    self.init(type, sortedBy: [], limit: limit, where: isIncluded, in: store)
  }

  /// Observes all objects of a class, sorted by a property.
  public init<Key: Comparable>(
    _ type: Element.Type, sortedBy path: KeyPath<Element, Key>, order: SortDirection = .ascending,
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.init(
      type, sortedBy: [RowSort(path, order)], limit: limit, where: isIncluded, in: store)
  }

  /// Observes all objects of a class, sorted by several properties.
  ///
  /// ```swift
  /// @ObservedResults(Book.self, sortedBy: [.ascending(\.author), .descending(\.year)], limit: 20) var books
  /// ```
  public init(
    _ type: Element.Type, sortedBy sorts: [RowSort<Element>], limit: Int? = nil,
    where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.store = store
    make = { store in
      let results = store.results(type).sorted(by: sorts)
      let included = isIncluded.map { results.where($0) } ?? results
      return limit.map { included.prefix($0) } ?? included
    }
  }

  /// Binds the wrapper to the results kept for a view; the host calls it before each body.
  public mutating func bind(to slot: Slot) {
    let query = slot.value {
      let made = ObservedQuery<Results<Element>>()
      slot.scope.sweeps.append(made)
      return made
    }
    query.beginBody(of: slot.scope)
    query.store = store ?? slot.scope.bindSurroundings().value(at: \.store)
    bound = query
  }

  private var query: ObservedQuery<Results<Element>> {
    if let bound { return bound }
    unbound.store = store
    return unbound
  }

  /// The results.
  public var wrappedValue: Results<Element> {
    query.results("@ObservedResults of \(Element.self)", make)
  }

  /// The results narrowed by state, and edits of what is on screen.
  public var projectedValue: BoundResults<Element> { BoundResults(query: query, make: make) }
}

extension ObservedResults: ComparableInput {
  // The slot keeps the query; how it is made is declared with the view's type.
  func isSameInput(as other: ObservedResults) -> Bool { store === other.store }
}
