// Undo: a sealed log, played backwards as a transaction of its own, or as a part of the open one.
//
// State: the store's `undoStack`; while a transaction is open, `Transaction.undone` holds what it has
// taken off the stack, to be put back if it fails.

/// What one commit did, kept to be undone.
enum UndoEntry {
  /// As most commits of views do: one write.
  case one(TransactionLog.Record)
  case many(ContiguousArray<TransactionLog.Record>)

  /// Takes the records of a sealed log.
  init(_ log: inout TransactionLog) {
    if log.records.count == 1 {
      self = .one(log.records[0])
    } else {
      self = .many(log.takeRecords())
    }
  }

  /// Calls `body` with the records, the latest first.
  func forEachReversed(_ body: (TransactionLog.Record) throws -> Void) rethrows {
    switch self {
    case .one(let record): try body(record)
    case .many(let records): for record in records.reversed() { try body(record) }
    }
  }
}

/// The latest entries, as many as are to be kept.
///
/// State: a ring of `slots`, of which `count` are in use, ending before `end`.
struct UndoStack {
  private let limit: Int
  private var slots: ContiguousArray<UndoEntry?> = []
  private var end = 0
  private(set) var count = 0

  init(limit: Int) { self.limit = limit }

  var isEmpty: Bool { count == 0 }

  var last: UndoEntry? { isEmpty ? nil : slots[previous] }

  private var previous: Int { (end == 0 ? limit : end) - 1 }

  /// Adds an entry, and drops the oldest if there are too many.
  mutating func append(_ entry: UndoEntry) {
    if end < slots.count { slots[end] = entry } else { slots.append(entry) }
    end = end + 1 == limit ? 0 : end + 1
    count = min(count + 1, limit)
  }

  mutating func removeLast() -> UndoEntry? {
    guard !isEmpty else { return nil }
    end = previous
    count -= 1
    return slots[end].take()
  }
}

extension Store {
  /// Whether there is a commit to undo; a read is a dependency.
  public var canUndo: Bool {
    undoable.track()
    return !undoStack.isEmpty
  }

  /// Undoes the latest undoable commit that was not undone yet, as a commit of origin ``Origin/undo``.
  ///
  /// Deleted objects come back as the same instances, with fields, links and places in lists as they
  /// were; what the commit added is deleted. An undo can't be undone. In an intent or a `write` it is
  /// part of that transaction, before any other write there. O(changes undone).
  ///
  /// Throws ``StoreError/nothingToUndo`` if the history is empty, ``StoreError/undoAfterWrites`` in a
  /// transaction that wrote something else before, ``StoreError/duplicateKey(_:key:)`` if the primary
  /// key of a deleted object was taken meanwhile, and ``StoreError/alreadyOwned(_:)`` if a deleted
  /// object was added to another store; then nothing changes.
  public func undo() throws {
    Node.checkMayWrite("a store")
    try write {
      guard let transaction = transaction else { return }
      guard let entry = undoStack.last else { throw StoreError.nothingToUndo }
      guard transaction.log.isEmpty || transaction.isUndo else { throw StoreError.undoAfterWrites }
      takeUndone(transaction)
      try entry.forEachReversed { try undo($0, transaction) }
    }
  }

  private func takeUndone(_ transaction: Transaction) {
    noteUndoable()
    if let entry = undoStack.removeLast() { transaction.undone.append(entry) }
  }

  /// Puts back on the stack what a failed transaction undid since it had undone `count` commits.
  func putBackUndone(_ transaction: Transaction, downTo count: Int) {
    if transaction.undone.count > count { noteUndoable() }
    while transaction.undone.count > count { undoStack.append(transaction.undone.removeLast()) }
  }

  /// Adds a sealed log to the history.
  func keepUndoable(_ log: inout TransactionLog) {
    noteUndoable()
    undoStack.append(UndoEntry(&log))
  }

  private func noteUndoable() {
    guard undoable.isObserved else { return }
    let before = undoStack.isEmpty
    undoable.mark { [unowned self] in undoStack.isEmpty == before }
  }

  private func undo(_ record: TransactionLog.Record, _ transaction: Transaction) throws {
    let object = record.object
    switch record.change {
    case .property(let offset, let old):
      guard let extent = unsafe object.extent, extent.store === self,
        let property = extent.schema.property(at: offset)
      else { return }
      // A later commit that can't be undone may have deleted what the link led to.
      rewrite(property, of: object, to: property.droppingUnstored(from: old, self), transaction)
    case .inserted(_, let sequence):
      guard unsafe object.extent?.store === self else { return }
      remove([object], transaction)
      unsafe object.sequence = sequence
    case .deleted(let values):
      if let owner = unsafe object.extent?.store {
        // Somebody has added it again: here, and there is nothing to do, or elsewhere.
        guard owner === self else { throw StoreError.alreadyOwned(StoreError.Subject(object)) }
        return
      }
      try revive(object, values, transaction)
    }
  }

  /// Brings a deleted object back, with its fields as they were then.
  private func revive(
    _ object: Object, _ values: [(offset: Int, value: Any)], _ transaction: Transaction
  ) throws {
    if transaction.log.isForeign(object) {
      throw StoreError.alreadyOwned(StoreError.Subject(object))
    }
    try checkIdentities([object])
    restore(values, of: object)
    let extent = extent(of: type(of: object))
    if let (property, index) = extent.primaryKey, index.hasKey(of: object, at: property.offset) {
      throw duplicate(object, property)
    }
    unsafe transaction.log.append(object, .inserted(wasGone: true, sequence: object.sequence))
    unsafe attachUnlinked(object, sequence: object.sequence, extent)
  }
}

extension Property {
  /// An old link or list without what is not in the store any more.
  fileprivate func droppingUnstored(from old: Any, _ store: Store) -> Any {
    guard role == .link || role == .links else { return old }
    func open<P: StoredProperty>(_ type: P.Type) -> Any {
      guard var value = old as? P.Value else { return old }
      unsafe withUnsafeMutablePointer(to: &value) { pointer in
        let storage = UnsafeMutableRawPointer(pointer)
        unsafe References(role, storage).forEach { target in
          if unsafe target.extent?.store !== store {
            unsafe References.remove(target, role, storage)
          }
        }
      }
      return value
    }
    return open(self.type)
  }
}
