// Instances: how they come into the store, leave it, and come back.
//
// State: `departed`, the instances that have left the store, as long as something else holds them;
// `pass.fresh`, those that are ready to be inserted. The values of an entity without an instance are
// on the shelf.

internal import Signals

/// An instance that was deleted, and that comes back if its object does.
struct DepartedObject {
  private(set) weak var object: Object?
  init(_ object: Object) { self.object = object }
}

extension MergingStore {
  /// Makes the instance of an entity, which is inserted when its values are there.
  func makeInstance(of entity: Entity, _ shared: ClassState, _ merge: StoreMerge) {
    if let object = adoptable(entity, shared) {
      state.setObject(object, of: entity)
      adopt(object, entity, shared, merge)
      if !state.waiting.isEmpty { wake(entity) }
      return
    }
    let object = merge.make(
      shared.type, id: state.entities.ids[Int(entity)], links: shared.linking)
    state.setObject(object, of: entity)
    pass.fresh.append((entity, object))
  }

  /// Makes an instance with the values on the shelf, or brings back the one that the app still holds.
  func revive(_ entity: Entity, _ merge: StoreMerge) {
    guard let shared = state.classState(entity) else { return }
    if let held = departed[entity]?.object, !held.isStored {
      merge.clearLinks(of: held, shared.linking)
      state.setObject(held, of: entity)
      pass.fresh.append((entity, held))
    } else {
      makeInstance(of: entity, shared, merge)
    }
    guard let object = state.object(entity) else { return }
    let shelf = state.shelf.removeValue(forKey: entity)
    for (index, field) in shared.fields.enumerated() {
      let key = FieldKey(entity, index)
      if let codec = field.codec, let bytes = shelf?[index] {
        if let value = codec.value(bytes) {
          show(value, field, object, merge)
        } else {
          state.shelve(bytes, key)
        }
      }
      if field.rule == .adding, state.counters[key] != nil { showCounter(key, field, merge) }
      if field.isLink, state.target(key) >= 0 { pass.links.insert(key) }
      if field.isList { pass.lists.insert(key) }
    }
    updateSpecial(entity)
  }

  /// Notes whether operations on an entity have to look further than to its instance.
  func updateSpecial(_ entity: Entity) {
    let isSpecial =
      state.tombstones[entity] != nil || state.shelf[entity] != nil || groupOf[entity] != nil
      || state.carried[entity] != nil || state.flags[Int(entity)].contains(.isDerivedDead)
    if isSpecial {
      state.flags[Int(entity)].insert(.isSpecial)
    } else {
      state.flags[Int(entity)].remove(.isSpecial)
    }
  }

  /// Keeps the values of an instance that is no longer shown.
  func shelveValues(of entity: Entity, _ object: Object) {
    guard let shared = state.classState(entity) else { return }
    for (index, field) in shared.fields.enumerated() {
      guard let codec = field.codec else { continue }
      let key = FieldKey(entity, index)
      if state.counters[key] == nil, state.shelved(key) == nil {
        state.shelve(codec.bytes(of: object), key)
      }
    }
    state.flags[Int(entity)].insert(.isSpecial)
  }

  /// Notes that an instance leaves the store.
  func depart(_ object: Object, of entity: Entity) {
    shelveValues(of: entity, object)
    state.setObject(nil, of: entity)
    departed[entity] = DepartedObject(object)
  }

  /// Removes the instances of those that aren't wanted.
  func bury(_ touched: Set<Entity>, _ merge: StoreMerge) {
    var doomed: [Object] = []
    for entity in touched where !isWanted(entity) {
      if groupOf[entity] != nil { dissolve(groupWith: entity, merge) }
      guard let object = state.object(entity) else { continue }
      depart(object, of: entity)
      guard object.isStored else { continue }
      noteHiddenReferrers(of: entity, object)
      doomed.append(object)
    }
    pass.fresh.removeAll { state.object($0.entity) == nil }
    if !doomed.isEmpty { merge.remove(doomed) }
  }

  /// Notes which links and lists show an object that is about to disappear.
  func noteHiddenReferrers(of entity: Entity, _ object: Object) {
    for (source, offset) in object.referrers {
      guard let key = fieldKey(source, offset) else { continue }
      state.waiting[entity, default: []].insert(key)
      let members = groupOf[key.entity].flatMap { groups[$0]?.members } ?? []
      for member in members {
        state.waiting[entity]?.insert(FieldKey(member, Int(key.field)))
      }
    }
  }

  /// The field of a stored object at an offset; nil if it isn't shared.
  func fieldKey(_ source: Object, _ offset: Int) -> FieldKey? {
    guard let entity = state.entities.find(source.objectID),
      let field = state.classState(entity)?.field(at: offset)
    else { return nil }
    return FieldKey(entity, field)
  }

  /// Adds the new instances to the store.
  func insertFresh(_ merge: StoreMerge) {
    let fresh = exchange(&pass.fresh, with: [])
    for (entity, object) in fresh {
      guard state.object(entity) === object else { continue }
      if !isWanted(entity) {
        shelveValues(of: entity, object)
        state.setObject(nil, of: entity)
        continue
      }
      if let shared = state.classState(entity), shared.keyField != nil,
        let holder = merge.holder(ofKeyOf: object),
        let other = state.entities.find(holder.objectID)
      {
        join(entity, object, groupOf: other, merge)
        continue
      }
      merge.insert(object)
      departed[entity] = nil
      if !state.waiting.isEmpty { wake(entity) }
    }
  }
}
