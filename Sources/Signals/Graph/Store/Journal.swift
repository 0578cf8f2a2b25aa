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
    fileprivate enum Content {
      case change(Change)
      /// One edit of a list, which has not been changed otherwise since.
      case edit(NotedEdit)
    }

    let object: Object
    private var content: Content
    /// The index of the object's previous entry, or -1.
    let previous: Int32
    /// The offset in a `.property`, otherwise -1.
    ///
    /// It can be compared without touching the value in `content`.
    private let offset: Int32

    init(object: Object, change: Change, previous: Int32) {
      self.object = object
      if case .property(let offset, _) = change {
        self.offset = Int32(truncatingIfNeeded: offset)
      } else {
        offset = -1
      }
      content = .change(change)
      self.previous = previous
    }

    init(object: Object, offset: Int, old: Any, previous: Int32) {
      self.init(
        object: object, offset: offset, content: .change(.property(offset: offset, old: old)),
        previous: previous)
    }

    /// Creates the entry of a property.
    fileprivate init(object: Object, offset: Int, content: Content, previous: Int32) {
      self.object = object
      self.offset = Int32(truncatingIfNeeded: offset)
      self.content = content
      self.previous = previous
    }

    /// The change.
    ///
    /// - Complexity: O(1). For a list of *n* members of which only an edit is kept O(log *n*),
    ///   because its old version is made from the present one.
    var change: Change {
      switch content {
      case .change(let change): change
      case .edit(let edit):
        .property(offset: Int(offset), old: object.list(at: Int(offset), before: edit))
      }
    }

    /// Whether it is the entry of a property.
    var isOfProperty: Bool { offset >= 0 }

    /// Whether only an edit of a list is kept, after which the list surely differs.
    var isListEdit: Bool { edit != nil }

    /// The edit of a list that is kept in place of its old version.
    fileprivate var edit: NotedEdit? { if case .edit(let edit) = content { edit } else { nil } }

    /// Keeps the old version of a list in place of an edit.
    mutating func settle() { if isListEdit { content = .change(change) } }

    /// Whether the entry has the old value of the property at an offset.
    @inline(__always)
    func saves(_ offset: Int) -> Bool { self.offset == Int32(truncatingIfNeeded: offset) }
  }

  /// The changes, oldest first; a second write of a property since the savepoint adds none.
  private(set) var entries: ContiguousArray<Entry> = []
  /// The index where the innermost savepoint begins.
  var savepoint = 0

  /// Whether entries may keep edits of lists.
  private var hasListEdits = false

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
    save(object, at: offset, as: .change(.property(offset: offset, old: old)))
  }

  /// Saves the edit of a list before it is made, unless the list was saved since the savepoint.
  mutating func save(_ object: Object, at offset: Int, before edit: NotedEdit) {
    if save(object, at: offset, as: .edit(edit)) { hasListEdits = true }
  }

  @inline(__always)
  private mutating func save(
    _ object: Object, at offset: Int, as content: @autoclosure () -> Entry.Content
  ) -> Bool {
    if hasSaved(object, at: offset) { return false }
    let previous = object.lastEntry
    object.lastEntry = Int32(truncatingIfNeeded: entries.count)
    entries.append(Entry(object: object, offset: offset, content: content(), previous: previous))
    return true
  }

  /// Keeps the old versions of lists in place of edits, for several readers of the journal, or for
  /// entries that outlive the transaction.
  mutating func settleListEdits() {
    guard hasListEdits else { return }
    for index in entries.indices { entries[index].settle() }
    hasListEdits = false
  }

  /// The edits that don't lead to the present version of their list, for invariant checks.
  var brokenListEdits: [String] {
    entries.compactMap { entry in
      guard let edit = entry.edit else { return nil }
      guard let property = entry.property,
        case .list(let tree) = property.references(in: entry.object), edit.leads(to: tree)
      else { return "the edit of a list of \(entry.object.objectID) is not its latest" }
      return nil
    }
  }

  /// Whether a property that is about to change was saved since the savepoint.
  ///
  /// If its latest entry has an edit of a list, the old version is kept from now on. So no other entry
  /// of the property can have one.
  private mutating func hasSaved(_ object: Object, at offset: Int) -> Bool {
    let first = hasListEdits ? 0 : savepoint
    var index = Int(object.lastEntry)
    while index >= first {
      if entries[index].saves(offset) {
        if hasListEdits { entries[index].settle() }
        return index >= savepoint
      }
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
    hasListEdits = false
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
