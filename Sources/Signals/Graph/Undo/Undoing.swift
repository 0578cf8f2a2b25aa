// Undo: a sealed log, played backwards as a transaction of its own, or as a part of the open one.
//
// State: while a transaction is open, `Transaction.undone` holds the steps it has taken off histories, to
// be put back if it fails; if it is sealed, what it logged for each goes onto the other stack.

extension Origin {
  /// What `undo()` does.
  public static let undo: Origin = "undo"

  /// What `redo()` does.
  public static let redo: Origin = "redo"
}

/// A step that a transaction has taken.
struct TakenStep {
  let history: UndoHistory
  let direction: UndoHistory.Direction
  let step: UndoStep
  /// Where in the log it begins.
  let start: Int
  /// What takes it back, once it is done.
  var inverse: UndoStep?
}

extension Store {
  /// Whether there is a commit to undo; a read is a dependency.
  public var canUndo: Bool { history.canUndo }

  /// Whether there is a commit to redo; a read is a dependency.
  public var canRedo: Bool { history.canRedo }

  /// Undoes the latest undoable commit that was not undone yet, as a commit of origin ``Origin/undo``.
  ///
  /// Deleted objects come back as the same instances, with fields, links and places in lists as they
  /// were; what the commit added is deleted. An undo can't be undone, but redone. In an intent or a
  /// `write` it is part of that transaction, before any other write there; what is written after it there,
  /// and by ``beforeCommit``, is taken back by the redo too, which is there when the transaction has ended.
  /// O(changes undone).
  ///
  /// What was written with `undoable: false` since, as by a ``Loader``, stays: a field or link is put back only if it
  /// was not written so, and a list loses what the commit added to it and gets back what the commit removed.
  ///
  /// An ``UndoHistory`` does the same for some origins, in groups, and for texts word by word.
  ///
  /// Throws ``StoreError/nothingToUndo`` if the history is empty, ``StoreError/undoAfterWrites`` in a
  /// transaction that wrote something else before, ``StoreError/duplicateKey(_:key:)`` if the primary
  /// key of a deleted object was taken meanwhile, ``StoreError/alreadyEmbedded(_:target:owner:)`` if an
  /// embedded object was moved by a commit that can't be undone, and ``StoreError/alreadyOwned(_:)`` if
  /// a deleted object was added to another store; then nothing changes.
  public func undo() throws { try take(.undo, of: history) }

  /// Does the latest commit again that was undone and not redone yet, of origin ``Origin/redo``.
  ///
  /// What holds for ``undo()`` holds here; an undoable commit ends what can be redone. Throws
  /// ``StoreError/nothingToRedo`` if nothing can be, and else what `undo()` does.
  public func redo() throws { try take(.redo, of: history) }

  // MARK: - Histories

  func add(_ history: UndoHistory) {
    histories.append(HistoryReference(history: history))
    keepers += 1
  }

  func remove(_ history: UndoHistory) {
    let before = histories.count
    histories.removeAll { unsafe $0.history === history }
    keepers -= before - histories.count
  }

  /// Adds a sealed log to the histories.
  func keepUndoable(_ transaction: Transaction) {
    if histories.isEmpty, !history.isCoalescing {
      if let dropped = history.keep(UndoStep(&transaction.log)) {
        transaction.evicted.append(dropped)
      }
      return
    }
    let step = UndoStep(&transaction.log)
    let (origin, key) = (transaction.origin, transaction.coalescingKey)
    if undoLimit > 0 { history.keep(step, origin, key: nil) }
    for reference in histories { unsafe reference.history.keep(step, origin, key: key) }
  }

  /// Tells the histories of a sealed commit that is no step of theirs.
  func noteOthers(_ transaction: Transaction) {
    let records = transaction.log.records
    if undoLimit > 0 { history.noteOthers(records) }
    for reference in histories { unsafe reference.history.noteOthers(records) }
  }

  /// Adds one write, which is a commit that nobody follows, to the history of the store.
  ///
  /// The value is stored by now. What is dropped goes last: with it may go the store.
  @inline(__always)
  func keepForUndo(_ object: Object, _ offset: Int, _ old: Any) {
    var dropped = history.keep(
      .one(TransactionLog.Record(object: object, offset: offset, old: old, previous: -1)))
    Turn.letGo(of: &dropped)
  }

  // MARK: - Taking a step

  /// Takes the next step of a history, in the open transaction or in one of its own.
  func take(_ direction: UndoHistory.Direction, of history: UndoHistory) throws {
    Node.checkMayWrite("a store")
    try write {
      guard let transaction = transaction else { return }
      guard let step = history.next(direction) else {
        throw direction == .undo ? StoreError.nothingToUndo : .nothingToRedo
      }
      guard transaction.log.isEmpty || transaction.isUndo else { throw StoreError.undoAfterWrites }
      history.removeNext(direction)
      let place = transaction.undone.count
      let start = transaction.log.records.count
      transaction.undone.append(
        TakenStep(history: history, direction: direction, step: step, start: start))
      try undo(step, transaction)
      transaction.undone[place].inverse = inverse(of: transaction, from: start, history)
    }
  }

  /// Puts back what a failed transaction has taken since it had taken `count` steps.
  func putBackUndone(_ transaction: Transaction, downTo count: Int) {
    while transaction.undone.count > count {
      let taken = transaction.undone.removeLast()
      taken.history.putBack(taken.step, taken.direction)
      transaction.leave(taken)
    }
  }

  /// What takes back all that an open transaction has logged since a place.
  private func inverse(
    of transaction: Transaction, from start: Int, _ history: UndoHistory
  ) -> UndoStep {
    let inverse = UndoStep(transaction.log.records[start...])
    return history.isShared ? inverse.rememberingPresent() : inverse
  }

  /// Makes what a sealed transaction has undone ready to be redone, and the other way round.
  ///
  /// What was written in it after the last step, by hooks too, is taken back with that.
  func turnUndone(_ transaction: Transaction) {
    if let last = transaction.undone.indices.last, transaction.undone[last].inverse != nil {
      let taken = transaction.undone[last]
      transaction.undone[last].inverse = inverse(of: transaction, from: taken.start, taken.history)
      Turn.leave(taken)
    }
    for taken in transaction.undone {
      guard let inverse = taken.inverse else { continue }
      taken.history.putBack(inverse, taken.direction == .undo ? .redo : .undo)
    }
  }

  private func undo(_ step: UndoStep, _ transaction: Transaction) throws {
    try checkKeys(of: step)
    // What is added is linked later, and so unlinked before it goes.
    switch step {
    case .one(let record):
      announceDeletion(by: record)
      try undo(record, transaction)
    case .many(let records):
      for record in records { announceDeletion(by: record) }
      for record in records.reversed() { try undo(record, transaction) }
    case .shared(let records, let after):
      for record in records { announceDeletion(by: record) }
      var merge = SharedUndo(self, transaction, after)
      for record in records.reversed() where !merge.leaves(record) {
        try undo(record, transaction)
      }
      merge.mergeLists()
    }
  }

  /// A primary key that was changed by a change set, or by way of a deletion, may be somebody else's now.
  private func checkKeys(of step: UndoStep) throws {
    let keyed = step.records.filter { record in
      guard case .property(let offset, _) = record.change else { return false }
      return unsafe record.object.extent?.primaryKey?.property.offset == offset
    }
    if keyed.isEmpty { return }
    // What the step has added goes, and its key with it.
    let added = step.records.filter { if case .inserted = $0.change { true } else { false } }
    let moving = Set((keyed + added).map(\.object))
    for record in keyed {
      guard case .property(_, let old) = record.change, let extent = unsafe record.object.extent,
        extent.store === self, let (property, index) = extent.primaryKey,
        let holder = index.holder(ofKey: old), !moving.contains(holder)
      else { continue }
      throw StoreError.duplicateKey(subject(record.object, property.offset), key: "\(old)")
    }
  }

  private func announceDeletion(by record: TransactionLog.Record) {
    if case .inserted = record.change, unsafe record.object.extent?.store === self {
      record.object.announceDeletion()
    }
  }

  private func undo(_ record: TransactionLog.Record, _ transaction: Transaction) throws {
    let object = record.object
    switch record.change {
    case .property(let offset, let old):
      guard let extent = unsafe object.extent, extent.store === self,
        let property = extent.schema.property(at: offset)
      else { return }
      // A later commit that can't be undone may have deleted what the link led to.
      rewrite(property, of: object, to: property.droppingUnstored(from: old, self), transaction)
    case .inserted:
      guard unsafe object.extent?.store === self else { return }
      removeAnnounced([object], transaction)
    case .deleted(let values, let sequence):
      if let owner = unsafe object.extent?.store {
        // Somebody has added it again: here, and there is nothing to do, or elsewhere.
        guard owner === self else { throw StoreError.alreadyOwned(StoreError.Subject(object)) }
        return
      }
      try revive(object, values, sequence, transaction)
    }
  }

  /// Brings a deleted object back, with its fields and its place in the order as they were then.
  private func revive(
    _ object: Object, _ values: [(offset: Int, value: Any)], _ sequence: UInt64,
    _ transaction: Transaction
  ) throws {
    if transaction.log.isForeign(object) {
      throw StoreError.alreadyOwned(StoreError.Subject(object))
    }
    try checkIdentities([object])
    restore(values, of: object)
    let extent = extent(of: type(of: object))
    if let (property, index) = extent.primaryKey, index.hasKey(of: object, at: property.offset) {
      throw duplicate(object, property)
    }
    unsafe transaction.log.append(object, .inserted(wasGone: true, sequence: object.sequence))
    attachUnlinked(object, sequence: sequence, extent)
    // Its owner may be gone for good, or hold something else by now.
    if object.isEmbedded { transaction.embedded.append(object) }
  }
}

/// A history that a store tells of commits; it removes itself before it goes.
@safe
struct HistoryReference {
  unowned(unsafe) let history: UndoHistory
}

extension Property {
  /// An old link or list without what is not in the store any more.
  fileprivate func droppingUnstored(from old: Any, _ store: Store) -> Any {
    guard role == .link || role == .links else { return old }
    func open<P: StoredProperty>(_ type: P.Type) -> Any {
      guard var value = old as? P.Value else { return old }
      unsafe withUnsafeMutablePointer(to: &value) { pointer in
        let storage = UnsafeMutableRawPointer(pointer)
        unsafe References(role, storage).forEach { target in
          if unsafe target.extent?.store !== store {
            unsafe References.remove(target, role, storage)
          }
        }
      }
      return value
    }
    return open(self.type)
  }
}
