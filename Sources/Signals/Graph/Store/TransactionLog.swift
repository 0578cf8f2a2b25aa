// What the open transaction has done, in order: enough to undo it.
//
// State: `records` grows with the transaction; each object's `lastRecord` is the head of a chain through
// its records, so that "was this property saved since the savepoint?" costs the few properties of the
// object that were written. `savepoint` is where the innermost savepoint began. `writes` only grows: a
// second write of a property leaves no record, but whoever looks again must know of it.

struct TransactionLog {
  enum Change {
    /// A property had this value when it was first written since the savepoint.
    case property(offset: Int, old: Any)
    /// The object was added; it may have been deleted before, and had this place in the order then.
    case inserted(wasGone: Bool, sequence: UInt64)
    /// The object was deleted, with these values in its fields, and from this place in the order.
    case deleted(values: [(offset: Int, value: Any)], sequence: UInt64)
  }

  struct Record {
    let object: Object
    let change: Change
    /// The object's record before this one, or -1.
    let previous: Int32
    /// The offset in a `.property`, else -1: found without a look at the value beside it.
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

    /// Whether it has the old value of the property at an offset.
    @inline(__always)
    func saves(_ offset: Int) -> Bool { self.offset == Int32(truncatingIfNeeded: offset) }
  }

  private(set) var records: ContiguousArray<Record> = []
  private(set) var writes = 0
  var savepoint = 0

  var isEmpty: Bool { records.isEmpty }

  mutating func append(_ object: Object, _ change: Change) {
    unsafe records.append(Record(object: object, change: change, previous: object.lastRecord))
    unsafe object.lastRecord = Int32(records.count - 1)
    writes += 1
  }

  /// Saves a property's value from before a write; the answer is whether it did, as it was not saved since the
  /// savepoint.
  @discardableResult
  mutating func save(_ object: Object, _ offset: Int, _ old: Any) -> Bool {
    writes += 1
    if hasSaved(object, offset) { return false }
    let previous = unsafe object.lastRecord
    unsafe object.lastRecord = Int32(truncatingIfNeeded: records.count)
    records.append(Record(object: object, offset: offset, old: old, previous: previous))
    return true
  }

  private func hasSaved(_ object: Object, _ offset: Int) -> Bool {
    var index = unsafe Int(object.lastRecord)
    while index >= savepoint {
      if records[index].saves(offset) { return true }
      index = Int(records[index].previous)
    }
    return false
  }

  /// Whether an object that is in no store was in one when the transaction of another began.
  func isForeign(_ object: Object) -> Bool {
    let last = unsafe Int(object.lastRecord)
    return last >= 0 && !(last < records.count && records[last].object === object)
  }

  /// Takes the last record off.
  mutating func removeLast() -> Record {
    let record = records.removeLast()
    unsafe record.object.lastRecord = record.previous
    return record
  }

  /// Takes the last record off, if there is one.
  mutating func popLast() -> Record? { records.isEmpty ? nil : removeLast() }

  /// Forgets where objects were logged.
  func close() {
    unsafe records.withUnsafeBufferPointer { records in
      for index in records.indices { unsafe records[index].object.lastRecord = -1 }
    }
  }

  /// Forgets everything; the answer is whether little memory is kept.
  mutating func reset() -> Bool {
    let isSmall = records.capacity <= 4096
    if !records.isEmpty { records.removeAll(keepingCapacity: isSmall) }
    writes = 0
    savepoint = 0
    return isSmall
  }

  /// Closes the log and hands its records over.
  mutating func takeRecords() -> ContiguousArray<Record> {
    close()
    let taken = records
    records = []
    return taken
  }
}
