/// The live results of a class in the store around a view, in sections.
///
/// - `ForEach($sections) { $section in … }` gives each section as a ``BoundSection``, whose offsets mean what
///   was on screen; `ForEach(sections) { section in … }` gives it as it is.
/// - `$sections.where(on:)` narrows the rows by the view's own state; sections without any go.
/// - The list of sections is read by the outer `ForEach` alone, and the rows of a section by the one in it:
///   a row that changes its section runs these two, and no body around them.
///
/// They are made once for the view's identity, as ``ObservedResults`` are, and work outside of a view with a
/// store of their own.
///
/// ```swift
/// struct Shelves: View {
///   @ObservedSections(Book.self, by: \.author, sortedBy: \.title) var sections
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
public struct ObservedSections<Key: Hashable, Element: Object>: DynamicProperty {
  private let make: (Store) -> Sections<Key, Element>
  private let store: Store?
  private let unbound = ObservedQuery<Sections<Key, Element>>()
  private var bound: ObservedQuery<Sections<Key, Element>>?

  private init(
    _ type: Element.Type, _ sorts: [RowSort<Element>], _ isIncluded: ((Element) -> Bool)?,
    _ store: Store?, _ section: @escaping (Results<Element>) -> Sections<Key, Element>
  ) {
    self.store = store
    make = { store in
      let results = store.results(type).sorted(by: sorts)
      return section(isIncluded.map { results.where($0) } ?? results)
    }
  }

  /// Observes all objects of a class by a property, in sections ordered by it or by their first rows.
  ///
  /// `store` is the one around the view unless it is given.
  public init(
    _ type: Element.Type, by path: KeyPath<Element, Key>, order: SectionOrder = .ascending,
    sortedBy sorts: [RowSort<Element>] = [], where isIncluded: ((Element) -> Bool)? = nil,
    in store: Store? = nil
  ) where Key: Comparable {
    self.init(type, sorts, isIncluded, store) { $0.sectioned(by: path, order: order) }
  }

  /// Observes all objects of a class by a property, sorted by one in each section.
  public init<Sort: Comparable>(
    _ type: Element.Type, by path: KeyPath<Element, Key>, order: SectionOrder = .ascending,
    sortedBy sort: KeyPath<Element, Sort>, where isIncluded: ((Element) -> Bool)? = nil,
    in store: Store? = nil
  ) where Key: Comparable {
    self.init(type, [RowSort(sort, .ascending)], isIncluded, store) {
      $0.sectioned(by: path, order: order)
    }
  }

  /// Observes all objects of a class by an optional property; those of nil have a section of their own.
  public init<Value: Comparable & Hashable>(
    _ type: Element.Type, by path: KeyPath<Element, Value?>, order: SectionOrder = .ascending,
    sortedBy sorts: [RowSort<Element>] = [], where isIncluded: ((Element) -> Bool)? = nil,
    in store: Store? = nil
  ) where Key == Value? {
    self.init(type, sorts, isIncluded, store) { $0.sectioned(by: path, order: order) }
  }

  /// Observes all objects of a class by a key that is made of each, in sections ordered by it.
  public init(
    _ type: Element.Type, order: SectionOrder = .ascending,
    sortedBy sorts: [RowSort<Element>] = [], where isIncluded: ((Element) -> Bool)? = nil,
    in store: Store? = nil, by key: @escaping (Element) -> Key
  ) where Key: Comparable {
    self.init(type, sorts, isIncluded, store) { $0.sectioned(order: order, by: key) }
  }

  /// Observes all objects of a class by a property without an order, in sections ordered by their first rows.
  @_disfavoredOverload
  public init(
    _ type: Element.Type, by path: KeyPath<Element, Key>, sortedBy sorts: [RowSort<Element>] = [],
    where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.init(type, sorts, isIncluded, store) { $0.sectioned(by: path) }
  }

  /// Observes all objects of a class by a key without an order, in sections ordered by their first rows.
  @_disfavoredOverload
  public init(
    _ type: Element.Type, sortedBy sorts: [RowSort<Element>] = [],
    where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil,
    by key: @escaping (Element) -> Key
  ) {
    self.init(type, sorts, isIncluded, store) { $0.sectioned(by: key) }
  }

  /// Binds the wrapper to the sections kept for a view; the host calls it before each body.
  public mutating func bind(to slot: Slot) {
    let query = slot.value {
      let made = ObservedQuery<Sections<Key, Element>>()
      slot.scope.sweeps.append(made)
      return made
    }
    query.beginBody(of: slot.scope)
    query.store = store ?? slot.scope.bindSurroundings().value(at: \.store)
    bound = query
  }

  private var query: ObservedQuery<Sections<Key, Element>> {
    if let bound { return bound }
    unbound.store = store
    return unbound
  }

  /// The sections.
  public var wrappedValue: Sections<Key, Element> {
    query.results("@ObservedSections of \(Element.self)", make)
  }

  /// The sections with edits of what is on screen, and narrowed by state.
  public var projectedValue: BoundSections<Key, Element> {
    BoundSections(query: query, sections: wrappedValue)
  }
}

extension ObservedSections: ComparableInput {
  // The slot keeps the sections; how they are made is declared with the view's type.
  func isSameInput(as other: ObservedSections) -> Bool { store === other.store }
}

extension Sections: ObservedLive {
  /// The rows of all sections, by the numbers of these.
  typealias Version = Tree<QueryRow>

  var identity: ObjectIdentifier { ObjectIdentifier(list) }

  var version: Tree<QueryRow> {
    _ = list.read()
    return list.query.tree
  }
}

extension Sections.Section: VersionedRows {
  var rowData: any RowData { TreeRows(rows, mayRepeat: false) { $0.object } }
}
