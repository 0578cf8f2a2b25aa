/// The live results of a class in the store around a view, as projections.
///
/// It is to projections what ``ObservedResults`` is to objects: conditions and sort keys are typed on the row.
///
/// ```swift
/// struct Shelf: View {
///   @ObservedProjections(BookRow.self, sortedBy: \.title, where: { $0.author != nil }) var rows
///
///   var body: Element {
///     ForEach(rows) { row in Text(row.title) }
///   }
/// }
/// ```
@propertyWrapper
public struct ObservedProjections<Row: RootedProjection>: DynamicProperty where Row.Root: Object {
  private let make: (Store) -> Results<Row.Root>
  private let store: Store?
  private let unbound = ObservedQuery<Results<Row.Root>>()
  private var bound: ObservedQuery<Results<Row.Root>>?

  /// Observes all objects of the projection's root class; `store` is the one around the view unless it is given.
  public init(
    _ type: Row.Type, limit: Int? = nil, where isIncluded: ((Row) -> Bool)? = nil,
    in store: Store? = nil
  ) {
    self.init(limit, isIncluded, store) { $0 }
  }

  /// Observes them sorted by a property of the row.
  public init<Key: Comparable>(
    _ type: Row.Type, sortedBy path: KeyPath<Row, Key>, order: SortDirection = .ascending,
    limit: Int? = nil, where isIncluded: ((Row) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.init(limit, isIncluded, store) { $0.sorted(by: path, order: order) }
  }

  /// Observes them sorted by an optional property of the row; nil stands before everything.
  public init<Key: Comparable>(
    _ type: Row.Type, sortedBy path: KeyPath<Row, Key?>, order: SortDirection = .ascending,
    limit: Int? = nil, where isIncluded: ((Row) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.init(limit, isIncluded, store) { $0.sorted(by: path, order: order) }
  }

  private init(
    _ limit: Int?, _ isIncluded: ((Row) -> Bool)?, _ store: Store?,
    _ sort: @escaping (ProjectedResults<Row>) -> ProjectedResults<Row>
  ) {
    self.store = store
    make = { store in
      let sorted = sort(store.results(Row.Root.self).projected(to: Row.self))
      let included = isIncluded.map { sorted.where($0) } ?? sorted
      return (limit.map { included.prefix($0) } ?? included).results
    }
  }

  /// Binds the wrapper to the results kept for a view; the host calls it before each body.
  public mutating func bind(to slot: Slot) {
    let query = slot.value {
      let made = ObservedQuery<Results<Row.Root>>()
      slot.scope.sweeps.append(made)
      return made
    }
    query.beginBody(of: slot.scope)
    query.store = store ?? slot.scope.bindSurroundings().value(at: \.store)
    bound = query
  }

  private var query: ObservedQuery<Results<Row.Root>> {
    if let bound { return bound }
    unbound.store = store
    return unbound
  }

  /// The rows.
  public var wrappedValue: ProjectedResults<Row> {
    ProjectedResults(query.results("@ObservedProjections of \(Row.self)", make))
  }

  /// The rows narrowed by state, and edits of what is on screen.
  public var projectedValue: BoundProjections<Row> {
    BoundProjections(query: query, rows: wrappedValue)
  }
}

extension ObservedProjections: ComparableInput {
  // The slot keeps the query; how it is made is declared with the view's type.
  func isSameInput(as other: ObservedProjections) -> Bool { store === other.store }
}

/// What `$rows` of ``ObservedProjections`` offers: rows narrowed by state, and edits of what was on screen.
public struct BoundProjections<Row: RootedProjection> where Row.Root: Object {
  let query: ObservedQuery<Results<Row.Root>>
  let rows: ProjectedResults<Row>

  private var store: Store { rows.results.query.store }

  /// The rows that satisfy a condition which uses the view's own state.
  ///
  /// `on` must hold all the state that the condition uses, as in ``BoundResults``.
  public func `where`<State: Hashable>(
    on state: State, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ isIncluded: @escaping (Row) -> Bool
  ) -> ProjectedResults<Row> {
    let key = NarrowedKey(file: file, line: line, column: column, state: AnyHashable(state))
    return ProjectedResults(
      query.narrowed(key) {
        rows.where { row in ViewState.ignored { isIncluded(row) } }.results
      })
  }

  /// Deletes the root of a row from the store; nothing happens if it was deleted already.
  public func remove(_ row: Row) throws { try store.delete(row.root) }

  /// Deletes the roots of the rows that stood at `offsets` when the view was last evaluated, in one commit.
  ///
  /// What was deleted since is passed over. Offsets outside of what was shown trap.
  public func remove(atOffsets offsets: some Sequence<Int>) throws {
    try store.delete(offsets, from: query.shown(rows.results))
  }

  /// Deletes likewise the roots of the rows that stood at `offsets` in rows of `where(on:)`.
  public func remove(
    atOffsets offsets: some Sequence<Int>, in narrowed: ProjectedResults<Row>
  ) throws {
    try store.delete(offsets, from: query.shown(narrowed.results))
  }
}
