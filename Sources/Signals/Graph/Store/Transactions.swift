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

/// Where a change came from: a name that observers can tell their own changes by.
public struct Origin: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name given to the origin.
  public let name: String

  /// Creates an origin.
  public init(_ name: String) { self.name = name }

  /// Creates an origin from a literal.
  public init(stringLiteral name: String) { self.name = name }

  /// How messages show it.
  public var description: String { name }
}

/// The open transaction of a store.
@usableFromInline
final class Transaction {
  // Unchecked, because each commit passes here: no user code runs within an access, as what is replaced in one is
  // nothing of the user's, or is held elsewhere; and what `reset` releases nobody reaches any more.
  @safe @exclusivity(unchecked) var log = TransactionLog()
  /// The step that the history of the store has dropped for this one.
  @safe @exclusivity(unchecked) var evicted: ContiguousArray<UndoStep> = []
  /// What was undone in it.
  @safe @exclusivity(unchecked)
  fileprivate var undoneRecords: ContiguousArray<TransactionLog.Record> = []
  /// What else was taken out of the graph.
  @safe @exclusivity(unchecked) private var left: [Any] = []
  /// Whether all of it was undone.
  @safe @exclusivity(unchecked) fileprivate var isAbandoned = false
  /// The first write that was refused since the innermost savepoint.
  @safe @exclusivity(unchecked) var refusal: (any Error)?
  /// What the first `write` that named one gave.
  @safe @exclusivity(unchecked) var origin: Origin?
  /// The steps that it took off histories; see Undoing.swift.
  @safe @exclusivity(unchecked) var undone: [TakenStep] = []
  /// What `UndoHistory.coalescing(_:_:)` named it.
  @safe @exclusivity(unchecked) var coalescingKey: String?
  /// How many records are of writes that are not to be undone.
  @safe @exclusivity(unchecked) var notUndoable = 0
  /// The embedded objects whose ownership it touched; Embedding.swift looks at them at the end.
  @safe @exclusivity(unchecked) var embedded: [Object] = []
  /// Observers that may not want to be told of it; SkippingOrigins.swift.
  @safe @exclusivity(unchecked) var skippers: [SkipperReference] = []

  /// What has to be put right if what was logged so far is undone, oldest first.
  @safe @exclusivity(unchecked) private var onRollBack: [(records: Int, action: () -> Void)] = []

  /// Calls `action` if what was logged so far is undone.
  func ifRolledBack(_ action: @escaping () -> Void) {
    onRollBack.append((log.records.count, action))
  }

  /// Keeps a value that nothing else may have, until the transaction has ended.
  func leave(_ value: Any) { left.append(value) }

  /// Calls what depends on more than so many records.
  fileprivate func didRollBack(to records: Int) {
    while let last = onRollBack.last, last.records > records { onRollBack.removeLast().action() }
  }

  /// Whether there is nothing in it whose release could run code.
  fileprivate var isSpent: Bool {
    left.isEmpty && undoneRecords.isEmpty && undone.isEmpty && embedded.isEmpty
      && onRollBack.isEmpty && refusal == nil
  }

  /// Makes it a new transaction, and releases what it has; the answer is whether its memory is worth keeping.
  func reset() -> Bool {
    refusal = nil
    origin = nil
    if coalescingKey != nil { coalescingKey = nil }
    if !skippers.isEmpty { skippers.removeAll() }
    isAbandoned = false
    notUndoable = 0
    if !evicted.isEmpty { evicted.removeAll() }
    if !undone.isEmpty { undone.removeAll() }
    if !embedded.isEmpty { embedded.removeAll() }
    if !onRollBack.isEmpty { onRollBack.removeAll() }
    if !undoneRecords.isEmpty { undoneRecords.removeAll() }
    if !left.isEmpty { left.removeAll() }
    return log.reset()
  }

  var isUndo: Bool { !undone.isEmpty }

  /// Whether it belongs into the undo history: not if all that it did is an undo, or a load.
  var isUndoable: Bool { !isUndo && log.records.count > notUndoable }
}

/// What the write of a field has to take care of.
@usableFromInline
enum WriteAttention {
  /// Nobody could see, refuse or undo it, no transaction is under way, and who runs may write.
  case none
  /// Nobody could see or refuse it, but it can be undone: a commit of its own, without a transaction.
  case undo
  /// It belongs into a transaction.
  case full
}

/// What is left to be done when a field was written in a transaction.
@usableFromInline
enum FieldWriteFollowUp {
  case nothing
  /// Live queries are told.
  case notice
  /// The transaction is the write's own, and ends.
  case commit
}

extension Store {
  /// Runs `body` as one transaction, and then tells whoever observes what changed.
  ///
  /// - If `body` throws, or a write in it was refused, everything is undone and the error is thrown.
  /// - A `write` within a transaction, an intent or an effect is a savepoint: its own changes are
  ///   undone if it throws.
  /// - `origin` is told to observers; of nested ones the outermost counts. A commit is kept out of the
  ///   undo history if all its changes are of writes with `undoable: false`; an undo of what was before leaves it.
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
    origin: Origin? = nil, undoable: Bool = true, _ body: () throws -> Result
  ) throws -> Result {
    Node.checkMayWrite("a store")
    if let transaction = openTransaction() {
      return try runSavepoint(transaction, origin, undoable, body)
    }
    let turn = unsafe Turn.current
    unsafe turn.pointee.reportsTo += 1
    defer { unsafe turn.pointee.reportsTo -= 1 }
    let transaction = begin()
    let result: Result
    do {
      result = try runSavepoint(transaction, origin, undoable, body)
      try prepare()
      if let faults { try faults.reach(.commit) }
    } catch {
      abandon()
      end(transaction)
      throw error
    }
    seal()
    end(transaction)
    unsafe try turn.pointee.throwEndlessChain()
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
    guard transaction == nil, followers == 0, beforeCommit == nil, faults == nil,
      !commitObservers.isObserved
    else { return .full }
    if keepers == 0 { return .none }
    return histories.isEmpty && !history.needsWholeCommits ? .undo : .full
  }

  /// Begins the write of a plain field, whose value the caller stores where it is; the answer is whether
  /// the transaction is its own.
  ///
  /// Nothing can be refused here, so that no closure is needed, and the caller is specialised code.
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

  private func begin() -> Transaction {
    unsafe Turn.current.pointee.depth += 1
    let new = spare.take() ?? Transaction()
    transaction = new
    return new
  }

  /// Releases what a transaction has that is sealed or undone, keeps its memory for the next, and ends its batch.
  private func end(_ transaction: Transaction) {
    if transaction.isAbandoned { transaction.didRollBack(to: 0) }
    // As most are: nothing of it is touched when the last of what it has goes, and with that, maybe, the store.
    if transaction.log.records.count + transaction.evicted.count <= 1, transaction.isSpent {
      if transaction.evicted.isEmpty {
        var record = transaction.log.popLast()
        if transaction.reset() { spare = transaction }
        Turn.letGo(of: &record)
      } else {
        var evicted = transaction.evicted.popLast()
        if transaction.reset() { spare = transaction }
        Turn.letGo(of: &evicted)
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
    _ transaction: Transaction, _ origin: Origin?, _ undoable: Bool, _ body: () throws -> Result
  ) throws -> Result {
    let outer = (
      savepoint: transaction.log.savepoint, refusal: transaction.refusal,
      origin: transaction.origin, undone: transaction.undone.count,
      notUndoable: transaction.notUndoable
    )
    let start = transaction.log.records.count
    transaction.log.savepoint = start
    transaction.refusal = nil
    if transaction.origin == nil { transaction.origin = origin }
    defer {
      transaction.log.savepoint = outer.savepoint
      transaction.refusal = outer.refusal
    }
    do {
      let result = try body()
      if let refusal = transaction.refusal { throw refusal }
      if let faults { try faults.reach(.writeEnd) }
      if !undoable {
        transaction.notUndoable = outer.notUndoable + transaction.log.records.count - start
      }
      return result
    } catch {
      rollBack(transaction, to: start)
      transaction.origin = outer.origin
      transaction.notUndoable = outer.notUndoable
      putBackUndone(transaction, downTo: outer.undone)
      transaction.didRollBack(to: start)
      throw error
    }
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
    rollBack(transaction, to: 0)
    putBackUndone(transaction, downTo: 0)
    transaction.isAbandoned = true
    self.transaction = nil
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
    defer { transaction.log.close() }
    if !transaction.skippers.isEmpty, let origin = origin(of: transaction) {
      transaction.skip(origin)
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
  private func openTransaction() -> Transaction? {
    if let transaction = transaction { return transaction }
    return Callback.join(self) ? begin() : nil
  }

  func prepareCallback(isReaction: Bool) throws {
    try prepare()
    if let faults { try faults.reach(isReaction ? .reactionCommit : .intentCommit) }
  }

  func sealCallback() {
    ended = transaction
    seal()
  }

  func rollBackCallback() {
    ended = transaction
    abandon()
  }

  func endCallback() { if let transaction = ended.take() { end(transaction) } }

  func refuse(_ error: any Error) { onRefusal(error) }
}
