// Maxima and counters, whose changes don't conflict.

internal import Signals

extension MergingStore {
  // MARK: - Maxima

  func raise(
    _ reader: inout ByteReader, _ key: FieldKey, _ shared: ClassState, _ field: FieldState,
    _ stamp: StampIndex, _ merge: StoreMerge
  ) {
    guard let codec = field.codec else { return }
    let start = reader
    guard let value = try? codec.decode(&reader) else {
      return keepAside(start, key, undecodable: true)
    }
    let row = Int(state.rowOf[Int(key.entity)])
    let isFirst = state.created[Int(key.entity)] == stamp && field.stamp(row) == 0
    if let object = state.object(key.entity), groupOf[key.entity] == nil {
      // The default of a new instance isn't a value that was written.
      if isFirst && !object.isStored || codec.isGreater(value, than: object) {
        show(value, field, object, merge)
      }
    } else {
      let present = state.shelved(key).flatMap { codec.value($0) }
      if present.map({ codec.isGreater(value, thanValue: $0) }) ?? true { keepAside(start, key) }
      if let holder = groupOf[key.entity] { pass.groups.insert(holder) }
    }
    if state.created[Int(key.entity)] != stamp { field.setStamp(stamp, row, of: row + 1) }
  }

  /// Puts back the maxima of which a smaller value was written here.
  func raiseLowered(_ merge: StoreMerge) {
    for key in exchange(&lowered, with: []) {
      guard let field = state.classState(key.entity)?.fields[Int(key.field)] else { continue }
      if let holder = groupOf[key.entity] {
        pass.groups.insert(holder)
      } else if let object = state.object(key.entity),
        let value = state.shelved(key).flatMap({ field.codec?.value($0) })
      {
        merge.write(value, to: field.property, of: object)
        state.shelve(nil, key)
        updateSpecial(key.entity)
      }
    }
  }

  // MARK: - Counters

  func applyToCounter(
    _ kind: Operation.Kind, _ reader: inout ByteReader, _ key: FieldKey, _ shared: ClassState,
    _ field: FieldState, _ stamp: StampIndex, _ merge: StoreMerge
  ) {
    guard let arithmetic = field.arithmetic, let codec = field.codec else { return }
    let author = state.stamps.replicas[Int(state.stamps.authors[Int(stamp)])]
    if kind == .set {
      guard wins(stamp, key, shared, field, reader), let value = try? codec.decode(&reader),
        let number = arithmetic.number(value)
      else { return }
      if state.counters[key] == nil, state.object(key.entity)?.isStored != true {
        // The first value, with nothing added to it.
        if groupOf[key.entity] == nil, let object = state.object(key.entity) {
          merge.put(value, in: field.property, of: object)
        } else {
          state.shelve(codec.bytes(ofValue: value), key)
        }
        return
      }
      counterState(key, field)
      state.counters[key]?.base = number
    } else {
      let number: CounterNumber
      if arithmetic.isFloating {
        guard let double = try? ValueCoding.decode(Double.self, from: &reader) else { return }
        number = .floating(double)
      } else {
        guard let integer = try? ValueCoding.decode(Int64.self, from: &reader) else { return }
        number = .integer(Int128(integer))
      }
      counterState(key, field)
      state.counters[key]?.add(number, by: author)
    }
    showCounter(key, field, merge)
  }

  /// Makes the state of a counter that was only set so far.
  func counterState(_ key: FieldKey, _ field: FieldState) {
    guard state.counters[key] == nil, let arithmetic = field.arithmetic else { return }
    let value: Any?
    if let object = state.object(key.entity), groupOf[key.entity] == nil {
      value = field.property.currentValue(in: object)
    } else {
      value = state.shelved(key).flatMap { field.codec?.value($0) }
    }
    let zero: CounterNumber = arithmetic.isFloating ? .floating(0) : .integer(0)
    state.counters[key] = CounterState(base: value.flatMap { arithmetic.number($0) } ?? zero)
  }

  /// Shows a counter's number in its instance.
  func showCounter(_ key: FieldKey, _ field: FieldState, _ merge: StoreMerge) {
    if let holder = groupOf[key.entity] {
      pass.groups.insert(holder)
      return
    }
    guard let object = state.object(key.entity), let arithmetic = field.arithmetic,
      let number = state.counters[key]?.total()
    else { return }
    if !arithmetic.fits(number) { pass.report.outOfRange.append(subject(key)) }
    show(arithmetic.value(number), field, object, merge)
  }
}
