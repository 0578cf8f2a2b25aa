// The stored objects of one class, without its subclasses.
//
// State: `objects` and `free`, the slots; `indexes`; `watching`, the live queries that want to know of
// this class, in no order, and `watchingPlaces`, where each stands; `notes`, what has changed since the
// last snapshot. Only the store's transactions change the first two and the last, queries add and remove
// themselves.

/// What a live query asks of the classes that it watches.
protocol ExtentObserver: AnyObject {
  /// An object came; its properties are set.
  func didInsert(_ object: Object, in extent: Extent)
  /// An object goes; its slot may be used again.
  func didRemove(_ object: Object, from extent: Extent)
  /// A property was written in the open transaction.
  func didChange(_ object: Object, at offset: Int, in extent: Extent)
  /// The transaction is sealed, and properties of the object differ from the old values.
  func didModify(_ object: Object, _ old: OldValues, in extent: Extent)
  /// A class that the query covers was met for the first time.
  func didAppear(_ extent: Extent)
}

/// The stored objects of one class.
@usableFromInline
@safe final class Extent {
  /// The store outlives its extents.
  @safe @usableFromInline unowned(unsafe) let store: Store
  /// The same, to be asked without reference counting.
  private let unretainedStore: Unmanaged<Store>
  let schema: Schema
  /// Inherited properties share the superclass's index.
  let indexes: [(offset: Int, index: PropertyIndex)]
  let primaryKey: (property: Property, index: PropertyIndex)?
  @safe @exclusivity(unchecked) private var watching: [Watching] = []
  private var watchingPlaces: [ObjectIdentifier: Int] = [:]
  @safe @exclusivity(unchecked) private(set) var objects: ContiguousArray<Object?> = []
  @safe @exclusivity(unchecked) private var free: [Int32] = []
  @safe @exclusivity(unchecked) private(set) var count = 0
  /// What the next snapshot has to look at, once there was one with objects of the class.
  @safe @exclusivity(unchecked) var notes: SnapshotNotes?
  /// Which table of the store's snapshots has the class, from then on.
  @safe @exclusivity(unchecked) var snapshotTable: Int32 = -1
  private let inverses: [Property]
  /// The inverses that follow a property of a class back.
  private var followers: [Source: [Property]] = [:]

  private struct Source: Hashable {
    let type: ObjectIdentifier
    let offset: Int
  }

  init(_ store: Store, _ type: Object.Type, superclass: Extent?) {
    self.store = store
    unsafe unretainedStore = Unmanaged.passUnretained(store)
    let schema = Schema(of: type)
    if schema.primaryKey != nil, type.isSubclass(of: EmbeddedObject.self) {
      trap("\(schema.name) is an EmbeddedObject: it can't have a primary key")
    }
    self.schema = schema
    // From now on a change set that was encoded can name the class.
    _ = ClassName(type)
    inverses = schema.properties.filter { $0.role == .inverse }
    indexes = schema.properties.compactMap { property in
      let inherited = superclass?.index(at: property.offset)
      let index = inherited ?? PropertyIndex.make(for: property, of: schema)
      return index.map { (property.offset, $0) }
    }
    let keys = indexes
    primaryKey = schema.primaryKey.flatMap { property in
      keys.first { $0.offset == property.offset }.map { (property, $0.index) }
    }
  }

  /// What the write of a field that nobody reads has to take care of.
  ///
  /// It is said that this only reads: else whoever writes retains the object for its sake.
  @usableFromInline var attention: WriteAttention {
    @_effects(readonly) get { unsafe unretainedStore._withUnsafeGuaranteedRef { $0.attention } }
  }

  /// Keeps an unfollowed write for undo: a commit of its own, without a transaction.
  @usableFromInline
  func keepForUndo(_ object: Object, _ offset: Int, _ old: Any) {
    unsafe unretainedStore._withUnsafeGuaranteedRef { $0.keepForUndo(object, offset, old) }
  }

  /// Whether the store has a transaction open.
  var isInTransaction: Bool {
    unsafe unretainedStore._withUnsafeGuaranteedRef { $0.transaction != nil }
  }

  /// Begins the write of a field; see Store/Transactions.swift.
  @usableFromInline
  func beginFieldWrite(
    _ object: Object, _ offset: Int, _ old: Any
  ) -> FieldWriteFollowUp {
    let isOwn = unsafe unretainedStore._withUnsafeGuaranteedRef {
      $0.beginFieldWrite(object, offset, old)
    }
    noteChange(of: object)
    return isOwn ? .commit : watching.isEmpty ? .nothing : .notice
  }

  /// Ends it.
  @usableFromInline
  func endFieldWrite(_ object: Object, _ offset: Int, _ followUp: FieldWriteFollowUp) {
    didChange(object, at: offset)
    if followUp == .commit {
      // Kept: what runs before a commit, or after it, may be the last to have the store.
      let store = store
      withExtendedLifetime(store) { store.commitFieldWrite() }
    }
  }

  /// Logs the value of a property in the open transaction.
  func save(_ object: Object, _ offset: Int, _ old: Any) {
    unsafe unretainedStore._withUnsafeGuaranteedRef {
      _ = $0.transaction?.log.save(object, offset, old)
    }
    noteChange(of: object)
  }

  /// Whether a property of an object still has a value it had before; true if there is no such property.
  ///
  /// Without copies of what the schema says, which every commit would pay for.
  func isSame(_ old: Any, _ object: Object, at offset: Int) -> Bool {
    for index in schema.properties.indices where schema.properties[index].offset == offset {
      return schema.properties[index].isSame(old, in: object)
    }
    return true
  }

  func index(at offset: Int) -> PropertyIndex? { indexes.first { $0.offset == offset }?.index }

  // MARK: - Objects

  func insert(_ object: Object) {
    if let slot = free.popLast() {
      unsafe object.slot = slot
      objects[Int(slot)] = object
    } else {
      unsafe object.slot = Int32(objects.count)
      objects.append(object)
    }
    count += 1
    unsafe object.extent = self
    if let notes { unsafe notes.noteArrival(object.slot) }
    for (offset, index) in indexes { index.insert(object, at: offset) }
    for entry in watching { unsafe entry.observer.didInsert(object, in: self) }
  }

  func remove(_ object: Object) {
    for entry in watching { unsafe entry.observer.didRemove(object, from: self) }
    for (offset, index) in indexes {
      if let dropped = index.remove(object, at: offset) { store.transaction?.leave(dropped) }
    }
    noteChange(of: object)
    unsafe objects[Int(object.slot)] = nil
    unsafe free.append(object.slot)
    count -= 1
    unsafe object.slot = -1
    unsafe object.extent = nil
  }

  /// Whether this is the extent of a class or of one of its subclasses.
  func isCovered(by type: Object.Type) -> Bool { schema.type.isSubclass(of: type) }

  // MARK: - Inverses

  /// The inverses of this class that show a reference from a property of `source`.
  func inverses(following source: Object, _ offset: Int, in target: Object) -> [Property] {
    if inverses.isEmpty { return [] }
    let key = Source(type: ObjectIdentifier(type(of: source)), offset: offset)
    if let known = followers[key] { return known }
    let found = inverses.filter { $0.inverse(in: target).follows(source, offset) }
    followers[key] = found
    return found
  }

  // MARK: - Observers

  /// A query removes itself before it goes, so that nobody keeps it alive for being told.
  @safe
  private struct Watching {
    unowned(unsafe) let observer: any ExtentObserver
  }

  var isWatched: Bool { !watching.isEmpty }

  var observers: [any ExtentObserver] { watching.map { unsafe $0.observer } }

  /// O(1): a screen may have a query for each row.
  func add(_ observer: any ExtentObserver) {
    watchingPlaces[ObjectIdentifier(observer)] = watching.count
    watching.append(Watching(observer: observer))
    store.watches += 1
    store.followers += 1
  }

  /// O(1).
  func remove(_ observer: any ExtentObserver) {
    guard let place = watchingPlaces.removeValue(forKey: ObjectIdentifier(observer)) else {
      return
    }
    let last = watching.removeLast()
    if place < watching.count {
      watching[place] = last
      unsafe watchingPlaces[ObjectIdentifier(last.observer)] = place
    }
    store.watches -= 1
    store.followers -= 1
  }

  func didModify(_ object: Object, _ old: OldValues) {
    for entry in watching { unsafe entry.observer.didModify(object, old, in: self) }
  }

  @inline(__always)
  func didChange(_ object: Object, at offset: Int) {
    if !watching.isEmpty { tellOfChange(of: object, at: offset) }
  }

  private func tellOfChange(of object: Object, at offset: Int) {
    for entry in watching { unsafe entry.observer.didChange(object, at: offset, in: self) }
  }
}
