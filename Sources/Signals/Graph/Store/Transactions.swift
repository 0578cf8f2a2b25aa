// Transactions: how they begin, nest, end, and are undone.
//
// Order of events at the end of the outermost one: a refused write throws; `beforeCommit`; the log is
// sealed (undo history, queries' modified rows, change set); the batch that the transaction held open
// ends, and with it propagation starts.

/// Where a change came from: a name that observers can tell their own changes by.
public struct Origin: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name given to the origin.
  public let name: String

  /// Creates an origin.
  public init(_ name: String) { self.name = name }

  /// Creates an origin from a literal.
  public init(stringLiteral name: String) { self.name = name }

  /// What `undo()` does.
  public static let undo: Origin = "undo"

  public var description: String { name }
}

/// The open transaction of a store.
final class Transaction {
  var log = TransactionLog()
  /// The first write that was refused since the innermost savepoint.
  var refusal: (any Error)?
  let origin: Origin?
  let isUndoable: Bool
  /// The objects deleted in it stay alive in the log; those reached again are found here.
  var undone: UndoEntry?

  init(origin: Origin? = nil, isUndoable: Bool = true) {
    self.origin = origin
    self.isUndoable = isUndoable
  }
}

extension Store {
  /// Runs `body` as one transaction, and then tells whoever observes what changed.
  ///
  /// - If `body` throws, or a write in it was refused, everything is undone and the error is thrown.
  /// - A `write` within a transaction is a savepoint: its own changes are undone if it throws.
  /// - `origin` is told to observers; `undoable: false` keeps the commit out of the undo history.
  ///
  /// Costs O(changes), whatever the size of the store.
  @discardableResult
  public func write<Result>(
    origin: Origin? = nil, undoable: Bool = true, _ body: () throws -> Result
  ) throws -> Result {
    Node.checkMayWrite("a store")
    if transaction != nil || joinCallback() { return try runSavepoint(body) }
    let turn = unsafe Turn.current
    unsafe turn.pointee.reportsTo += 1
    defer { unsafe turn.pointee.reportsTo -= 1 }
    begin(Transaction(origin: origin, isUndoable: undoable))
    let result: Result
    do {
      result = try body()
      try prepare()
    } catch {
      abandon()
      throw error
    }
    seal()
    Turn.endBatch()
    unsafe try turn.pointee.throwEndlessChain()
    return result
  }

  /// Runs one implicit change: in the transaction under way, or as one of its own.
  func mutate(_ change: (Transaction) throws -> Void) {
    if transaction != nil || joinCallback(), let transaction {
      do { try change(transaction) } catch {
        if transaction.refusal == nil { transaction.refusal = error }
      }
      return
    }
    do { try commit(change) } catch { onRefusal(error) }
  }

  /// Runs one explicit change likewise, and throws what refused it.
  func mutateThrowing(_ change: (Transaction) throws -> Void) throws {
    Node.checkMayWrite("a store")
    if transaction != nil || joinCallback(), let transaction {
      try change(transaction)
    } else {
      try commit(change)
    }
  }

  private func commit(_ change: (Transaction) throws -> Void) throws {
    let transaction = Transaction()
    begin(transaction)
    do {
      try change(transaction)
      try prepare()
    } catch {
      abandon()
      throw error
    }
    seal()
    Turn.endBatch()
  }

  private func begin(_ new: Transaction) {
    unsafe Turn.current.pointee.depth += 1
    transaction = new
  }

  private func runSavepoint<Result>(_ body: () throws -> Result) throws -> Result {
    guard let transaction else { return try body() }
    let outer = (savepoint: transaction.log.savepoint, refusal: transaction.refusal)
    transaction.log.savepoint = transaction.log.records.count
    transaction.refusal = nil
    defer {
      transaction.log.savepoint = outer.savepoint
      transaction.refusal = outer.refusal
    }
    do {
      let result = try body()
      if let refusal = transaction.refusal { throw refusal }
      return result
    } catch {
      rollBack(to: transaction.log.savepoint)
      throw error
    }
  }

  /// Runs what may still refuse the transaction.
  private func prepare() throws {
    guard let transaction else { return }
    if let refusal = transaction.refusal { throw refusal }
    guard let beforeCommit else { return }
    var rounds = 0
    var seen = 0
    while transaction.log.records.count > seen {
      rounds += 1
      if rounds > 100 { throw EndlessChainError(participants: ["beforeCommit"]) }
      seen = transaction.log.records.count
      try beforeCommit(ChangeSet(transaction.log.records, origin: transaction.origin))
      if let refusal = transaction.refusal { throw refusal }
    }
  }

  /// Undoes the open transaction and closes it.
  private func abandon() {
    rollBack(to: 0)
    transaction = nil
    Turn.endBatch()
  }

  private func rollBack(to start: Int) {
    guard let transaction else { return }
    transaction.refusal = nil
    while transaction.log.records.count > start { revert(transaction.log.removeLast()) }
  }

  /// Makes the open transaction final.
  private func seal() {
    guard let transaction else { return }
    self.transaction = nil
    let records = transaction.log.takeAll()
    guard !records.isEmpty else { return }
    let watches = extents.values.contains { $0.isWatched }
    guard watches || commitObservers.isObserved || (undoLimit > 0 && transaction.isUndoable) else {
      return
    }
    let net = NetChanges(records)
    guard !net.isEmpty else { return }
    for object in net.modified {
      guard let extent = unsafe object.extent else { continue }
      for observer in extent.observers { observer.didModify(object, in: extent) }
    }
    if undoLimit > 0, transaction.isUndoable {
      undoStack.append(UndoEntry(records: records))
      if undoStack.count > undoLimit { undoStack.removeFirst() }
    }
    if commitObservers.isObserved {
      commitObservers.send(ChangeSet(records, origin: transaction.origin))
    }
  }
}

// MARK: - Callbacks

extension Store: CallbackParticipant {
  /// Opens a transaction that ends with the intent, effect or observer under way, if there is one.
  private func joinCallback() -> Bool {
    let turn = unsafe Turn.current
    guard unsafe turn.pointee.callback != nil else { return false }
    unsafe turn.pointee.callback?.participants.append(self)
    begin(Transaction())
    return true
  }

  func prepareCallback() throws { try prepare() }

  func sealCallback() {
    seal()
    Turn.endBatch()
  }

  func rollBackCallback() { abandon() }

  func refuse(_ error: any Error) { onRefusal(error) }
}
