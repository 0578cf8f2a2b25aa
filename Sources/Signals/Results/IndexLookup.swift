// Conditions that an index can answer.

/// A condition of a query that requires one value of a property.
struct IndexLookup {
  /// Returns the stored objects of a class that satisfy the condition, and the offset of the
  /// property; nil if there is no index.
  let find: (ObjectTable) -> (objects: [Object], offset: Int)?

  init<Root: Object, Value: Hashable>(_ path: KeyPath<Root, Value>, equals value: Value) {
    find = { objectTable in
      let property = PropertyResolver.current.property(
        of: path, in: objectTable.schema.type, objectTable.objects.lazy.compactMap { $0 }.first)
      guard let offset = property?.offset else { return nil }
      return objectTable.index(at: offset)?.objects(value).map { ($0, offset) }
    }
  }
}

extension Query {
  /// The objects that may be rows, if an index finds them.
  ///
  /// - Complexity: O(1) for each class that the query covers, and O(1) for each object found.
  func candidatesFromIndexes() -> [Object]? {
    guard !lookups.isEmpty else { return nil }
    var candidates: [Object] = []
    for objectTable in table.objectTables where objectTable.count > 0 {
      guard let (objects, offset) = lookups.lazy.compactMap({ $0.find(objectTable) }).first else {
        return nil
      }
      dependencies.learn(offset)
      candidates += objects.lazy.filter { $0.table === objectTable }
    }
    return candidates
  }
}

extension Results where Element: Object {
  /// Returns the rows whose property has a value.
  ///
  /// If the property is `@Indexed` or the `@PrimaryKey`, the rows are found in its index. With
  /// another property, this is as slow as a closure.
  ///
  /// ```swift
  /// let libraries = store.results(Package.self).where(\.section, equals: "libs")
  /// ```
  ///
  /// - Complexity: O(*r*) for the first read of *r* rows in an index, whatever the number of
  ///   objects.
  public func `where`<Value: Hashable>(
    _ path: KeyPath<Element, Value>, equals value: Value
  ) -> Results {
    Results(
      query: query.filtered(lookup: IndexLookup(path, equals: value)) {
        List<Element>.typed($0)[keyPath: path] == value
      })
  }
}
