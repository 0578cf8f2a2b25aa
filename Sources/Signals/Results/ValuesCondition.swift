// Conditions that a property has one of some values.
//
// A query that has one watches its values in the index: it is notified of the objects that have one,
// rather than of all objects of the class. It watches the whole class if there was no object yet to
// find the property of the key path, if the class appears later, or if it inherits the property,
// because it may override it.

/// A condition that a property has one of some values.
struct ValuesCondition<Root: Object, Value: Hashable>: IndexedCondition {
  private let path: KeyPath<Root, Value>
  /// The values, each once, without those that don't equal themselves.
  private let values: [Value]
  /// The same values, if there are several.
  private let set: Set<Value>

  init(_ path: KeyPath<Root, Value>, equals value: Value) {
    self.path = path
    values = value == value ? [value] : []
    set = []
  }

  init(_ path: KeyPath<Root, Value>, in values: [Value]) {
    self.path = path
    set = Set(values.lazy.filter { $0 == $0 })
    self.values = Array(set)
  }

  func describe(_ name: (AnyKeyPath) -> String) -> String {
    values.count == 1 ? "\(name(path)) = \(values[0])" : "\(name(path)) in \(values.count) values"
  }

  func isSatisfied(by object: Object) -> Bool {
    let value = List<Root>.typed(object)[keyPath: path]
    return values.count == 1 ? value == values[0] : set.contains(value)
  }

  /// Finds the property in a class that has an index of it.
  private func indexed(in table: ObjectTable) -> (property: Property, index: PropertyIndex)? {
    let property = PropertyResolver.current.property(
      of: path, in: table.schema.type, table.objects.lazy.compactMap { $0 }.first)
    guard let property else { return nil }
    return table.index(at: property.offset).map { (property, $0) }
  }

  /// - Complexity: O(1) for each class that the query covers, each value and each object found.
  func find(for query: Query) -> FoundObjects? {
    var objects: [Object] = []
    var isExact = true
    for table in query.table.objectTables where table.count > 0 {
      guard let (property, index) = indexed(in: table) else { return nil }
      query.dependencies.learn(property.offset)
      if !table.declares(property) { isExact = false }
      for value in values {
        guard let found = index.objects(value) else { return nil }
        objects += found.lazy.filter { $0.table === table }
      }
    }
    let all = objects
    return FoundObjects(count: all.count, isExact: isExact) { all.forEach($0) }
  }

  func watch(_ table: ObjectTable, for query: Query) -> [WatchedValues.Entry]? {
    guard let (property, index) = indexed(in: table), table.declares(property) else { return nil }
    var entries: [WatchedValues.Entry] = []
    for value in values where index.add(query, of: value) {
      let entry = WatchedValues.Entry(
        condition: self, index: index, offset: property.offset, value: value)
      entries.append(entry)
    }
    query.dependencies.learn(property.offset)
    return entries
  }
}

extension Results where Element: Object {
  /// Returns the rows whose property has a value.
  ///
  /// If the property is `@Indexed` or the `@PrimaryKey`, the rows are found in its index, and objects
  /// with another value aren't tested when they change, unless their class inherits the property or
  /// had no object at the first read. With another property, this is as slow as a closure.
  ///
  /// ```swift
  /// let libraries = store.results(Package.self).where(\.section, equals: "libs")
  /// ```
  ///
  /// - Parameters:
  ///   - path: The property.
  ///   - value: The value that rows have.
  /// - Complexity: O(*r*) for the first read of *r* rows in an index, whatever the number of
  ///   objects.
  public func `where`<Value: Hashable>(
    _ path: KeyPath<Element, Value>, equals value: Value
  ) -> Results {
    Results(query: query.filtered(by: ValuesCondition(path, equals: value)))
  }

  /// Returns the rows whose property has one of some values.
  ///
  /// An index is used as by ``where(_:equals:)``.
  ///
  /// ```swift
  /// let open = store.results(Order.self).where(\.state, in: ["new", "paid"])
  /// ```
  ///
  /// - Parameters:
  ///   - path: The property.
  ///   - values: The values, in any order. Without any there are no rows.
  /// - Complexity: O(*v* + *r*) for the first read of *r* rows with *v* values in an index.
  public func `where`<Value: Hashable>(
    _ path: KeyPath<Element, Value>, in values: [Value]
  ) -> Results {
    Results(query: query.filtered(by: ValuesCondition(path, in: values)))
  }
}
