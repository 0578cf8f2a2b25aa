// Forgetting what no change that can still come needs.

internal import Signals

extension MergingStore {
  /// Forgets what is known of objects that were deleted before a time, and the stamps and authors'
  /// knowledge that nothing refers to any more.
  ///
  /// Objects that take part in ownership or cascades are kept, because they decide about others.
  ///
  /// - Parameter time: All replicas have merged all change sets that were made before this time.
  /// - Complexity: O(objects and fields).
  package func compact(before time: HybridTime) {
    for (entity, stamp) in state.tombstones
    where state.stamps.times[Int(stamp)] < time && !state.isAlive(entity)
      && !state.flags[Int(entity)].contains(.isStructural)
    {
      forget(entity)
    }
    state.revivals.trim(before: time, in: state.stamps)
    var used = [Bool](repeating: false, count: state.stamps.count)
    forEachStamp { used[Int($0)] = true }
    let renumbered = state.stamps.keep(used)
    renumber(renumbered)
    state.former.trim(before: time) { part, key in
      chosen[part] == key || state.owners[part]?.contains(key) == true
    }
    departed = departed.filter { $0.value.object != nil }
    state.stamps.trimHistories(
      before: time, keeping: state.revivals.deletions.values.flatMap { $0 })
    pass.lastSeen = (0, 0, .zero)
  }

  private func forget(_ entity: Entity) {
    state.tombstones[entity] = nil
    state.revivals.forget(entity)
    state.former.forget(entity)
    state.shelf[entity] = nil
    state.carried[entity] = nil
    state.created[Int(entity)] = 0
    guard let shared = state.classState(entity) else { return }
    let row = state.rowOf[Int(entity)]
    for (index, field) in shared.fields.enumerated() {
      state.counters[FieldKey(entity, index)] = nil
      field.lists[row] = nil
      if field.isLink { field.setTarget(-1, Int(row)) }
      if field.stamp(Int(row)) != 0 {
        field.setStamp(0, Int(row), of: shared.entities.count)
      }
    }
    updateSpecial(entity)
  }

  private func forEachStamp(_ body: (StampIndex) -> Void) {
    state.created.forEach(body)
    state.tombstones.values.forEach(body)
    state.revivals.forEachStamp(body)
    for carried in state.carried.values { for operation in carried { body(operation.stamp) } }
    for shared in state.classes {
      for field in shared.fields {
        field.stamps.forEach(body)
        for list in field.lists.values { for edit in list.early { body(edit.stamp) } }
      }
    }
  }

  private func renumber(_ renumbered: [StampIndex]) {
    func new(_ stamp: StampIndex) -> StampIndex { renumbered[Int(stamp)] }
    for index in state.created.indices { state.created[index] = new(state.created[index]) }
    state.tombstones = state.tombstones.mapValues(new)
    state.revivals.renumber(new)
    state.carried = state.carried.mapValues { operations in
      operations.map {
        CarriedOperation(kind: $0.kind, name: $0.name, stamp: new($0.stamp), bytes: $0.bytes)
      }
    }
    for shared in state.classes {
      for field in shared.fields {
        field.renumberStamps(renumbered)
        for (row, list) in field.lists where !list.early.isEmpty {
          field.lists[row]?.early = list.early.map { ($0.bytes, new($0.stamp)) }
        }
      }
    }
  }

  /// The number of entries about what authors had seen.
  package var seenCount: Int { state.stamps.histories.reduce(0) { $0 + $1.count } }

  /// Sets the number of such entries above which older ones are dropped.
  package func boundHistories(to limit: Int) { state.stamps.seenLimit = limit }

  /// The bytes of the columns: what the shared objects cost beside the graph.
  package var columnBytes: Int {
    let stamps = state.stamps.count * 12
    let entities = state.entities.count * (16 + 6 + 2 + 4 + 4 + 8 + 1)
    let fields = state.classes.reduce(0) { sum, shared in
      sum + shared.entities.count * 4
        + shared.fields.reduce(0) { $0 + $1.stamps.count * 4 + $1.targets.count * 4 }
    }
    return stamps + entities + fields
  }
}
