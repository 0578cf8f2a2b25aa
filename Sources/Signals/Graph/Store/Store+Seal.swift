// The end of a transaction that succeeds: its journal is sealed, and each subscriber receives it.
//
// State: `Store.fullWriteReasons`, the number of reasons for which a write needs a transaction or a
// transaction needs to be delivered: the registrations of queries, observers of commits, rules,
// histories besides the store's own, a history that combines commits, snapshots, points where tests
// make the store fail, and the transaction that is open or being sealed. While it is zero, a write
// to a field without readers passes none of this (ChangeContext.swift).
//
// Order of events. First the closures given to `afterCommit` are queued. Nothing after that may
// write to the store; `isSealing` traps that.
// 1. Snapshots note the rows that were written, and their lists as they were.
// 2. The steps that the transaction has taken off a history are turned around.
// 3. The changes of captured classes are passed on (CommitCapture.swift).
// 4. Queries receive each object with a net change. A journal without any ends here.
// 5. Observers of commits receive one change set (SealedCommit.swift).
// 6. The other undo histories keep the journal as a step, or note the writes in it as intervening
//    ones. This comes last, because a step takes the entries out of the journal.

extension Store {
  /// Seals the open transaction.
  ///
  /// - Parameter differs: Whether the written values are known to differ from the old ones.
  func seal(differs: Bool = false) {
    guard let transaction else { return }
    self.transaction = nil
    if !transaction.afterCommitActions.isEmpty { transaction.enqueueAfterCommitActions(in: self) }
    isSealing = true
    defer {
      transaction.journal.close()
      isSealing = false
      fullWriteReasons -= 1
    }
    let isObserved = commitObservers.isObserved
    let isKept = keeps(transaction)
    // Several of them need the old versions of lists. Queries need few.
    if snapshots != nil || isObserved || keepsSteps || !captures.isEmpty {
      transaction.journal.settleListEdits()
    }
    if snapshots != nil { transaction.journal.noteRows() }
    if transaction.isUndo { turnUndone(transaction) }
    if transaction.journal.isEmpty { return }
    if !captures.isEmpty { captureCommit(transaction) }
    guard queryCount > 0 || isObserved || isKept else { return }
    if queryCount > 0 {
      if !sendModifications(in: transaction.journal) { return }
    } else if !differs, !transaction.journal.hasNetChange {
      return
    }
    if isObserved { sendCommit(transaction) }
    if isKept {
      if transaction.isUndoable {
        keepUndoable(transaction)
      } else {
        recordInterveningWrites(transaction)
      }
    }
  }

  /// Passes each modified object to the queries of its class.
  ///
  /// - Returns: Whether the journal has a net change.
  private func sendModifications(in journal: Journal) -> Bool {
    guard let modified = journal.modifiedObjects() else { return false }
    for object in modified {
      object.table?.didModify(object, from: OldValues(of: object, in: journal.entries))
    }
    return true
  }

  /// Passes the commit to its observers.
  private func sendCommit(_ transaction: Transaction) {
    sealedTransaction = transaction
    defer { sealedTransaction = nil }
    commitObservers.send(SealedCommit(transaction, of: self))
  }
}
