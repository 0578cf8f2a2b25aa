/// What a sealed log changed in the end: what was written back to its old value is no change.
struct NetChanges {
  /// Objects stored before and after, with a property that differs.
  private(set) var modified: [Object] = []
  private(set) var isEmpty = true

  init(_ records: ContiguousArray<TransactionLog.Record>) {
    var states: [Object: (wasStored: Bool, offsets: Set<Int>, differs: Bool)] = [:]
    for record in records {
      var state = states[record.object] ?? (true, [], false)
      switch record.change {
      case .inserted: if states[record.object] == nil { state.wasStored = false }
      case .deleted: break
      case .property(let offset, let old):
        if state.offsets.insert(offset).inserted,
          let property = unsafe record.object.extent?.schema.property(at: offset),
          !property.isSame(old, in: record.object)
        {
          state.differs = true
        }
      }
      states[record.object] = state
    }
    for (object, state) in states {
      let isStored = unsafe object.extent != nil
      if state.wasStored != isStored || state.differs && isStored { isEmpty = false }
      if state.wasStored, isStored, state.differs { modified.append(object) }
    }
  }
}

extension Property {
  /// Whether a property still has a value it had before.
  func isSame(_ old: Any, in object: Object) -> Bool {
    func open<P: StoredProperty>(_ type: P.Type) -> Bool {
      guard let old = old as? P.Value else { return false }
      let storage = unsafe object.storage(at: offset).assumingMemoryBound(to: P.self)
      return unsafe P.isSame(old, storage.pointee.stored)
    }
    return open(self.type)
  }
}
