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

  /// Finds the objects that may satisfy the condition.
  ///
  /// - Returns: The objects; nil if one of the classes that the query covers has no index for it.
  func find(for query: Query) -> FoundObjects?

  /// Has a query notified of the objects of a class that satisfy the condition, rather than of all.
  ///
  /// - Returns: The values that are watched; nil if the whole class must be.
  func watch(_ table: ObjectTable, for query: Query) -> [WatchedValues.Entry]?
}

extension IndexedCondition {
  func watch(_ table: ObjectTable, for query: Query) -> [WatchedValues.Entry]? { nil }
}

/// The objects that an index finds for a condition.
struct FoundObjects {
  /// The number of objects, at most.
  let count: Int
  /// Whether all objects satisfy the condition, and no others do.
  let isExact: Bool
  /// Calls a closure with each object.
  let forEach: ((Object) -> Void) -> Void

  var all: [Object] {
    var objects: [Object] = []
    forEach { objects.append($0) }
    return objects
  }
}

/// The source in which a query has found its rows when it was built.
enum RowOrigin {
  /// All objects of the classes.
  case objects(Int)
  /// The objects that an index found for the condition at a position.
  case index(condition: Int, count: Int)
  /// The rows of another query.
  case query(rows: Int)
  /// A limit, or the first rows with distinct values.
  case stage
}

extension Query {
  /// The objects that may be rows, if an index finds them, and the position of the condition.
  func findObjects() -> (found: FoundObjects, condition: Int)? {
    var best: (found: FoundObjects, condition: Int)?
    for index in definition.indexed.indices {
      guard let found = definition.indexed[index].condition.find(for: self) else { continue }
      if best.map({ found.count < $0.found.count }) ?? true { best = (found, index) }
    }
    return best
  }

  /// Adds the rows of found objects that satisfy the other conditions.
  func collect(_ found: FoundObjects, of condition: Int, into rows: SortedRows) {
    origin = .index(condition: condition, count: found.count)
    table.expect(found.count)
    var others = definition.filters
    if found.isExact { others.remove(at: definition.indexed[condition].filter) }
    evaluateEach(others) { passes in
      found.forEach { object in
        guard let key = storedKey(of: object) else { return add(test(object), to: rows) }
        if others.isEmpty || passes(object) { add(QueryRow(object, key: key), to: rows) }
      }
    }
  }
}

/// The values in indexes that a query watches.
struct WatchedValues {
  /// A value in an index.
  struct Entry {
    let condition: any IndexedCondition
    let index: PropertyIndex
    let offset: Int
    let value: any Hashable
  }

  private var entries: [Entry] = []
  /// The conditions that watch values, each once.
  private var conditions: [any IndexedCondition] = []

  /// Has a query watch the values of one of its conditions in a class.
  ///
  /// - Returns: Whether it does; false if no condition can watch values in the class.
  mutating func watch(_ table: ObjectTable, for query: Query) -> Bool {
    for (condition, _) in query.definition.indexed {
      guard let watched = condition.watch(table, for: query) else { continue }
      entries += watched
      conditions.append(condition)
      query.store.queryCountDidChange(by: watched.count)
      return true
    }
    return false
  }

  /// Whether a change of a property may take an object out of the watched values.
  func depend(on offset: Int) -> Bool { entries.contains { $0.offset == offset } }

  /// Whether an object has the watched values.
  func areSatisfied(by object: Object) -> Bool {
    conditions.allSatisfy { $0.isSatisfied(by: object) }
  }

  /// The watched values, each once, as `explain()` shows them.
  var description: String {
    Set(entries.map { "\($0.value)" }).sorted().joined(separator: ", ")
  }

  /// Ends the watching by a query.
  func end(_ query: Query) {
    for entry in entries where entry.index.remove(query, of: entry.value) {
      query.store.queryCountDidChange(by: -1)
    }
  }
}
