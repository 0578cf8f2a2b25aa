// Undoing one's own step where others have written meanwhile.

/// What a step may not simply put back.
///
/// State: `decided` says for each property, at its latest record, whether it has what the step left there;
/// `lists` collects, for those lists that don't, what they were before the step: the oldest record counts.
struct SharedUndo {
  private let store: Store
  private let transaction: Transaction
  private let after: [PropertyKey: Any]
  private var decided: [PropertyKey: Bool] = [:]
  private var lists: [PropertyKey: (object: Object, property: Property, before: Any)] = [:]

  init(_ store: Store, _ transaction: Transaction, _ after: [PropertyKey: Any]) {
    self.store = store
    self.transaction = transaction
    self.after = after
  }

  /// Whether a record is of a property that somebody else has written since.
  mutating func leaves(_ record: TransactionLog.Record) -> Bool {
    guard case .property(let offset, let before) = record.change,
      let property = unsafe record.object.extent?.schema.property(at: offset)
    else { return false }
    let key = PropertyKey(record.object, offset)
    let isOurs = decided[key] ?? after[key].map { property.isSame($0, in: record.object) } ?? true
    decided[key] = isOurs
    if !isOurs, property.role == .links { lists[key] = (record.object, property, before) }
    return !isOurs
  }

  /// Takes what the step added out of lists that others have changed, and puts in what it removed.
  func mergeLists() {
    for (key, list) in lists {
      guard let after = after[key], unsafe list.object.extent?.store === store,
        let before = list.property.members(list.before), let after = list.property.members(after),
        var members = list.property.members(list.property.value(in: list.object))
      else { continue }
      // A change set may have made one that went again, as another instance.
      let all = Dictionary((members + before).map { ($0.objectID, $0) }) { first, _ in first }
      let edits = ListEdits(from: after.map(\.objectID), to: before.map(\.objectID))
      for removal in edits.removals {
        if let place = members.firstIndex(where: { $0.objectID == removal.id }) {
          members.remove(at: place)
        }
      }
      for insertion in edits.insertions {
        guard let object = all[insertion.id], unsafe object.extent?.store === store else {
          continue
        }
        // After what stood before it, or at the same place.
        let previous = insertion.position > 0 ? before[insertion.position - 1] : nil
        let place = previous.flatMap { members.firstIndex(of: $0) }.map { $0 + 1 }
        members.insert(object, at: place ?? min(insertion.position, members.count))
      }
      let value = list.property.value(
        carrying: members.map(\.objectID), find: { all[$0] }, missing: { _ in })
      if let value { store.rewrite(list.property, of: list.object, to: value, transaction) }
    }
  }
}

extension Property {
  /// The members of a value of a list property.
  fileprivate func members(_ value: Any) -> [Object]? {
    func open<P: StoredProperty>(_ type: P.Type) -> [Object]? {
      guard let list = value as? P.Value else { return nil }
      var members: [Object] = []
      unsafe withUnsafePointer(to: list) { unsafe References(role, $0) }.forEach {
        members.append($0)
      }
      return members
    }
    return open(self.type)
  }
}
