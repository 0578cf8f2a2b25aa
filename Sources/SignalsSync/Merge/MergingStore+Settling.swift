// Making the graph what the registers say, where operations touched more than fields.
//
// Order of events: which objects are alive is derived (MergingStore+Derivation.swift); dead ones
// leave the store, their values are shelved; living ones without an instance get one; those whose
// primary key is taken join its group (MergingStore+Groups.swift). This is repeated while groups
// change which objects are alive. Then links and lists are set.

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
    reportClaims()
  }

  /// Whether an entity is alive, and so are its owners.
  func isWanted(_ entity: Entity) -> Bool {
    state.isAlive(entity) && !state.flags[Int(entity)].contains(.isDerivedDead)
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
    var target = state.target(shown)
    if target < 0 { target = returnedParts(shown).first ?? -1 }
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
      shown += returnedParts(key).compactMap { shownObject($0, in: key, field) }
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
