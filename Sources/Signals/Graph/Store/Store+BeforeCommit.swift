// The rules that run before a transaction is sealed and may still refuse it, and the change set that
// they receive.
//
// The store retains each rule until it is cancelled; a rule refers to its store until the store is
// released.

extension Store {
  /// Calls a rule before each commit that changes something, which may write more or refuse the
  /// commit by throwing.
  ///
  /// - The rule receives the changes of the transaction so far. Several rules are called in the
  ///   order of registration. If one of them writes, all are called again with the new changes,
  ///   until they change nothing more. After 100 rounds the commit fails with an
  ///   ``EndlessChainError``.
  /// - Its writes to other stores are part of the intent, effect or observer under way. Outside of
  ///   these each is a commit of the other store, which remains even if this commit is refused.
  ///
  /// ```swift
  /// store.beforeCommit { changes in
  ///   for change in changes.changes(of: Dish.self) {
  ///     if let stock = change.new(\.stock), stock < 0 { throw SoldOut(dish: change.object) }
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter rule: The closure to call. Unlike that of an observer, it is retained by the store
  ///   even if the result is not, so it should not retain the store.
  /// - Returns: The registration, which is needed only to cancel the rule.
  @discardableResult
  public func beforeCommit(_ rule: @escaping (ChangeSet) throws -> Void) -> any Cancellable {
    let registration = CommitRule(rule, of: self)
    commitRules.append(registration)
    fullWriteReasons += 1
    return registration
  }

  fileprivate func remove(_ rule: CommitRule) {
    commitRules.removeAll { $0 === rule }
    fullWriteReasons -= 1
  }

  /// Runs everything that may still refuse the transaction.
  func prepare() throws {
    guard let transaction else { return }
    try settle(transaction)
    if commitRules.isEmpty { return }
    var rounds = 0
    var seen = 0
    var last = ChangeSet()
    while transaction.journal.writes > seen, !commitRules.isEmpty {
      rounds += 1
      if rounds > 100 { throw EndlessChainError(participants: ["beforeCommit"]) }
      seen = transaction.journal.writes
      let change = changeSet(of: transaction)
      // A rule may have written values and restored the previous ones.
      if change.isEmpty || (rounds > 1 && change == last) { return }
      last = change
      let store = currentStore(transaction)
      // A rule may cancel itself or another one.
      for rule in commitRules {
        try store.run { try rule.check?(change) }
        try settle(transaction)
      }
    }
  }

  /// Throws the error of a refused write, sets links that waited for an object, and deletes embedded objects without an owner.
  private func settle(_ transaction: Transaction) throws {
    if let refusal = transaction.refusal { throw refusal }
    if !waitingLinks.isEmpty { setWaitingLinks(in: transaction) }
    if !transaction.embedded.isEmpty { try settleOwnership(transaction) }
  }

  func changeSet(of transaction: Transaction) -> ChangeSet {
    ChangeSet(transaction.journal.entries, origin: origin(of: transaction), in: self)
  }

  func origin(of transaction: Transaction) -> Origin? {
    transaction.origin
      ?? transaction.undone.first.map { $0.direction == .undo ? .undo : .redo }
  }

  func kind(of transaction: Transaction) -> StoreCommit.Kind {
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
    for entry in transaction.journal.entries {
      let type = type(of: entry.object)
      guard case .deleted = entry.change, table(of: type).count == 0,
        !gone.contains(where: { Swift.type(of: $0) == type })
      else { continue }
      gone.append(entry.object)
    }
    return CurrentStore(store: self, gone: gone)
  }
}

/// The registration of a closure that may refuse the commits of a store.
final class CommitRule: Cancellable {
  fileprivate(set) var check: ((ChangeSet) throws -> Void)?
  /// The store; nil once it is released.
  var store: Unretained<Store>?

  fileprivate init(_ check: @escaping (ChangeSet) throws -> Void, of store: Store) {
    self.check = check
    self.store = Unretained(store)
  }

  func cancel() {
    // Released last, because the closure may own objects that cancel the rule again.
    guard let ended = check.take() else { return }
    store?.instance.remove(self)
    withExtendedLifetime(ended) {}
  }
}
