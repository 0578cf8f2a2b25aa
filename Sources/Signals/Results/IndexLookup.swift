// Conditions that an index answers.

/// A condition of a query that asks for one value of a property.
struct IndexLookup {
  /// The stored objects of a class that satisfy the condition, and the property that decides; nil if no
  /// index knows.
  let find: (Extent) -> (objects: [Object], offset: Int)?

  init<Root: Object, Value: Hashable>(_ path: KeyPath<Root, Value>, equals value: Value) {
    find = { extent in
      guard let offset = extent.store.offsets.indexedOffset(of: path, in: extent) else {
        return nil
      }
      return extent.index(at: offset)?.objects(value).map { ($0, offset) }
    }
  }
}

extension Query {
  /// The objects that may be rows, if an index names them.
  ///
  /// O(1) for each class that the query covers, and O(1) for each object found.
  func candidatesFromIndexes() -> [Object]? {
    guard !lookups.isEmpty else { return nil }
    var candidates: [Object] = []
    for extent in table.extents where extent.count > 0 {
      guard let (objects, offset) = lookups.lazy.compactMap({ $0.find(extent) }).first else {
        return nil
      }
      reads.learn(offset)
      candidates += objects.lazy.filter { unsafe $0.extent === extent }
    }
    return candidates
  }
}

extension Results where Element: Object {
  /// Keeps those whose property has a value.
  ///
  /// If the property is `@Indexed` or the `@PrimaryKey`, the rows are found in its index: the first read
  /// costs O(rows), whatever the number of objects. With another property it is as slow as a closure.
  ///
  /// ```swift
  /// let libraries = store.results(Package.self).where(\.section, equals: "libs")
  /// ```
  public func `where`<Value: Hashable>(
    _ path: KeyPath<Element, Value>, equals value: Value
  ) -> Results {
    Results(
      query: query.filtered(lookup: IndexLookup(path, equals: value)) {
        List<Element>.typed($0)[keyPath: path] == value
      })
  }
}
