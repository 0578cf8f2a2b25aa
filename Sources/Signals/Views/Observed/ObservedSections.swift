/// Live results of a class in the store of the view's environment, in sections.
///
/// - `ForEach($sections) { $section in … }` passes each section as a ``BoundSection``, whose
///   offsets refer to the rows on screen. `ForEach(sections) { section in … }` passes the plain
///   section.
/// - `$sections.where(on:)` narrows the rows by the view's own state. Sections without rows are
///   removed. `$sections.sections(on:)` makes other sections from the results with it.
/// - `limit:` is the maximum number of rows in all sections together, in the order of the rows. It
///   counts rows that satisfy the condition and `$sections.where(on:)`. `$sections.sections(on:)`
///   gets all rows.
/// - The rows are objects or projections of them: `@ObservedSections(BookRow.self, by: \.author)`.
/// - Only the outer `ForEach` reads the list of sections, and only the inner one the rows of a
///   section. A row that moves to another section re-evaluates these two, and no body around them.
///
/// The sections are made once for the view's identity, as with ``ObservedResults``. Outside of a
/// view, the wrapper needs an explicit store.
///
/// ```swift
/// struct Shelves: View {
///   @ObservedSections(Book.self, by: \.author, sortedBy: .ascending(\.title)) var sections
///   @State private var query = ""
///
///   var body: Element {
///     TextField("Search", text: $query, id: "search")
///     ForEach($sections.where(on: query) { $0.title.contains(query) }) { $section in
///       Section(section.key) {
///         ForEach(section) { book in Text(book.title) }
///         Button("Remove the first") { try $section.remove(atOffsets: [0]) }
///       }
///     }
///   }
/// }
/// ```
@propertyWrapper
public struct ObservedSections<Key: Hashable, Element: _ResultElement>: DynamicProperty,
  BoundProperty
{
  private var source: ObservedSource<Sections<Key, Element>>

  /// Observes a class in sections by a key, ordered by that key.
  ///
  /// - Parameters:
  ///   - type: The class: of objects, or of a ``Projection`` of one.
  ///   - key: The property that rows of a section share, or any function of a row.
  ///   - order: The order of the sections.
  ///   - sorts: The sort keys of the rows, the most significant one first.
  ///   - limit: The maximum number of rows in all sections together.
  ///   - isIncluded: The condition; it must not depend on the view's inputs.
  ///   - store: The store; by default that of the view's environment.
  public init(
    _ type: Element.Type, by key: @escaping (Element) -> Key, order: SectionOrder = .ascending,
    sortedBy sorts: RowSort<Element>..., limit: Int? = nil,
    where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) where Key: Comparable {
    self.init(type, sorts: sorts, limit: limit, where: isIncluded, in: store) {
      $0.sectioned(by: key, order: order)
    }
  }

  /// Observes a class in sections by an optional key, ordered by that key.
  ///
  /// Nil has its own section.
  ///
  /// - Parameters:
  ///   - type: The class: of objects, or of a ``Projection`` of one.
  ///   - key: The property that rows of a section share, or any function of a row.
  ///   - order: The order of the sections.
  ///   - sorts: The sort keys of the rows, the most significant one first.
  ///   - limit: The maximum number of rows in all sections together.
  ///   - isIncluded: The condition; it must not depend on the view's inputs.
  ///   - store: The store; by default that of the view's environment.
  public init<Value: Comparable & Hashable>(
    _ type: Element.Type, by key: @escaping (Element) -> Value?, order: SectionOrder = .ascending,
    sortedBy sorts: RowSort<Element>..., limit: Int? = nil,
    where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) where Key == Value? {
    self.init(type, sorts: sorts, limit: limit, where: isIncluded, in: store) {
      $0.sectioned(by: key, order: order)
    }
  }

  /// Observes a class in sections by a key, ordered by a comparison of the keys.
  ///
  /// - Parameters:
  ///   - type: The class: of objects, or of a ``Projection`` of one.
  ///   - key: The property that rows of a section share, or any function of a row.
  ///   - order: The direction of the order of the sections.
  ///   - isBefore: A strict weak ordering of the keys.
  ///   - sorts: The sort keys of the rows, the most significant one first.
  ///   - limit: The maximum number of rows in all sections together.
  ///   - isIncluded: The condition; it must not depend on the view's inputs.
  ///   - store: The store; by default that of the view's environment.
  public init(
    _ type: Element.Type, by key: @escaping (Element) -> Key, order: SortDirection = .ascending,
    using isBefore: @escaping (Key, Key) -> Bool, sortedBy sorts: RowSort<Element>...,
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.init(type, sorts: sorts, limit: limit, where: isIncluded, in: store) {
      $0.sectioned(by: key, order: order, using: isBefore)
    }
  }

  /// Observes a class in sections by a key that isn't `Comparable`, ordered by their first rows.
  ///
  /// - Parameters:
  ///   - type: The class: of objects, or of a ``Projection`` of one.
  ///   - key: The property that rows of a section share, or any function of a row.
  ///   - order: The order of the sections, the only one for such keys.
  ///   - sorts: The sort keys of the rows, the most significant one first.
  ///   - limit: The maximum number of rows in all sections together.
  ///   - isIncluded: The condition; it must not depend on the view's inputs.
  ///   - store: The store; by default that of the view's environment.
  @_disfavoredOverload
  public init(
    _ type: Element.Type, by key: @escaping (Element) -> Key,
    order: SectionOrder.FirstRow = .firstRow, sortedBy sorts: RowSort<Element>...,
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.init(type, sorts: sorts, limit: limit, where: isIncluded, in: store) {
      $0.sectioned(by: key)
    }
  }

  /// Use a sort key: `sortedBy: .ascending(\.title)`.
  @available(*, unavailable, message: "write `sortedBy: .ascending(path)` or `.descending(path)`")
  public init<Value>(
    _ type: Element.Type, by key: @escaping (Element) -> Key, order: SectionOrder = .ascending,
    sortedBy path: KeyPath<Element, Value>, limit: Int? = nil,
    where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.init(type, sorts: [], limit: limit, where: isIncluded, in: store) { _ in
      trap("write `sortedBy: .ascending(path)` or `.descending(path)`")
    }
  }

  private init(
    _ type: Element.Type, sorts: [RowSort<Element>], limit: Int?,
    where isIncluded: ((Element) -> Bool)?, in store: Store?,
    sectioned: @escaping (Results<Element>) -> Sections<Key, Element>
  ) {
    source = ObservedSource(
      "@ObservedSections of \(Element.self)", type, sortedBy: sorts, where: isIncluded, in: store
    ) {
      Sections.limited(to: limit, of: $0) { sectioned(Results(query: $0)) }
    }
  }

  /// Binds the wrapper to the sections of its view; the host calls it before each body.
  mutating func bind(to slot: ViewSlot) { source.bind(to: slot) }

  /// The live sections.
  public var wrappedValue: Sections<Key, Element> { source.live }

  /// The sections with edits of the rows on screen, and sections that use the view's state.
  public var projectedValue: BoundSections<Key, Element> {
    BoundSections(source: source, sections: wrappedValue)
  }
}

extension ObservedSections: ComparableInput {
  // The slot keeps the sections. Their definition is part of the view's type, so only the store can
  // differ.
  func isSameInput(as other: ObservedSections) -> Bool { source.store === other.source.store }
}

extension Sections {
  /// The sections of a query's first rows.
  ///
  /// Queries narrowed from it have the same limit.
  fileprivate static func limited(
    to limit: Int?, of query: Query, _ make: @escaping (Query) -> Sections
  ) -> Sections {
    guard let limit else { return make(query) }
    let sections = make(Results<Object>(query: query).limit(limit).query)
    return Sections(query, list: sections.list, keys: sections.keys) {
      limited(to: limit, of: $0, make)
    }
  }
}

extension Sections.Section: VersionedRows {
  var forEachData: any ForEachData {
    TreeRows(slice.tree, mayRepeat: false, value: Element._element) { $0.object }
  }
}
