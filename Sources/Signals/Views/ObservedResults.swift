/// The live results of a class in the store around a view.
///
/// `$books.where(on:)` narrows them by the view's own state; what is on screen is what offsets mean.
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
  private let unbound = ObservedQuery<Element>()
  private var bound: ObservedQuery<Element>?

  /// Observes all objects of a class; `store` is the one around the view unless it is given.
  public init(
    _ type: Element.Type, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.store = store
    make = { store in
      let results = store.results(type)
      return isIncluded.map { results.where($0) } ?? results
    }
  }

  /// Observes all objects of a class, sorted by a property.
  public init<Key: Comparable>(
    _ type: Element.Type, sortedBy path: KeyPath<Element, Key>, order: SortDirection = .ascending,
    where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.store = store
    make = { store in
      let results = store.results(type).sorted(by: path, order: order)
      return isIncluded.map { results.where($0) } ?? results
    }
  }

  public mutating func bind(to slot: Slot) {
    let query = slot.value { ObservedQuery<Element>() }
    query.beginBody()
    query.store = store ?? slot.scope.environment.store
    bound = query
  }

  private var query: ObservedQuery<Element> {
    if let bound { return bound }
    unbound.store = store
    return unbound
  }

  /// The results.
  public var wrappedValue: Results<Element> { query.results(make) }

  /// The results narrowed by state, and edits of what is on screen.
  public var projectedValue: BoundResults<Element> { BoundResults(query: query, make: make) }
}

extension ObservedResults: ComparableInput {
  // The slot keeps the query; how it is made is declared with the view's type.
  func isSameInput(as other: Any) -> Bool {
    (other as? ObservedResults).map { $0.store === store } ?? false
  }
}

/// What `$books` offers: results narrowed by the view's state, and edits that mean what was on screen.
public struct BoundResults<Element: Object> {
  let query: ObservedQuery<Element>
  let make: (Store) -> Results<Element>

  /// The results that satisfy a condition which uses the view's own state.
  ///
  /// `on` must hold all the state that the condition uses: the results are kept for as long as it is the
  /// same. Bodies that stop using a condition drop its results.
  public func `where`<State: Hashable>(
    on state: State, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ isIncluded: @escaping (Element) -> Bool
  ) -> Results<Element> {
    query.narrowed(
      NarrowedKey(file: "\(file)", line: line, column: column, state: AnyHashable(state)),
      from: query.results(make), isIncluded)
  }

  /// Adds an object to the store.
  public func append(_ object: Element) throws { try query.results(make).query.store.add(object) }

  /// Deletes an object from the store.
  public func remove(_ object: Element) throws {
    try query.results(make).query.store.delete(object)
  }

  /// Deletes the objects that stood at `offsets` when the view was last evaluated, in one commit.
  ///
  /// Offsets outside of what was shown trap.
  public func remove(atOffsets offsets: [Int]) throws {
    let shown = query.shown ?? query.results(make).query.rows()
    let objects = Set(offsets).sorted().map { offset in
      precondition(
        offset >= 0 && offset < shown.count,
        "Signals: offset \(offset) is outside of the \(shown.count) rows on screen")
      return shown[offset].object
    }
    let store = query.results(make).query.store
    try store.write { for object in objects { try store.delete(object) } }
  }
}

/// Tells the narrowed results of a body apart: by where they are declared and the state they use.
struct NarrowedKey: Hashable {
  let file: String
  let line: UInt
  let column: UInt
  let state: AnyHashable
}

/// What an `@ObservedResults` keeps for a view.
///
/// State: the results of the store; `shown`, the version that the last body saw; the narrowed results,
/// and which of them the body that runs has used.
final class ObservedQuery<Element: Object>: SweptSlot {
  var store: Store? {
    didSet { if store !== oldValue { forgetResults() } }
  }
  private(set) var shown: Tree<QueryRow>?
  private var present: Results<Element>?
  private var narrowed: [NarrowedKey: Results<Element>] = [:]
  private var used: Set<NarrowedKey> = []

  func beginBody() {
    shown = nil
    used = []
  }

  func sweep() {
    for key in narrowed.keys where !used.contains(key) { narrowed[key] = nil }
  }

  private func forgetResults() {
    present = nil
    narrowed = [:]
  }

  func results(_ make: (Store) -> Results<Element>) -> Results<Element> {
    if let present {
      noteShown(present)
      return present
    }
    guard let store else { trap("@ObservedResults of \(Element.self) has no store: give it one") }
    let made = make(store)
    present = made
    noteShown(made)
    return made
  }

  private func noteShown(_ results: Results<Element>) {
    if shown == nil { shown = untracked { results.query.rows() } }
  }

  func narrowed(
    _ key: NarrowedKey, from results: Results<Element>, _ isIncluded: @escaping (Element) -> Bool
  ) -> Results<Element> {
    used.insert(key)
    if let known = narrowed[key] { return known }
    let made = results.where(isIncluded)
    narrowed[key] = made
    return made
  }
}
