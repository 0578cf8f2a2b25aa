// The changes of the open transaction, in order: enough to undo it, and everything that its
// subscribers receive when it is sealed (Store+Seal.swift).
//
// Each object's `lastEntry` is the head of a chain through its entries, so checking whether a
// property was saved since the savepoint visits only the entries of that object.

struct Journal {
  enum Change {
    /// The value of a property before its first write since the savepoint.
    case property(offset: Int, old: Any)
    /// The object was added.
    ///
    /// If it had been deleted before, `sequence` is its previous place in the order. An undo of a
    /// deletion notes whether that was derived, so that the redo is too.
    case inserted(wasGone: Bool, sequence: UInt64, wasDerived: Bool = false)
    /// The object was deleted.
    ///
    /// Its fields had these values, and it had this place in the order. The deletion is derived if
    /// it follows from the deletion or the links of an owner.
    case deleted(values: [(offset: Int, value: Any)], sequence: UInt64, isDerived: Bool)
  }

  struct Entry {
    let object: Object
    let change: Change
    /// The index of the object's previous entry, or -1.
    let previous: Int32
    /// The offset in a `.property`, otherwise -1.
    ///
    /// It can be compared without touching the value in `change`.
    private let offset: Int32

    init(object: Object, change: Change, previous: Int32) {
      self.object = object
      if case .property(let offset, _) = change {
        self.offset = Int32(truncatingIfNeeded: offset)
      } else {
        offset = -1
      }
      self.change = change
      self.previous = previous
    }

    init(object: Object, offset: Int, old: Any, previous: Int32) {
      self.object = object
      self.offset = Int32(truncatingIfNeeded: offset)
      change = .property(offset: offset, old: old)
      self.previous = previous
    }

    /// Whether the entry has the old value of the property at an offset.
    @inline(__always)
    func saves(_ offset: Int) -> Bool { self.offset == Int32(truncatingIfNeeded: offset) }
  }

  /// The changes, oldest first; a second write of a property since the savepoint adds none.
  private(set) var entries: ContiguousArray<Entry> = []
  /// The index where the innermost savepoint begins.
  var savepoint = 0

  /// Whether an object was deleted since the journal was empty, even if that was rolled back.
  private(set) var hasDeletions = false

  var isEmpty: Bool { entries.isEmpty }

  mutating func append(_ change: Change, of object: Object) {
    if case .deleted = change { hasDeletions = true }
    entries.append(Entry(object: object, change: change, previous: object.lastEntry))
    object.lastEntry = Int32(entries.count - 1)
  }

  /// Saves the value that a property had before a write, unless it was saved since the savepoint.
  ///
  /// - Returns: Whether the value was saved by this call.
  @discardableResult
  mutating func save(_ object: Object, at offset: Int, old: Any) -> Bool {
    if hasSaved(object, at: offset) { return false }
    let previous = object.lastEntry
    object.lastEntry = Int32(truncatingIfNeeded: entries.count)
    entries.append(Entry(object: object, offset: offset, old: old, previous: previous))
    return true
  }

  private func hasSaved(_ object: Object, at offset: Int) -> Bool {
    var index = Int(object.lastEntry)
    while index >= savepoint {
      if entries[index].saves(offset) { return true }
      index = Int(entries[index].previous)
    }
    return false
  }

  /// Whether an unstored object is in the journal of another store's open transaction.
  func isForeign(_ object: Object) -> Bool {
    let last = Int(object.lastEntry)
    return last >= 0 && !(last < entries.count && entries[last].object === object)
  }

  /// Removes and returns the last entry.
  mutating func removeLast() -> Entry {
    let entry = entries.removeLast()
    entry.object.lastEntry = entry.previous
    return entry
  }

  /// Removes and returns the last entry, if there is one.
  mutating func popLast() -> Entry? { entries.isEmpty ? nil : removeLast() }

  /// Resets `lastEntry` of the objects in the journal.
  func close() {
    for index in entries.indices { entries[index].object.lastEntry = -1 }
  }

  /// Removes all entries.
  ///
  /// - Returns: Whether the journal keeps so little memory that it is worth reusing.
  mutating func reset() -> Bool {
    let isSmall = entries.capacity <= 4096
    if !entries.isEmpty { entries.removeAll(keepingCapacity: isSmall) }
    savepoint = 0
    hasDeletions = false
    return isSmall
  }

  /// Closes the journal and moves its entries to the caller.
  mutating func takeEntries() -> ContiguousArray<Entry> {
    close()
    let taken = entries
    entries = []
    return taken
  }
}
