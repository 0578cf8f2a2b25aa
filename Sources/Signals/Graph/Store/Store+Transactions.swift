// Transactions: how they begin, nest, end, and are rolled back.
//
// Order of events at the end of the outermost transaction, which `runTransaction` calls
// (Reactive/TransactionEnd.swift):
// 1. If a write was refused, its error is thrown.
// 2. Links that waited for an object of the transaction are set (WaitingLinks.swift).
// 3. Embedded objects without an owner are deleted.
// 4. The rules given to `beforeCommit` are called, and the first three steps follow each of them.
// 5. The journal is sealed and delivered (Store+Seal.swift), or everything is rolled back.
// 6. The contents of the transaction are released.
// 7. The batch that the transaction held open ends, and propagation starts.
//
// Until its end, a transaction retains everything that was removed from the graph, including the
// entries that were rolled back, so no `deinit` runs in the middle of a change. A write in such a
// `deinit` is a separate commit, after the transaction was committed or rolled back. If a callback
// wrote to several stores, all of them are sealed before anything is released.

private import CSignalsThread

extension Store {
  /// Whether no transaction is open and no callback is running, so that a write is a commit of its
  /// own.
  package var isIdle: Bool {
    transaction == nil && !isSealing && !ImplicitTransaction.isUnderWay
  }

  /// Whether no transaction is open and no property is being mutated, so that all objects can be read
  /// as they were after one commit.
  package var isWhole: Bool { transaction == nil && !signals_is_changing_property() }

  /// Runs `body` as one transaction, and then notifies observers of the changes.
  ///
  /// - If `body` throws, or a write in it was refused, everything is undone and the error is
  ///   thrown.
  /// - A `write` within a transaction, an intent or an effect is a savepoint: if it throws, only
  ///   its own changes are undone.
  /// - A commit is kept out of the undo history if all its changes were written with
  ///   `undoable: false`. An undo of an older commit leaves these changes in place.
  /// - Objects that the transaction or its rollback removed from the graph are released after it. A
  ///   write in their `deinit` is a separate commit.
  ///
  /// There is no asynchronous transaction: while `body` is suspended, other code would see half of
  /// the transaction, or would have to wait too. Await first and then write, or write between
  /// awaits, one commit each.
  ///
  /// - Parameters:
  ///   - label: The name of the undo step, as in ``UndoHistory/undoLabel``. Of several labels in
  ///     one commit the first counts. In an intent the default is the title of the button or other
  ///     element. Ignored if `undoable` is false.
  ///   - origin: The origin of the change, which observers receive. Of nested writes the outermost
  ///     one's counts.
  ///   - undoable: Whether the changes can be undone.
  ///   - body: The writes of the transaction.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `body` and of the rules given to ``beforeCommit(file:line:_:)``, and the
  ///   ``StoreError`` of a refused write. An ``EndlessChainError`` is thrown if the commit set off a
  ///   chain of commits that had to be stopped; the changes of this transaction are kept, unless
  ///   the chain was one of rules that kept writing before the commit.
  /// - Complexity: O(changes), regardless of the size of the store.
  @discardableResult
  public func write<Result>(
    label: String? = nil, origin: Origin? = nil, undoable: Bool = true,
    _ body: () throws -> Result
  ) throws -> Result {
    Node.checkMayWrite("a store")
    let label = undoable ? label : nil
    if let transaction = openTransaction() {
      return try runSavepoint(
        transaction, label: label, origin: origin, undoable: undoable, body)
    }
    let scheduler = Scheduler.current
    return try Scheduler.throwingEndlessChain(in: scheduler) {
      try runOutermost(scheduler, label: label, origin: origin, undoable: undoable, body)
    }
  }

  private func runOutermost<Result>(
    _ scheduler: SchedulerPointer, label: String?, origin: Origin?, undoable: Bool,
    _ body: () throws -> Result
  ) throws -> Result {
    let transaction = begin()
    scheduler.pointee.openWrites += 1
    let stateSet = scheduler.pointee.reversals.count
    return try runTransaction {
      try runSavepoint(transaction, label: label, origin: origin, undoable: undoable, body)
    } prepare: {
      try prepare(reaching: .commit)
    } seal: {
      scheduler.pointee.openWrites -= 1
      seal()
      // A `write` of another store around this one may still fail.
      if scheduler.pointee.openWrites == 0 { Reversals.drop(downTo: stateSet) }
    } rollBack: {
      scheduler.pointee.openWrites -= 1
      abandon()
      Reversals.run(downTo: stateSet)
    } end: {
      end(transaction)
    }
  }

  /// Runs a change that can't throw to its caller, in the open transaction or in a new one.
  ///
  /// In an open transaction, a refused change makes the innermost savepoint throw. Otherwise
  /// `onRefusal` is called.
  func mutate(_ change: (Transaction) throws -> Void) {
    if let transaction = openTransaction() {
      do {
        if let faults { try faults.reach(.implicitWrite) }
        try change(transaction)
      } catch {
        if transaction.refusal == nil { transaction.refusal = error }
      }
      return
    }
    do { try commit(change) } catch { onRefusal(error) }
  }

  /// Runs a change in the open transaction or in a new one, and throws the error if it is refused.
  func mutateThrowing(_ change: (Transaction) throws -> Void) throws {
    Node.checkMayWrite("a store")
    if let faults { try faults.reach(.change) }
    if let transaction = openTransaction() {
      try change(transaction)
    } else {
      try commit(change)
    }
  }

  /// Records the write of a plain field in the open transaction or in a new one, and marks the live
  /// queries that may depend on the field; the caller stores the value.
  ///
  /// The write can't be refused here, so no closure is needed, and the caller is specialized code.
  ///
  /// - Returns: Whether a transaction was opened for this write alone, to be ended by
  ///   `commitFieldWrite()`.
  @usableFromInline
  func record(_ object: Object, in table: ObjectTable, at offset: Int, old: Any) -> Bool {
    let isOwn: Bool
    if let transaction {
      // Not retained: no user code runs while the value is recorded. `Unretained` isn't enough here.
      unsafe Unmanaged.passUnretained(transaction)._withUnsafeGuaranteedRef {
        _ = $0.journal.save(object, at: offset, old: old)
      }
      isOwn = false
    } else {
      let joined = openTransaction()
      (joined ?? begin()).journal.save(object, at: offset, old: old)
      isOwn = joined == nil
    }
    table.markQueries(of: object, at: offset)
    return isOwn
  }

  /// Commits the transaction that was opened for the write of a field.
  ///
  /// The caller retains the store: code that runs before or after the commit may release the last
  /// other reference.
  @usableFromInline
  func commitFieldWrite() {
    guard let transaction else { return }
    // The value that is written differs from the old one, unless a rule restores it. Asked first,
    // because a rule may restore it and cancel itself.
    let differs = commitRules.isEmpty
    do {
      try runTransaction {
      } prepare: {
        try prepare(reaching: .ownCommit)
      } seal: {
        seal(differs: differs)
      } rollBack: {
        abandon()
      } end: {
        end(transaction)
      }
    } catch {
      onRefusal(error)
    }
  }

  /// Runs a change as a transaction.
  private func commit(_ change: (Transaction) throws -> Void) throws {
    let transaction = begin()
    try runTransaction {
      try change(transaction)
    } prepare: {
      try prepare(reaching: .ownCommit)
    } seal: {
      seal()
    } rollBack: {
      abandon()
    } end: {
      end(transaction)
    }
  }

  /// Runs everything that may still refuse the transaction, with the point where tests make it
  /// fail.
  @inline(__always)
  func prepare(reaching point: FaultPoints.Point) throws {
    if keepsSteps { nameByRun(at: point) }
    try prepare()
    if let faults { try faults.reach(point) }
  }

  @inline(never)
  private func trapWriteInSeal() -> Never {
    trap(
      """
      a store must not be written to while one of its transactions ends or its values are encoded: what \
      compares, hashes or encodes a value, a `deinit` in that, or an observer of commits has written
      """)
  }

  func begin() -> Transaction {
    if isSealing { trapWriteInSeal() }
    Scheduler.current.pointee.depth += 1
    fullWriteReasons += 1
    let new = spare.take() ?? Transaction()
    transaction = new
    return new
  }

  /// Releases the contents of a sealed or rolled-back transaction, keeps its memory for the next
  /// one, and ends its batch.
  func end(_ transaction: Transaction) {
    if !originFilters.isEmpty { skip(origin(of: transaction)) }
    if transaction.isAbandoned { transaction.didRollBack(to: 0) }
    if !queriesToRelease.isEmpty { releaseRemovedObjects() }
    // The common case. The last value is released after the transaction was reset and stored as
    // `spare`, because the store may be released with it.
    if transaction.journal.entries.count + transaction.evicted.count <= 1,
      transaction.hasNothingToRelease
    {
      if transaction.evicted.isEmpty {
        let entry = transaction.journal.popLast()
        if transaction.reset() { spare = transaction }
        Scheduler.release(of: consume entry)
      } else {
        let evicted = transaction.evicted.removeLast()
        if transaction.reset() { spare = transaction }
        Scheduler.release(of: consume evicted)
      }
      return Scheduler.endBatch()
    }
    let scheduler = Scheduler.current
    if scheduler.pointee.isReleasing {
      Scheduler.deferRelease(transaction)
    } else {
      withExtendedLifetime(self) {
        let release = Scheduler.beginRelease(in: scheduler)
        let isSmall = transaction.reset()
        Scheduler.endRelease(release, in: scheduler)
        if isSmall { spare = transaction }
      }
    }
    Scheduler.endBatch()
  }

  /// Releases the objects that the transaction has removed from queries that nothing observes.
  @inline(never)
  private func releaseRemovedObjects() {
    // A condition may read a property that is in the middle of a change; the end of that is near.
    if !isWhole { return }
    Scheduler.releasing {
      while let query = queriesToRelease.popLast() { query.releaseRemovedObjects() }
    }
  }

  /// Gives the undo step of a transaction a label, unless it has one.
  ///
  /// Writes in the clock are part of the transaction.
  func name(_ transaction: Transaction, label: String) {
    guard transaction.label == nil, keeps(transaction) else { return }
    transaction.label = StepLabel(text: label, date: Node.withoutReader(now))
  }

  /// Gives the undo step of an async intent's commit the label of the intent, unless it has one.
  private func nameByRun(at point: FaultPoints.Point) {
    switch point {
    case .commit, .ownCommit: break
    default: return
    }
    guard let transaction, transaction.isUndoable, let label = AsyncRunContext.currentLabel
    else { return }
    name(transaction, label: label)
  }

  /// Rolls back the open transaction and closes it.
  func abandon() {
    guard let transaction else { return }
    transaction.dropAfterCommitActions(downTo: 0)
    rollBack(transaction, to: 0)
    putBackUndone(transaction, downTo: 0)
    transaction.isAbandoned = true
    self.transaction = nil
    fullWriteReasons -= 1
    if !originFilters.isEmpty { originFilters.removeAll() }
  }
}
