// The net changes of a journal. A property that was written back to its old value, or an object
// that was both inserted and deleted, isn't a change.
//
// Objects are enumerated without a table: the first entry of an object has no previous one, and
// the chain that starts at the object's `lastEntry` leads through all of its entries. So a journal
// must be read before it is closed.

/// The changes of one object, as recorded in a journal.
struct ObjectHistory {
  let object: Object
  private(set) var wasStored = true
  /// Whether the last deletion of the object follows from the deletion or the links of an owner.
  private(set) var isDerived = false
  /// The values before the transaction, of the properties that were recorded, ordered by offset.
  private(set) var old: [(offset: Int, value: Any)] = []

  var isStored: Bool { object.table != nil }

  /// Reads the entries of an object from the last to the one at `start`, so that the oldest values
  /// are kept.
  init(_ object: Object, in entries: ContiguousArray<Journal.Entry>, from start: Int = 0) {
    self.object = object
    var index = Int(object.lastEntry)
    var isLastDeletion = true
    while index >= start {
      switch entries[index].change {
      case .property(let offset, let value): keep(value, at: offset)
      case .deleted(let values, _, let isDerived):
        for (offset, value) in values { keep(value, at: offset) }
        if isLastDeletion { self.isDerived = isDerived }
        isLastDeletion = false
      case .inserted: if entries[index].previous < start { wasStored = false }
      }
      index = Int(entries[index].previous)
    }
  }

  /// Keeps an older value of a property.
  ///
  /// The values of a deleted object come in the order of their offsets, and so at the end.
  private mutating func keep(_ value: Any, at offset: Int) {
    let position = old.last.map { $0.offset < offset } ?? true ? old.count : position(of: offset)
    if position < old.count, old[position].offset == offset {
      old[position].value = value
    } else {
      old.insert((offset, value), at: position)
    }
  }

  private func position(of offset: Int) -> Int { old.partitioningIndex { $0.offset >= offset } }

  func oldValue(at offset: Int) -> Any? {
    let position = position(of: offset)
    return position < old.count && old[position].offset == offset ? old[position].value : nil
  }

  /// Whether a property differs, for an object stored before and after.
  func differs(_ schema: Schema) -> Bool {
    old.contains { offset, value in
      schema.property(at: offset).map { !$0.isSame(value, in: object) } ?? false
    }
  }
}

/// The values that properties of an object had before a transaction, computed on demand.
struct OldValues {
  private let entries: ContiguousArray<Journal.Entry>
  private let object: Object

  init(of object: Object, in entries: ContiguousArray<Journal.Entry>) {
    self.object = object
    self.entries = entries
  }

  /// The old values of all properties that were written.
  ///
  /// Some may equal the current ones.
  var all: [(offset: Int, value: Any)] {
    if let entry = entries.indices.contains(Int(object.lastEntry))
      ? entries[Int(object.lastEntry)] : nil, entry.previous < 0,
      case .property(let offset, let old) = entry.change
    {
      return [(offset, old)]
    }
    return ObjectHistory(object, in: entries).old
  }
}

extension Journal {
  private enum NetChange {
    case none
    /// The object was stored before and after, and a property differs.
    case modification
    case insertionOrDeletion
  }

  /// The net change of the object whose first entry is at `index`.
  private func netChange(at index: Int) -> NetChange {
    let object = entries[index].object
    if Int(object.lastEntry) == index {
      // The object's only entry, the most common case.
      if entries[index].isListEdit { return object.table == nil ? .none : .modification }
      guard case .property(let offset, let old) = entries[index].change else {
        return .insertionOrDeletion
      }
      let isSame = object.table?.isSame(old, in: object, at: offset) ?? true
      return isSame ? .none : .modification
    }
    let history = ObjectHistory(object, in: entries)
    if history.wasStored != history.isStored { return .insertionOrDeletion }
    guard let table = object.table, history.differs(table.schema) else { return .none }
    return .modification
  }

  /// Whether the journal, which must still be open, has a net change; the search stops at the first
  /// one.
  var hasNetChange: Bool {
    entries.indices.contains { entries[$0].previous < 0 && netChange(at: $0) != .none }
  }

  /// The objects stored before and after, with a property that differs; nil if the journal, which
  /// must still be open, has no net change at all.
  func modifiedObjects() -> [Object]? {
    var modified: [Object] = []
    var isEmpty = true
    for index in entries.indices where entries[index].previous < 0 {
      let change = netChange(at: index)
      if change != .none { isEmpty = false }
      if change == .modification { modified.append(entries[index].object) }
    }
    return isEmpty ? nil : modified
  }
}
