// The changes of the open transaction, in order: enough to undo it.
//
// State: `records` grows with the transaction. Each object's `lastRecord` is the head of a chain
// through its records, so checking whether a property was saved since the savepoint visits only the
// records of that object. `savepoint` is the index where the innermost savepoint begins. `writes`
// counts every write: a second write of a property adds no record, but `beforeCommit` must be
// called again for it.

struct TransactionLog {
  enum Change {
    /// The value of a property before its first write since the savepoint.
    case property(offset: Int, old: Any)
    /// The object was added.
    ///
    /// If it had been deleted before, `sequence` is its previous place in the order.
    case inserted(wasGone: Bool, sequence: UInt64)
    /// The object was deleted.
    ///
    /// Its fields had these values, and it had this place in the order.
    case deleted(values: [(offset: Int, value: Any)], sequence: UInt64)
  }

  struct Record {
    let object: Object
    let change: Change
    /// The index of the object's previous record, or -1.
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

    /// Whether the record has the old value of the property at an offset.
    @inline(__always)
    func saves(_ offset: Int) -> Bool { self.offset == Int32(truncatingIfNeeded: offset) }
  }

  private(set) var records: ContiguousArray<Record> = []
  private(set) var writes = 0
  var savepoint = 0

  var isEmpty: Bool { records.isEmpty }

  mutating func append(_ object: Object, _ change: Change) {
    records.append(Record(object: object, change: change, previous: object.lastRecord))
    object.lastRecord = Int32(records.count - 1)
    writes += 1
  }

  /// Saves the value that a property had before a write, unless it was saved since the savepoint.
  ///
  /// - Returns: Whether the value was saved by this call.
  @discardableResult
  mutating func save(_ object: Object, _ offset: Int, _ old: Any) -> Bool {
    writes += 1
    if hasSaved(object, offset) { return false }
    let previous = object.lastRecord
    object.lastRecord = Int32(truncatingIfNeeded: records.count)
    records.append(Record(object: object, offset: offset, old: old, previous: previous))
    return true
  }

  private func hasSaved(_ object: Object, _ offset: Int) -> Bool {
    var index = Int(object.lastRecord)
    while index >= savepoint {
      if records[index].saves(offset) { return true }
      index = Int(records[index].previous)
    }
    return false
  }

  /// Whether an unstored object is in the log of another store's open transaction.
  func isForeign(_ object: Object) -> Bool {
    let last = Int(object.lastRecord)
    return last >= 0 && !(last < records.count && records[last].object === object)
  }

  /// Removes and returns the last record.
  mutating func removeLast() -> Record {
    let record = records.removeLast()
    record.object.lastRecord = record.previous
    return record
  }

  /// Removes and returns the last record, if there is one.
  mutating func popLast() -> Record? { records.isEmpty ? nil : removeLast() }

  /// Resets `lastRecord` of the objects in the log.
  func close() {
    unsafe records.withUnsafeBufferPointer { records in
      for index in records.indices { unsafe records[index].object.lastRecord = -1 }
    }
  }

  /// Removes all records.
  ///
  /// - Returns: Whether the log keeps so little memory that it is worth reusing.
  mutating func reset() -> Bool {
    let isSmall = records.capacity <= 4096
    if !records.isEmpty { records.removeAll(keepingCapacity: isSmall) }
    writes = 0
    savepoint = 0
    return isSmall
  }

  /// Closes the log and moves its records to the caller.
  mutating func takeRecords() -> ContiguousArray<Record> {
    close()
    let taken = records
    records = []
    return taken
  }
}
