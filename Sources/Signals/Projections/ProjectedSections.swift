// Sections made of projected results: their rows are projections.

extension ProjectedResults {
  /// The rows by a property, in sections that are ordered by it, or by their first rows.
  ///
  /// They are as those of ``Results``, with projections as rows, and each call makes new ones.
  ///
  /// ```swift
  /// let shelves = store.results(Book.self).projected(to: BookRow.self).sectioned(by: \.author)
  /// ```
  public func sectioned<Key: Hashable & Comparable>(
    by path: KeyPath<Row, Key>, order: SectionOrder = .ascending
  ) -> Sections<Key, Row> {
    sectioned(order: order) { $0[keyPath: path] }
  }

  /// The rows by an optional property; those of nil have a section before all others.
  public func sectioned<Key: Hashable & Comparable>(
    by path: KeyPath<Row, Key?>, order: SectionOrder = .ascending
  ) -> Sections<Key?, Row> {
    sectioned(order: order) { $0[keyPath: path] }
  }

  /// The rows by a property without an order, in sections that are ordered by their first rows.
  @_disfavoredOverload
  public func sectioned<Key: Hashable>(by path: KeyPath<Row, Key>) -> Sections<Key, Row> {
    Sections(results.query, .projections) { Row.evaluate(on: $0) { $0[keyPath: path] } }
  }

  /// The rows by a key that is made of each, in sections that are ordered by it, or by their first rows.
  public func sectioned<Key: Hashable & Comparable>(
    order: SectionOrder = .ascending, by key: @escaping (Row) -> Key
  ) -> Sections<Key, Row> {
    Sections(results.query, .projections, order) { Row.evaluate(on: $0, key) }
  }

  /// The rows by an optional key; those of nil have a section before all others.
  public func sectioned<Key: Hashable & Comparable>(
    order: SectionOrder = .ascending, by key: @escaping (Row) -> Key?
  ) -> Sections<Key?, Row> {
    Sections(results.query, .projections, order) { Row.evaluate(on: $0, key) }
  }

  /// The rows by a key without an order, in sections that are ordered by their first rows.
  @_disfavoredOverload
  public func sectioned<Key: Hashable>(by key: @escaping (Row) -> Key) -> Sections<Key, Row> {
    Sections(results.query, .projections) { Row.evaluate(on: $0, key) }
  }
}

extension Sections where Element: RootedProjection, Element.Root: Object {
  /// The results that the sections are made of.
  public var results: ProjectedResults<Element> {
    ProjectedResults(Results<Element.Root>(query: query))
  }
}
