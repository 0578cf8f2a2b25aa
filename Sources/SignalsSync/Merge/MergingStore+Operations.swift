// Applying operations to the registers. An operation on a field of a visible object goes straight to
// its storage; all else is noted in `pass`, and settled after the last operation.

internal import Signals

extension MergingStore {
  /// Applies a set, the next one of its author.
  func apply(_ set: SharedChangeSet, by author: UInt32, _ merge: StoreMerge) {
    let stamp = state.stamps.add(set.time, by: author)
    state.stamps.note(set.seen, by: author, at: set.time)
    for seen in set.seen {
      _ = state.stamps.author(seen.replica)
      while sequences.count < state.stamps.replicas.count { sequences.append(1) }
    }
    let names = set.names.count
    // The index of the field with each name, by class: -1 if there is none, -2 if not looked up.
    var fields = ContiguousArray<Int32>(repeating: -2, count: state.classes.count * names)
    var reader = ByteReader(set.bytes)
    for operation in set.operations {
      let entity = state.entity(operation.object)
      let name = Int(operation.name)
      switch operation.kind {
      case .create: create(entity, class: set.names[name], stamp, merge)
      case .delete: delete(entity, class: set.names[name], stamp)
      case .set, .add, .maximum, .list:
        let number = Int(state.classOf[Int(entity)])
        guard number >= 0 else {
          carry(operation, of: entity, in: set, stamp)
          continue
        }
        let place = number * names + name
        if fields[place] == -2 {
          fields[place] = Int32(state.classes[number].field(named: set.names[name]) ?? -1)
        }
        guard fields[place] >= 0 else {
          carry(operation, of: entity, in: set, stamp)
          continue
        }
        reader.move(to: operation.value)
        apply(
          operation.kind, &reader, to: FieldKey(entity, Int(fields[place])),
          in: state.classes[number], stamp, merge)
      }
    }
    // After the values that the objects were created with.
    for entity in exchange(&pass.replayed, with: []) { replayCarried(entity, merge) }
  }

  /// Keeps an operation that can't be used, and doesn't lose it.
  private func carry(
    _ operation: Operation, of entity: Entity, in set: SharedChangeSet, _ stamp: StampIndex
  ) {
    state.carried[entity, default: []].append(
      CarriedOperation(
        kind: operation.kind, name: set.name(of: operation), stamp: stamp,
        bytes: Array(set.valueBytes(of: operation))))
    state.flags[Int(entity)].insert(.isSpecial)
  }

  private func replayCarried(_ entity: Entity, _ merge: StoreMerge) {
    guard let shared = state.classState(entity),
      let carried = state.carried.removeValue(forKey: entity)
    else { return }
    for operation in carried {
      guard operation.kind.hasValue, let field = shared.field(named: operation.name) else {
        if operation.kind != .create { state.carried[entity, default: []].append(operation) }
        continue
      }
      var reader = ByteReader(operation.bytes)
      apply(
        operation.kind, &reader, to: FieldKey(entity, field), in: shared, operation.stamp, merge)
    }
  }

  // MARK: - Properties

  @inline(__always)
  private func apply(
    _ kind: Operation.Kind, _ reader: inout ByteReader, to key: FieldKey, in shared: ClassState,
    _ stamp: StampIndex, _ merge: StoreMerge
  ) {
    let field = shared.fields[Int(key.field)]
    if shared.editsRevive { noteEdit(of: key.entity, stamp) }
    if kind == .set, field.rule == .lastWriter, field.codec != nil {
      set(&reader, key, shared, field, stamp, merge)
    } else {
      applyOther(kind, &reader, key, shared, field, stamp, merge)
    }
  }

  private func applyOther(
    _ kind: Operation.Kind, _ reader: inout ByteReader, _ key: FieldKey, _ shared: ClassState,
    _ field: FieldState, _ stamp: StampIndex, _ merge: StoreMerge
  ) {
    switch (kind, field.rule) {
    case (.list, _): if field.isList { applyListEdit(&reader, key, field, stamp) }
    case (.set, _) where field.isLink: setLink(&reader, key, shared, field, stamp)
    case (.set, .adding), (.add, .adding):
      applyToCounter(kind, &reader, key, shared, field, stamp, merge)
    case (.set, .maximum), (.maximum, .maximum):
      raise(&reader, key, shared, field, stamp, merge)
    case (.set, .lastWriter), (.add, .lastWriter), (.maximum, .lastWriter), (.add, .maximum),
      (.maximum, .adding), (.create, _), (.delete, _):
      break
    }
  }

  func noteEdit(of entity: Entity, _ stamp: StampIndex) {
    // The creation counts as an edit.
    if stamp == state.created[Int(entity)] { return }
    if state.revivals.noteEdit(of: entity, stamp, in: state.stamps),
      state.tombstones[entity] != nil
    {
      pass.touched.insert(entity)
    }
  }

  /// Decides whether a write wins over what the register has, and reports the one that loses.
  ///
  /// - Returns: Whether it wins; then its stamp is noted.
  @inline(__always)
  func wins(
    _ stamp: StampIndex, _ key: FieldKey, _ shared: ClassState, _ field: FieldState,
    _ reader: ByteReader
  ) -> Bool {
    let row = Int(state.rowOf[Int(key.entity)])
    let own = field.stamp(row)
    let old = own == 0 ? state.created[Int(key.entity)] : own
    if old == stamp { return true }
    let isLater = state.stamps.isLater(stamp, than: old)
    if isUnseen(isLater ? old : stamp, by: isLater ? stamp : old) {
      reportConflict(key, old, stamp, isLater: isLater, reader)
    }
    if isLater { field.setStamp(stamp, row, of: shared.entities.count) }
    return isLater
  }

  /// Sets a field that the last writer decides.
  @inline(__always)
  private func set(
    _ reader: inout ByteReader, _ key: FieldKey, _ shared: ClassState, _ field: FieldState,
    _ stamp: StampIndex, _ merge: StoreMerge
  ) {
    guard wins(stamp, key, shared, field, reader), let codec = field.codec else { return }
    if !state.flags[Int(key.entity)].contains(.isSpecial),
      let object = state.object(key.entity),
      !object.isStored || merge.isUnobserved && codec.isPlain && !object.hasReaders
    {
      let start = reader
      do throws(ValueCodingError) {
        try codec.store(&reader, in: object)
      } catch {
        keepAside(start, key, undecodable: true)
      }
      return
    }
    put(&reader, key, field, codec, merge)
  }

  /// Stores a value where not only the storage is concerned.
  private func put(
    _ reader: inout ByteReader, _ key: FieldKey, _ field: FieldState, _ codec: FieldCodec,
    _ merge: StoreMerge
  ) {
    if let holder = groupOf[key.entity] {
      pass.groups.insert(holder)
      if field.property.role == .primaryKey { pass.rekeyed.insert(key.entity) }
      return keepAside(reader, key)
    }
    guard let object = state.object(key.entity) else { return keepAside(reader, key) }
    let start = reader
    do throws(ValueCodingError) {
      let value = try codec.decode(&reader)
      if field.property.role == .primaryKey, object.isStored {
        if field.property.hasValue(value, in: object) { return }
        pass.rekeyed.insert(key.entity)
        return keepAside(start, key)
      }
      state.shelve(nil, key)
      show(value, field, object, merge)
    } catch {
      keepAside(start, key, undecodable: true)
    }
  }

  /// Writes a value to an instance, which may not be in the store yet.
  func show(_ value: Any, _ field: FieldState, _ object: Object, _ merge: StoreMerge) {
    if object.isStored {
      merge.write(value, to: field.property, of: object)
    } else {
      merge.put(value, in: field.property, of: object)
    }
  }

  /// Keeps the value that a reader stands before on the shelf.
  func keepAside(_ reader: ByteReader, _ key: FieldKey, undecodable: Bool = false) {
    state.shelve(Array(reader.bytes[reader.offset..<reader.end]), key)
    state.flags[Int(key.entity)].insert(.isSpecial)
    if undecodable { pass.report.undecodable.append(subject(key)) }
  }

  private func setLink(
    _ reader: inout ByteReader, _ key: FieldKey, _ shared: ClassState, _ field: FieldState,
    _ stamp: StampIndex
  ) {
    let start = reader
    let id: ObjectID?
    do { id = try ValueCoding.decode(from: &reader) } catch {
      pass.report.undecodable.append(subject(key))
      return
    }
    let target = id.map { state.entity($0) } ?? -1
    if field.owns, target >= 0 { noteClaim(on: target, key, field, state.stamps[stamp]) }
    guard wins(stamp, key, shared, field, start) else { return }
    setTarget(target, key, field)
    pass.links.insert(key)
  }

  /// Writes the register of a link.
  func setTarget(_ target: Entity, _ key: FieldKey, _ field: FieldState) {
    let row = Int(state.rowOf[Int(key.entity)])
    let old = field.target(row)
    field.setTarget(target, row)
    guard field.isStructural else { return }
    if old >= 0, old != target {
      state.owners[old]?.remove(key)
      pass.touched.insert(old)
    }
    if target >= 0 {
      state.owners[target, default: []].insert(key)
      pass.touched.insert(target)
    }
  }
}
