// Making change sets of what is committed here.
//
// State: `pending`, the changes of the commit being sealed, until `didCommit`; `outbox`.
//
// Order of events: the store passes each changed object, then `didCommit`. Creations come first,
// then writes, then deletions: only those that the derivation doesn't find by itself.

internal import Signals

/// The changes of a commit, as the store passes them.
struct PendingCommit {
  var inserted: [Object] = []
  var deleted: [(object: Object, before: ValuesBefore)] = []
  var written: [(object: Object, offset: Int, old: Any)] = []
}

/// Passes the commits of a store to its merging store, which retains the store.
final class CaptureRelay: CommitCapture {
  private weak var target: MergingStore?

  init(_ target: MergingStore) { self.target = target }

  func capture(of schema: Schema) -> (any ClassCapture)? {
    guard let target, target.classesByType[ObjectIdentifier(schema.type)] != nil else { return nil }
    return ClassRelay(target)
  }

  func didCommit(origin: Origin?) { target?.captureCommit() }
}

/// Passes the changes of one class to the merging store.
final class ClassRelay: ClassCapture {
  private unowned let target: MergingStore

  init(_ target: MergingStore) { self.target = target }

  func didInsert(_ object: Object) { target.pending.inserted.append(object) }

  func didDelete(_ object: Object, isDerived: Bool, before: ValuesBefore) {
    target.pending.deleted.append((object, before))
  }

  func didWrite(_ object: Object, at offset: Int, old: Any) {
    target.pending.written.append((object, offset, old))
  }
}

extension MergingStore {
  /// Makes a change set of the pending changes.
  func captureCommit() {
    let commit = exchange(&pending, with: PendingCommit())
    let time = clock.next()
    let stamp = state.stamps.add(time, by: ownAuthor)
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
    // This commit is over: what isn't as the registers say waits for the next merge.
    woken.formUnion(pass.links)
    woken.formUnion(pass.lists)
    for entity in touched where isWanted(entity) != (visibleObject(entity) != nil) {
      unsettled.insert(entity)
    }
    pass = MergePass()
    guard !builder.isEmpty else { return }
    outbox.append(
      builder.finish(
        replica: replica, sequence: sequences[Int(ownAuthor)], time: time,
        seen: seen.takeDelta(excluding: replica)))
    sequences[Int(ownAuthor)] += 1
    state.stamps.note(outbox[outbox.count - 1].seen, by: ownAuthor, at: time)
  }

  // MARK: - Creations

  private func captureCreation(of object: Object, _ stamp: StampIndex) {
    guard let shared = classesByType[ObjectIdentifier(type(of: object))] else { return }
    let entity = state.entity(object.objectID)
    if state.classOf[Int(entity)] < 0 { admit(entity, to: shared) }
    noteCreation(of: entity, stamp)
    state.setObject(object, of: entity)
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
      // What was added before the object was deleted still counts.
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
    // What is added to a counter leaves its base as it was written.
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
      state.shelve(codec.bytes(of: most), key)
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
    setTarget(id.map { state.entity($0) } ?? -1, key, field)
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

  // MARK: - Deletions

  /// Shelves the values of an object that was deleted here.
  private func noteDeparture(of object: Object) {
    guard let entity = state.entities.find(object.objectID), state.object(entity) === object else {
      return
    }
    shelveValues(of: entity, object)
    state.setObject(nil, of: entity)
  }

  /// Deletes objects in the registers: first those that no owner or cascade takes along, then
  /// whatever the derivation leaves alive.
  private func captureDeletions(_ objects: [Object], _ stamp: StampIndex) {
    var left: [Entity] = []
    for object in objects {
      guard let entity = state.entities.find(object.objectID) else { continue }
      for member in groupOf[entity].flatMap({ groups[$0]?.members }) ?? [entity] {
        left.append(member)
        if groupOf[member] != nil, let holder = groupOf[member], holder == entity {
          for each in groups[holder]?.members ?? [] { groupOf[each] = nil }
          groups[holder] = nil
        }
      }
    }
    let all = Set(left)
    var taken: [Entity] = []
    for entity in left {
      let claims = state.owners[entity] ?? []
      if state.classState(entity)?.isEmbedded == true
        || claims.contains(where: { all.contains($0.entity) })
      {
        taken.append(entity)
      } else {
        captureDeletion(of: entity, stamp)
      }
    }
    while !taken.isEmpty {
      var touched = pass.touched.union(taken)
      derive(&touched)
      guard let survivor = taken.firstIndex(where: { isWanted($0) }) else { break }
      captureDeletion(of: taken.remove(at: survivor), stamp)
    }
  }

  private func captureDeletion(of entity: Entity, _ stamp: StampIndex) {
    guard let shared = state.classState(entity) else { return }
    state.tombstones[entity] = stamp
    state.flags[Int(entity)].insert(.isSpecial)
    pass.touched.insert(entity)
    builder.delete(state.entities.ids[Int(entity)], class: shared.name)
  }
}

extension CounterNumber {
  /// The difference to another number of the same kind.
  func subtracting(_ other: CounterNumber) -> CounterNumber {
    switch (self, other) {
    case (.integer(let one), .integer(let other)): .integer(one &- other)
    case (.floating(let one), .floating(let other)): .floating(one - other)
    case (.integer, .floating), (.floating, .integer): self
    }
  }

  /// The number that a counter must be set to, so that with all that was added it is this one.
  func subtracting(_ state: CounterState) -> CounterNumber {
    switch self {
    case .integer(let number): .integer(number &- state.sum)
    case .floating(let number):
      .floating(number - state.sums.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value })
    }
  }
}
