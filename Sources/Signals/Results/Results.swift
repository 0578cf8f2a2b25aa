/// The objects of a class that satisfy a condition, in an order: live, and kept up to date by what changes.
///
/// - It is a collection of the objects themselves; reading it is a dependency on membership and order.
/// - A change re-tests the objects concerned and nothing else: O(log n) each. What the conditions and
///   sort keys read is learnt as they run, on the object itself, through links, and from signals.
/// - Rows that tie in every sort key stand in the order in which they were added to the store.
/// - Inside a transaction it shows what was written so far.
/// - Copies are the same live result. Iterating, slices and `map` go over one version: changes made meanwhile
///   do not disturb them. Subscripts, and generic code that goes by positions, read the present one.
/// - Results that nobody observes are brought up to date by the next read; until then they hold the objects
///   of the version read last, those deleted since too.
///
/// The first read costs O(n log n); conditions and sort keys must be functions of what they read. What is made
/// from results is a live result of its own, with a first read of its own: keep what is read often. They
/// nest as deep as the calls that made them.
///
/// ```swift
/// let long = store.results(Book.self).where { $0.pages > 300 }.sorted(by: \.title)
/// let token = long.observe { change in print(change.insertions) }
/// ```
public struct Results<Element: _ResultElement> {
  let query: Query

  init(query: Query) { self.query = query }

  /// Keeps those that satisfy a condition too.
  ///
  /// O(1); a sorted result is narrowed without sorting.
  public func `where`(_ isIncluded: @escaping (Element) -> Bool) -> Results {
    Results(query: query.filtered(by: Element.onObject(isIncluded)))
  }

  /// Sorts by a property, after the sort keys given before.
  public func sorted<Key: Comparable>(
    by path: KeyPath<Element, Key>, order: SortDirection = .ascending
  ) -> Results {
    sorted(RowSort(path, order).descriptor)
  }

  /// Sorts by an optional property; nil stands before everything.
  public func sorted<Key: Comparable>(
    by path: KeyPath<Element, Key?>, order: SortDirection = .ascending
  ) -> Results {
    sorted(RowSort(path, order).descriptor)
  }

  /// Sorts by a flag: those for which it is false stand first.
  public func sorted(
    by path: KeyPath<Element, Bool>, order: SortDirection = .ascending
  ) -> Results {
    sorted(RowSort(path, order).descriptor)
  }

  /// Sorts by several keys, the first of which decides, after the sort keys given before.
  ///
  /// ```swift
  /// let books = store.results(Book.self).sorted(by: .ascending(\.author), .descending(\.year))
  /// ```
  public func sorted(by sorts: RowSort<Element>...) -> Results { sorted(by: sorts) }

  /// Sorts by several keys, the first of which decides, after the sort keys given before.
  public func sorted(by sorts: [RowSort<Element>]) -> Results {
    sorts.reduce(self) { $0.sorted($1.descriptor) }
  }

  /// Sorts by a property, compared by `isBefore`, which must be a strict weak ordering.
  public func sorted<Key>(
    by path: KeyPath<Element, Key>, order: SortDirection = .ascending,
    using isBefore: @escaping (Key, Key) -> Bool
  ) -> Results {
    sorted(SortDescriptor(order, Element.onObject { $0[keyPath: path] }, using: isBefore))
  }

  private func sorted(_ descriptor: SortDescriptor) -> Results {
    Results(query: query.sorted(by: descriptor))
  }
}

extension Store {
  /// All stored objects of a class and its subclasses, live, in the order in which they were added.
  ///
  /// Given the class of a ``Projection``, its elements are the projections of the objects.
  public func results<Element: _ResultElement>(_ type: Element.Type) -> Results<Element> {
    Results(query: Query(self, type._objectClass))
  }
}

extension Results: RandomAccessCollection {
  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of rows.
  public var endIndex: Int { query.rows().count }

  /// The row at a position; O(log n), and a trap outside of the rows.
  public subscript(position: Int) -> Element {
    let rows = query.rows()
    guard position >= 0, position < rows.count else {
      trap("index \(position) is outside of \(query.description), of which there are \(rows.count)")
    }
    return Element._element(of: rows[position].object)
  }

  /// Some rows of one version.
  public typealias SubSequence = RowSlice<Element>

  /// The rows at some positions of the present version; a trap outside of the rows.
  public subscript(bounds: Range<Int>) -> RowSlice<Element> {
    RowSlice(query.rows(), bounds, Element._element)
  }

  /// The rows of the present version, last first.
  public func reversed() -> ReversedCollection<RowSlice<Element>> { self[...].reversed() }

  /// What a closure makes of each row of the present version.
  public func map<Value, Failure: Error>(
    _ transform: (Element) throws(Failure) -> Value
  ) throws(Failure) -> [Value] {
    let rows = query.rows()
    var values: [Value] = []
    values.reserveCapacity(rows.count)
    for row in rows { values.append(try transform(Element._element(of: row.object))) }
    return values
  }

  /// The elements of the present version, in order.
  public func makeIterator() -> RowIterator<Element> {
    let rows = query.rows()
    return RowIterator(rows, 0..<rows.count, Element._element)
  }

  /// The position of an object, or nil if it is no member.
  ///
  /// O(log n).
  public func firstIndex(of element: Element) -> Int? {
    _ = query.rows()
    return query.position(of: element._object)
  }

  /// Whether an object is a member.
  ///
  /// O(log n).
  public func contains(_ element: Element) -> Bool { firstIndex(of: element) != nil }
}

extension Results {
  /// Calls `receive` with the exact change after each commit that changes the result, or a member of it.
  ///
  /// Observers are called in the order of their registration, after effects. One that is called after
  /// another has written gets one change, from what it last saw to what it sees. It ends when the token
  /// is cancelled or released.
  ///
  /// Commits with one of the `origins` given to `skipping` are not told: the next change leads from the rows that they
  /// left. So a table whose rows the user has moved already is not moved once more. If another commit has not been
  /// told by then, both are, as one change.
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
  /// Two results are equal if they are the same live result.
  public static func == (lhs: Results, rhs: Results) -> Bool { lhs.query === rhs.query }
}
