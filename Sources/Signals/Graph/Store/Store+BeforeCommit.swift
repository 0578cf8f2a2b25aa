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
  ///   order of registration. If one of them writes, the others are called again, each with the
  ///   changes since its last call, until none is left. A rule isn't called for its own writes, but for deletions of embedded
  ///   objects that follow from them.
  ///   Rules that write because of each other's writes never end: after 100 rounds the commit fails
  ///   with an ``EndlessChainError`` that names them.
  /// - Its writes belong to the commit and to its undo step.
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
  /// - Parameters:
  ///   - file: The file of the call, for errors; leave it to the compiler.
  ///   - line: The line of the call, for errors; leave it to the compiler.
  ///   - rule: The closure to call. Unlike that of an observer, it is retained by the store even if
  ///     the result is not, so it should not retain the store.
  /// - Returns: The registration, which is needed only to cancel the rule.
  @discardableResult
  public func beforeCommit(
    file: StaticString = #fileID, line: UInt = #line,
    _ rule: @escaping (ChangeSet) throws -> Void
  ) -> any Cancellable {
    let registration = CommitRule(rule, of: self, name: "beforeCommit at \(file):\(line)")
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
    transaction.entriesBeforeRules = transaction.journal.entries.count
    for rule in commitRules { rule.seenEntries = 0 }
    var called: [String] = []
    for _ in 0..<100 {
      called = try callRules(transaction)
      let entries = transaction.journal.entries.count
      if commitRules.allSatisfy({ $0.seenEntries == entries }) { return }
    }
    throw EndlessChainError(participants: called)
  }

  /// Calls each rule for which there are changes since its last call.
  ///
  /// - Returns: The names of the rules that were called.
  private func callRules(_ transaction: Transaction) throws -> [String] {
    var called: [String] = []
    var last: (entries: Range<Int>, change: ChangeSet)?
    // A rule may cancel itself or another one.
    for rule in commitRules {
      let entries = rule.seenEntries..<transaction.journal.entries.count
      guard let check = rule.check, !entries.isEmpty else { continue }
      let change: ChangeSet
      if let last, last.entries == entries {
        change = last.change
      } else {
        change = changeSet(of: transaction, from: entries.lowerBound)
        last = (entries, change)
      }
      // Values may have been written and restored.
      if !change.isEmpty {
        called.append(rule.name)
        let store = currentStore(transaction)
        try writeApart(transaction) { try store.run { try check(change) } }
      }
      rule.seenEntries = transaction.journal.entries.count
      // Deletions that follow from the rule's writes are new to it, too.
      try writeApart(transaction) { try settle(transaction) }
    }
    return called
  }

  /// Runs writes that get entries of their own, also for properties that were written before, so
  /// that they are new to the rules that were called before.
  private func writeApart(_ transaction: Transaction, _ body: () throws -> Void) throws {
    let savepoint = transaction.journal.savepoint
    transaction.journal.savepoint = transaction.journal.entries.count
    defer { transaction.journal.savepoint = savepoint }
    try body()
  }

  /// Throws the error of a refused write, sets links that waited for an object, and deletes embedded objects without an owner.
  private func settle(_ transaction: Transaction) throws {
    if let refusal = transaction.refusal { throw refusal }
    if !waitingLinks.isEmpty { setWaitingLinks(in: transaction) }
    if !transaction.embedded.isEmpty { try settleOwnership(transaction) }
  }

  /// The net changes of the open transaction since the entry at an index.
  func changeSet(of transaction: Transaction, from start: Int = 0) -> ChangeSet {
    ChangeSet(transaction.journal, from: start, origin: origin(of: transaction), in: self)
  }

  /// Runs writes as a part of the open transaction.
  ///
  /// - Returns: Their net changes.
  package func netChanges(of body: () throws -> Void) throws -> ChangeSet {
    let start = transaction?.journal.entries.count ?? 0
    // A savepoint, so that the old values are those before `body`.
    return try write {
      try body()
      return transaction.map { changeSet(of: $0, from: start) } ?? ChangeSet()
    }
  }

  func origin(of transaction: Transaction) -> Origin? {
    transaction.origin
      ?? transaction.undone.first.map { $0.direction == .undo ? .undo : .redo }
  }

  func kind(of transaction: Transaction) -> StoreCommit.Kind {
    // The undo of another history is a commit that this one records.
    guard let taken = transaction.undone.first, taken.history === history else {
      return transaction.isUndoable ? .undoable : .notUndoable
    }
    guard transaction.undone.count == 1 else { return .notUndoable }
    return taken.direction == .undo ? .undo : .redo
  }

  /// This store, for the receivers of a transaction's change set, with one deleted object of each
  /// class that has no stored objects left.
  func currentStore(_ transaction: Transaction) -> CurrentStore {
    var gone: [Object] = []
    for entry in transaction.journal.entries where !entry.isOfProperty {
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
  /// The place where the rule was registered, for errors.
  let name: String
  /// The number of entries of the open transaction's journal at the end of the last call.
  fileprivate var seenEntries = 0
  /// The store; nil once it is released.
  var store: Unretained<Store>?

  fileprivate init(
    _ check: @escaping (ChangeSet) throws -> Void, of store: Store, name: String
  ) {
    self.check = check
    self.name = name
    self.store = Unretained(store)
  }

  func cancel() {
    // Released last, because the closure may own objects that cancel the rule again.
    let ended = check.take()
    guard ended != nil else { return }
    store?.instance.remove(self)
    Disposal.release(consume ended)
  }
}
