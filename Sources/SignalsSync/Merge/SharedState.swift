// The merge state of a store's shared classes: everything that merging needs and the graph doesn't
// hold. Values stay in the objects.
//
// State, by entity (the number of an object's id):
// - `classOf`, `rowOf`: the class, once the object's creation has come, and its row in the columns;
// - `created`, `tombstones`: the latest creation and deletion;
// - `revivals`: the edits and deletions of objects whose class says that edits revive;
// - `objects`: the instance, while the object is visible here. Not retained, because the store keeps
//   its objects, and every deletion is noted as it happens;
// - `shelf`: the values of fields that no instance shows: the object is dead, or is one of several
//   with its primary key, or a value can't be decoded;
// - `groups`: the objects with one primary key (MergingStore+Groups.swift);
// - `carried`: operations that can't be used here: the creation hasn't come, or the class or the
//   property isn't known. They are kept and forwarded as they are;
// - `waiting`: the links and lists whose target isn't visible, by target;
// - `owners`: of each part, the links and lists that hold it in their registers, whether or not they
//   are visible; and of each target of a cascading link, these links;
// - `former`: the owners that parts have had (FormerOwners.swift).
//
// Only the merging store that owns the state changes it, in a merge or while it captures a commit.

internal import Signals

/// A link or list of an object: the entity and the index of the field.
struct FieldKey: Hashable, Comparable {
  let entity: Entity
  let field: Int32

  init(_ entity: Entity, _ field: Int) {
    self.entity = entity
    self.field = Int32(truncatingIfNeeded: field)
  }

  static func < (lhs: FieldKey, rhs: FieldKey) -> Bool {
    (lhs.entity, lhs.field) < (rhs.entity, rhs.field)
  }
}

/// An operation that is kept as it came.
struct CarriedOperation: Equatable {
  let kind: Operation.Kind
  let name: String
  let stamp: StampIndex
  let bytes: [UInt8]
}

/// What entities are known to be.
struct EntityFlags: OptionSet {
  let rawValue: UInt8
  /// Its operations need more than a write to the instance.
  static let isSpecial = EntityFlags(rawValue: 1)
  /// Its class takes part in ownership or cascades.
  static let isStructural = EntityFlags(rawValue: 2)
  /// Derivation has found it dead, without a deletion.
  static let isDerivedDead = EntityFlags(rawValue: 4)
}

struct SharedState {
  var stamps = StampTable()
  var entities = EntityTable()
  var classes: ContiguousArray<ClassState> = []
  var classOf: ContiguousArray<Int16> = []
  var rowOf: ContiguousArray<Int32> = []
  var created: ContiguousArray<StampIndex> = []
  var objects: ContiguousArray<Unretained<Object>?> = []
  var flags: ContiguousArray<EntityFlags> = []
  var tombstones: [Entity: StampIndex] = [:]
  var revivals = RevivalTable()
  var shelf: [Entity: [[UInt8]?]] = [:]
  var carried: [Entity: [CarriedOperation]] = [:]
  var waiting: [Entity: Set<FieldKey>] = [:]
  var owners: [Entity: Set<FieldKey>] = [:]
  var former = FormerOwners()
  var counters: [FieldKey: CounterState] = [:]

  /// Returns the number of an object's id, with room in all columns.
  mutating func entity(_ id: ObjectID) -> Entity {
    let (entity, isNew) = entities.number(id)
    if isNew {
      classOf.append(-1)
      rowOf.append(-1)
      created.append(0)
      objects.append(nil)
      flags.append([])
    }
    return entity
  }

  /// The visible instance of an entity.
  @inline(__always)
  func object(_ entity: Entity) -> Object? {
    objects[Int(entity)]?.instance
  }

  mutating func setObject(_ object: Object?, of entity: Entity) {
    objects[Int(entity)] = object.map { Unretained($0) }
  }

  /// The class of an entity; nil if its creation hasn't come.
  @inline(__always)
  func classState(_ entity: Entity) -> ClassState? {
    let number = classOf[Int(entity)]
    return number < 0 ? nil : classes[Int(number)]
  }

  /// The stamp of a field's value.
  func stamp(_ key: FieldKey) -> StampIndex {
    guard let state = classState(key.entity) else { return 0 }
    let own = state.fields[Int(key.field)].stamp(Int(rowOf[Int(key.entity)]))
    return own == 0 ? created[Int(key.entity)] : own
  }

  /// Whether the operations about the object itself leave it alive.
  func isAlive(_ entity: Entity) -> Bool {
    let created = created[Int(entity)]
    guard created != 0, classOf[Int(entity)] >= 0 else { return false }
    guard let tombstone = tombstones[entity] else { return true }
    if classState(entity)?.editsRevive == true {
      return revivals.isAlive(entity, created: created, in: stamps)
    }
    return stamps.isLater(created, than: tombstone)
  }

  /// The target in the register of a link; -1 if it is nil.
  func target(_ key: FieldKey) -> Entity {
    guard let state = classState(key.entity) else { return -1 }
    return state.fields[Int(key.field)].target(Int(rowOf[Int(key.entity)]))
  }

  /// The bytes of a field's value on the shelf.
  func shelved(_ key: FieldKey) -> [UInt8]? { shelf[key.entity]?[Int(key.field)] ?? nil }

  mutating func shelve(_ bytes: [UInt8]?, _ key: FieldKey) {
    if shelf[key.entity] == nil {
      guard bytes != nil, let state = classState(key.entity) else { return }
      shelf[key.entity] = Array(repeating: nil, count: state.fields.count)
    }
    shelf[key.entity]?[Int(key.field)] = bytes
  }
}
