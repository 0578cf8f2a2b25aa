// Transactions: how they begin, nest, end, and are undone.
//
// Order of events at the end of the outermost one: a refused write throws; embedded objects without an
// owner are deleted; `beforeCommit`; the log is sealed (undo history, queries' modified rows, change set), or all
// of it is undone; what the transaction held is released; the batch that it held open ends, and with it
// propagation starts.
//
// A transaction holds all that was taken out of the graph until then, also what was undone in it: no `deinit`
// runs in the middle of a change. What one writes is a commit of its own, after that of the transaction, or
// after all of it was undone. Of several stores in one callback every one is sealed before anything is released.

extension Store {
  /// Runs `body` as one transaction, and then tells whoever observes what changed.
  ///
  /// - If `body` throws, or a write in it was refused, everything is undone and the error is thrown.
  /// - A `write` within a transaction, an intent or an effect is a savepoint: its own changes are
  ///   undone if it throws.
  /// - `origin` is told to observers; of nested ones the outermost counts. A commit is kept out of the
  ///   undo history if all its changes are of writes with `undoable: false`; an undo of what was before leaves it.
  /// - `label` is what ``undoLabel`` calls the step; of several in one commit the first counts. In an intent the title of
  ///   the button, or other element, is the default.
  /// - Objects that it took out of the graph, or that its failure did, end after it: what a `deinit` writes then is a
  ///   commit of its own.
  ///
  /// There is no asynchronous transaction: while `body` waited, others would see half of it, or have to
  /// wait too. Await first and then write, or write between awaits, one commit each.
  ///
  /// Costs O(changes), whatever the size of the store. Throws, besides what `body` and `beforeCommit`
  /// throw, the ``StoreError`` of a refused write. An ``EndlessChainError`` is no failure of this
  /// transaction: it stands, and what it set off was stopped.
  @discardableResult
  public func write<Result>(
    label: String? = nil, origin: Origin? = nil, undoable: Bool = true,
    _ body: () throws -> Result
  ) throws -> Result {
    Node.checkMayWrite("a store")
    let label = undoable ? label : nil
    if let transaction = openTransaction() {
      return try runSavepoint(transaction, label, origin, undoable, body)
    }
    let turn = unsafe Turn.current
    unsafe turn.pointee.reportsTo += 1
    defer { unsafe turn.pointee.reportsTo -= 1 }
    let result = unsafe try runOutermost(turn, label, origin, undoable, body)
    unsafe try turn.pointee.throwEndlessChain()
    return result
  }

  private func runOutermost<Result>(
    _ turn: UnsafeMutablePointer<Turn>, _ label: String?, _ origin: Origin?, _ undoable: Bool,
    _ body: () throws -> Result
  ) throws -> Result {
    let transaction = begin()
    unsafe turn.pointee.openWrites += 1
    let stateSet = unsafe turn.pointee.reversals.count
    let result: Result
    do {
      result = try runSavepoint(transaction, label, origin, undoable, body)
      try prepare()
      if let faults { try faults.reach(.commit) }
    } catch {
      unsafe turn.pointee.openWrites -= 1
      abandon()
      Reversals.run(downTo: stateSet)
      end(transaction)
      throw error
    }
    unsafe turn.pointee.openWrites -= 1
    seal()
    // Another store's `write` around this one may still fail.
    if unsafe turn.pointee.openWrites == 0 { Reversals.drop(downTo: stateSet) }
    end(transaction)
    return result
  }

  /// Runs one implicit change: in the transaction under way, or as one of its own.
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

  /// Runs one explicit change likewise, and throws what refused it.
  func mutateThrowing(_ change: (Transaction) throws -> Void) throws {
    Node.checkMayWrite("a store")
    if let faults { try faults.reach(.change) }
    if let transaction = openTransaction() {
      try change(transaction)
    } else {
      try commit(change)
    }
  }

  /// What the write of a field that nobody reads has to take care of.
  var attention: WriteAttention {
    if Node.isPure { return .full }
    if unsafe Turn.present?.pointee.callback ?? Callback.none >= 0 { return .full }
    guard transaction == nil, !isSealing, followers == 0, beforeCommit == nil, faults == nil,
      !commitObservers.isObserved
    else { return .full }
    if keepers == 0 { return .none }
    return histories.isEmpty && !history.needsWholeCommits ? .undo : .full
  }

  /// Begins the write of a plain field, whose value the caller stores where it is; the answer is whether
  /// the transaction is its own.
  ///
  /// Nothing can be refused here, so that no closure is needed, and the caller is specialized code.
  func beginFieldWrite(_ object: Object, _ offset: Int, _ old: Any) -> Bool {
    if let transaction {
      // Not retained: nothing of the user's runs while it is logged.
      unsafe Unmanaged.passUnretained(transaction)._withUnsafeGuaranteedRef {
        _ = $0.log.save(object, offset, old)
      }
      return false
    }
    let joined = openTransaction()
    (joined ?? begin()).log.save(object, offset, old)
    return joined == nil
  }

  /// Ends it, if the transaction is its own.
  func commitFieldWrite() {
    guard let transaction else { return }
    do {
      try prepare()
      if let faults { try faults.reach(.ownCommit) }
    } catch {
      abandon()
      end(transaction)
      onRefusal(error)
      return
    }
    seal(differs: beforeCommit == nil)
    end(transaction)
  }

  private func commit(_ change: (Transaction) throws -> Void) throws {
    let transaction = begin()
    do {
      try change(transaction)
      try prepare()
      if let faults { try faults.reach(.ownCommit) }
    } catch {
      abandon()
      end(transaction)
      throw error
    }
    seal()
    end(transaction)
  }

  @inline(never)
  private func trapWriteInSeal() -> Never {
    trap(
      """
      a store must not be written to while one of its transactions ends: what compares or hashes a value, \
      or a `deinit` in that, has written
      """)
  }

  private func begin() -> Transaction {
    if isSealing { trapWriteInSeal() }
    unsafe Turn.current.pointee.depth += 1
    let new = spare.take() ?? Transaction()
    transaction = new
    return new
  }

  /// Releases what a transaction has that is sealed or undone, keeps its memory for the next, and ends its batch.
  private func end(_ transaction: Transaction) {
    if !skippers.isEmpty { skip(origin(of: transaction)) }
    if transaction.isAbandoned { transaction.didRollBack(to: 0) }
    // As most are: nothing of it is touched when the last of what it has goes, and with that, maybe, the store.
    if transaction.log.records.count + transaction.evicted.count <= 1, transaction.isSpent {
      if transaction.evicted.isEmpty {
        let record = transaction.log.popLast()
        if transaction.reset() { spare = transaction }
        Turn.letGo(of: consume record)
      } else {
        let evicted = transaction.evicted.removeLast()
        if transaction.reset() { spare = transaction }
        Turn.letGo(of: consume evicted)
      }
      return Turn.endBatch()
    }
    let turn = unsafe Turn.current
    if unsafe turn.pointee.isLettingGo {
      Turn.leave(transaction)
    } else {
      withExtendedLifetime(self) {
        let release = unsafe Turn.beginLettingGo(turn)
        let isSmall = transaction.reset()
        unsafe Turn.endLettingGo(turn, release)
        if isSmall { spare = transaction }
      }
    }
    Turn.endBatch()
  }

  private func runSavepoint<Result>(
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

  /// Gives the step that a transaction will be a label, unless it has one.
  ///
  /// What the clock writes is a part of the transaction.
  private func name(_ transaction: Transaction, _ label: String) {
    guard transaction.label == nil, keepers > 0 else { return }
    transaction.label = StepLabel(text: label, date: Node.withoutReader(now))
  }

  /// Runs what may still refuse the transaction.
  private func prepare() throws {
    guard let transaction = transaction else { return }
    if let refusal = transaction.refusal { throw refusal }
    if !transaction.embedded.isEmpty { try settleOwnership(transaction) }
    if beforeCommit == nil { return }
    var rounds = 0
    var seen = 0
    var last = ChangeSet()
    // The hook may take itself away.
    while transaction.log.writes > seen, let beforeCommit {
      rounds += 1
      if rounds > 100 { throw EndlessChainError(participants: ["beforeCommit"]) }
      seen = transaction.log.writes
      let change = changeSet(of: transaction)
      // It may have written and come back to where it was.
      if change.isEmpty || (rounds > 1 && change == last) { return }
      last = change
      try storeAtHand(transaction).run { try beforeCommit(change) }
      if let refusal = transaction.refusal { throw refusal }
      if !transaction.embedded.isEmpty { try settleOwnership(transaction) }
    }
  }

  private func changeSet(of transaction: Transaction) -> ChangeSet {
    ChangeSet(transaction.log.records, origin: origin(of: transaction), self)
  }

  private func origin(of transaction: Transaction) -> Origin? {
    transaction.origin
      ?? transaction.undone.first.map { $0.direction == .undo ? .undo : .redo }
  }

  private func kind(of transaction: Transaction) -> CommitKind {
    guard let taken = transaction.undone.first else {
      return transaction.isUndoable ? .undoable : .notUndoable
    }
    guard transaction.undone.count == 1, taken.history === history else { return .notUndoable }
    return taken.direction == .undo ? .undo : .redo
  }

  /// This store, for whoever is given the change set of a transaction.
  private func storeAtHand(_ transaction: Transaction) -> StoreAtHand {
    var gone: [Object] = []
    for record in transaction.log.records {
      let type = type(of: record.object)
      guard case .deleted = record.change, extent(of: type).count == 0,
        !gone.contains(where: { Swift.type(of: $0) == type })
      else { continue }
      gone.append(record.object)
    }
    return StoreAtHand(store: self, gone: gone)
  }

  /// Undoes the open transaction and closes it.
  private func abandon() {
    guard let transaction = transaction else { return }
    transaction.dropFollowing(downTo: 0)
    rollBack(transaction, to: 0)
    putBackUndone(transaction, downTo: 0)
    transaction.isAbandoned = true
    self.transaction = nil
    if !skippers.isEmpty { skippers.removeAll() }
  }

  private func rollBack(_ transaction: Transaction, to start: Int) {
    if let refusal = transaction.refusal.take() { transaction.leave(refusal) }
    takeBack(transaction, to: start, revert)
  }

  /// Takes what was logged since a place back, the latest first; the transaction holds what goes with it.
  func takeBack(
    _ transaction: Transaction, to start: Int, _ revert: (TransactionLog.Record) -> Void
  ) {
    while transaction.log.records.count > start {
      let record = transaction.log.removeLast()
      transaction.undoneRecords.append(record)
      revert(record)
    }
  }

  /// Makes the open transaction final; `differs` says that what it wrote is known to be no old value.
  private func seal(differs: Bool = false) {
    guard let transaction = transaction else { return }
    self.transaction = nil
    if !transaction.toFollow.isEmpty { transaction.enqueueFollowing(in: self) }
    isSealing = true
    defer {
      transaction.log.close()
      isSealing = false
    }
    if transaction.isUndo { turnUndone(transaction) }
    let isKept = keepers > 0 && transaction.isUndoable
    // What is not to be undone, which an undo of something older leaves as it is.
    let isOthers = keepers > 0 && !isKept && !transaction.isUndo
    let isObserved = commitObservers.isObserved
    guard !transaction.log.isEmpty, watches > 0 || isObserved || isKept || isOthers else { return }
    if watches > 0 {
      let net = NetChanges(transaction.log.records)
      if net.isEmpty { return }
      for object in net.modified {
        let old = OldValues(of: object, in: transaction.log.records)
        unsafe object.extent?.didModify(object, old)
      }
    } else if !differs, !NetChanges.areAny(in: transaction.log.records) {
      return
    }
    if isObserved {
      let change = changeSet(of: transaction)
      // An instance that took the place of an equal one of its id is no change.
      if !change.isEmpty {
        commitObservers.send(change, kind(of: transaction), from: storeAtHand(transaction))
      }
    }
    if isKept { keepUndoable(transaction) }
    if isOthers { noteOthers(transaction) }
  }
}

// MARK: - Callbacks

extension Store: CallbackParticipant {
  /// The transaction under way, or one that ends with the intent, effect or observer under way.
  func openTransaction() -> Transaction? {
    if let transaction = transaction { return transaction }
    return Callback.join(self) ? begin() : nil
  }

  func prepareCallback(isReaction: Bool) throws {
    if let label = unsafe Turn.current.pointee.intentLabel, let transaction,
      transaction.isUndoable
    {
      name(transaction, label)
    }
    try prepare()
    if let faults { try faults.reach(isReaction ? .reactionCommit : .intentCommit) }
  }

  func sealCallback() {
    keepUntilEnd()
    seal()
  }

  func rollBackCallback() {
    keepUntilEnd()
    abandon()
  }

  func endCallback() { end(ended.removeLast()) }

  /// Keeps the transaction for the end of its callback.
  private func keepUntilEnd() {
    guard let transaction else { trap("a store has joined a callback without a transaction") }
    ended.append(transaction)
  }

  func refuse(_ error: any Error) { onRefusal(error) }
}
