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
    guard let property = table.property(at: path) else { return nil }
    return table.index(at: property.offset).map { (property, $0) }
  }

  var isReady: Bool { true }

  /// - Complexity: O(1) for each class that the query covers, and each value.
  func find(for query: Query) -> FoundObjects? {
    // Classes that inherit the property share the index.
    var indexes: [PropertyIndex] = []
    var declaring: [ObjectTable] = []
    for table in query.table.objectTables where table.count > 0 {
      guard let (property, index) = indexed(in: table) else { return nil }
      query.dependencies.learn(property.offset)
      if !indexes.contains(where: { $0 === index }) { indexes.append(index) }
      if table.declares(property) { declaring.append(table) }
    }
    var count = 0
    for index in indexes { for value in values { count += index.count(of: value) } }
    return FoundObjects(count: count) { body in
      for index in indexes {
        for value in values {
          for object in index.objects(value) ?? [] where query.table.covers(object) {
            body(object, declaring.contains { $0 === object.table })
          }
        }
      }
    }
  }

  func watch(
    _ table: ObjectTable, for query: Query
  ) -> (values: [WatchedValues.Entry], offset: Int)? {
    guard let (property, index) = indexed(in: table), table.declares(property) else { return nil }
    var entries: [WatchedValues.Entry] = []
    for value in values where index.add(query, of: value) {
      entries.append(WatchedValues.Entry(index: index, value: value))
    }
    query.dependencies.learn(property.offset)
    return (entries, property.offset)
  }
}

extension Results where Element: Object {
  /// Returns the rows whose property has a value.
  ///
  /// If the property is `@Indexed` or the `@PrimaryKey`, the rows are found in its index, and objects
  /// with another value aren't tested when they change, unless their class inherits the property or
  /// had no object at the first read. With another property, this is as slow as a closure. Objects of
  /// a class that overrides an indexed property are found by the stored value.
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
