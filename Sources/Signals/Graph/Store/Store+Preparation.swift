// What runs before a transaction is sealed and may still refuse it, and the change set that it
// receives.

extension Store {
  /// Runs everything that may still refuse the transaction.
  func prepare() throws {
    guard let transaction = transaction else { return }
    if let refusal = transaction.refusal { throw refusal }
    if !transaction.embedded.isEmpty { try settleOwnership(transaction) }
    if beforeCommit == nil { return }
    var rounds = 0
    var seen = 0
    var last = ChangeSet()
    // The hook may remove itself.
    while transaction.log.writes > seen, let beforeCommit {
      rounds += 1
      if rounds > 100 { throw EndlessChainError(participants: ["beforeCommit"]) }
      seen = transaction.log.writes
      let change = changeSet(of: transaction)
      // The hook may have written values and restored the previous ones.
      if change.isEmpty || (rounds > 1 && change == last) { return }
      last = change
      try currentStore(transaction).run { try beforeCommit(change) }
      if let refusal = transaction.refusal { throw refusal }
      if !transaction.embedded.isEmpty { try settleOwnership(transaction) }
    }
  }

  func changeSet(of transaction: Transaction) -> ChangeSet {
    ChangeSet(transaction.log.records, origin: origin(of: transaction), self)
  }

  func origin(of transaction: Transaction) -> Origin? {
    transaction.origin
      ?? transaction.undone.first.map { $0.direction == .undo ? .undo : .redo }
  }

  func kind(of transaction: Transaction) -> CommitKind {
    guard let taken = transaction.undone.first else {
      return transaction.isUndoable ? .undoable : .notUndoable
    }
    guard transaction.undone.count == 1, taken.history === history else { return .notUndoable }
    return taken.direction == .undo ? .undo : .redo
  }

  /// This store, for the receivers of a transaction's change set, with one deleted object of each
  /// class that has no stored objects left.
  func currentStore(_ transaction: Transaction) -> CurrentStore {
    var gone: [Object] = []
    for record in transaction.log.records {
      let type = type(of: record.object)
      guard case .deleted = record.change, table(of: type).count == 0,
        !gone.contains(where: { Swift.type(of: $0) == type })
      else { continue }
      gone.append(record.object)
    }
    return CurrentStore(store: self, gone: gone)
  }
}
