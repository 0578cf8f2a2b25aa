// Creating sections from the rows of a query.

extension Sections {
  /// Creates sections that are ordered by their keys or by their first rows.
  init(
    _ query: Query, _ order: SectionOrder,
    by key: @escaping (Object) -> Key
  ) where Key: Comparable {
    guard let direction = order.direction else {
      self.init(query, by: key)
      return
    }
    let pack = SortDescriptor.packer(Key.self)
    self.init(query, key, SortDescriptor(direction) { (_: Object) -> Key? in nil }, pack)
  }

  /// Creates sections that are ordered by their keys, nil before all others, or by their first
  /// rows.
  init<Value: Hashable & Comparable>(
    _ query: Query, _ order: SectionOrder,
    by key: @escaping (Object) -> Key
  ) where Key == Value? {
    guard let direction = order.direction else {
      self.init(query, by: key)
      return
    }
    let pack = SortDescriptor.packer(Value.self)
    self.init(query, key, SortDescriptor(direction) { (_: Object) -> Value? in nil }) {
      $0.map(pack) ?? .missing
    }
  }

  /// Creates sections that are ordered by their first rows.
  init(_ query: Query, by key: @escaping (Object) -> Key) {
    let keys = GroupKeys<Key>()
    let grouping = Grouping(query, keys, by: key)
    let list = SectionList(grouping, grouping.rowOrder) { row in
      SectionSortKey(group: row.group, key: row.keyInGroup, sequence: row.sequence)
    }
    self.init(query, list, keys) { Sections($0, by: key) }
  }

  private init(
    _ query: Query, _ key: @escaping (Object) -> Key,
    _ descriptor: SortDescriptor, _ pack: @escaping (Key) -> SortKey
  ) {
    let keys = GroupKeys<Key>()
    let grouping = Grouping(query, keys, by: key)
    let list = SectionList(grouping, RowOrder(descriptors: [descriptor])) { row in
      SectionSortKey(
        group: row.group, key: keys.key(of: row.group).map(pack) ?? .missing,
        sequence: UInt64(row.group))
    }
    self.init(query, list, keys) { Sections($0, key, descriptor, pack) }
  }
}

extension SectionOrder {
  /// The sort direction of keys; nil if sections are ordered by their first rows.
  fileprivate var direction: SortDirection? {
    switch self {
    case .ascending: .ascending
    case .descending: .descending
    case .firstRow: nil
    }
  }
}
