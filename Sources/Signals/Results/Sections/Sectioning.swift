// Sections made of results.

extension Results {
  /// The rows by a property, in sections that are ordered by it, or by their first rows.
  ///
  /// Rows whose keys do not equal themselves have one section if the keys consist of the same: NaN has one.
  ///
  /// Each call makes new sections: O(1), and their first read costs O(n log n). Keep them, as
  /// ``ObservedSections`` does for a view: in a body they would be made again with each change.
  ///
  /// ```swift
  /// let shelves = books.sectioned(by: \.author)
  /// let token = shelves.observe { change in change.apply(to: &shown) }
  /// ```
  public func sectioned<Key: Hashable & Comparable>(
    by path: KeyPath<Element, Key>, order: SectionOrder = .ascending
  ) -> Sections<Key, Element> {
    sectioned(order: order) { $0[keyPath: path] }
  }

  /// The rows by an optional property; those of nil have a section before all others.
  public func sectioned<Key: Hashable & Comparable>(
    by path: KeyPath<Element, Key?>, order: SectionOrder = .ascending
  ) -> Sections<Key?, Element> {
    sectioned(order: order) { $0[keyPath: path] }
  }

  /// The rows by a property without an order, in sections that are ordered by their first rows.
  @_disfavoredOverload
  public func sectioned<Key: Hashable>(by path: KeyPath<Element, Key>) -> Sections<Key, Element> {
    Sections(query, by: Element.onObject { $0[keyPath: path] })
  }

  /// The rows by a key that is made of each, in sections that are ordered by it, or by their first rows.
  public func sectioned<Key: Hashable & Comparable>(
    order: SectionOrder = .ascending, by key: @escaping (Element) -> Key
  ) -> Sections<Key, Element> {
    Sections(query, order, by: Element.onObject(key))
  }

  /// The rows by an optional key; those of nil have a section before all others.
  public func sectioned<Key: Hashable & Comparable>(
    order: SectionOrder = .ascending, by key: @escaping (Element) -> Key?
  ) -> Sections<Key?, Element> {
    Sections(query, order, by: Element.onObject(key))
  }

  /// The rows by a key without an order, in sections that are ordered by their first rows.
  @_disfavoredOverload
  public func sectioned<Key: Hashable>(
    by key: @escaping (Element) -> Key
  ) -> Sections<Key, Element> {
    Sections(query, by: Element.onObject(key))
  }
}
