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
  @safe @exclusivity(unchecked) private var reads: [Property.Value: Trigger] = [:]
  /// So many entries of `reads` are tolerated before those that nobody reads any more go.
  private var sweepLimit = 64

  private func value(of object: Object, at offset: Int) -> Property.Value {
    unsafe object.storage(at: offset).assumingMemoryBound(to: Property.self).pointee.stored
  }

  override func insert(_ object: Object, at offset: Int) {
    unsafe set(Unmanaged.passUnretained(object), for: value(of: object, at: offset))
  }

  /// A key may have been given to another object before this one lets go of it.
  override func remove(_ object: Object, at offset: Int) {
    if holds(object, at: offset) { unsafe set(nil, for: value(of: object, at: offset)) }
  }

  private func set(_ object: Unmanaged<Object>?, for key: Property.Value) {
    if !reads.isEmpty, let trigger = reads[key] {
      let old = unsafe id(of: objects[key])
      trigger.mark { [unowned self] in unsafe id(of: objects[key]) == old }
    }
    unsafe objects[key] = unsafe object
  }

  override func holds(_ object: Object, at offset: Int) -> Bool {
    unsafe objects[value(of: object, at: offset)]?.toOpaque()
      == Unmanaged.passUnretained(object).toOpaque()
  }

  override var count: Int { unsafe objects.count }

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

  /// The object with a key; the read is a dependency on which object that is.
  func object(_ key: Property.Value) -> Object? {
    if unsafe Node.reader != nil { trigger(for: key).track() }
    return unsafe objects[key]?.takeUnretainedValue()
  }

  override func objects<Value>(_ value: Value) -> [Object]? {
    guard let key = value as? Property.Value else { return nil }
    return unsafe objects[key].map { unsafe [$0.takeUnretainedValue()] } ?? []
  }

  private func trigger(for key: Property.Value) -> Trigger {
    if let trigger = reads[key] { return trigger }
    if reads.count >= sweepLimit {
      reads = reads.filter { $0.value.isObserved }
      sweepLimit = max(64, reads.count * 2)
    }
    let trigger = Trigger { "the object with primary key \(key)" }
    reads[key] = trigger
    return trigger
  }
}

/// The index of a field whose values may repeat.
final class BucketIndex<Property: IndexedProperty>: PropertyIndex {
  private var buckets: [Property.Value: Set<Object>] = [:]

  private func value(of object: Object, at offset: Int) -> Property.Value {
    unsafe object.storage(at: offset).assumingMemoryBound(to: Property.self).pointee.stored
  }

  override func insert(_ object: Object, at offset: Int) {
    buckets[value(of: object, at: offset), default: []].insert(object)
  }

  override func remove(_ object: Object, at offset: Int) {
    let value = value(of: object, at: offset)
    guard let index = buckets.index(forKey: value) else { return }
    buckets.values[index].remove(object)
    if buckets.values[index].isEmpty { buckets.remove(at: index) }
  }

  override func objects<Value>(_ value: Value) -> [Object]? {
    (value as? Property.Value).map { Array(buckets[$0] ?? []) }
  }

  override func holds(_ object: Object, at offset: Int) -> Bool {
    buckets[value(of: object, at: offset)]?.contains(object) ?? false
  }

  override var count: Int { buckets.values.reduce(0) { $0 + $1.count } }
}
