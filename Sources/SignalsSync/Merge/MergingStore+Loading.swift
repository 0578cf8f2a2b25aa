// Taking the place of an earlier merge state of the same objects.

internal import Signals

extension MergingStore {
  /// Merges all that a log has, in place of another merge state of the same store.
  ///
  /// Objects that both have keep their instances; those that only the other has leave the store.
  ///
  /// - Parameters:
  ///   - snapshot: The change sets up to a position.
  ///   - sets: Those after it, and those that the log doesn't have yet.
  ///   - old: The merge state in use so far, which must not be used afterwards.
  ///   - origin: The origin of the commit.
  func load(
    _ snapshot: PartitionSnapshot, _ sets: [SharedChangeSet], inPlaceOf old: MergingStore,
    origin: Origin?
  ) throws {
    adopted = old
    defer { adopted = nil }
    for (replica, next) in snapshot.next {
      let author = state.stamps.author(replica)
      while sequences.count <= Int(author) { sequences.append(1) }
      sequences[Int(author)] = next
    }
    _ = try merge(sets, after: snapshot.sets, origin: origin)
    lastElement = max(lastElement, old.lastElement)
  }

  /// The stored instance of an entity in the merge state whose place this one takes.
  func adoptable(_ entity: Entity, _ shared: ClassState) -> Object? {
    guard let adopted, let former = adopted.state.entities.find(state.entities.ids[Int(entity)]),
      let object = adopted.state.object(former), object.isStored,
      type(of: object) == shared.type
    else { return nil }
    return object
  }

  /// Prepares a stored instance for the operations of a whole log, which set all other fields.
  func adopt(_ object: Object, _ entity: Entity, _ shared: ClassState, _ merge: StoreMerge) {
    var blank: Object?
    for (index, field) in shared.fields.enumerated() {
      if field.property.isLinking { noteLinking(FieldKey(entity, index)) }
      if field.rule == .maximum {
        let initial = blank ?? shared.type.init()
        blank = initial
        merge.write(field.property.currentValue(in: initial), to: field.property, of: object)
      }
    }
  }

  /// Removes the objects that only the former merge state has.
  func removeUnadopted(_ merge: StoreMerge) {
    guard let adopted else { return }
    let objects = adopted.presentObjects.filter { object in
      guard let entity = state.entities.find(object.objectID) else { return true }
      return state.object(entity) !== object && !isWanted(entity)
    }
    if !objects.isEmpty { merge.remove(objects) }
  }

  /// Removes all objects from the store, without deleting them elsewhere.
  func removeObjects() {
    _ = try? store.merge(origin: .replica) { $0.remove(presentObjects) }
  }

  /// The visible objects.
  private var presentObjects: [Object] {
    state.entities.ids.indices.compactMap { state.object(Entity($0)) }.filter(\.isStored)
  }

  /// Whether an object is one of this merge state.
  func knows(_ object: Object) -> Bool {
    guard let entity = state.entities.find(object.objectID) else { return false }
    return state.classOf[Int(entity)] >= 0
  }
}
