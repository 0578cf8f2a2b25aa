// Creations and deletions of objects, in the registers.

internal import Signals

extension MergingStore {
  func create(
    _ entity: Entity, class name: String, _ stamp: StampIndex, _ merge: StoreMerge
  ) {
    guard let shared = classesByName[name] else {
      state.carried[entity, default: []].append(
        CarriedOperation(kind: .create, name: name, stamp: stamp, bytes: []))
      return
    }
    if state.classOf[Int(entity)] < 0 {
      admit(entity, to: shared)
    } else if state.classOf[Int(entity)] != shared.number {
      return
    }
    noteCreation(of: entity, stamp)
    if state.isAlive(entity), state.object(entity) == nil, groupOf[entity] == nil,
      !state.flags[Int(entity)].contains(.isSpecial)
    {
      makeInstance(of: entity, shared, merge)
    } else {
      pass.touched.insert(entity)
    }
    if state.flags[Int(entity)].contains(.isStructural) { pass.touched.insert(entity) }
    if state.carried[entity] != nil { pass.replayed.append(entity) }
  }

  /// Gives an entity its class and a row.
  func admit(_ entity: Entity, to shared: ClassState) {
    state.classOf[Int(entity)] = shared.number
    state.rowOf[Int(entity)] = shared.add(entity)
    if shared.isStructural { state.flags[Int(entity)].insert(.isStructural) }
    if state.tombstones[entity] != nil { state.flags[Int(entity)].insert(.isSpecial) }
  }

  /// Notes a creation.
  ///
  /// The fields of an object that is created once more keep their earlier stamps, until the
  /// operations with their values come.
  func noteCreation(of entity: Entity, _ stamp: StampIndex) {
    let old = state.created[Int(entity)]
    if old != 0 {
      guard let shared = state.classState(entity) else { return }
      let isLater = state.stamps.isLater(stamp, than: old)
      if shared.editsRevive {
        _ = state.revivals.noteEdit(of: entity, isLater ? old : stamp, in: state.stamps)
      }
      guard isLater else { return }
      let row = Int(state.rowOf[Int(entity)])
      for field in shared.fields where field.stamp(row) == 0 {
        field.setStamp(old, row, of: shared.entities.count)
      }
    }
    state.created[Int(entity)] = stamp
  }

  func delete(_ entity: Entity, class name: String, _ stamp: StampIndex) {
    let isLatest = state.tombstones[entity].map { state.stamps.isLater(stamp, than: $0) } ?? true
    if isLatest { reportLosses(of: entity, deletedAt: stamp) }
    noteDeletion(of: entity, stamp, revivable: classesByName[name]?.editsRevive ?? false)
  }

  func noteDeletion(of entity: Entity, _ stamp: StampIndex, revivable: Bool) {
    if revivable { _ = state.revivals.noteDeletion(of: entity, stamp, in: state.stamps) }
    if state.tombstones[entity].map({ state.stamps.isLater(stamp, than: $0) }) ?? true {
      state.tombstones[entity] = stamp
    }
    state.flags[Int(entity)].insert(.isSpecial)
    pass.touched.insert(entity)
  }

  /// Reports the values that the deleting replica hadn't seen.
  private func reportLosses(of entity: Entity, deletedAt stamp: StampIndex) {
    guard let shared = state.classState(entity), state.isAlive(entity) else { return }
    if shared.editsRevive { return }
    let created = state.created[Int(entity)]
    for field in shared.fields.indices where shared.fields[field].codec != nil {
      let key = FieldKey(entity, field)
      let written = state.stamp(key)
      if written == created || !isUnseen(written, by: stamp) { continue }
      report(key, registerBytes(key), lost: written, against: stamp, isDeletion: true)
    }
  }
}
