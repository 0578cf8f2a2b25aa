/// The objects of a class that satisfy a condition, in order, kept up to date automatically.
///
/// - Results are a collection of the objects themselves. Reading them depends on membership and
///   order.
/// - A change tests only the affected objects again, in O(log *n*) each. The dependencies of
///   conditions and sort keys are tracked while these run: properties of the object itself, objects
///   reached through links, and signals. Conditions and sort keys must be functions of the values
///   they read.
/// - Rows that are equal in every sort key are in the order in which they were added to the store.
/// - Inside a transaction, results show everything written so far.
/// - Copies are the same live result. Iteration, slices and `map` use one version, which later
///   changes don't affect. Subscripts, and generic code that uses positions, read the current
///   version.
/// - Results without dependents are brought up to date by the next read. Until then they keep the
///   objects of the last version read alive, including deleted ones.
/// - The first read costs O(*n* log *n*). Results of a class with the same key paths as sort keys are
///   one live result. Each other method that derives results creates a separate one with its own
///   first read, so keep the results that you read often. Derived results nest as deeply as the
///   calls that create them.
///
/// ```swift
/// let long = store.results(Book.self).where { $0.pages > 300 }.sorted(by: \.title)
/// let token = long.observe { change in print(change.insertions) }
/// ```
public struct Results<Element: _ResultElement> {
  let query: Query

  init(query: Query) { self.query = query }

  /// Returns the rows that also satisfy a condition.
  ///
  /// Sorted results are narrowed without sorting them again, if they have been read or are in use
  /// elsewhere.
  ///
  /// - Complexity: O(1).
  public func `where`(_ isIncluded: @escaping (Element) -> Bool) -> Results {
    Results(query: query.filtered(by: Element.onObject(isIncluded)))
  }

  /// Sorts by a property; the order before breaks ties, as in a stable sort.
  ///
  /// ```swift
  /// let byAuthor = books.sorted(by: \.title).sorted(by: \.author)  // by author, then by title
  /// ```
  public func sorted<Key: Comparable>(
    by path: KeyPath<Element, Key>, order: SortDirection = .ascending
  ) -> Results {
    sorted(by: [RowSort(path, order: order)])
  }

  /// Sorts by an optional property, with nil before everything.
  ///
  /// In descending order nil is after everything. The order before breaks ties.
  public func sorted<Key: Comparable>(
    by path: KeyPath<Element, Key?>, order: SortDirection = .ascending
  ) -> Results {
    sorted(by: [RowSort(path, order: order)])
  }

  /// Sorts by a flag, with false before true.
  ///
  /// In descending order true is before false. The order before breaks ties.
  public func sorted(
    by path: KeyPath<Element, Bool>, order: SortDirection = .ascending
  ) -> Results {
    sorted(by: [RowSort(path, order: order)])
  }

  /// Sorts by several keys, the most significant first; the order before breaks ties.
  ///
  /// ```swift
  /// let books = store.results(Book.self).sorted(by: .ascending(\.author), .descending(\.year))
  /// ```
  public func sorted(by sorts: RowSort<Element>...) -> Results { sorted(by: sorts) }

  /// Sorts by several keys, the most significant first; the order before breaks ties.
  public func sorted(by sorts: [RowSort<Element>]) -> Results {
    if sorts.isEmpty { return self }
    return Results(query: query.reordered(by: sorts.map(\.descriptor) + query.order.descriptors))
  }

  /// Sorts by a property with a comparison; the order before breaks ties.
  ///
  /// - Parameters:
  ///   - path: The property to sort by.
  ///   - order: The direction of the sort.
  ///   - isBefore: A strict weak ordering of the values.
  public func sorted<Key>(
    by path: KeyPath<Element, Key>, order: SortDirection = .ascending,
    using isBefore: @escaping (Key, Key) -> Bool
  ) -> Results {
    sorted(by: [RowSort(path, order: order, using: isBefore)])
  }
}

extension Store {
  /// Returns all stored objects of a class and its subclasses as live results, in the order in
  /// which they were added.
  ///
  /// If `type` is a ``Projection`` class, the elements are the projections of the objects.
  public func results<Element: _ResultElement>(_ type: Element.Type) -> Results<Element> {
    Results(
      query: SharedQueries.query(QueryDefinition(store: self, type: type._objectClass)))
  }
}

extension Results: RandomAccessCollection {
  /// The position of the first row, which is always 0.
  public var startIndex: Int { 0 }

  /// The position after the last row, which is the number of rows.
  public var endIndex: Int { query.rowCount() }

  /// The row at a position; a position outside of the rows traps.
  ///
  /// - Complexity: O(log *n*).
  public subscript(position: Int) -> Element {
    let rows = query.rows()
    guard position >= 0, position < rows.count else {
      trap("index \(position) is outside of \(query.description), of which there are \(rows.count)")
    }
    return Element._element(of: rows[position].object)
  }

  /// A range of the rows of one version.
  public typealias SubSequence = RowSlice<Element>

  /// The rows in a range of positions of the current version; positions outside of the rows trap.
  public subscript(bounds: Range<Int>) -> RowSlice<Element> {
    RowSlice(query.rows(), in: bounds)
  }

  /// Returns the rows of the current version in reverse order.
  public func reversed() -> ReversedCollection<RowSlice<Element>> { self[...].reversed() }

  /// Returns an array of the results of calling `transform` with each row of the current version.
  public func map<Value, Failure: Error>(
    _ transform: (Element) throws(Failure) -> Value
  ) throws(Failure) -> [Value] {
    let rows = query.rows()
    var values: [Value] = []
    values.reserveCapacity(rows.count)
    for row in rows { values.append(try transform(Element._element(of: row.object))) }
    return values
  }

  /// Iterates over the elements of the current version, in order.
  public func makeIterator() -> RowIterator<Element> {
    let rows = query.rows()
    return RowIterator(rows, in: 0..<rows.count)
  }

  /// Returns the position of an element.
  ///
  /// - Returns: The position, or nil if the element isn't in the results.
  /// - Complexity: O(log *n*).
  public func firstIndex(of element: Element) -> Int? {
    _ = query.rows()
    return query.position(of: element._object)
  }

  /// Returns whether an element is in the results.
  ///
  /// - Complexity: O(log *n*).
  public func contains(_ element: Element) -> Bool { firstIndex(of: element) != nil }
}

extension Results {
  /// Calls `receive` with the exact change after each commit that changes the result or one of its
  /// members.
  ///
  /// Observers run in the order of registration, after effects. An observer that runs after another
  /// observer has written gets a single change, from the version it saw last to the current one.
  /// The subscription ends when the token is cancelled or released.
  ///
  /// Commits with one of the `origins` given to `skipping` aren't reported: the next change starts
  /// from the rows that they left. So a table doesn't repeat a move that the user has already made
  /// in it. If another commit hasn't been delivered by then, both are delivered as one change.
  ///
  /// ```swift
  /// let token = books.observe(skipping: ["drag"]) { table.apply($0) }
  /// try store.write(origin: "drag") { shelf.books.move(fromOffsets: [3], toOffset: 0) }  // the table shows it already
  /// ```
  public func observe(
    skipping origins: Set<Origin> = [],
    _ receive: @escaping (CollectionChange<Element>) -> Void
  ) -> any Cancellable {
    changes(skipping: origins).sink(receiveValue: receive)
  }
}

extension Results: Equatable {
  /// Returns whether two values are the same live result.
  public static func == (lhs: Results, rhs: Results) -> Bool { lhs.query === rhs.query }
}
