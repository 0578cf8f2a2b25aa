// Conditions that an index can answer.
//
// A query that has one watches its value in the index: it is notified of the objects that have the
// value, rather than of all objects of the class. It watches the whole class if there was no object
// yet to find the property of the key path, if the class appears later, or if it inherits the
// property, because it may override it.

/// A condition that a property has a value.
struct EqualityCondition {
  /// Whether an object satisfies the condition.
  let isSatisfied: (Object) -> Bool
  /// Finds the property in a class that has an index of it; nil without one.
  let indexed: (ObjectTable) -> (property: Property, index: PropertyIndex)?
  /// The value.
  let value: any Hashable

  init<Root: Object, Value: Hashable>(_ path: KeyPath<Root, Value>, equals value: Value) {
    isSatisfied = { List<Root>.typed($0)[keyPath: path] == value }
    indexed = { table in
      let property = PropertyResolver.current.property(
        of: path, in: table.schema.type, table.objects.lazy.compactMap { $0 }.first)
      guard let property else { return nil }
      return table.index(at: property.offset).map { (property, $0) }
    }
    self.value = value
  }
}

/// The values that a query watches.
struct WatchedValues {
  /// A value in an index.
  struct Entry {
    let condition: EqualityCondition
    let index: PropertyIndex
    let offset: Int
  }

  private(set) var entries: [Entry] = []

  /// Has a query watch the value of one of its conditions in a class.
  ///
  /// - Returns: Whether it does; false if no condition has an index in the class.
  mutating func watch(_ table: ObjectTable, for query: Query) -> Bool {
    for condition in query.definition.equalities {
      guard let (property, index) = condition.indexed(table), table.declares(property),
        index.add(query, of: condition.value)
      else { continue }
      entries.append(Entry(condition: condition, index: index, offset: property.offset))
      query.dependencies.learn(property.offset)
      query.store.queryCountDidChange(by: 1)
      return true
    }
    return false
  }

  /// Whether a change of a property may take an object out of the watched values.
  func depend(on offset: Int) -> Bool { entries.contains { $0.offset == offset } }

  /// Whether an object has the watched values.
  func areSatisfied(by object: Object) -> Bool {
    entries.allSatisfy { $0.condition.isSatisfied(object) }
  }

  /// Ends the watching by a query.
  func end(_ query: Query) {
    for entry in entries where entry.index.remove(query, of: entry.condition.value) {
      query.store.queryCountDidChange(by: -1)
    }
  }
}

extension Query {
  /// The objects that may be rows, if an index finds them.
  ///
  /// - Complexity: O(1) for each class that the query covers, and O(1) for each object found.
  func candidatesFromIndexes() -> [Object]? {
    guard !definition.equalities.isEmpty else { return nil }
    var candidates: [Object] = []
    for objectTable in table.objectTables where objectTable.count > 0 {
      let found = definition.equalities.lazy.compactMap { condition in
        condition.indexed(objectTable).flatMap { property, index in
          index.objects(condition.value).map { ($0, property.offset) }
        }
      }.first
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
  /// If the property is `@Indexed` or the `@PrimaryKey`, the rows are found in its index, and objects
  /// with another value aren't tested when they change, unless their class inherits the property or
  /// had no object at the first read. With another property, this is as slow as a closure.
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
    Results(query: query.filtered(by: EqualityCondition(path, equals: value)))
  }
}
