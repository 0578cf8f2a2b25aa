// Finding objects by the value of a property.

/// A property whose values are kept in an index while the object is stored.
public protocol IndexedProperty: StoredFieldProperty where Value: Hashable {}

/// The index of one property over the stored objects of a class, whatever the type of its values.
class PropertyIndex {
  func insert(_ object: Object, at offset: Int) {}
  func remove(_ object: Object, at offset: Int) {}
  /// The objects with a value, in any order; nil if it holds values of another type.
  ///
  /// O(1) for each object; no dependency.
  func objects<Value>(_ value: Value) -> [Object]? { nil }
  /// Whether it has an object under the value that the object has, for invariant checks.
  func holds(_ object: Object, at offset: Int) -> Bool { false }
  /// How many objects it has, for invariant checks.
  var count: Int { 0 }
  /// How many keys are kept for readers.
  var trackedKeys: Int { 0 }
  /// Whether a primary key that `object` has is taken.
  func hasKey(of object: Object, at offset: Int) -> Bool { false }
  /// The object that has taken it.
  func holder(ofKeyOf object: Object, at offset: Int) -> Object? { nil }
  /// The object that has a primary key.
  func holder(ofKey key: Any) -> Object? { nil }
  /// Whether a primary key can name its object: one that is not equal to itself can't.
  func canHoldKey(of object: Object, at offset: Int) -> Bool { true }

  static func make(for type: any StoredProperty.Type) -> PropertyIndex? {
    func open<Property: IndexedProperty>(_ type: Property.Type) -> PropertyIndex {
      type.role == .primaryKey ? UniqueIndex<Property>() : BucketIndex<Property>()
    }
    guard let type = type as? any IndexedProperty.Type else { return nil }
    return open(type)
  }
}

/// The index of a primary key.
@safe final class UniqueIndex<Property: IndexedProperty>: PropertyIndex {
  // The extent that owns the index keeps the objects alive.
  @exclusivity(unchecked) private var objects: [Property.Value: Unmanaged<Object>] = unsafe [:]
  /// The keys that somebody looked up under tracking.
  @safe @exclusivity(unchecked) private var reads = TrackedKeys<Property.Value>()
  /// How many have a key that is not equal to itself: it would never be found again.
  private var unusable = 0

  private func value(of object: Object, at offset: Int) -> Property.Value {
    unsafe object.storage(at: offset).assumingMemoryBound(to: Property.self).pointee.stored
  }

  override func insert(_ object: Object, at offset: Int) {
    let key = value(of: object, at: offset)
    if key != key { return unusable += 1 }
    unsafe set(Unmanaged.passUnretained(object), for: key)
  }

  override func remove(_ object: Object, at offset: Int) {
    let key = value(of: object, at: offset)
    if key != key { return unusable -= 1 }
    // While keys are passed on it may be the next one's already.
    guard unsafe objects[key]?.toOpaque() == Unmanaged.passUnretained(object).toOpaque() else {
      return
    }
    unsafe set(nil, for: key)
  }

  private func set(_ object: Unmanaged<Object>?, for key: Property.Value) {
    if !reads.isEmpty, let trigger = reads[key] {
      let old = unsafe id(of: objects[key])
      trigger.mark { [unowned self] in unsafe id(of: objects[key]) == old }
    }
    unsafe objects[key] = unsafe object
  }

  override func holds(_ object: Object, at offset: Int) -> Bool {
    let key = value(of: object, at: offset)
    return unsafe key != key
      || objects[key]?.toOpaque() == Unmanaged.passUnretained(object).toOpaque()
  }

  override var count: Int { unsafe objects.count + unusable }

  override var trackedKeys: Int { reads.count }

  private func id(of object: Unmanaged<Object>?) -> ObjectID? {
    unsafe object?._withUnsafeGuaranteedRef { $0.objectID }
  }

  override func hasKey(of object: Object, at offset: Int) -> Bool {
    unsafe objects[value(of: object, at: offset)] != nil
  }

  override func holder(ofKeyOf object: Object, at offset: Int) -> Object? {
    unsafe objects[value(of: object, at: offset)]?.takeUnretainedValue()
  }

  override func holder(ofKey key: Any) -> Object? {
    (key as? Property.Value).flatMap { unsafe objects[$0]?.takeUnretainedValue() }
  }

  override func canHoldKey(of object: Object, at offset: Int) -> Bool {
    let key = value(of: object, at: offset)
    return key == key
  }

  /// The object with a key; the read is a dependency on which object that is.
  func object(_ key: Property.Value) -> Object? {
    if unsafe Node.reader != nil {
      reads.track(key) { "the object with primary key \(key)" }
    }
    return unsafe objects[key]?.takeUnretainedValue()
  }

  override func objects<Value>(_ value: Value) -> [Object]? {
    guard let key = value as? Property.Value else { return nil }
    return unsafe objects[key].map { unsafe [$0.takeUnretainedValue()] } ?? []
  }
}

/// The keys that somebody looked up under tracking, each with what tells its readers.
struct TrackedKeys<Key: Hashable> {
  private var triggers: [Key: Trigger] = [:]
  /// So many are tolerated before those that nobody reads any more go.
  private var sweepLimit = 64

  var isEmpty: Bool { triggers.isEmpty }
  var count: Int { triggers.count }

  /// What tells the readers of a key, if it has had any.
  subscript(key: Key) -> Trigger? { triggers[key] }

  /// Registers a read of what a key leads to; who reads is there.
  mutating func track(_ key: Key, _ describe: @escaping () -> String) {
    if let trigger = triggers[key] { return trigger.track() }
    if triggers.count >= sweepLimit {
      triggers = triggers.filter { $0.value.isObserved }
      sweepLimit = max(64, triggers.count * 2)
    }
    let trigger = Trigger(describe: describe)
    triggers[key] = trigger
    trigger.track()
  }
}

/// The index of a field whose values may repeat.
final class BucketIndex<Property: IndexedProperty>: PropertyIndex {
  private var buckets: [Property.Value: Set<Object>] = [:]
  /// Those whose value is not equal to itself: no key would find them again.
  private var unequal: Set<Object> = []

  private func value(of object: Object, at offset: Int) -> Property.Value {
    unsafe object.storage(at: offset).assumingMemoryBound(to: Property.self).pointee.stored
  }

  override func insert(_ object: Object, at offset: Int) {
    let value = value(of: object, at: offset)
    if value != value { unequal.insert(object) } else { buckets[value, default: []].insert(object) }
  }

  override func remove(_ object: Object, at offset: Int) {
    let value = value(of: object, at: offset)
    guard let index = buckets.index(forKey: value) else {
      unequal.remove(object)
      return
    }
    buckets.values[index].remove(object)
    if buckets.values[index].isEmpty { buckets.remove(at: index) }
  }

  override func objects<Value>(_ value: Value) -> [Object]? {
    (value as? Property.Value).map { Array(buckets[$0] ?? []) }
  }

  override func holds(_ object: Object, at offset: Int) -> Bool {
    buckets[value(of: object, at: offset)]?.contains(object) ?? unequal.contains(object)
  }

  override var count: Int { buckets.values.reduce(unequal.count) { $0 + $1.count } }
}
