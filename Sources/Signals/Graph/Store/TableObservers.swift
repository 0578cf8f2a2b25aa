// The queries that are notified of changes of the objects of a class, or of those with one value of
// an indexed property.

/// The notifications that a live query receives from the tables it watches.
protocol TableObserver: AnyObject {
  /// Called after an object was inserted; its properties are set.
  func didInsert(_ object: Object, in table: ObjectTable)
  /// Called before an object is removed; its slot may be reused afterwards.
  func didRemove(_ object: Object, from table: ObjectTable)
  /// Called before a property is written in the open transaction; also afterwards, if the object has
  /// come to the value that the query watches.
  func willChange(_ object: Object, at offset: Int, in table: ObjectTable)
  /// Called while the transaction is being sealed, if properties of the object differ from the old
  /// values.
  func didModify(_ object: Object, from old: OldValues, in table: ObjectTable)
  /// Called when the store meets a class whose superclass the query watches for the first time.
  func didAppear(_ table: ObjectTable)
}

/// Observers, in no order.
@safe
struct TableObservers {
  /// A query removes itself before it is deallocated, so it need not be retained for notifications.
  @safe
  private struct Entry {
    @safe unowned(unsafe) let observer: any TableObserver
  }

  private var entries: [Entry] = []
  /// The position of each observer in `entries`, as soon as there are several.
  private var places: [ObjectIdentifier: Int] = [:]

  var isEmpty: Bool { entries.isEmpty }

  var all: [any TableObserver] { entries.map { $0.observer } }

  /// Adds an observer, unless it has been added.
  ///
  /// - Returns: Whether it was added.
  /// - Complexity: O(1), because a screen may have a query for each row.
  mutating func add(_ observer: any TableObserver) -> Bool {
    let id = ObjectIdentifier(observer)
    if let first = entries.first, entries.count == 1 {
      if first.observer === observer { return false }
      places[ObjectIdentifier(first.observer)] = 0
    }
    if places[id] != nil { return false }
    if !entries.isEmpty { places[id] = entries.count }
    entries.append(Entry(observer: observer))
    return true
  }

  /// Removes an observer, if it was added.
  ///
  /// - Returns: Whether it was removed.
  /// - Complexity: O(1).
  mutating func remove(_ observer: any TableObserver) -> Bool {
    let id = ObjectIdentifier(observer)
    if places.isEmpty {
      guard let first = entries.first, first.observer === observer else { return false }
      entries = []
      return true
    }
    guard let place = places.removeValue(forKey: id) else { return false }
    let last = entries.removeLast()
    if place < entries.count {
      entries[place] = last
      places[ObjectIdentifier(last.observer)] = place
    }
    return true
  }

  @inline(__always)
  func forEach(_ body: (any TableObserver) -> Void) {
    for entry in entries { body(entry.observer) }
  }
}

/// The observers of the values of an indexed property.
struct ValueObservers<Value: Hashable> {
  private var observers: [Value: TableObservers] = [:]

  var all: [any TableObserver] { observers.values.flatMap(\.all) }

  subscript(value: Value) -> TableObservers? { observers[value] }

  /// Adds an observer of a value, unless it has been added or the value doesn't equal itself.
  mutating func add(_ observer: any TableObserver, of value: Value) -> Bool {
    if value != value { return false }
    return observers[value, default: TableObservers()].add(observer)
  }

  /// Removes an observer of a value.
  ///
  /// - Returns: Whether it was removed, and the value if it has no observers left. That may be the
  ///   last copy, so the caller releases it later.
  mutating func remove(
    _ observer: any TableObserver, of value: Value
  ) -> (isRemoved: Bool, dropped: Value?) {
    guard let index = observers.index(forKey: value) else { return (false, nil) }
    let isRemoved = observers.values[index].remove(observer)
    let isLast = observers.values[index].isEmpty
    return (isRemoved, isLast ? observers.remove(at: index).key : nil)
  }
}
