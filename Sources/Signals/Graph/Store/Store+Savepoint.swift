// Savepoints: nested transactions, each of which is undone alone if it throws.

extension Store {
  func runSavepoint<Result>(
    _ transaction: Transaction, label: String?, origin: Origin?, undoable: Bool,
    _ body: () throws -> Result
  ) throws -> Result {
    let outer = (
      savepoint: transaction.journal.savepoint, refusal: transaction.refusal,
      origin: transaction.origin, label: transaction.label, undone: transaction.undone.count,
      notUndoable: transaction.notUndoable,
      afterCommitActions: transaction.afterCommitActions.count,
      rollBackActions: transaction.onRollBack.count
    )
    let state = Reversals.begin()
    let start = transaction.journal.entries.count
    transaction.journal.savepoint = start
    transaction.refusal = nil
    if transaction.origin == nil { transaction.origin = origin }
    defer {
      transaction.journal.savepoint = outer.savepoint
      transaction.refusal = outer.refusal
    }
    do {
      if let label { name(transaction, label: label) }
      let result = try body()
      if let refusal = transaction.refusal { throw refusal }
      if let faults { try faults.reach(.writeEnd) }
      if !undoable {
        transaction.notUndoable = outer.notUndoable + transaction.journal.entries.count - start
      }
      Reversals.end(state, failed: false)
      return result
    } catch {
      transaction.dropAfterCommitActions(downTo: outer.afterCommitActions)
      rollBack(transaction, to: start)
      transaction.origin = outer.origin
      transaction.label = outer.label
      transaction.notUndoable = outer.notUndoable
      putBackUndone(transaction, downTo: outer.undone)
      transaction.didRollBack(to: outer.rollBackActions)
      Reversals.end(state, failed: true)
      throw error
    }
  }

  func rollBack(_ transaction: Transaction, to start: Int) {
    if let refusal = transaction.refusal.take() { transaction.retainUntilEnd(refusal) }
    revertEntries(transaction, to: start, revert)
  }

  /// Reverts the entries recorded since `start`, the latest first.
  ///
  /// The transaction retains them until its end.
  func revertEntries(
    _ transaction: Transaction, to start: Int, _ revert: (Journal.Entry) -> Void
  ) {
    while transaction.journal.entries.count > start {
      let entry = transaction.journal.removeLast()
      transaction.undoneEntries.append(entry)
      revert(entry)
    }
  }
}
