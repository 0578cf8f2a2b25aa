// Conditions that an index can answer.

extension ObjectTable {
  /// Finds the objects whose property has a value in an index.
  ///
  /// - Returns: The objects and the offset of the property, or nil if it has no index.
  fileprivate func lookUp<Root: Object, Value: Hashable>(
    _ path: KeyPath<Root, Value>, equals value: Value
  ) -> (objects: [Object], offset: Int)? {
    let property = PropertyResolver.current.property(
      of: path, in: schema.type, objects.lazy.compactMap { $0 }.first)
    guard let offset = property?.offset else { return nil }
    return index(at: offset)?.objects(value).map { ($0, offset) }
  }
}

extension Query {
  /// The objects that may be rows, if an index finds them.
  ///
  /// - Complexity: O(1) for each class that the query covers, and O(1) for each object found.
  func candidatesFromIndexes() -> [Object]? {
    guard !definition.lookups.isEmpty else { return nil }
    var candidates: [Object] = []
    for objectTable in table.objectTables where objectTable.count > 0 {
      let found = definition.lookups.lazy.compactMap { $0(objectTable) }.first
      guard let (objects, offset) = found else { return nil }
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
      query: query.filtered(lookup: { $0.lookUp(path, equals: value) }) {
        List<Element>.typed($0)[keyPath: path] == value
      })
  }
}
