// Dividing results into sections.

extension Results {
  /// Groups the rows by a key into sections, which are ordered by their keys or by their first rows.
  ///
  /// The key is a property, or any function of the values it reads. Keys that don't equal
  /// themselves share a section if they have the same contents: all NaN keys are in one section.
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
    by key: @escaping (Element) -> Key, order: SectionOrder = .ascending
  ) -> Sections<Key, Element> {
    Sections(
      query, by: Element.onObject(key), order: order.descriptor(of: Key.self),
      sortKey: SortDescriptor.packer(Key.self))
  }

  /// Groups the rows by an optional key into sections.
  ///
  /// Rows whose key is nil are in a section before all others. In descending order that section is
  /// last. With `.firstRow` its position depends on its first row, as for other sections.
  @_disfavoredOverload
  public func sectioned<Key: Hashable & Comparable>(
    by key: @escaping (Element) -> Key?, order: SectionOrder = .ascending
  ) -> Sections<Key?, Element> {
    // Disfavored, because a closure of several statements that returns a value that isn't optional
    // could be converted to this one too.
    let pack = SortDescriptor.packer(Key.self)
    return Sections(
      query, by: Element.onObject(key), order: order.descriptor(of: Key.self),
      sortKey: { $0.map(pack) ?? .missing })
  }

  /// Groups the rows by a key into sections, which are ordered by a comparison of their keys.
  ///
  /// Signals and properties that the comparison reads are followed: if one changes, the sections are
  /// sorted again.
  ///
  /// ```swift
  /// let shelves = books.sectioned(by: \.author) { $0.lowercased() < $1.lowercased() }
  /// ```
  ///
  /// - Parameters:
  ///   - key: The property that rows of a section share, or any function of a row.
  ///   - order: The direction of the order.
  ///   - isBefore: A strict weak ordering of the keys. Sections with keys that it considers equal
  ///     are in the order in which they first appeared.
  /// - Returns: The live sections.
  /// - Complexity: O(1). The first read of the sections costs O(*n* log *n*).
  public func sectioned<Key: Hashable>(
    by key: @escaping (Element) -> Key, order: SortDirection = .ascending,
    using isBefore: @escaping (Key, Key) -> Bool
  ) -> Sections<Key, Element> {
    Sections(
      query, by: Element.onObject(key), order: SortDescriptor(order, using: isBefore),
      sortKey: SortDescriptor.boxer(Key.self))
  }

  /// Groups the rows by a key that isn't `Comparable`, with sections ordered by their first rows.
  ///
  /// - Parameters:
  ///   - key: The property that rows of a section share, or any function of a row.
  ///   - order: The order of the sections, the only one for such keys.
  /// - Returns: The live sections.
  @_disfavoredOverload
  public func sectioned<Key: Hashable>(
    by key: @escaping (Element) -> Key, order: SectionOrder.FirstRow = .firstRow
  ) -> Sections<Key, Element> {
    // Without a second parameter it would be preferred to the one for optional keys.
    Sections(query, by: Element.onObject(key), order: nil, sortKey: { _ in .unsorted })
  }
}

extension SectionOrder {
  /// Compares keys of a type; nil if sections are ordered by their first rows.
  fileprivate func descriptor<Key: Comparable>(of type: Key.Type) -> SortDescriptor? {
    switch self {
    case .ascending: SortDescriptor(.ascending) { (_: Object) -> Key? in nil }
    case .descending: SortDescriptor(.descending) { (_: Object) -> Key? in nil }
    case .firstRow: nil
    }
  }
}

extension Sections {
  /// Creates sections of the rows of a query.
  ///
  /// - Parameters:
  ///   - query: The query that has the rows.
  ///   - key: Returns the key of an object.
  ///   - order: Compares the sort keys of sections; nil if they are ordered by their first rows.
  ///   - sortKey: Returns the sort key for a section's key.
  init(
    _ query: Query, by key: @escaping (Object) -> Key, order: SortDescriptor?,
    sortKey: @escaping (Key) -> SortKey
  ) {
    let keys = GroupKeys<Key>()
    let grouping = Grouping(query, keys: keys, by: key)
    let list =
      if let order {
        SectionList(grouping, order: RowOrder(descriptors: [order])) { row in
          SectionSortKey(
            group: row.group, key: keys.key(of: row.group).map(sortKey) ?? .missing,
            sequence: UInt64(row.group))
        }
      } else {
        SectionList(grouping, order: grouping.rowOrder) { row in
          SectionSortKey(group: row.group, key: row.keyInGroup, sequence: row.sequence)
        }
      }
    self.init(query, list: list, keys: keys) {
      Sections($0, by: key, order: order, sortKey: sortKey)
    }
  }
}
