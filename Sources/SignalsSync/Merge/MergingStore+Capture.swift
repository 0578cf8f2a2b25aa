// Making change sets of the commits made here.
//
// State: `pending`, the changes of the commit being sealed, until `didCommit`; `outbox`.
//
// Order of events: the store passes each changed object, then `didCommit`. Creations come first,
// then writes, then deletions: only those that the derivation doesn't find by itself. What the commit
// left otherwise than the registers say, such as a maximum that was lowered, is put right by a
// second commit, before effects see it.

internal import Signals

extension MergingStore {
  /// Makes a change set of the pending changes.
  func captureCommit() {
    let commit = exchange(&pending, with: PendingCommit())
    let time = clock.next()
    let stamp = state.stamps.add(time, by: ownAuthor)
    noteSeen(at: time)
    // An instance that replaces another with its id isn't a deletion.
    let inserted = Set(commit.inserted.map(\.objectID))
    for (object, _) in commit.deleted { noteDeparture(of: object) }
    for object in commit.inserted { captureCreation(of: object, stamp) }
    for object in commit.inserted { captureValues(of: object, stamp) }
    for (object, offset, old) in commit.written {
      captureWrite(of: object, at: offset, old: old, stamp)
    }
    captureDeletions(
      commit.deleted.map(\.object).filter { !inserted.contains($0.objectID) }, stamp)
    var touched = exchange(&pass.touched, with: [])
    derive(&touched)
    // This commit is over: what isn't as the registers say is put right by the next one.
    woken.formUnion(pass.links)
    woken.formUnion(pass.lists)
    for entity in touched where isWanted(entity) != (visibleObject(entity) != nil) {
      unsettled.insert(entity)
    }
    pass = MergePass()
    if needsSettling { follower.follow(in: store) }
    guard !builder.isEmpty else { return }
    do throws(ChangeSetSizeError) {
      outbox.append(
        try builder.finish(
          replica: replica, sequence: nextSequence(), time: time,
          seen: exchange(&unsentSeen, with: [])))
    } catch {
      trap("a commit is larger than a change set can be: \(error)")
    }
  }

  /// Makes a change set of a write that is a whole commit, if nothing but the write has to be noted.
  ///
  /// - Returns: Whether it was made.
  func captureLoneWrite(of object: Object, at offset: Int, in shared: ClassState) -> Bool {
    guard let index = shared.field(at: offset), shared.fields[index].isPlain, unsentSeen.isEmpty,
      !hasSeenMore, let entity = state.entities.find(object.objectID),
      !state.flags[Int(entity)].contains(.isSpecial),
      outbox.write(object, shared.fields[index])
    else { return false }
    let time = clock.next()
    outbox.endWrite(sequence: nextSequence(), time: time)
    let stamp = state.stamps.add(time, by: ownAuthor)
    shared.fields[index].setStamp(
      stamp, Int(state.rowOf[Int(entity)]), of: shared.entities.count)
    return true
  }

  private func nextSequence() -> UInt64 {
    let sequence = sequences[Int(ownAuthor)]
    sequences[Int(ownAuthor)] = sequence + 1
    return sequence
  }

  /// Notes the times merged since the last commit, which the next set carries to the others.
  private func noteSeen(at time: HybridTime) {
    hasSeenMore = false
    let delta = seen.takeDelta(excluding: replica)
    if delta.isEmpty { return }
    state.stamps.note(delta, by: ownAuthor, at: time)
    thinHistories()
    if unsentSeen.isEmpty {
      unsentSeen = delta
    } else {
      var all = SeenTimes(unsentSeen)
      all.formUnion(SeenTimes(delta))
      unsentSeen = all.stamps
    }
  }

  /// Keeps the memory of what authors had seen within bounds.
  func thinHistories() {
    guard state.stamps.hasTooManySeen else { return }
    state.stamps.thinHistories(keeping: state.revivals.deletions.values.joined())
  }

  // MARK: - Creations

  private func captureCreation(of object: Object, _ stamp: StampIndex) {
    guard let shared = classesByType[ObjectIdentifier(type(of: object))] else { return }
    let entity = state.entity(object.objectID)
    if state.classOf[Int(entity)] < 0 { admit(entity, to: shared) }
    noteCreation(of: entity, stamp)
    state.setObject(object, of: entity)
    departed[entity] = nil
    builder.create(object.objectID, class: shared.name)
    let shelf = state.shelf.removeValue(forKey: entity)
    for (index, field) in shared.fields.enumerated() where field.rule == .maximum {
      // A larger value that came while the object was deleted is put back by the next merge.
      guard let bytes = shelf?[index], let codec = field.codec, let value = codec.value(bytes),
        codec.isGreater(value, than: object)
      else { continue }
      state.shelve(bytes, FieldKey(entity, index))
      lowered.insert(FieldKey(entity, index))
    }
    state.flags[Int(entity)].remove(.isDerivedDead)
    updateSpecial(entity)
    if shared.isStructural { pass.touched.insert(entity) }
    wakeHere(entity)
  }

  /// The links and lists that waited for an object are looked at by the next merge: this commit is
  /// over.
  private func wakeHere(_ entity: Entity) {
    if let keys = state.waiting.removeValue(forKey: entity) { woken.formUnion(keys) }
  }

  private func captureValues(of object: Object, _ stamp: StampIndex) {
    let entity = state.entity(object.objectID)
    guard let shared = state.classState(entity) else { return }
    let row = Int(state.rowOf[Int(entity)])
    for (index, field) in shared.fields.enumerated() {
      let key = FieldKey(entity, index)
      if field.stamp(row) != 0 { field.setStamp(stamp, row, of: shared.entities.count) }
      if field.isLink {
        captureLink(object, key, field)
      } else if field.isList {
        let old = field.lists[Int32(row)]
        // What the list held before the object was deleted is in the register, hidden.
        captureList(
          old == nil ? Tree() : shownMembers(key, field), field.property.members(in: object), key,
          field)
      } else {
        captureField(object, key, field, isCreation: true)
      }
    }
  }

  /// The members that a register shows now.
  private func shownMembers(_ key: FieldKey, _ field: FieldState) -> Tree<Object> {
    Tree(listTargets(key).compactMap { visibleObject($0) }.filter(\.isStored))
  }

  private func captureField(
    _ object: Object, _ key: FieldKey, _ field: FieldState, isCreation: Bool
  ) {
    guard let codec = field.codec else { return }
    let id = object.objectID
    let name = builder.index(of: field.property.name)
    if field.rule == .adding, isCreation, let present = state.counters[key],
      let number = field.arithmetic?.number(field.property.currentValue(in: object))
    {
      // Additions from before the object was deleted still count.
      let base = number.subtracting(present)
      state.counters[key]?.base = base
      append(base, .set, id, name)
      return
    }
    let kind = field.rule == .maximum ? Operation.Kind.maximum : .set
    try? builder.append(kind, id, name: name) { writer throws(ValueCodingError) in
      try codec.encode(object, to: &writer)
    }
    if groupOf[key.entity] != nil { state.shelve(codec.bytes(of: object), key) }
  }

  private func append(
    _ number: CounterNumber, _ kind: Operation.Kind, _ id: ObjectID, _ name: UInt32
  ) {
    switch number {
    case .floating(let number):
      try? builder.append(kind, id, name: name) { writer throws(ValueCodingError) in
        try ValueCoding.encode(number, to: &writer)
      }
    case .integer(let number):
      var rest = number
      repeat {
        let part = Int64(clamping: rest)
        rest -= Int128(part)
        try? builder.append(kind, id, name: name) { writer throws(ValueCodingError) in
          try ValueCoding.encode(part, to: &writer)
        }
      } while rest != 0 && kind == .add
    }
  }

  // MARK: - Writes

  private func captureWrite(of object: Object, at offset: Int, old: Any, _ stamp: StampIndex) {
    guard let key = fieldKey(object, offset), let shared = state.classState(key.entity) else {
      return
    }
    let field = shared.fields[Int(key.field)]
    if field.isLink {
      // The target was deleted: the register keeps it.
      if field.property.target(in: object) == nil, let before = field.property.target(of: old),
        !before.isStored
      {
        noteHidden(before, key)
        return
      }
      captureLink(object, key, field)
    } else if field.isList {
      let before = field.property.members(of: old)
      before.forEach(in: 0..<before.count) { if !$0.isStored { noteHidden($0, key) } }
      captureList(before, field.property.members(in: object), key, field)
    } else if field.rule == .adding, let arithmetic = field.arithmetic {
      guard let before = arithmetic.number(old),
        let after = arithmetic.number(field.property.currentValue(in: object))
      else { return }
      let difference = after.subtracting(before)
      if state.counters[key] == nil {
        let zero: CounterNumber = arithmetic.isFloating ? .floating(0) : .integer(0)
        let shelved = state.shelved(key).flatMap { field.codec?.value($0) }
        let base = groupOf[key.entity] == nil ? before : shelved.flatMap { arithmetic.number($0) }
        state.counters[key] = CounterState(base: base ?? zero)
      }
      state.counters[key]?.add(difference, by: replica)
      append(difference, .add, object.objectID, builder.index(of: field.property.name))
    } else {
      if field.rule == .maximum, let codec = field.codec, keepsMaximum(old, object, key, codec) {
        return
      }
      captureField(object, key, field, isCreation: false)
      state.shelve(groupOf[key.entity] == nil ? nil : field.codec?.bytes(of: object), key)
    }
    if shared.editsRevive { noteEdit(of: key.entity, stamp) }
    // An addition leaves the base of a counter as it was written.
    if field.rule == .adding { return }
    let row = Int(state.rowOf[Int(key.entity)])
    field.setStamp(stamp, row, of: shared.entities.count)
  }

  /// Whether a maximum was lowered, which doesn't last: the next merge puts it back.
  private func keepsMaximum(
    _ old: Any, _ object: Object, _ key: FieldKey, _ codec: FieldCodec
  ) -> Bool {
    let kept = groupOf[key.entity] == nil ? state.shelved(key).flatMap { codec.value($0) } : nil
    let most = kept ?? old
    let isLowered = codec.isGreater(most, than: object)
    guard isLowered else {
      lowered.remove(key)
      return false
    }
    lowered.insert(key)
    if groupOf[key.entity] == nil {
      state.shelve(codec.bytes(ofValue: most), key)
      updateSpecial(key.entity)
    }
    return true
  }

  private func noteHidden(_ target: Object, _ key: FieldKey) {
    guard let entity = state.entities.find(target.objectID) else { return }
    state.waiting[entity, default: []].insert(key)
  }

  private func captureLink(_ object: Object, _ key: FieldKey, _ field: FieldState) {
    let target = field.property.target(in: object)
    let name = builder.index(of: field.property.name)
    let id: ObjectID? = target?.objectID
    let entity = id.map { state.entity($0) } ?? -1
    setTarget(entity, key, field)
    if field.owns, entity >= 0 {
      noteClaim(on: entity, key, field, Stamp(time: clock.last, replica: replica))
    }
    try? builder.append(.set, object.objectID, name: name) { writer throws(ValueCodingError) in
      try ValueCoding.encode(id, to: &writer)
    }
  }

  private func captureList(
    _ old: Tree<Object>, _ new: Tree<Object>, _ key: FieldKey, _ field: FieldState
  ) {
    for (key, edits) in capture(from: old, to: new, key, field, clock.last) where !edits.isEmpty {
      builder.editList(
        state.entities.ids[Int(key.entity)], property: field.property.name,
        bytes: ListEditCoding.encode(edits))
    }
  }
}
