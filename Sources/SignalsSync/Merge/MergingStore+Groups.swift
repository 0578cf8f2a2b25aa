// Objects of one class with one primary key, which are one object.
//
// State: `groups`, by the member whose instance is shown, and `groupOf`, the same by member. While
// an object is in a group, its own values are on the shelf, and the instance shows of each property
// the value with the latest stamp; counters show the sum of the additions to all of them, and lists
// the elements of all, one object after the other in the order of the ids.

internal import Signals

/// The objects with one primary key.
struct KeyGroup {
  /// In the order of the ids: the first represents all.
  var members: [Entity]
}

extension MergingStore {
  /// Adds a new instance, whose key is taken, to the group of the object that has it.
  func join(_ entity: Entity, _ object: Object, groupOf other: Entity, _ merge: StoreMerge) {
    let holder = groupOf[other] ?? other
    shelveValues(of: entity, object)
    state.setObject(nil, of: entity)
    if groups[holder] == nil {
      if let present = state.object(holder) { shelveValues(of: holder, present) }
      groups[holder] = KeyGroup(members: [holder])
      groupOf[holder] = holder
    }
    groups[holder]?.members.append(entity)
    groups[holder]?.members.sort {
      state.entities.ids[Int($0)] < state.entities.ids[Int($1)]
    }
    groupOf[entity] = holder
    updateSpecial(entity)
    updateSpecial(holder)
    pass.groups.insert(holder)
    touchStructure(of: holder)
    let ids = groups[holder]?.members.map { state.entities.ids[Int($0)] } ?? []
    let joined = state.entities.ids[Int(entity)]
    for id in ids where id != joined {
      pass.report.aliases.append(
        MergeReport.Alias(
          id: min(id, joined), other: max(id, joined),
          className: state.classState(entity)?.name ?? ""))
      break
    }
    wake(entity)
  }

  /// Ends a group; its members are examined again, and the instance stays that of its own object.
  func dissolve(groupWith entity: Entity, _ merge: StoreMerge) {
    guard let holder = groupOf[entity], let group = groups.removeValue(forKey: holder) else {
      return
    }
    touchStructure(of: holder, group)
    for member in group.members {
      groupOf[member] = nil
      updateSpecial(member)
      if member != holder { pass.touched.insert(member) }
    }
    guard let shared = state.classState(holder), let object = state.object(holder) else { return }
    let shelf = state.shelf.removeValue(forKey: holder)
    for (index, field) in shared.fields.enumerated() {
      let key = FieldKey(holder, index)
      if let codec = field.codec, let bytes = shelf?[index] {
        if field.property.role != .primaryKey, let value = codec.value(bytes) {
          merge.write(value, to: field.property, of: object)
        }
      }
      if state.counters[key] != nil { showCounter(key, field, merge) }
      if field.isLink || field.isList { noteLinking(key) }
    }
    updateSpecial(holder)
  }

  /// Gives an object whose primary key an operation has changed a new instance.
  func rekey(_ entity: Entity, _ merge: StoreMerge) {
    if groupOf[entity] != nil { dissolve(groupWith: entity, merge) }
    pass.touched.insert(entity)
    guard let object = state.object(entity) else { return }
    // The new key is on the shelf already, or is in the instance of a former group.
    depart(object, of: entity)
    if object.isStored {
      noteHiddenReferrers(of: entity, object)
      merge.remove([object])
    }
  }

  /// Notes that the claims of the members on parts may count differently.
  private func touchStructure(of holder: Entity, _ group: KeyGroup? = nil) {
    guard let shared = state.classState(holder), !shared.structuralFields.isEmpty else { return }
    for member in (group ?? groups[holder])?.members ?? [] {
      for index in shared.structuralFields {
        for target in registerTargets(FieldKey(member, index), shared.fields[index]) {
          pass.touched.insert(target)
        }
      }
    }
  }

  /// The member whose value of a property is shown.
  func winner(of field: Int32, in holder: Entity) -> FieldKey {
    var best = FieldKey(holder, Int(field))
    for member in groups[holder]?.members ?? [] {
      let key = FieldKey(member, Int(field))
      let (stamp, other) = (state.stamp(key), state.stamp(best))
      if state.stamps.isLater(stamp, than: other)
        || stamp == other && state.entities.ids[Int(member)] < state.entities.ids[Int(best.entity)]
      {
        best = key
      }
    }
    return best
  }

  /// Shows the values of groups in their instances.
  func refreshGroups(_ merge: StoreMerge) {
    for holder in pass.groups {
      guard let group = groups[holder], let shared = state.classState(holder),
        let object = state.object(holder)
      else { continue }
      for (index, field) in shared.fields.enumerated() where field.property.role != .primaryKey {
        let key = FieldKey(holder, index)
        if field.isLink || field.isList {
          noteLinking(key)
        } else if let value = groupValue(key, field, group) {
          merge.write(value, to: field.property, of: object)
        }
      }
    }
  }

  private func groupValue(_ key: FieldKey, _ field: FieldState, _ group: KeyGroup) -> Any? {
    guard let codec = field.codec else { return nil }
    let shown = winner(of: key.field, in: groupOf[key.entity] ?? key.entity)
    switch field.rule {
    case .lastWriter: return state.shelved(shown).flatMap { codec.value($0) }
    case .maximum:
      var best: Any?
      for member in group.members {
        guard
          let value = state.shelved(FieldKey(member, Int(key.field))).flatMap({ codec.value($0) })
        else { continue }
        if best.map({ codec.isGreater(value, thanValue: $0) }) ?? true { best = value }
      }
      return best
    case .adding:
      guard let arithmetic = field.arithmetic else { return nil }
      let keys = group.members.map { FieldKey($0, Int(key.field)) }
      let others = keys.filter { $0 != shown }.compactMap { state.counters[$0] }
      let base = state.shelved(shown).flatMap { codec.value($0) }.flatMap { arithmetic.number($0) }
      let zero: CounterNumber = arithmetic.isFloating ? .floating(0) : .integer(0)
      let own = state.counters[shown] ?? CounterState(base: base ?? zero)
      let number = own.total(with: others)
      if !arithmetic.fits(number) { pass.report.outOfRange.append(subject(key)) }
      return arithmetic.value(number)
    }
  }
}
