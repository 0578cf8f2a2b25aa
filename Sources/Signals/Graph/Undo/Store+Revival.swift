// Adding and removing the objects of an undone step, and their primary keys.

extension Store {
  /// Throws if the step restores a primary key that another object has now.
  ///
  /// That can happen to keys that were changed by a change set, or by way of a deletion.
  func checkKeys(of step: UndoStep) throws {
    let keyed = step.records.filter { record in
      guard case .property(let offset, _) = record.change else { return false }
      return record.object.table?.primaryKey?.property.offset == offset
    }
    if keyed.isEmpty { return }
    // Objects that the step added are removed, which frees their keys.
    let added = step.records.filter { if case .inserted = $0.change { true } else { false } }
    let moving = Set((keyed + added).map(\.object))
    for record in keyed {
      guard case .property(_, let old) = record.change, let table = record.object.table,
        table.store === self, let (property, index) = table.primaryKey,
        let holder = index.holder(ofKey: old), !moving.contains(holder)
      else { continue }
      throw StoreError.duplicateKey(subject(record.object, property.offset), key: "\(old)")
    }
  }

  func announceDeletion(by record: TransactionLog.Record) {
    if case .inserted = record.change, record.object.table?.store === self {
      record.object.announceDeletion()
    }
  }

  /// Adds a deleted object again, with its previous fields and its previous position in the order.
  func revive(
    _ object: Object, _ values: [(offset: Int, value: Any)], _ sequence: UInt64,
    _ transaction: Transaction
  ) throws {
    if transaction.log.isForeign(object) {
      throw StoreError.alreadyOwned(StoreError.Subject(object))
    }
    try checkIdentities([object])
    restore(values, of: object)
    let table = table(of: type(of: object))
    if let (property, index) = table.primaryKey, index.hasKey(of: object, at: property.offset) {
      throw duplicate(object, property)
    }
    unsafe transaction.log.append(object, .inserted(wasGone: true, sequence: object.sequence))
    attachUnlinked(object, sequence: sequence, table)
    // Its owner may be permanently gone, or own another object by now.
    if object.isEmbedded { transaction.embedded.append(object) }
  }
}
