// The open transaction of a store: the journal of its writes, and everything that waits for its
// end.
//
// State: one transaction at a time for each store. The store's extensions change it from `begin` to
// `end` (Store+Transactions.swift). `reset` prepares it for the next transaction and keeps its
// memory.

/// The open transaction of a store.
@usableFromInline
final class Transaction {
  // Every commit accesses these, so exclusivity isn't checked. No user code runs during an access:
  // a value that is replaced in one contains no user code or has another reference, and nothing can
  // reach the values that `reset` releases.
  @safe @exclusivity(unchecked) var journal = Journal()
  /// Undo steps to be released at the end: a step that the store's history dropped for this one, or
  /// the transaction's own step, in case no history keeps it.
  @safe @exclusivity(unchecked) var evicted: ContiguousArray<UndoStep> = []
  /// The entries that were rolled back in this transaction.
  @safe @exclusivity(unchecked)
  var undoneEntries: ContiguousArray<Journal.Entry> = []
  /// Other values that were removed from the graph.
  @safe @exclusivity(unchecked) private var retained: [Any] = []
  /// Whether the whole transaction was rolled back.
  @safe @exclusivity(unchecked) var isAbandoned = false
  /// The error of the first write that was refused since the innermost savepoint.
  @safe @exclusivity(unchecked) var refusal: (any Error)?
  /// The origin given by the first `write` that has one.
  @safe @exclusivity(unchecked) var origin: Origin?
  /// The label of the undo step: that of the first `write` that has one, otherwise that of the
  /// intent.
  @safe @exclusivity(unchecked) var label: StepLabel?
  /// The steps that the transaction took off a history; see Store+Undo.swift.
  @safe @exclusivity(unchecked) var undone: [TakenStep] = []
  /// The keys given by `UndoHistory.coalescing(_:_:)`, by history.
  @safe @exclusivity(unchecked) var coalescingKeys: [ObjectIdentifier: String] = [:]
  /// The number of entries when the rules of `beforeCommit` were called; nil without rules.
  @safe @exclusivity(unchecked) var entriesBeforeRules: Int?
  /// The number of entries of writes that can't be undone.
  @safe @exclusivity(unchecked) var notUndoable = 0
  /// The embedded objects whose ownership changed.
  ///
  /// Store+Ownership.swift checks them at the end.
  @safe @exclusivity(unchecked) var embedded: [Object] = []
  /// The closures passed to `afterCommit`; Store+AfterCommit.swift.
  @safe @exclusivity(unchecked) var afterCommitActions: [() -> Void] = []

  /// The actions to be called if what has happened so far is rolled back, oldest first.
  @safe @exclusivity(unchecked) private(set) var onRollBack: [() -> Void] = []

  /// Calls `action` if what has happened so far is rolled back, whether or not it wrote anything.
  func ifRolledBack(_ action: @escaping () -> Void) { onRollBack.append(action) }

  /// Keeps a value that may have no other reference until the transaction has ended.
  func retainUntilEnd(_ value: Any) { retained.append(value) }

  /// Calls the actions beyond the first `count`.
  func didRollBack(to count: Int) { while onRollBack.count > count { onRollBack.removeLast()() } }

  /// Whether releasing its contents, apart from `journal` and `evicted`, can't run user code.
  var hasNothingToRelease: Bool {
    retained.isEmpty && undoneEntries.isEmpty && undone.isEmpty && embedded.isEmpty
      && onRollBack.isEmpty && refusal == nil
  }

  /// Releases the contents and prepares the object for a new transaction.
  ///
  /// - Returns: Whether its memory is worth keeping.
  func reset() -> Bool {
    refusal = nil
    origin = nil
    if label != nil { label = nil }
    if !coalescingKeys.isEmpty { coalescingKeys.removeAll() }
    isAbandoned = false
    notUndoable = 0
    entriesBeforeRules = nil
    if !evicted.isEmpty { evicted.removeAll() }
    if !undone.isEmpty { undone.removeAll() }
    if !embedded.isEmpty { embedded.removeAll() }
    if !onRollBack.isEmpty { onRollBack.removeAll() }
    if !undoneEntries.isEmpty {
      undoneEntries.removeAll(keepingCapacity: undoneEntries.count <= 16)
    }
    if !retained.isEmpty { retained.removeAll() }
    return journal.reset()
  }

  var isUndo: Bool { !undone.isEmpty }

  /// The history of which the transaction has taken steps.
  var taker: UndoHistory? { undone.first?.history }

  /// Whether the commit belongs in undo histories.
  ///
  /// It doesn't if it consists of writes that can't be undone, such as a load, and of what rules have
  /// added to them.
  var isUndoable: Bool {
    (entriesBeforeRules ?? journal.entries.count) > notUndoable
  }
}
