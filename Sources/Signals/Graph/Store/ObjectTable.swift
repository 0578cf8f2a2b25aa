// The stored objects of one class, without its subclasses.
//
// Only the store's transactions change the slots and the contents of the indexes. Queries add and
// remove themselves. `dirtySet` and `snapshotTable` are set together, by
// Snapshots/Store+Snapshots.swift.

/// The stored objects of one class.
@usableFromInline
@safe final class ObjectTable {
  /// The store, which outlives its tables.
  @usableFromInline let unretainedStore: Unretained<Store>
  let schema: Schema
  /// Inherited properties share the superclass's index.
  let indexes: [(offset: Int, index: PropertyIndex)]
  /// The index of the primary key.
  private let keyIndex: PropertyIndex?
  /// The number of properties that are inherited, which come first.
  private let inheritedCount: Int
  /// The live queries that are notified of all changes of this class; others watch a value of one of
  /// the indexes.
  @safe @exclusivity(unchecked) private var watching = TableObservers()
  /// The object in each slot; nil in a free one.
  @safe @exclusivity(unchecked) private(set) var objects: ContiguousArray<Object?> = []
  /// The free slots.
  @safe @exclusivity(unchecked) private var free: [Int32] = []
  /// The number of stored objects.
  @safe @exclusivity(unchecked) private(set) var count = 0
  /// The changes to be included in the next snapshot; nil until a snapshot has had objects of the
  /// class.
  @safe @exclusivity(unchecked) var dirtySet: SnapshotDirtySet?
  /// The index of the class's table in the store's snapshots; -1 as long as `dirtySet` is nil.
  @safe @exclusivity(unchecked) var snapshotTable: Int32 = -1
  /// The receivers of the changes of the class, in the order of the store's; nil for those that
  /// don't capture them.
  @safe @exclusivity(unchecked) var captures: [(any ClassCapture)?] = []
  private let inverses: [Property]
  /// The inverses that show the references from a property of a class, cached.
  private var dependentProperties: [Source: [Property]] = [:]

  private struct Source: Hashable {
    let type: ObjectIdentifier
    let offset: Int
  }

  init(of type: Object.Type, in store: Store, superclass: ObjectTable?) {
    unretainedStore = Unretained(store)
    let schema = Schema(of: type)
    if schema.primaryKey != nil, type.isSubclass(of: EmbeddedObject.self) {
      trap("\(schema.name) is an EmbeddedObject: it can't have a primary key")
    }
    self.schema = schema
    // Registers the class, so that encoded change sets can name it.
    _ = ClassName(type)
    inheritedCount = superclass?.schema.properties.count ?? 0
    inverses = schema.properties.filter { $0.role == .inverse }
    indexes = schema.properties.compactMap { property in
      let inherited = superclass?.index(at: property.offset)
      let index = inherited ?? PropertyIndex.make(for: property, of: schema)
      return index.map { (property.offset, $0) }
    }
    keyIndex = schema.primaryKey.flatMap { [indexes] key in
      indexes.first { $0.offset == key.offset }?.index
    }
  }

  /// The primary key.
  var primaryKey: (property: Property, index: PropertyIndex)? {
    guard let keyIndex, let property = schema.primaryKey else { return nil }
    return (property, keyIndex)
  }

  /// The store of the objects.
  @inlinable var store: Store {
    @inline(__always) get { unretainedStore.instance }
  }

  /// Calls `body` with the store, without reference counting.
  @inlinable
  @inline(__always)
  func withStore<Result>(_ body: (Store) -> Result) -> Result {
    unretainedStore.withInstance(body)
  }

  /// Whether a property of an object still has an old value; true if there is no such property.
  ///
  /// Copies nothing of the schema, because every commit would pay for that.
  func isSame(_ old: Any, in object: Object, at offset: Int) -> Bool {
    for index in schema.properties.indices where schema.properties[index].offset == offset {
      return schema.properties[index].isSame(old, in: object)
    }
    return true
  }

  /// The property of the class that a key path leads to; nil without one, or without objects on which
  /// to read the path.
  func property(at path: AnyKeyPath) -> Property? {
    PropertyResolver.current.property(
      of: path, in: schema.type, objects.lazy.compactMap { $0 }.first)
  }

  func index(at offset: Int) -> PropertyIndex? { indexes.first { $0.offset == offset }?.index }

  /// The object of this class or a related one with a primary key, as ``Store/object(_:primaryKey:)``
  /// finds it.
  @_specialize(where Key == Int)
  @_specialize(where Key == String)
  func object<Key: FieldValue & Hashable>(_ key: Key) -> Object? {
    guard let keyIndex else { trap("\(schema.name) has no primary key") }
    guard let index = keyIndex as? UniqueIndex<PrimaryKey<Key>> else {
      trap("the primary key of \(schema.name) is not of type \(Key.self)")
    }
    return index.object(key)
  }

  // MARK: - Objects

  /// Makes space for a number of objects in all.
  func reserve(_ count: Int) {
    objects.reserveCapacity(count)
    for (_, index) in indexes { index.reserve(count) }
  }

  /// Reserves the memory of the indexes for further objects.
  func reserveIndexes(adding further: Int) {
    for (_, index) in indexes { index.reserve(count + further) }
  }

  func insert(_ object: Object) {
    if let slot = free.popLast() {
      object.slot = slot
      objects[Int(slot)] = object
    } else {
      object.slot = Int32(objects.count)
      objects.append(object)
    }
    count += 1
    object.table = self
    if let dirtySet { dirtySet.noteArrival(object.slot) }
    for (offset, index) in indexes { index.insert(object, at: offset) }
    forEachObserver(of: object) { $0.didInsert(object, in: self) }
  }

  func remove(_ object: Object) {
    forEachObserver(of: object) { $0.didRemove(object, from: self) }
    for (offset, index) in indexes {
      if let dropped = index.remove(object, at: offset) {
        store.transaction?.retainUntilEnd(dropped)
      }
    }
    if let dirtySet { dirtySet.note(object.slot) }
    objects[Int(object.slot)] = nil
    free.append(object.slot)
    count -= 1
    object.slot = -1
    object.table = nil
  }

  /// Whether a property belongs to the class itself, so that no other class overrides it for the
  /// objects of this table.
  func declares(_ property: Property) -> Bool {
    schema.properties.dropFirst(inheritedCount).contains { $0.offset == property.offset }
  }

  /// Whether this is the table of a class or of one of its subclasses.
  func isCovered(by type: Object.Type) -> Bool { schema.type.isSubclass(of: type) }

  // MARK: - Inverses

  /// The inverses of this class that show the references from a property of `source`.
  func inverses(following source: Object, _ offset: Int, in target: Object) -> [Property] {
    if inverses.isEmpty { return [] }
    let key = Source(type: ObjectIdentifier(type(of: source)), offset: offset)
    if let known = dependentProperties[key] { return known }
    let found = inverses.filter { $0.inverse(in: target).follows(source, at: offset) }
    dependentProperties[key] = found
    return found
  }

  // MARK: - Observers

  /// The queries that are notified of all changes of this class.
  var observers: [any TableObserver] { watching.all }

  /// The queries that watch a value of an index.
  var valueObservers: [any TableObserver] { indexes.flatMap { $0.index.observers } }

  /// Adds an observer, unless it has been added.
  ///
  /// - Complexity: O(1).
  func add(_ observer: any TableObserver) {
    if watching.add(observer) { store.queryCountDidChange(by: 1) }
  }

  /// Removes an observer, if it was added.
  ///
  /// - Complexity: O(1).
  func remove(_ observer: any TableObserver) {
    if watching.remove(observer) { store.queryCountDidChange(by: -1) }
  }

  func didModify(_ object: Object, from old: OldValues) {
    forEachObserver(of: object) { $0.didModify(object, from: old, in: self) }
  }

  /// Marks the live queries that may depend on a property that is about to change.
  @inline(__always)
  func markQueries(of object: Object, at offset: Int) {
    if watching.isEmpty, indexes.isEmpty { return }
    markAll(of: object, at: offset)
  }

  private func markAll(of object: Object, at offset: Int) {
    forEachObserver(of: object) { $0.willChange(object, at: offset, in: self) }
  }

  /// Marks the live queries that watch the value to which an indexed property has changed.
  func markQueries(of object: Object, at offset: Int, cameTo index: PropertyIndex) {
    index.forEachObserver(of: object, at: offset) { $0.willChange(object, at: offset, in: self) }
  }

  /// Calls `body` with the observers of the class, and of the object's indexed values.
  @inline(__always)
  private func forEachObserver(of object: Object, _ body: (any TableObserver) -> Void) {
    watching.forEach(body)
    for place in indexes.indices where indexes[place].index.isObserved {
      indexes[place].index.forEachObserver(of: object, at: indexes[place].offset, body)
    }
  }
}
