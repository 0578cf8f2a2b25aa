// Making the graph what the registers say, where operations touched more than fields.
//
// Order of events: which objects are alive is derived (MergingStore+Derivation.swift); dead ones
// leave the store, their values are shelved; living ones without an instance get one; those whose
// primary key is taken join its group (MergingStore+Groups.swift). This is repeated while groups
// change what is alive. Then links and lists are set.

internal import Signals

extension MergingStore {
  func settle(_ merge: StoreMerge) {
    for entity in pass.rekeyed { rekey(entity, merge) }
    var rounds = 0
    while rounds < 8 {
      rounds += 1
      var touched = exchange(&pass.touched, with: [])
      derive(&touched)
      bury(touched, merge)
      for entity in touched where isWanted(entity) && state.object(entity) == nil {
        if groupOf[entity] == nil { revive(entity, merge) }
      }
      insertFresh(merge)
      if pass.touched.isEmpty { break }
    }
    refreshGroups(merge)
    for key in pass.links { showLink(key, merge) }
    for key in pass.lists { showList(key, merge) }
  }

  /// Whether an entity is alive, and so are its owners.
  func isWanted(_ entity: Entity) -> Bool {
    state.isAlive(entity) && !state.flags[Int(entity)].contains(.isDerivedDead)
  }

  // MARK: - Instances

  /// Makes the instance of an entity, which is inserted when its values are there.
  func makeInstance(of entity: Entity, _ shared: ClassState, _ merge: StoreMerge) {
    let object = merge.make(
      shared.type, id: state.entities.ids[Int(entity)], links: shared.linking)
    state.setObject(object, of: entity)
    pass.fresh.append((entity, object))
  }

  /// Makes an instance with the values on the shelf.
  private func revive(_ entity: Entity, _ merge: StoreMerge) {
    guard let shared = state.classState(entity) else { return }
    makeInstance(of: entity, shared, merge)
    guard let object = state.object(entity) else { return }
    let shelf = state.shelf.removeValue(forKey: entity)
    for (index, field) in shared.fields.enumerated() {
      let key = FieldKey(entity, index)
      if let codec = field.codec, let bytes = shelf?[index] {
        if let value = codec.value(bytes) {
          field.property.put(value, in: object)
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

  /// Removes the instances of those that aren't wanted.
  private func bury(_ touched: Set<Entity>, _ merge: StoreMerge) {
    var doomed: [Object] = []
    for entity in touched where !isWanted(entity) {
      if groupOf[entity] != nil { dissolve(groupWith: entity, merge) }
      guard let object = state.object(entity) else { continue }
      shelveValues(of: entity, object)
      state.setObject(nil, of: entity)
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
  private func insertFresh(_ merge: StoreMerge) {
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
      if !state.waiting.isEmpty { wake(entity) }
    }
  }

  /// Notes the links and lists that wait for an entity.
  func wake(_ entity: Entity) {
    guard let keys = state.waiting.removeValue(forKey: entity) else { return }
    for key in keys { noteLinking(key) }
  }

  func noteLinking(_ key: FieldKey) {
    guard let field = state.classState(key.entity)?.fields[Int(key.field)] else { return }
    if field.isList { pass.lists.insert(key) } else { pass.links.insert(key) }
  }

  // MARK: - Links and lists

  /// Shows the target of a link's register, if it is visible.
  private func showLink(_ key: FieldKey, _ merge: StoreMerge) {
    guard let shared = state.classState(key.entity) else { return }
    let field = shared.fields[Int(key.field)]
    let shown = groupOf[key.entity].map { winner(of: key.field, in: $0) } ?? key
    for hidden in Set([key, shown]) {
      let target = state.target(hidden)
      if target >= 0, hidden != shown || shownObject(target, in: hidden, field) == nil {
        state.waiting[target, default: []].insert(hidden)
      }
    }
    guard let source = visibleObject(key.entity) else { return }
    let target = state.target(shown)
    let object = target < 0 ? nil : shownObject(target, in: shown, field)
    merge.setTargets(object.map { [$0] } ?? [], of: field.property, in: source)
  }

  /// The instance that a link or list shows for a target; nil if none is visible, or if it is a part
  /// that another owner has.
  func shownObject(_ target: Entity, in key: FieldKey, _ field: FieldState) -> Object? {
    guard let object = visibleObject(target), object.isStored,
      field.property.holds(type(of: object))
    else { return nil }
    if field.owns, state.classState(target)?.isEmbedded == true, chosen[target] != key {
      return nil
    }
    return object
  }

  /// Shows the elements of a list's register whose targets are visible.
  private func showList(_ key: FieldKey, _ merge: StoreMerge) {
    guard let shared = state.classState(key.entity), let source = visibleObject(key.entity) else {
      return
    }
    let field = shared.fields[Int(key.field)]
    var shown: [Object] = []
    let members = groupOf[key.entity].flatMap { groups[$0]?.members } ?? [key.entity]
    for member in members {
      let key = FieldKey(member, Int(key.field))
      let latest = latestElements(of: key, field)
      for (index, target) in listTargets(key).enumerated() {
        if let object = shownObject(target, in: key, field), latest[target] ?? index == index {
          shown.append(object)
        } else {
          state.waiting[target, default: []].insert(key)
        }
      }
    }
    merge.setTargets(shown, of: field.property, in: source)
  }

  /// The targets in a list's register, also those that aren't visible.
  func listTargets(_ key: FieldKey) -> ContiguousArray<Entity> {
    guard let shared = state.classState(key.entity) else { return [] }
    return shared.fields[Int(key.field)].lists[state.rowOf[Int(key.entity)]]?.targets ?? []
  }

  /// The elements by which a list shows its parts: of several for one part, the latest.
  ///
  /// - Complexity: O(n log n) for a list of n members that can be parts, otherwise O(1).
  func latestElements(of key: FieldKey, _ field: FieldState) -> [Entity: Int] {
    guard field.owns, let list = field.lists[state.rowOf[Int(key.entity)]] else { return [:] }
    var latest: [Entity: Int] = [:]
    for (index, target) in list.targets.enumerated()
    where state.classState(target)?.isEmbedded == true {
      guard let other = latest[target] else {
        latest[target] = index
        continue
      }
      let stamp = list.positions.element(at: index).stamp
      if list.positions.element(at: other).stamp < stamp { latest[target] = index }
    }
    return latest
  }
}

extension ElementID {
  /// When and by whom the element was made: counters are times, or follow one.
  package var stamp: Stamp {
    Stamp(time: HybridTime(rawValue: counter), replica: ReplicaID(rawValue: replica))
  }
}
