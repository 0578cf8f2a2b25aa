// Sections made of results.

extension Results {
  /// The rows by a property, in sections that are ordered by it, or by their first rows.
  ///
  /// Rows whose key is NaN have one section.
  ///
  /// O(1); the first read of the sections costs O(n log n).
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
    sectionedByFirstRow { $0[keyPath: path] }
  }

  /// The rows by a key that is made of each, in sections that are ordered by it, or by their first rows.
  public func sectioned<Key: Hashable & Comparable>(
    order: SectionOrder = .ascending, by key: @escaping (Element) -> Key
  ) -> Sections<Key, Element> {
    if case .firstRow = order { return sectionedByFirstRow(key) }
    let pack = SortDescriptor.packer(Key.self)
    return sectioned(key, by: SortDescriptor(order.direction) { (_: Object) -> Key? in nil }, pack)
  }

  /// The rows by an optional key; those of nil have a section before all others.
  public func sectioned<Key: Hashable & Comparable>(
    order: SectionOrder = .ascending, by key: @escaping (Element) -> Key?
  ) -> Sections<Key?, Element> {
    if case .firstRow = order { return sectionedByFirstRow(key) }
    let pack = SortDescriptor.packer(Key.self)
    return sectioned(key, by: SortDescriptor(order.direction) { (_: Object) -> Key? in nil }) {
      $0.map(pack) ?? .missing
    }
  }

  /// The rows by a key without an order, in sections that are ordered by their first rows.
  @_disfavoredOverload
  public func sectioned<Key: Hashable>(
    by key: @escaping (Element) -> Key
  ) -> Sections<Key, Element> {
    sectionedByFirstRow(key)
  }

  private func sectioned<Key: Hashable>(
    _ key: @escaping (Element) -> Key, by descriptor: SortDescriptor,
    _ pack: @escaping (Key) -> SortKey
  ) -> Sections<Key, Element> {
    let keys = GroupKeys<Key>()
    let grouping = Grouping(query, keys) { key(List<Element>.typed($0)) }
    let list = SectionList(grouping, RowOrder(descriptors: [descriptor])) { row in
      SectionPlace(
        group: row.group, key: keys.key(of: row.group).map(pack) ?? .missing,
        sequence: UInt64(row.group))
    }
    return Sections(self, list, keys) { $0.sectioned(key, by: descriptor, pack) }
  }

  private func sectionedByFirstRow<Key: Hashable>(
    _ key: @escaping (Element) -> Key
  ) -> Sections<Key, Element> {
    let keys = GroupKeys<Key>()
    let grouping = Grouping(query, keys) { key(List<Element>.typed($0)) }
    let list = SectionList(grouping, grouping.rowOrder) { row in
      SectionPlace(group: row.group, key: row.keyInGroup, sequence: row.sequence)
    }
    return Sections(self, list, keys) { $0.sectionedByFirstRow(key) }
  }
}

extension SectionOrder {
  fileprivate var direction: SortDirection {
    if case .descending = self { .descending } else { .ascending }
  }
}
