// Dividing results into sections.

extension Results {
  /// Groups the rows by a property into sections, which are ordered by the property or by their
  /// first rows.
  ///
  /// Keys that don't equal themselves share a section if they have the same contents: all NaN keys
  /// are in one section.
  ///
  /// Each call creates new sections. Keep them, as ``ObservedSections`` does for a view. If a body
  /// creates them, they are created again with each change.
  ///
  /// ```swift
  /// let shelves = books.sectioned(by: \.author)
  /// let token = shelves.observe { change in change.apply(to: &shown) }
  /// ```
  ///
  /// - Complexity: O(1). The first read of the sections costs O(*n* log *n*).
  public func sectioned<Key: Hashable & Comparable>(
    by path: KeyPath<Element, Key>, order: SectionOrder = .ascending
  ) -> Sections<Key, Element> {
    sectioned(order: order) { $0[keyPath: path] }
  }

  /// Groups the rows by an optional property into sections.
  ///
  /// Rows whose key is nil are in a section before all others. In descending order that section is
  /// last. With `.firstRow` its position depends on its first row, as for other sections.
  public func sectioned<Key: Hashable & Comparable>(
    by path: KeyPath<Element, Key?>, order: SectionOrder = .ascending
  ) -> Sections<Key?, Element> {
    sectioned(order: order) { $0[keyPath: path] }
  }

  /// Groups the rows by a property that isn't `Comparable`, with sections ordered by their first
  /// rows.
  @_disfavoredOverload
  public func sectioned<Key: Hashable>(by path: KeyPath<Element, Key>) -> Sections<Key, Element> {
    Sections(query, by: Element.onObject { $0[keyPath: path] })
  }

  /// Groups the rows by a key computed from each row into sections, which are ordered by their keys
  /// or by their first rows.
  public func sectioned<Key: Hashable & Comparable>(
    order: SectionOrder = .ascending, by key: @escaping (Element) -> Key
  ) -> Sections<Key, Element> {
    Sections(query, order, by: Element.onObject(key))
  }

  /// Groups the rows by an optional key, computed from each row, into sections.
  ///
  /// Rows whose key is nil are in a section before all others. In descending order that section is
  /// last. With `.firstRow` its position depends on its first row, as for other sections.
  public func sectioned<Key: Hashable & Comparable>(
    order: SectionOrder = .ascending, by key: @escaping (Element) -> Key?
  ) -> Sections<Key?, Element> {
    Sections(query, order, by: Element.onObject(key))
  }

  /// Groups the rows by a key that isn't `Comparable`, with sections ordered by their first rows.
  @_disfavoredOverload
  public func sectioned<Key: Hashable>(
    by key: @escaping (Element) -> Key
  ) -> Sections<Key, Element> {
    Sections(query, by: Element.onObject(key))
  }
}
