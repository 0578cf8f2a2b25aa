// The open transaction of a store: the log of its writes, and all that waits for its end.
//
// State: that of one transaction, which the store changes (Transactions.swift, Undoing.swift, Embedding.swift,
// AfterCommit.swift) from `begin` to `end`; `reset` makes it a new one and keeps its memory.

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
  var undoneRecords: ContiguousArray<TransactionLog.Record> = []
  /// What else was taken out of the graph.
  @safe @exclusivity(unchecked) private var left: [Any] = []
  /// Whether all of it was undone.
  @safe @exclusivity(unchecked) var isAbandoned = false
  /// The first write that was refused since the innermost savepoint.
  @safe @exclusivity(unchecked) var refusal: (any Error)?
  /// What the first `write` that named one gave.
  @safe @exclusivity(unchecked) var origin: Origin?
  /// What the first `write` that gave one, or else the intent, calls the step that it will be.
  @safe @exclusivity(unchecked) var label: StepLabel?
  /// The steps that it took off histories; see Undoing.swift.
  @safe @exclusivity(unchecked) var undone: [TakenStep] = []
  /// What `UndoHistory.coalescing(_:_:)` named it.
  @safe @exclusivity(unchecked) var coalescingKey: String?
  /// How many records are of writes that are not to be undone.
  @safe @exclusivity(unchecked) var notUndoable = 0
  /// The embedded objects whose ownership it touched; Embedding.swift looks at them at the end.
  @safe @exclusivity(unchecked) var embedded: [Object] = []
  /// What `afterCommit` is to run; AfterCommit.swift.
  @safe @exclusivity(unchecked) var toFollow: [() -> Void] = []

  /// What has to be put right if what was logged so far is undone, oldest first.
  @safe @exclusivity(unchecked) private var onRollBack: [(records: Int, action: () -> Void)] = []

  /// Calls `action` if what was logged so far is undone.
  func ifRolledBack(_ action: @escaping () -> Void) {
    onRollBack.append((log.records.count, action))
  }

  /// Keeps a value that nothing else may have, until the transaction has ended.
  func leave(_ value: Any) { left.append(value) }

  /// Calls what depends on more than so many records.
  func didRollBack(to records: Int) {
    while let last = onRollBack.last, last.records > records { onRollBack.removeLast().action() }
  }

  /// Whether there is nothing in it whose release could run code.
  var isSpent: Bool {
    left.isEmpty && undoneRecords.isEmpty && undone.isEmpty && embedded.isEmpty
      && onRollBack.isEmpty && refusal == nil
  }

  /// Makes it a new transaction, and releases what it has; the answer is whether its memory is worth keeping.
  func reset() -> Bool {
    refusal = nil
    origin = nil
    if label != nil { label = nil }
    if coalescingKey != nil { coalescingKey = nil }
    isAbandoned = false
    notUndoable = 0
    if !evicted.isEmpty { evicted.removeAll() }
    if !undone.isEmpty { undone.removeAll() }
    if !embedded.isEmpty { embedded.removeAll() }
    if !onRollBack.isEmpty { onRollBack.removeAll() }
    if !undoneRecords.isEmpty {
      undoneRecords.removeAll(keepingCapacity: undoneRecords.count <= 16)
    }
    if !left.isEmpty { left.removeAll() }
    return log.reset()
  }

  var isUndo: Bool { !undone.isEmpty }

  /// Whether it belongs into the undo history: not if all that it did is an undo, or a load.
  var isUndoable: Bool { !isUndo && log.records.count > notUndoable }
}
