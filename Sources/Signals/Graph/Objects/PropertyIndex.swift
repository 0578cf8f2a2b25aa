// Indexes that find objects by the value of a property.
//
// The store's transactions change an index when objects are inserted, removed or get other values.
// Hashing and comparing a value runs user code. If that code called back into the index, it would
// meet a half-changed dictionary, so it traps.

/// A property whose values are kept in an index while the object is stored.
public protocol IndexedProperty: FieldStorage where Value: Hashable {}

/// The index of one property over the stored objects of a class, with the value type erased.
class PropertyIndex {
  /// The class and the property, for messages.
  private let name: String
  /// Whether values are being hashed and compared.
  @safe @exclusivity(unchecked) private final var isComparing = false

  /// The number of queries that watch a value.
  @safe @exclusivity(unchecked) fileprivate final var observerCount = 0

  fileprivate init(_ name: String) { self.name = name }

  /// Runs `body`, which hashes and compares values; traps if that is already under way.
  @inline(__always)
  fileprivate final func comparing<Result>(_ body: () -> Result) -> Result {
    if isComparing { refuse() }
    isComparing = true
    defer { isComparing = false }
    return body()
  }

  private final func refuse() -> Never {
    trap(
      """
      hashing or comparing values of \(name) has led back to the index of \(name): `==` and `hash(into:)` may \
      look at nothing but the values
      """)
  }

  /// Makes space for a number of objects.
  func reserve(_ count: Int) {}
  func insert(_ object: Object, at offset: Int) {}
  /// Removes an object.
  ///
  /// - Returns: The index's own copy of the key, if it was dropped and if its release may run user
  ///   code. It may be the last copy, so the caller releases it later.
  func remove(_ object: Object, at offset: Int) -> Any? { nil }
  /// Returns the objects with a value, in any order, and registers no dependency.
  ///
  /// - Returns: The objects, or `nil` if the index holds values of another type.
  /// - Complexity: O(*n*), where *n* is the number of objects returned.
  func objects<Value>(_ value: Value) -> [Object]? { nil }
  /// Returns the number of objects with a value.
  func count<Value>(of value: Value) -> Int { 0 }
  /// Returns whether the index has an object under the object's current value, for invariant
  /// checks.
  func holds(_ object: Object, at offset: Int) -> Bool { false }
  /// The number of objects in the index, for invariant checks.
  var count: Int { 0 }
  /// The number of primary keys by which an object can be found.
  var keyCount: Int { 0 }
  /// The number of keys kept for their readers.
  var trackedKeys: Int { 0 }
  /// Returns whether an object in the index has the primary key of `object`.
  func hasKey(of object: Object, at offset: Int) -> Bool { false }
  /// Returns the object in the index that has the primary key of `object`.
  func holder(ofKeyOf object: Object, at offset: Int) -> Object? { nil }
  /// Returns the object in the index that has a primary key.
  func holder(ofKey key: Any) -> Object? { nil }
  /// Returns whether the primary key of `object` can identify it.
  ///
  /// A key that doesn't equal itself can't.
  func canHoldKey(of object: Object, at offset: Int) -> Bool { true }

  /// Whether queries watch a value.
  final var isObserved: Bool { observerCount > 0 }

  /// The queries that watch a value.
  var observers: [any TableObserver] { [] }

  /// Has an observer notified of the objects that have a value.
  ///
  /// - Returns: Whether it was added; false if it had been, if the value doesn't equal itself, or if
  ///   the index holds values of another type.
  func add<Value>(_ observer: any TableObserver, of value: Value) -> Bool { false }

  /// Removes an observer of a value.
  ///
  /// - Returns: Whether it was removed.
  func remove<Value>(_ observer: any TableObserver, of value: Value) -> Bool { false }

  /// Calls `body` with the observers of an object's current value.
  func forEachObserver(
    of object: Object, at offset: Int, _ body: (any TableObserver) -> Void
  ) {}

  static func make(for property: Property, of schema: Schema) -> PropertyIndex? {
    (property.type as? any IndexedProperty.Type)?.makeIndex("\(schema.name).\(property.name)")
  }
}

extension IndexedProperty {
  fileprivate static func makeIndex(_ name: String) -> PropertyIndex {
    role == .primaryKey ? UniqueIndex<Self>(name) : BucketIndex<Self>(name)
  }

  fileprivate static func key(of object: Object, at offset: Int) -> Value {
    storage(in: object, at: offset).pointee.stored
  }
}

/// An index whose values have a known type, and the queries that watch them.
class ValueIndex<Property: IndexedProperty>: PropertyIndex {
  private final var valueObservers = ValueObservers<Property.Value>()

  fileprivate final func value(of object: Object, at offset: Int) -> Property.Value {
    Property.key(of: object, at: offset)
  }

  override final var observers: [any TableObserver] { valueObservers.all }

  override final func add<Value>(_ observer: any TableObserver, of value: Value) -> Bool {
    guard let value = value as? Property.Value else { return false }
    let isAdded = comparing { valueObservers.add(observer, of: value) }
    if isAdded { observerCount += 1 }
    return isAdded
  }

  override final func remove<Value>(_ observer: any TableObserver, of value: Value) -> Bool {
    guard let value = value as? Property.Value else { return false }
    let (isRemoved, dropped) = comparing { valueObservers.remove(observer, of: value) }
    if isRemoved { observerCount -= 1 }
    withExtendedLifetime(dropped) {}
    return isRemoved
  }

  override final func forEachObserver(
    of object: Object, at offset: Int, _ body: (any TableObserver) -> Void
  ) {
    let value = value(of: object, at: offset)
    // The reads of `hash(into:)` and `==` aren't dependencies of the evaluation that writes.
    let reader = Node.beginUnread()
    let found = comparing { valueObservers[value] }
    Node.endUnread(reader)
    found?.forEach(body)
  }
}

/// The index of a primary key.
final class UniqueIndex<Property: IndexedProperty>: ValueIndex<Property> {
  // The table that owns the index keeps the objects alive.
  @safe @exclusivity(unchecked) private var objects: [Property.Value: Unretained<Object>] = [:]
  /// The keys that were looked up under tracking.
  @safe @exclusivity(unchecked) private var reads = TrackedKeys<Property.Value, ObjectID>()
  /// The number of objects whose key doesn't equal itself, and would never be found in `objects`.
  private var unusable = 0

  override func reserve(_ count: Int) { comparing { objects.reserveCapacity(count) } }

  // The keys of most classes. Unspecialized code would look up the type of the dictionary each time.
  @_specialize(where Property == PrimaryKey<Int>)
  @_specialize(where Property == PrimaryKey<String>)
  override func insert(_ object: Object, at offset: Int) {
    let key = value(of: object, at: offset)
    comparing {
      if key != key { return unusable += 1 }
      mark(key)
      objects[key] = Unretained(object)
    }
  }

  @_specialize(where Property == PrimaryKey<Int>)
  @_specialize(where Property == PrimaryKey<String>)
  override func remove(_ object: Object, at offset: Int) -> Any? {
    let key = value(of: object, at: offset)
    let dropped: Property.Value? = comparing {
      if key != key {
        unusable -= 1
        return nil
      }
      // While objects exchange keys, the key may already belong to the next object.
      guard let place = objects.index(forKey: key),
        objects[place].value.refers(to: object)
      else { return nil }
      mark(key)
      return objects.remove(at: place).key
    }
    return mayRunCode(Property.Value.self) ? dropped : nil
  }

  /// Marks the readers of a key as stale; called before the object with the key changes.
  private func mark(_ key: Property.Value) {
    if reads.isEmpty { return }
    guard let invalidation = reads[key] else { return }
    invalidation.mark(from: id(of: objects[key]))
  }

  override func holds(_ object: Object, at offset: Int) -> Bool {
    let key = value(of: object, at: offset)
    return key != key || holder(of: key)?.refers(to: object) == true
  }

  private func holder(of key: Property.Value) -> Unretained<Object>? {
    comparing { objects[key] }
  }

  override var count: Int { objects.count + unusable }

  override var keyCount: Int { objects.count }

  override var trackedKeys: Int { reads.count }

  private func id(of object: Unretained<Object>?) -> ObjectID? {
    object?.withInstance { $0.objectID }
  }

  override func hasKey(of object: Object, at offset: Int) -> Bool {
    holder(of: value(of: object, at: offset)) != nil
  }

  override func holder(ofKeyOf object: Object, at offset: Int) -> Object? {
    holder(of: value(of: object, at: offset))?.instance
  }

  override func holder(ofKey key: Any) -> Object? {
    (key as? Property.Value).flatMap { holder(of: $0)?.instance }
  }

  override func canHoldKey(of object: Object, at offset: Int) -> Bool {
    let key = value(of: object, at: offset)
    return key == key
  }

  /// Returns the object with a key; the read depends only on the identity of that object.
  @_specialize(where Property == PrimaryKey<Int>)
  @_specialize(where Property == PrimaryKey<String>)
  func object(_ key: Property.Value) -> Object? {
    if Node.hasReader {
      let source = comparing {
        reads[key]
          ?? reads.add(key, named: { "the object with primary key \(key)" }) { [unowned self] in
            id(of: holder(of: key))
          }
      }
      source.track()
    }
    return holder(of: key)?.instance
  }

  override func objects<Value>(_ value: Value) -> [Object]? {
    guard let key = value as? Property.Value else { return nil }
    return holder(of: key).map { [$0.instance] } ?? []
  }

  override func count<Value>(of value: Value) -> Int {
    (value as? Property.Value).flatMap(holder) == nil ? 0 : 1
  }
}

/// The keys that were looked up under tracking, each with the source that notifies its readers.
struct TrackedKeys<Key: Hashable, Identity: Equatable> {
  private var sources: [Key: SettlingSource<Identity?>] = [:]
  /// The number of keys at which those without readers are removed.
  private var sweepLimit = 64

  var isEmpty: Bool { sources.isEmpty }
  var count: Int { sources.count }

  /// The source of a key, if the key has had readers.
  subscript(key: Key) -> SettlingSource<Identity?>? { sources[key] }

  /// Adds the source of a key that has had no readers.
  ///
  /// - Parameters:
  ///   - describe: Returns the name of the object in messages.
  ///   - current: Returns the identity of the object that has the key now.
  mutating func add(
    _ key: Key, named describe: @escaping () -> String,
    current: @escaping () -> Identity?
  ) -> SettlingSource<Identity?> {
    if sources.count >= sweepLimit {
      sources = sources.filter { $0.value.isObserved }
      sweepLimit = max(64, sources.count * 2)
    }
    let source = SettlingSource<Identity?>(
      describe: describe, hasChanged: { $0 != .some(current()) })
    sources[key] = source
    return source
  }
}

/// The index of a field whose values may repeat.
final class BucketIndex<Property: IndexedProperty>: ValueIndex<Property> {
  private var buckets: [Property.Value: Set<Object>] = [:]
  /// The objects whose value doesn't equal itself, and would never be found in `buckets`.
  private var unequal: Set<Object> = []

  @_specialize(where Property == Indexed<Int>)
  @_specialize(where Property == Indexed<String>)
  override func insert(_ object: Object, at offset: Int) {
    let value = value(of: object, at: offset)
    comparing {
      if value != value {
        _ = unequal.insert(object)
      } else {
        _ = buckets[value, default: []].insert(object)
      }
    }
  }

  @_specialize(where Property == Indexed<Int>)
  @_specialize(where Property == Indexed<String>)
  override func remove(_ object: Object, at offset: Int) -> Any? {
    let value = value(of: object, at: offset)
    let dropped: Property.Value? = comparing {
      guard let index = buckets.index(forKey: value) else {
        unequal.remove(object)
        return nil
      }
      buckets.values[index].remove(object)
      return buckets.values[index].isEmpty ? buckets.remove(at: index).key : nil
    }
    return mayRunCode(Property.Value.self) ? dropped : nil
  }

  override func objects<Value>(_ value: Value) -> [Object]? {
    guard let value = value as? Property.Value else { return nil }
    return comparing { Array(buckets[value] ?? []) }
  }

  override func count<Value>(of value: Value) -> Int {
    guard let value = value as? Property.Value else { return 0 }
    return comparing { buckets[value]?.count ?? 0 }
  }

  override func holds(_ object: Object, at offset: Int) -> Bool {
    let value = value(of: object, at: offset)
    return comparing { buckets[value]?.contains(object) } ?? unequal.contains(object)
  }

  override var count: Int { buckets.values.reduce(unequal.count) { $0 + $1.count } }
}
