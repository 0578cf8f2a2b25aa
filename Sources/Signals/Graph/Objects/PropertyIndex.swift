// Finding objects by the value of a property.

/// A property whose values are kept in an index while the object is stored.
public protocol IndexedProperty: StoredFieldProperty where Value: Hashable {}

/// The index of one property over the stored objects of a class, whatever the type of its values.
class PropertyIndex {
  func insert(_ object: Object, at offset: Int) {}
  func remove(_ object: Object, at offset: Int) {}
  /// Any stored object that has the value `object` has.
  func holder(ofValueIn object: Object, at offset: Int) -> Object? { nil }

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
  private var objects: [Property.Value: Unmanaged<Object>] = unsafe [:]
  /// The keys that somebody looked up under tracking.
  private var reads: [Property.Value: Trigger] = [:]

  private func value(of object: Object, at offset: Int) -> Property.Value {
    unsafe object.storage(at: offset).assumingMemoryBound(to: Property.self).pointee.stored
  }

  override func insert(_ object: Object, at offset: Int) {
    unsafe set(Unmanaged.passUnretained(object), for: value(of: object, at: offset))
  }

  override func remove(_ object: Object, at offset: Int) {
    unsafe set(nil, for: value(of: object, at: offset))
  }

  private func set(_ object: Unmanaged<Object>?, for key: Property.Value) {
    if !reads.isEmpty, let trigger = reads[key] {
      // Only compared, never followed: the object may be gone by then.
      let old = unsafe objects[key]?.toOpaque()
      trigger.mark { [unowned self] in unsafe self.objects[key]?.toOpaque() == old }
    }
    unsafe objects[key] = unsafe object
  }

  override func holder(ofValueIn object: Object, at offset: Int) -> Object? {
    unsafe objects[value(of: object, at: offset)]?.takeUnretainedValue()
  }

  /// The object with a key; the read is a dependency on which object that is.
  func object(_ key: Property.Value) -> Object? {
    if unsafe Node.reader != nil {
      let trigger = reads[key] ?? Trigger { "the object with primary key \(key)" }
      reads[key] = trigger
      trigger.track()
    }
    return unsafe objects[key]?.takeUnretainedValue()
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

  func objects(_ value: Property.Value) -> Set<Object> { buckets[value] ?? [] }
}
