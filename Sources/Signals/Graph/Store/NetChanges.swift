// What a log comes down to: what was written back to its old value, or came and went, is no change.
//
// Objects are enumerated without a table: the first record of an object has none before it, and from
// the last, which the object knows, the chain leads through all of them. A log is thus read before it is
// closed.

/// What a log says of one object.
struct ObjectHistory {
  let object: Object
  private(set) var wasStored = true
  /// The value of each property that was logged from before the transaction.
  private(set) var old: [(offset: Int, value: Any)] = []

  var isStored: Bool { unsafe object.extent != nil }

  /// Reads the records of an object from the last to the first, so that the oldest value stays.
  init(_ object: Object, in records: ContiguousArray<TransactionLog.Record>) {
    self.object = object
    var index = unsafe Int(object.lastRecord)
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

  /// Whether an object that stayed has a property that differs.
  func differs(_ schema: Schema) -> Bool {
    old.contains { offset, value in
      schema.property(at: offset).map { !$0.isSame(value, in: object) } ?? false
    }
  }
}

/// The values that properties of an object had before a transaction, for who asks.
struct OldValues {
  private let records: ContiguousArray<TransactionLog.Record>
  private let object: Object

  init(of object: Object, in records: ContiguousArray<TransactionLog.Record>) {
    self.object = object
    self.records = records
  }

  /// Those of all properties that were written; some may be what they were.
  var all: [(offset: Int, value: Any)] {
    if let record = unsafe records.indices.contains(Int(object.lastRecord))
      ? records[Int(object.lastRecord)] : nil, record.previous < 0,
      case .property(let offset, let old) = record.change
    {
      return [(offset, old)]
    }
    return ObjectHistory(object, in: records).old
  }
}

/// What a log changed in the end.
struct NetChanges {
  /// Objects stored before and after, with a property that differs.
  private(set) var modified: [Object] = []
  private(set) var isEmpty = true

  /// Reads a log, which must be open still.
  init(_ records: ContiguousArray<TransactionLog.Record>) {
    for index in records.indices where records[index].previous < 0 {
      noteObject(at: index, in: records)
    }
  }

  /// Notes the object whose first record is at `index`.
  private mutating func noteObject(
    at index: Int, in records: ContiguousArray<TransactionLog.Record>
  ) {
    let object = records[index].object
    if unsafe Int(object.lastRecord) == index {
      noteOnly(records[index].change, object)
    } else {
      note(ObjectHistory(object, in: records))
    }
  }

  /// Whether a log changed anything in the end; it looks no further than the first that did.
  static func areAny(in records: ContiguousArray<TransactionLog.Record>) -> Bool {
    records.indices.contains { index in
      guard records[index].previous < 0 else { return false }
      var changes = NetChanges()
      changes.noteObject(at: index, in: records)
      return !changes.isEmpty
    }
  }

  private init() {}

  /// Notes an object with one record, as most have.
  private mutating func noteOnly(_ change: TransactionLog.Change, _ object: Object) {
    guard case .property(let offset, let old) = change else { return isEmpty = false }
    if unsafe object.extent?.isSame(old, object, at: offset) ?? true { return }
    isEmpty = false
    modified.append(object)
  }

  private mutating func note(_ history: ObjectHistory) {
    let extent = unsafe history.object.extent
    if history.wasStored != history.isStored {
      isEmpty = false
    } else if let extent, history.differs(extent.schema) {
      isEmpty = false
      modified.append(history.object)
    }
  }
}

extension Property {
  /// Whether a property still has a value it had before.
  func isSame(_ old: Any, in object: Object) -> Bool {
    func open<P: StoredProperty>(_ type: P.Type) -> Bool {
      guard let old = old as? P.Value else { return false }
      let storage = unsafe object.storage(at: offset).assumingMemoryBound(to: P.self)
      return unsafe P.isSame(old, storage.pointee.stored)
    }
    return open(self.type)
  }
}
