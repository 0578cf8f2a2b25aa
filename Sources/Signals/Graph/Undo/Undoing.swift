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
  /// Undoes the latest undoable step that was not undone yet, as a commit of origin ``Origin/undo``.
  ///
  /// Deleted objects come back as the same instances, with fields, links and places in lists as they
  /// were; what the step added is deleted, whatever others have written to it. An undo can't be undone, but redone. In
  /// an intent or a `write` it is part of that transaction, before any other write there; what is written after it
  /// there, and by ``beforeCommit``, is taken back by the redo too, which is there when the transaction has ended.
  ///
  /// What was written with `undoable: false` since, as by a ``Loader``, is not the step's. Where it wrote what the step
  /// wrote, both are kept if that is possible: a list loses what the step added to it, gets back what the step removed,
  /// and a ``Counter`` is given the inverse of the difference that the step made. Else it is a conflict, with the value
  /// that the step left as the `old` one of its ``ChangeConflict/property``:
  ///
  /// - `.fail` throws, and leaves the step where it is;
  /// - `.theirs` leaves what was written since, and takes back the rest;
  /// - `.mine` takes back all of the step, and what was written since in the same places.
  ///
  /// An object that is gone and can't be changed back, or be linked again, is a conflict too; it is left out with
  /// `.theirs` and `.mine`. A property that has the value from before the step already is none.
  ///
  /// ```swift
  /// do {
  ///   try store.undo()
  /// } catch let error as ChangeConflictError {
  ///   question = "\(error)"  // and if the user says so: `try store.undo(onConflict: .theirs)`
  /// }
  /// ```
  ///
  /// An ``UndoHistory`` does the same for some origins, in groups, and for texts word by word.
  ///
  /// - Returns: The conflicts that `.theirs` and `.mine` have decided, in the order of the step.
  /// - Throws: ``ChangeConflictError`` with the policy `.fail`, ``StoreError/nothingToUndo`` if the history is empty,
  ///   ``StoreError/undoAfterWrites`` in a transaction that wrote something else before,
  ///   ``StoreError/duplicateKey(_:key:)`` if the primary key of a deleted object was taken meanwhile,
  ///   ``StoreError/alreadyEmbedded(_:target:owner:)`` if an embedded object was moved by a commit that can't be undone,
  ///   and ``StoreError/alreadyOwned(_:)`` if a deleted object was added to another store; then nothing changes.
  /// - Complexity: O(changes undone).
  @discardableResult
  public func undo(onConflict policy: ConflictPolicy = .fail) throws -> ConflictReport {
    try take(.undo, of: history, policy)
  }

  /// Does the latest step again that was undone and not redone yet, of origin ``Origin/redo``.
  ///
  /// What holds for ``undo(onConflict:)`` holds here; an undoable commit ends what can be redone.
  ///
  /// - Returns: The conflicts that `.theirs` and `.mine` have decided, in the order of the step.
  /// - Throws: ``StoreError/nothingToRedo`` if nothing can be redone, and else what `undo(onConflict:)` does.
  @discardableResult
  public func redo(onConflict policy: ConflictPolicy = .fail) throws -> ConflictReport {
    try take(.redo, of: history, policy)
  }

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
    if histories.isEmpty, transaction.label == nil, !history.needsWholeCommits {
      var step = UndoStep(&transaction.log)
      history.keep(&step)
      if !step.isNothing { transaction.evicted.append(step) }
      return
    }
    let step = UndoStep(&transaction.log).labeled(transaction.label)
    // No history may keep it.
    transaction.evicted.append(step)
    let (origin, key) = (transaction.origin, transaction.coalescingKey)
    if undoLimit > 0 { history.keep(step, origin, key: nil) }
    // Kept: clocks and equality are user code, with which a history may go.
    let kept = histories.map { unsafe $0.history }
    for history in kept { history.keep(step, origin, key: key) }
    withExtendedLifetime(kept) {}
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
    var step = UndoStep.one(
      TransactionLog.Record(object: object, offset: offset, old: old, previous: -1))
    history.keep(&step)
    Turn.letGo(of: exchange(&step, with: .nothing))
  }

  // MARK: - Taking a step

  /// Takes the next step of a history, in the open transaction or in one of its own.
  func take(
    _ direction: UndoHistory.Direction, of history: UndoHistory, _ policy: ConflictPolicy
  ) throws -> ConflictReport {
    Node.checkMayWrite("a store")
    return try write {
      guard let transaction = transaction else { return ConflictReport(conflicts: []) }
      guard let step = history.next(direction) else {
        throw direction == .undo ? StoreError.nothingToUndo : .nothingToRedo
      }
      guard transaction.log.isEmpty || transaction.isUndo else { throw StoreError.undoAfterWrites }
      history.removeNext(direction)
      let place = transaction.undone.count
      let start = transaction.log.records.count
      transaction.undone.append(
        TakenStep(history: history, direction: direction, step: step, start: start))
      var reversal = StepReversal(step, self, transaction, policy)
      let conflicts = try reversal.run()
      if policy == .fail, !conflicts.isEmpty { throw ChangeConflictError(conflicts: conflicts) }
      transaction.undone[place].inverse = inverse(of: transaction, transaction.undone[place])
      return ConflictReport(conflicts: conflicts)
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

  /// What takes back all that an open transaction has logged since it took a step.
  private func inverse(of transaction: Transaction, _ taken: TakenStep) -> UndoStep {
    let inverse = UndoStep(transaction.log.records[taken.start...]).labeled(taken.step.label)
    return taken.history.isShared ? inverse.rememberingPresent() : inverse
  }

  /// Makes what a sealed transaction has undone ready to be redone, and the other way round.
  ///
  /// What was written in it after the last step, by hooks too, is taken back with that.
  func turnUndone(_ transaction: Transaction) {
    if let last = transaction.undone.indices.last, transaction.undone[last].inverse != nil {
      let taken = transaction.undone[last]
      transaction.undone[last].inverse = inverse(of: transaction, taken)
      Turn.leave(taken)
    }
    for taken in transaction.undone {
      guard let inverse = taken.inverse else { continue }
      taken.history.putBack(inverse, taken.direction == .undo ? .redo : .undo)
    }
  }
}

/// A history that a store tells of commits; it removes itself before it goes.
@safe
struct HistoryReference {
  unowned(unsafe) let history: UndoHistory
}
