// Undo: a sealed log, played backwards as a transaction of its own.

/// What one commit did, kept to be undone.
struct UndoEntry {
  let records: ContiguousArray<TransactionLog.Record>
}

extension Store {
  /// Whether there is a commit to undo.
  public var canUndo: Bool { !undoStack.isEmpty }

  /// Undoes the latest undoable commit that was not undone yet, as a commit of origin ``Origin/undo``.
  ///
  /// Deleted objects come back as the same instances, with every link as it was. O(changes undone).
  /// Throws ``StoreError/nothingToUndo`` if the history is empty.
  public func undo() throws {
    Node.checkMayWrite("a store")
    guard let entry = undoStack.last else { throw StoreError.nothingToUndo }
    try write(origin: .undo, undoable: false) {
      guard let transaction else { return }
      for record in entry.records.reversed() { undo(record, transaction) }
    }
    undoStack.removeLast()
  }

  private func undo(_ record: TransactionLog.Record, _ transaction: Transaction) {
    let object = record.object
    switch record.change {
    case .property(let offset, let old):
      guard let property = unsafe object.extent?.schema.property(at: offset) else { return }
      // A later commit that can't be undone may have deleted what the link led to.
      rewrite(property, of: object, to: property.droppingUnstored(from: old, self), transaction)
    case .inserted:
      guard unsafe object.extent?.store === self else { return }
      transaction.log.append(object, .deleted(values: []))
      detach(object, isGone: true)
    case .deleted(let values):
      guard unsafe object.extent == nil else { return }
      unsafe attach(object, sequence: object.sequence)
      transaction.log.append(object, .inserted(wasGone: true))
      for (offset, value) in values {
        guard let property = unsafe object.extent?.schema.property(at: offset) else { continue }
        rewrite(property, of: object, to: value, transaction)
      }
    }
  }
}

extension Property {
  /// An old link or list without what is not in the store any more.
  fileprivate func droppingUnstored(from old: Any, _ store: Store) -> Any {
    guard role == .link || role == .links else { return old }
    func open<P: StoredProperty>(_ type: P.Type) -> Any {
      guard let value = old as? P.Value else { return old }
      return unsafe withUnsafePointer(to: value) { unsafe References(role, $0) }.allStored(
        in: store)
        ? old : References.filtered(value, role, store)
    }
    return open(self.type)
  }
}

extension References {
  fileprivate func allStored(in store: Store) -> Bool {
    var isStored = true
    forEach { if unsafe $0.extent?.store !== store { isStored = false } }
    return isStored
  }

  fileprivate static func filtered<Value>(_ value: Value, _ role: PropertyRole, _ store: Store)
    -> Any
  {
    var copy = value
    unsafe withUnsafeMutablePointer(to: &copy) { pointer in
      let storage = UnsafeMutableRawPointer(pointer)
      unsafe References(role, storage).forEach { target in
        if unsafe target.extent?.store !== store { unsafe remove(target, role, storage) }
      }
    }
    return copy
  }
}
