// Adding and removing the objects of an undone step, and their primary keys.

extension Store {
  /// Throws if the step restores a primary key that another object has now.
  ///
  /// That can happen to keys that were changed by a change set, or by way of a deletion, and to those
  /// of the objects that the step added and that are kept.
  func checkKeys(of step: UndoStep, keeping kept: Set<Object>) throws {
    let keyed = step.entries.filter { entry in
      guard case .property(let offset, _) = entry.change else { return false }
      return entry.object.table?.primaryKey?.property.offset == offset
    }
    if keyed.isEmpty { return }
    // Objects that the step added are removed, which frees their keys.
    let added = step.entries.filter { if case .inserted = $0.change { true } else { false } }
    let moving = Set((keyed + added).map(\.object)).subtracting(kept)
    for entry in keyed {
      guard case .property(_, let old) = entry.change, let table = entry.object.table,
        table.store === self, let (property, index) = table.primaryKey,
        let holder = index.holder(ofKey: old), !moving.contains(holder)
      else { continue }
      throw StoreError.duplicateKey(subject(of: entry.object, at: property.offset), key: "\(old)")
    }
  }

  func announceDeletion(by entry: Journal.Entry) {
    if case .inserted = entry.change, entry.object.table?.store === self {
      entry.object.announceDeletion()
    }
  }

  /// Adds a deleted object again, with its previous fields and its previous position in the order.
  func revive(
    _ object: Object, _ values: [(offset: Int, value: Any)], _ sequence: UInt64,
    wasDerived: Bool, in transaction: Transaction
  ) throws {
    if transaction.journal.isForeign(object) {
      throw StoreError.alreadyOwned(StoreError.Subject(object))
    }
    try checkIdentities([object])
    restore(values, of: object)
    let table = table(of: type(of: object))
    if let (property, index) = table.primaryKey, index.hasKey(of: object, at: property.offset) {
      throw duplicate(property, of: object)
    }
    transaction.journal.append(
      .inserted(wasGone: true, sequence: object.sequence, wasDerived: wasDerived), of: object)
    attachUnlinked(object, sequence: sequence, in: table)
    // Its owner may be permanently gone, or own another object by now.
    if object.isEmbedded { transaction.embedded.append(object) }
  }
}
