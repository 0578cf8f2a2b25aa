// What the open transaction has done, in order: enough to undo it.
//
// State: `records` grows with the transaction; each object's `lastRecord` is the head of a chain through
// its records, so that "was this property saved since the savepoint?" costs the few properties of the
// object that were written. `savepoint` is where the innermost savepoint began.

struct TransactionLog {
  enum Change {
    /// A property had this value when it was first written since the savepoint.
    case property(offset: Int, old: Any)
    /// The object was added; it may have been deleted before.
    case inserted(wasGone: Bool)
    /// The object was deleted, with these values in its fields.
    case deleted(values: [(offset: Int, value: Any)])
  }

  struct Record {
    let object: Object
    let change: Change
    let previous: Int32
  }

  private(set) var records: ContiguousArray<Record> = []
  var savepoint = 0

  var isEmpty: Bool { records.isEmpty }

  mutating func append(_ object: Object, _ change: Change) {
    unsafe records.append(Record(object: object, change: change, previous: object.lastRecord))
    unsafe object.lastRecord = Int32(records.count - 1)
  }

  /// Whether a property's value was saved since the savepoint.
  func hasSaved(_ object: Object, _ offset: Int) -> Bool {
    var index = unsafe Int(object.lastRecord)
    while index >= savepoint {
      if case .property(offset, _) = records[index].change { return true }
      index = Int(records[index].previous)
    }
    return false
  }

  /// Takes the last record off.
  mutating func removeLast() -> Record {
    let record = records.removeLast()
    unsafe record.object.lastRecord = record.previous
    return record
  }

  /// Takes everything off, and forgets where objects were logged.
  mutating func takeAll() -> ContiguousArray<Record> {
    for record in records { unsafe record.object.lastRecord = -1 }
    defer { records = [] }
    return records
  }
}
