// Savepoints: nested transactions, each of which is undone alone if it throws.

extension Store {
  func runSavepoint<Result>(
    _ transaction: Transaction, _ label: String?, _ origin: Origin?, _ undoable: Bool,
    _ body: () throws -> Result
  ) throws -> Result {
    let outer = (
      savepoint: transaction.log.savepoint, refusal: transaction.refusal,
      origin: transaction.origin, label: transaction.label, undone: transaction.undone.count,
      notUndoable: transaction.notUndoable, toFollow: transaction.toFollow.count
    )
    let state = Reversals.begin()
    let start = transaction.log.records.count
    transaction.log.savepoint = start
    transaction.refusal = nil
    if transaction.origin == nil { transaction.origin = origin }
    defer {
      transaction.log.savepoint = outer.savepoint
      transaction.refusal = outer.refusal
    }
    do {
      if let label { name(transaction, label) }
      let result = try body()
      if let refusal = transaction.refusal { throw refusal }
      if let faults { try faults.reach(.writeEnd) }
      if !undoable {
        transaction.notUndoable = outer.notUndoable + transaction.log.records.count - start
      }
      Reversals.end(state, failed: false)
      return result
    } catch {
      transaction.dropFollowing(downTo: outer.toFollow)
      rollBack(transaction, to: start)
      transaction.origin = outer.origin
      transaction.label = outer.label
      transaction.notUndoable = outer.notUndoable
      putBackUndone(transaction, downTo: outer.undone)
      transaction.didRollBack(to: start)
      Reversals.end(state, failed: true)
      throw error
    }
  }

  func rollBack(_ transaction: Transaction, to start: Int) {
    if let refusal = transaction.refusal.take() { transaction.leave(refusal) }
    revertRecords(transaction, to: start, revert)
  }

  /// Reverts the records logged since `start`, the latest first.
  ///
  /// The transaction retains them until its end.
  func revertRecords(
    _ transaction: Transaction, to start: Int, _ revert: (TransactionLog.Record) -> Void
  ) {
    while transaction.log.records.count > start {
      let record = transaction.log.removeLast()
      transaction.undoneRecords.append(record)
      revert(record)
    }
  }
}
