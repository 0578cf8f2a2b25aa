// The net changes of a log. A property that was written back to its old value, or an object that
// was both inserted and deleted, isn't a change.
//
// Objects are enumerated without a table: the first record of an object has no previous one, and
// the chain that starts at the object's `lastRecord` leads through all of its records. So a log
// must be read before it is closed.

/// The changes of one object, as recorded in a log.
struct ObjectHistory {
  let object: Object
  private(set) var wasStored = true
  /// The values before the transaction, of the properties that were logged.
  private(set) var old: [(offset: Int, value: Any)] = []

  var isStored: Bool { object.table != nil }

  /// Reads the records of an object from the last to the first, so that the oldest values are kept.
  init(_ object: Object, in records: ContiguousArray<TransactionLog.Record>) {
    self.object = object
    var index = Int(object.lastRecord)
    var positions: [Int: Int] = [:]
    func keep(_ value: Any, _ offset: Int, _ old: inout [(offset: Int, value: Any)]) {
      if let position = positions[offset] {
        old[position].value = value
      } else {
        positions[offset] = old.count
        old.append((offset, value))
      }
    }
    while index >= 0 {
      switch records[index].change {
      case .property(let offset, let value): keep(value, offset, &old)
      case .deleted(let values, _): for (offset, value) in values { keep(value, offset, &old) }
      case .inserted: if records[index].previous < 0 { wasStored = false }
      }
      index = Int(records[index].previous)
    }
  }

  func oldValue(at offset: Int) -> Any? { old.first { $0.offset == offset }?.value }

  /// Whether a property differs, for an object stored before and after.
  func differs(_ schema: Schema) -> Bool {
    old.contains { offset, value in
      schema.property(at: offset).map { !$0.isSame(value, in: object) } ?? false
    }
  }
}

/// The values that properties of an object had before a transaction, computed on demand.
struct OldValues {
  private let records: ContiguousArray<TransactionLog.Record>
  private let object: Object

  init(of object: Object, in records: ContiguousArray<TransactionLog.Record>) {
    self.object = object
    self.records = records
  }

  /// The old values of all properties that were written.
  ///
  /// Some may equal the current ones.
  var all: [(offset: Int, value: Any)] {
    if let record = records.indices.contains(Int(object.lastRecord))
      ? records[Int(object.lastRecord)] : nil, record.previous < 0,
      case .property(let offset, let old) = record.change
    {
      return [(offset, old)]
    }
    return ObjectHistory(object, in: records).old
  }
}

/// The net changes of a log.
struct NetChanges {
  /// The objects stored before and after, with a property that differs.
  private(set) var modified: [Object] = []
  private(set) var isEmpty = true

  /// Reads a log, which must still be open.
  init(_ records: ContiguousArray<TransactionLog.Record>) {
    for index in records.indices where records[index].previous < 0 {
      noteObject(at: index, in: records)
    }
  }

  /// Adds the net change of the object whose first record is at `index`.
  private mutating func noteObject(
    at index: Int, in records: ContiguousArray<TransactionLog.Record>
  ) {
    let object = records[index].object
    if Int(object.lastRecord) == index {
      noteOnly(records[index].change, object)
    } else {
      note(ObjectHistory(object, in: records))
    }
  }

  /// Whether a log has a net change; the search stops at the first one.
  static func areAny(in records: ContiguousArray<TransactionLog.Record>) -> Bool {
    records.indices.contains { index in
      guard records[index].previous < 0 else { return false }
      var changes = NetChanges()
      changes.noteObject(at: index, in: records)
      return !changes.isEmpty
    }
  }

  private init() {}

  /// Adds the net change of an object with one record, the most common case.
  private mutating func noteOnly(_ change: TransactionLog.Change, _ object: Object) {
    guard case .property(let offset, let old) = change else { return isEmpty = false }
    if object.table?.isSame(old, object, at: offset) ?? true { return }
    isEmpty = false
    modified.append(object)
  }

  private mutating func note(_ history: ObjectHistory) {
    let table = history.object.table
    if history.wasStored != history.isStored {
      isEmpty = false
    } else if let table, history.differs(table.schema) {
      isEmpty = false
      modified.append(history.object)
    }
  }
}
