/// The live results of a class in the store around a view, as projections.
///
/// It is to projections what ``ObservedResults`` is to objects: conditions and sort keys are typed on the row. In
/// sections they are observed with ``ObservedSections``.
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
  private var source: ObservedSource<Results<Row.Root>>

  /// Observes all objects of the projection's root class; `store` is the one around the view unless it is given.
  ///
  /// `limit` is how many are shown at most: of those that satisfy the condition, and those made with the view's
  /// state.
  public init(
    _ type: Row.Type, limit: Int? = nil, where isIncluded: ((Row) -> Bool)? = nil,
    in store: Store? = nil
  ) {
    self.init(type, sortedBy: [], limit: limit, where: isIncluded, in: store)
  }

  /// Observes them sorted by a property of the row.
  public init<Key: Comparable>(
    _ type: Row.Type, sortedBy path: KeyPath<Row, Key>, order: SortDirection = .ascending,
    limit: Int? = nil, where isIncluded: ((Row) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.init(
      type, sortedBy: [RowSort(path, order)], limit: limit, where: isIncluded, in: store)
  }

  /// Observes them sorted by an optional property of the row; nil stands before everything.
  public init<Key: Comparable>(
    _ type: Row.Type, sortedBy path: KeyPath<Row, Key?>, order: SortDirection = .ascending,
    limit: Int? = nil, where isIncluded: ((Row) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.init(
      type, sortedBy: [RowSort(path, order)], limit: limit, where: isIncluded, in: store)
  }

  /// Observes them sorted by a flag of the row: those for which it is false stand first.
  public init(
    _ type: Row.Type, sortedBy path: KeyPath<Row, Bool>, order: SortDirection = .ascending,
    limit: Int? = nil, where isIncluded: ((Row) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.init(
      type, sortedBy: [RowSort(path, order)], limit: limit, where: isIncluded, in: store)
  }

  /// Observes them sorted by several properties of the row.
  public init(
    _ type: Row.Type, sortedBy sorts: [RowSort<Row>], limit: Int? = nil,
    where isIncluded: ((Row) -> Bool)? = nil, in store: Store? = nil
  ) {
    source = ObservedSource("@ObservedProjections of \(Row.self)", in: store) { store in
      let rows = store.results(Row.Root.self).projected(to: Row.self).sorted(by: sorts)
      return (isIncluded.map { rows.where($0) } ?? rows).results.query
    } make: {
      Results(query: $0).limited(to: limit)
    }
  }

  /// Binds the wrapper to the results kept for a view; the host calls it before each body.
  public mutating func bind(to slot: Slot) { source.bind(to: slot) }

  /// The rows.
  public var wrappedValue: ProjectedResults<Row> { ProjectedResults(source.live) }

  /// The rows narrowed by state, and edits of what is on screen.
  public var projectedValue: BoundProjections<Row> { BoundProjections(source: source) }
}

extension ObservedProjections: ComparableInput {
  // The slot keeps the query; how it is made is declared with the view's type.
  func isSameInput(as other: ObservedProjections) -> Bool { source.store === other.source.store }
}
