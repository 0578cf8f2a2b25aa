// Conditions that an index can answer, so that a first read need not test all objects.
//
// Of several such conditions, the first read uses the one that finds the fewest objects, and tests
// these for the others. Afterwards, objects that change are tested like those of any query.

/// A condition whose objects an index finds.
protocol IndexedCondition {
  /// Returns the condition as ``Results/explain()`` shows it, with the names of properties.
  func describe(_ name: (AnyKeyPath) -> String) -> String

  /// Whether an object satisfies the condition; its reads are dependencies.
  func isSatisfied(by object: Object) -> Bool

  /// Whether finding objects needs nothing to be built first.
  var isReady: Bool { get }

  /// Finds the objects that may satisfy the condition.
  ///
  /// - Returns: The objects; nil if no index finds any.
  func find(for query: Query) -> FoundObjects?

  /// Has a query notified of the objects of a class that satisfy the condition, rather than of all.
  ///
  /// - Returns: The values that are watched, and the offset of their property; nil if the whole class
  ///   must be watched.
  func watch(
    _ table: ObjectTable, for query: Query
  ) -> (values: [WatchedValues.Entry], offset: Int)?
}

extension IndexedCondition {
  func watch(
    _ table: ObjectTable, for query: Query
  ) -> (values: [WatchedValues.Entry], offset: Int)? { nil }
}

/// The objects that an index finds for a condition.
struct FoundObjects {
  /// The number of objects, at most.
  let count: Int
  /// Calls a closure with each object, and with whether it is known to satisfy the condition.
  let forEach: ((_ object: Object, _ isKnown: Bool) -> Void) -> Void

  var all: [Object] {
    var objects: [Object] = []
    forEach { object, _ in objects.append(object) }
    return objects
  }
}

/// The source in which a query has found its rows when it was built.
enum RowOrigin {
  /// All objects of the classes.
  case objects(Int)
  /// The objects that an index found for the condition at a position, and the number of all.
  case index(condition: Int, count: Int, total: Int)
  /// The rows of another query.
  case query(rows: Int)
  /// A limit, or the first rows with distinct values.
  case stage
}

extension Query {
  /// The objects that may be rows, if an index finds them, and the position of the condition.
  func findObjects() -> (found: FoundObjects, condition: Int)? {
    var best: (found: FoundObjects, condition: Int)?
    for isReady in [true, false] {
      // Nothing is built in order to find fewer than these.
      if let best, best.found.count <= max(64, objectCount / 32) { break }
      for (index, (condition, _)) in definition.indexed.enumerated()
      where condition.isReady == isReady {
        guard let found = condition.find(for: self) else { continue }
        if best.map({ found.count < $0.found.count }) ?? true { best = (found, index) }
      }
    }
    return best
  }

  /// The number of objects of the classes that the query covers.
  var objectCount: Int { table.objectTables.reduce(0) { $0 + $1.count } }

  /// Adds the rows of found objects that satisfy the other conditions.
  func collect(_ found: FoundObjects, of condition: Int, into rows: SortedRows) {
    table.expect(found.count)
    var others = definition.filters
    others.remove(at: definition.indexed[condition].filter)
    evaluateEach(others) { passes in
      found.forEach { object, isKnown in
        if !isKnown {
          add(test(object), to: rows)
        } else if others.isEmpty || passes(object) {
          add(storedKey(of: object).map { QueryRow(object, key: $0) } ?? test(object), to: rows)
        }
      }
    }
  }
}

/// The values in indexes that a query watches.
struct WatchedValues {
  /// A value in an index.
  struct Entry {
    let index: PropertyIndex
    let value: any Hashable
  }

  private var entries: [Entry] = []
  /// The condition that watches values in each class, and the offset of its property.
  private var conditions: [(condition: any IndexedCondition, offset: Int, table: ObjectTable)] = []

  /// Has a query watch the values of one of its conditions in a class.
  ///
  /// - Returns: Whether it does; false if no condition can watch values in the class.
  mutating func watch(_ table: ObjectTable, for query: Query) -> Bool {
    for (condition, _) in query.definition.indexed {
      guard let (watched, offset) = condition.watch(table, for: query) else { continue }
      entries += watched
      conditions.append((condition, offset, table))
      query.store.queryCountDidChange(by: watched.count)
      return true
    }
    return false
  }

  /// Whether a change of a property may take an object out of the watched values.
  func depend(on offset: Int) -> Bool { conditions.contains { $0.offset == offset } }

  /// Whether an object has the watched values.
  func areSatisfied(by object: Object) -> Bool {
    conditions.allSatisfy { $0.condition.isSatisfied(by: object) }
  }

  /// Whether values are watched in a class, rather than all of its objects.
  func include(_ table: ObjectTable) -> Bool { conditions.contains { $0.table === table } }

  /// Ends the watching by a query.
  func end(_ query: Query) {
    for entry in entries where entry.index.remove(query, of: entry.value) {
      query.store.queryCountDidChange(by: -1)
    }
  }
}
