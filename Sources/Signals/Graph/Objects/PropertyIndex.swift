// Finding objects by the value of a property.
//
// State: in each index its dictionaries, which the transactions of the store change as objects come, go and get
// other values; `isComparing`, whether values are being hashed and compared in them, which is code of the user's:
// if that comes back to the index it meets a dictionary that is half changed, and is stopped.

/// A property whose values are kept in an index while the object is stored.
public protocol IndexedProperty: StoredFieldProperty where Value: Hashable {}

/// The index of one property over the stored objects of a class, whatever the type of its values.
class PropertyIndex {
  /// The class and the property, for messages.
  private let name: String
  @safe @exclusivity(unchecked) private final var isComparing = false

  fileprivate init(_ name: String) { self.name = name }

  /// Runs `body`, in which values are hashed and compared.
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

  func insert(_ object: Object, at offset: Int) {}
  /// Takes an object out; the answer is what the index had for a key and nothing else may have, to be released later.
  func remove(_ object: Object, at offset: Int) -> Any? { nil }
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

  static func make(for property: Property, of schema: Schema) -> PropertyIndex? {
    let name = "\(schema.name).\(property.name)"
    func open<P: IndexedProperty>(_ type: P.Type) -> PropertyIndex {
      type.role == .primaryKey ? UniqueIndex<P>(name) : BucketIndex<P>(name)
    }
    guard let type = property.type as? any IndexedProperty.Type else { return nil }
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
    comparing {
      if key != key { return unusable += 1 }
      mark(key)
      unsafe objects[key] = unsafe Unmanaged.passUnretained(object)
    }
  }

  override func remove(_ object: Object, at offset: Int) -> Any? {
    let key = value(of: object, at: offset)
    let dropped: Property.Value? = comparing {
      if key != key {
        unusable -= 1
        return nil
      }
      // While keys are passed on it may be the next one's already.
      guard let place = unsafe objects.index(forKey: key),
        unsafe objects[place].value.toOpaque() == Unmanaged.passUnretained(object).toOpaque()
      else { return nil }
      mark(key)
      return unsafe objects.remove(at: place).key
    }
    return mayRunCode(Property.Value.self) ? dropped : nil
  }

  /// Marks who has looked up a key that is about to lead elsewhere.
  private func mark(_ key: Property.Value) {
    if reads.isEmpty { return }
    guard let trigger = reads[key] else { return }
    let old = unsafe id(of: objects[key])
    trigger.mark { [unowned self] in unsafe id(of: holder(of: key)) == old }
  }

  override func holds(_ object: Object, at offset: Int) -> Bool {
    let key = value(of: object, at: offset)
    return unsafe key != key
      || holder(of: key)?.toOpaque() == Unmanaged.passUnretained(object).toOpaque()
  }

  private func holder(of key: Property.Value) -> Unmanaged<Object>? {
    unsafe comparing { unsafe objects[key] }
  }

  override var count: Int { unsafe objects.count + unusable }

  override var trackedKeys: Int { reads.count }

  private func id(of object: Unmanaged<Object>?) -> ObjectID? {
    unsafe object?._withUnsafeGuaranteedRef { $0.objectID }
  }

  override func hasKey(of object: Object, at offset: Int) -> Bool {
    unsafe holder(of: value(of: object, at: offset)) != nil
  }

  override func holder(ofKeyOf object: Object, at offset: Int) -> Object? {
    unsafe holder(of: value(of: object, at: offset))?.takeUnretainedValue()
  }

  override func holder(ofKey key: Any) -> Object? {
    (key as? Property.Value).flatMap { unsafe holder(of: $0)?.takeUnretainedValue() }
  }

  override func canHoldKey(of object: Object, at offset: Int) -> Bool {
    let key = value(of: object, at: offset)
    return key == key
  }

  /// The object with a key; the read is a dependency on which object that is.
  func object(_ key: Property.Value) -> Object? {
    if unsafe Node.reader != nil {
      comparing { reads.track(key) { "the object with primary key \(key)" } }
    }
    return unsafe holder(of: key)?.takeUnretainedValue()
  }

  override func objects<Value>(_ value: Value) -> [Object]? {
    guard let key = value as? Property.Value else { return nil }
    return unsafe holder(of: key).map { unsafe [$0.takeUnretainedValue()] } ?? []
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
    comparing {
      if value != value {
        _ = unequal.insert(object)
      } else {
        _ = buckets[value, default: []].insert(object)
      }
    }
  }

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

  override func holds(_ object: Object, at offset: Int) -> Bool {
    let value = value(of: object, at: offset)
    return comparing { buckets[value]?.contains(object) } ?? unequal.contains(object)
  }

  override var count: Int { buckets.values.reduce(unequal.count) { $0 + $1.count } }
}
