// Forgetting the state that no change to come can need.

internal import Signals

extension MergingStore {
  /// Forgets objects that were deleted before a time, and the stamps and authors' knowledge that
  /// nothing refers to any more.
  ///
  /// Objects that ownership or cascades connect with a living one are kept, because they decide about
  /// it, and so are objects with members in lists or additions to counters, which an object that is
  /// created again has again. Lists keep the positions of removed elements.
  ///
  /// - Parameter time: All replicas have merged all change sets that were made before this time, and
  ///   this one has merged all that they had made before that.
  /// - Complexity: O(objects and fields).
  package func compact(before time: HybridTime) {
    for entity in state.tombstones.keys
    where !state.flags[Int(entity)].contains(.isStructural) && isForgettable(entity, before: time) {
      forget(entity)
    }
    forgetStructures(before: time)
    dropFieldStamps(before: time)
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

  /// Forgets owners and parts, and what cascades connect, where all of them died before a time.
  private func forgetStructures(before time: HybridTime) {
    var visited: Set<Entity> = []
    for index in state.flags.indices where state.flags[index].contains(.isStructural) {
      let entity = Entity(index)
      if isWanted(entity) || state.created[index] == 0 || visited.contains(entity) { continue }
      let component = connected(with: [entity])
      visited.formUnion(component)
      guard component.allSatisfy({ isForgettable($0, before: time) }) else { continue }
      for member in component {
        forget(member)
        state.owners[member] = nil
        chosen[member] = nil
      }
    }
  }

  /// Whether an object is dead, nothing was written to it since a time, and a new creation would
  /// carry all that it had.
  private func isForgettable(_ entity: Entity, before time: HybridTime) -> Bool {
    func isOld(_ stamp: StampIndex) -> Bool { state.stamps.times[Int(stamp)] < time }
    guard !isWanted(entity), let shared = state.classState(entity), returnedTo[entity] == nil,
      isOld(state.created[Int(entity)]), isOld(state.tombstones[entity] ?? 0)
    else { return false }
    let row = state.rowOf[Int(entity)]
    return shared.fields.indices.allSatisfy { index in
      let field = shared.fields[index]
      return isOld(field.stamp(Int(row))) && state.counters[FieldKey(entity, index)] == nil
        && field.lists[row]?.isUnused ?? true
    }
  }

  /// Drops the stamps of values that were written before a time: each write to come is later.
  ///
  /// The values of objects that may turn out to be one are compared with each other, and keep theirs.
  private func dropFieldStamps(before time: HybridTime) {
    for shared in state.classes where shared.keyField == nil {
      for field in shared.fields where field.rule == .lastWriter && field.codec != nil {
        field.dropStamps { row, stamp in
          let created = state.created[Int(shared.entities[row])]
          return state.stamps.times[Int(stamp)] < time
            && state.stamps.times[Int(created)] < time
        }
      }
    }
  }

  private func forget(_ entity: Entity) {
    state.tombstones[entity] = nil
    state.revivals.forget(entity)
    state.former.forget(entity)
    state.carried[entity] = nil
    state.created[Int(entity)] = 0
    guard let shared = state.classState(entity) else { return }
    // A new creation carries the value that its author had deleted, not a larger one that came later.
    for (index, field) in shared.fields.enumerated() where field.rule != .maximum {
      state.shelve(nil, FieldKey(entity, index))
    }
    if state.shelf[entity]?.allSatisfy({ $0 == nil }) == true { state.shelf[entity] = nil }
    let row = state.rowOf[Int(entity)]
    for field in shared.fields {
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

  /// The bytes of the columns: the memory of shared objects beside the graph.
  package var columnBytes: Int {
    let entity =
      MemoryLayout<Int16>.stride + MemoryLayout<Int32>.stride + MemoryLayout<StampIndex>.stride
      + MemoryLayout<Unretained<Object>?>.stride + MemoryLayout<EntityFlags>.stride
    let stamp = MemoryLayout<HybridTime>.stride + MemoryLayout<UInt32>.stride
    var sum = state.entities.byteCount + state.entities.count * entity + state.stamps.count * stamp
    for shared in state.classes {
      sum += shared.entities.count * MemoryLayout<Entity>.stride
      for field in shared.fields { sum += (field.stamps.count + field.targets.count) * 4 }
    }
    return sum
  }
}
