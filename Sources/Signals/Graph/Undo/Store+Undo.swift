// Undo: a sealed journal is played backwards in its own transaction or as part of the open one.
//
// While a transaction is open, `Transaction.undone` has the steps that it took off a history. If it
// fails, they are put back. If it is sealed, the journal of each is pushed onto the other stack.
// To all other histories, it is a commit like any other.

extension Origin {
  /// The origin of commits made by `undo()`.
  public static let undo: Origin = "undo"

  /// The origin of commits made by `redo()`.
  public static let redo: Origin = "redo"
}

/// A step that a transaction has taken off a history.
struct TakenStep {
  let history: UndoHistory
  let direction: UndoHistory.Direction
  let step: UndoStep
  /// The index in the journal where its changes begin.
  let start: Int
  /// The index in the journal where they end, without those of later writes.
  var end = 0
  /// The step that reverses it, once it is done.
  var inverse: UndoStep?
}

extension Store {
  /// Undoes the latest step that wasn't undone yet, as a commit with the origin ``Origin/undo``.
  ///
  /// Deleted objects come back as the same instances, with their previous fields, links and places
  /// in lists. Objects that the step added are deleted.
  /// An undo can't be undone, but it can be redone. To another history it is a commit like any
  /// other, with the origin ``Origin/undo``. In an intent or a `write` an undo is part of that
  /// transaction, and must come before any other write. Later writes in the transaction, and those
  /// by rules of ``beforeCommit(file:line:_:)``, are reversed by the redo too, which is available when the
  /// transaction has ended.
  ///
  /// Later writes with `undoable: false`, such as those of a ``Loader``, aren't part of the step.
  /// Where they wrote the same property as the step, both changes are kept if possible: a list
  /// loses the members that the step added and regains those it removed, and a ``Counter`` changes
  /// by the inverse of the step's difference. Otherwise it is a conflict, and its
  /// ``ChangeConflict/property`` has the value that the step left as `old`. So is a later write to
  /// an object that the step added.
  ///
  /// - `.fail` throws and keeps the step in the history.
  /// - `.theirs` keeps the later writes, and undoes the rest of the step. An object that the step
  ///   added stays where it is, if a later commit has written to it.
  /// - `.mine` undoes the whole step, and overwrites the later writes to the same properties.
  ///
  /// An object that is gone, and so can't be changed back or linked again, is a conflict too.
  /// `.theirs` and `.mine` leave it out. A property that already has its value from before the step
  /// isn't a conflict.
  ///
  /// ```swift
  /// do {
  ///   try store.undo()
  /// } catch let error as ChangeConflictError {
  ///   question = "\(error)"  // and if the user says so: `try store.undo(onConflict: .theirs)`
  /// }
  /// ```
  ///
  /// The steps are those of ``history``, which also has their number and labels, and combines
  /// commits. Another ``UndoHistory`` undoes the commits of chosen origins only.
  ///
  /// - Parameter policy: What happens to a property that was written after the step.
  /// - Returns: The conflicts that `.theirs` or `.mine` has resolved, in the order of the step.
  /// - Throws: One of these errors; nothing has changed then.
  ///   - ``ChangeConflictError`` with the policy `.fail`.
  ///   - ``StoreError/nothingToUndo`` if the history is empty.
  ///   - ``StoreError/undoAfterWrites`` in a transaction that has already written something else,
  ///     or taken a step of another history.
  ///   - ``StoreError/duplicateKey(_:key:)`` if another object has taken a primary key that the
  ///     undo restores.
  ///   - ``StoreError/alreadyEmbedded(_:target:owner:)`` if an embedded object was moved by a
  ///     commit that can't be undone.
  ///   - ``StoreError/alreadyOwned(_:)`` if a deleted object was added to another store.
  /// - Complexity: O(changes undone).
  @discardableResult
  public func undo(onConflict policy: ConflictPolicy = .fail) throws -> ConflictReport {
    try take(.undo, of: history, onConflict: policy)
  }

  /// Redoes the latest undone step, as a commit with the origin ``Origin/redo``.
  ///
  /// The rules of ``undo(onConflict:)`` apply. A new undoable commit clears the redo stack.
  ///
  /// - Parameter policy: What happens to a property that was written after the undo.
  /// - Returns: The conflicts that `.theirs` or `.mine` has resolved, in the order of the step.
  /// - Throws: ``StoreError/nothingToRedo`` if nothing can be redone, and the other errors of
  ///   `undo(onConflict:)`.
  /// - Complexity: O(changes redone).
  @discardableResult
  public func redo(onConflict policy: ConflictPolicy = .fail) throws -> ConflictReport {
    try take(.redo, of: history, onConflict: policy)
  }

  // MARK: - Histories

  func add(_ history: UndoHistory) {
    histories.append(Unretained(history))
    fullWriteReasons += 1
  }

  func remove(_ history: UndoHistory) {
    let before = histories.count
    histories.removeAll { $0.refers(to: history) }
    fullWriteReasons -= before - histories.count
  }

  /// Whether a history keeps the commits of the store.
  var keepsSteps: Bool { undoLimit > 0 || !histories.isEmpty }

  /// Whether a history keeps a transaction, other than the one whose steps it has taken.
  func keeps(_ transaction: Transaction) -> Bool {
    guard let taker = transaction.taker else { return keepsSteps }
    return histories.contains { !$0.refers(to: taker) } || undoLimit > 0 && taker !== history
  }

  /// Records a sealed journal in the histories.
  func keepUndoable(_ transaction: Transaction) {
    if transaction.taker == nil, histories.isEmpty, undoLimit > 0, transaction.label == nil,
      transaction.coalescingKeys.isEmpty, !history.needsWholeCommits
    {
      var step = UndoStep(&transaction.journal)
      history.keep(&step)
      if !step.isNothing { transaction.evicted.append(step) }
      return
    }
    // The writes of rules belong to the step, but don't decide whether it joins another one.
    let written = transaction.entriesBeforeRules ?? transaction.journal.entries.count
    let step = UndoStep(&transaction.journal).labeled(transaction.label)
    // Retained here for a deferred release, in case no history keeps it.
    transaction.evicted.append(step)
    let (origin, keys) = (origin(of: transaction), transaction.coalescingKeys)
    for history in receivers(of: transaction) {
      history.keep(step, written: written, origin: origin, key: keys[ObjectIdentifier(history)])
    }
  }

  /// Notifies the histories of a sealed commit that isn't one of their steps.
  func recordInterveningWrites(_ transaction: Transaction) {
    let entries = transaction.journal.entries
    for history in receivers(of: transaction) { history.recordInterveningWrites(entries) }
  }

  /// The histories that keep or note a transaction: all but the one whose steps it has taken.
  ///
  /// They are retained, because clocks and equality are user code, which may release a history.
  private func receivers(of transaction: Transaction) -> [UndoHistory] {
    var all = histories.map { $0.instance }
    if undoLimit > 0 { all.insert(history, at: 0) }
    if let taker = transaction.taker { all.removeAll { $0 === taker } }
    return all
  }

  /// Records a single write as a commit in the store's history, when nothing else observes commits,
  /// and passes it to the receivers that capture the class.
  ///
  /// The value is already stored. A dropped step is released last, because that may release the
  /// store.
  @usableFromInline
  func keepQuietly(_ object: Object, at offset: Int, old: Any) {
    guard let table = object.table, !table.captures.isEmpty else {
      return keepStep(object, at: offset, old: old)
    }
    // A receiver may run user code, which may release the store.
    let store = table.store
    withExtendedLifetime(store) {
      store.captureWrite(of: object, at: offset, old: old, in: table)
      store.keepStep(object, at: offset, old: old)
    }
  }

  @inline(__always)
  private func keepStep(_ object: Object, at offset: Int, old: Any) {
    if undoLimit == 0 { return }
    object.mayHaveSteps = true
    var step = UndoStep.one(
      Journal.Entry(object: object, offset: offset, old: old, previous: -1))
    if let label = AsyncRunContext.currentLabel {
      step = step.labeled(StepLabel(text: label, date: Node.withoutReader(now)))
    }
    history.keep(&step)
    Scheduler.release(of: exchange(&step, with: .nothing))
  }

  // MARK: - Taking a step

  /// Takes the next step of a history, in the open transaction or in a new one.
  func take(
    _ direction: UndoHistory.Direction, of history: UndoHistory, onConflict policy: ConflictPolicy
  ) throws -> ConflictReport {
    Node.checkMayWrite("a store")
    let report = try write {
      guard let transaction else { return ConflictReport(conflicts: []) }
      guard let step = history.next(direction) else {
        throw direction == .undo ? StoreError.nothingToUndo : .nothingToRedo
      }
      let start = transaction.journal.entries.count
      let isNext = transaction.undone.last.map { $0.history === history && $0.end == start }
      if !(isNext ?? (start == 0)) { throw StoreError.undoAfterWrites }
      history.removeNext(direction)
      let place = transaction.undone.count
      transaction.undone.append(
        TakenStep(history: history, direction: direction, step: step, start: start))
      var reversal = StepReversal(of: step, in: self, transaction, onConflict: policy)
      let conflicts = try reversal.run()
      if policy == .fail, !conflicts.isEmpty { throw ChangeConflictError(conflicts: conflicts) }
      transaction.undone[place].inverse = inverse(of: transaction.undone[place], in: transaction)
      return ConflictReport(conflicts: conflicts)
    }
    // In an open transaction, further steps may follow.
    if let transaction, let last = transaction.undone.indices.last {
      transaction.undone[last].end = transaction.journal.entries.count
    }
    return report
  }

  /// Puts back the steps that a failed transaction has taken, except for the first `count`.
  func putBackUndone(_ transaction: Transaction, downTo count: Int) {
    while transaction.undone.count > count {
      let taken = transaction.undone.removeLast()
      taken.history.putBack(taken.step, to: taken.direction)
      transaction.retainUntilEnd(taken)
    }
  }

  /// The step that reverses all changes an open transaction has recorded since it took a step.
  private func inverse(of taken: TakenStep, in transaction: Transaction) -> UndoStep {
    transaction.journal.settleListEdits()
    let inverse = UndoStep(transaction.journal.entries[taken.start...]).labeled(taken.step.label)
    return taken.history.isShared ? inverse.rememberingPresent() : inverse
  }

  /// Pushes the inverses of the steps that a sealed transaction has taken: undone steps become
  /// redoable, and redone steps undoable.
  ///
  /// Writes after the last taken step, including those of rules, are part of its inverse.
  func turnUndone(_ transaction: Transaction) {
    if let last = transaction.undone.indices.last, transaction.undone[last].inverse != nil {
      let taken = transaction.undone[last]
      transaction.undone[last].inverse = inverse(of: taken, in: transaction)
      Scheduler.deferRelease(taken)
    }
    for taken in transaction.undone {
      guard let inverse = taken.inverse else { continue }
      taken.history.putBack(inverse, to: taken.direction == .undo ? .redo : .undo)
    }
  }
}
