/// Live results, shown as projections: filtered, sorted and observed by projected properties.
///
/// - A row is the projection of its object that is shared, made when it is asked for.
/// - Conditions and sort keys are typed on the projection, and what they read through it is followed as
///   in ``Results``, whose promises hold here: they may lead through links.
/// - When an object is deleted its row goes in the same commit.
/// - Copies are the same live result.
///
/// A condition or sort key costs, beside what it reads, a projection for each object for which nobody holds one.
///
/// ```swift
/// let rows = store.results(Book.self).projected(to: BookRow.self)
///   .where { $0.author != nil }
///   .sorted(by: \.title)
/// ForEach(rows) { row in Text(row.title) }
/// ```
public struct ProjectedResults<Row: RootedProjection> where Row.Root: Object {
  /// The objects of the rows.
  public let results: Results<Row.Root>

  init(_ results: Results<Row.Root>) { self.results = results }

  /// Keeps the rows that satisfy a condition too.
  ///
  /// O(1); sorted rows are narrowed without sorting.
  public func `where`(_ isIncluded: @escaping (Row) -> Bool) -> ProjectedResults {
    ProjectedResults(results.where { Row.evaluate(on: $0, isIncluded) })
  }

  /// Sorts by a property of the row, after the sort keys given before.
  public func sorted<Key: Comparable>(
    by path: KeyPath<Row, Key>, order: SortDirection = .ascending
  ) -> ProjectedResults {
    sorted(RowSort<Row>(path, order).descriptor)
  }

  /// Sorts by an optional property of the row; nil stands before everything.
  public func sorted<Key: Comparable>(
    by path: KeyPath<Row, Key?>, order: SortDirection = .ascending
  ) -> ProjectedResults {
    sorted(RowSort<Row>(path, order).descriptor)
  }

  /// Sorts by a flag of the row: those for which it is false stand first.
  public func sorted(
    by path: KeyPath<Row, Bool>, order: SortDirection = .ascending
  ) -> ProjectedResults {
    sorted(RowSort<Row>(path, order).descriptor)
  }

  /// Sorts by a property of the row, compared by `isBefore`, which must be a strict weak ordering.
  public func sorted<Key>(
    by path: KeyPath<Row, Key>, order: SortDirection = .ascending,
    using isBefore: @escaping (Key, Key) -> Bool
  ) -> ProjectedResults {
    sorted(
      SortDescriptor(order, { Row.evaluate(on: $0) { $0[keyPath: path] } }, using: isBefore))
  }

  /// Sorts by several keys, the first of which decides, after the sort keys given before.
  public func sorted(by sorts: [RowSort<Row>]) -> ProjectedResults {
    sorts.reduce(self) { $0.sorted($1.descriptor) }
  }

  private func sorted(_ descriptor: SortDescriptor) -> ProjectedResults {
    ProjectedResults(Results(query: results.query.sorted(by: descriptor)))
  }

  static func row(of object: Object) -> Row { .shared(for: List<Row.Root>.typed(object)) }
}

extension Results {
  /// The same live results, as projections of their objects.
  ///
  /// O(1).
  public func projected<Row: RootedProjection>(to type: Row.Type) -> ProjectedResults<Row>
  where Row.Root == Element { ProjectedResults(self) }
}

extension ProjectedResults: RandomAccessCollection {
  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of rows.
  public var endIndex: Int { results.endIndex }

  /// The row at a position; O(log n), and a trap outside of the rows.
  public subscript(position: Int) -> Row { .shared(for: results[position]) }

  /// Some rows of one version.
  public typealias SubSequence = RowSlice<Row>

  /// The rows at some positions of the present version; a trap outside of the rows.
  public subscript(bounds: Range<Int>) -> RowSlice<Row> {
    RowSlice(results.query.rows(), bounds) { Self.row(of: $0) }
  }

  /// The rows of the present version, last first.
  public func reversed() -> ReversedCollection<RowSlice<Row>> { self[...].reversed() }

  /// What a closure makes of each row of the present version.
  public func map<Value, Failure: Error>(
    _ transform: (Row) throws(Failure) -> Value
  ) throws(Failure) -> [Value] {
    try results.map { (object: Row.Root) throws(Failure) in try transform(.shared(for: object)) }
  }

  /// The rows of the present version, in order.
  public func makeIterator() -> Iterator { Iterator(base: results.makeIterator()) }

  /// Walks one version of a result.
  public struct Iterator: IteratorProtocol {
    var base: Results<Row.Root>.Iterator

    /// The next row, or nil after the last.
    public mutating func next() -> Row? { base.next().map { .shared(for: $0) } }
  }

  /// The position of a row, or nil if its root is no member.
  ///
  /// O(log n).
  public func firstIndex(of row: Row) -> Int? { results.firstIndex(of: row.root) }

  /// Whether the root of a row is a member.
  ///
  /// O(log n).
  public func contains(_ row: Row) -> Bool { results.contains(row.root) }
}

extension ProjectedResults {
  /// Calls `receive` with the exact change after each commit, as ``Results/observe(skipping:_:)`` does.
  public func observe(
    skipping origins: Set<Origin> = [], _ receive: @escaping (CollectionChange<Row>) -> Void
  ) -> any Cancellable {
    changes(skipping: origins).sink(receiveValue: receive)
  }

  /// The exact change of each commit, as ``Results/changes`` has it.
  public var changes: some Publisher<CollectionChange<Row>, Never> { changes(skipping: []) }

  /// The exact change of each commit but those of some origins.
  public func changes(
    skipping origins: Set<Origin>
  ) -> some Publisher<CollectionChange<Row>, Never> {
    results.changes(skipping: origins).map { change in change.map { Row.shared(for: $0) } }
  }

  /// The present rows first, then those after each commit that changes membership or order.
  public var publisher: some Publisher<[Row], Never> {
    results.publisher.map { rows in rows.map { Row.shared(for: $0) } }
  }
}

extension ProjectedResults: Equatable {
  /// Two are equal if they are the same live result.
  public static func == (lhs: ProjectedResults, rhs: ProjectedResults) -> Bool {
    lhs.results == rhs.results
  }
}
