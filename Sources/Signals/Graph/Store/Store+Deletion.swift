// Deleting objects: every reference to them is removed in the same commit, and the instances
// remain, detached.

extension Store {
  /// Deletes an object: links to it become nil, lists drop it, and it is detached.
  ///
  /// - The instance stays readable permanently, with the last values of its fields. Its own links
  ///   read as nil, and its lists as empty.
  /// - Its embedded objects and the targets of its `.cascade` links are deleted too.
  /// - Deleting a deleted object does nothing.
  /// - Outside of a transaction this is one commit.
  ///
  /// - Parameter object: The object to delete.
  /// - Throws: ``StoreError/notInStore(_:)``, or ``StoreError/deletionDenied(_:target:)`` if a link
  ///   with the rule `.deny` leads to an object that isn't deleted too.
  /// - Complexity: O(links to it and from it), and O(log n + d) for each list of n members that
  ///   contains it, where d is the distance by which insertions and removals before it have shifted
  ///   it since it was last inserted there.
  public func delete(_ object: Object) throws {
    guard let table = object.table else {
      if object.isGone { return }
      throw StoreError.notInStore(StoreError.Subject(object))
    }
    guard table.store === self else { throw StoreError.notInStore(StoreError.Subject(object)) }
    try mutateThrowing { transaction in
      remove(try deletionClosure(of: [object]), in: transaction) { $0 > 0 }
    }
  }

  /// Deletes objects.
  ///
  /// All of them lose their links first, so that no link refers to a deleted object.
  ///
  /// - Parameter isDerived: Whether the deletion of the object at an index follows from another
  ///   change.
  func remove(
    _ doomed: [Object], in transaction: Transaction, isDerived: (Int) -> Bool
  ) {
    for object in doomed { object.announceDeletion() }
    removeAnnounced(doomed, in: transaction, isDerived: isDerived)
  }

  /// Deletes objects whose companions have been notified already.
  func removeAnnounced(
    _ doomed: [Object], in transaction: Transaction, isDerived: (Int) -> Bool
  ) {
    for object in doomed { unlink(object, in: transaction) }
    for index in doomed.indices {
      remove(doomed[index], in: transaction, isDerived: isDerived(index))
    }
  }

  /// The given objects, then their embedded objects, and all objects that their cascading links
  /// delete.
  func deletionClosure(of objects: [Object]) throws -> [Object] {
    var doomed = DistinctObjects()
    for object in objects { doomed.insert(object) }
    var denied: [(source: Object, offset: Int, target: Object)] = []
    var next = 0
    while next < doomed.all.count {
      let object = doomed.all[next]
      next += 1
      guard let table = object.table else { continue }
      for property in table.schema.embedding {
        property.references(in: object).forEach { target in
          // One that an undo or a draft is moving already has another owner.
          guard target.isEmbedded, target.backlinks?.entries.count == 1 else { return }
          doomed.insert(target)
        }
      }
      for property in table.schema.linking where property.role == .link {
        let rule = property.deleteRule(in: object)
        if rule == .nullify { continue }
        property.references(in: object).forEach { target in
          if rule == .deny {
            denied.append((object, property.offset, target))
          } else {
            doomed.insert(target)
          }
        }
      }
    }
    for (source, offset, target) in denied where !doomed.contains(target) {
      throw StoreError.deletionDenied(
        subject(of: source, at: offset), target: StoreError.Subject(target))
    }
    return doomed.all
  }

  /// Removes an object from every link and list, and empties its own.
  private func unlink(_ object: Object, in transaction: Transaction) {
    for entry in object.backlinks?.entries ?? [] {
      let source = entry.source
      guard let table = source.table, let property = table.schema.property(at: entry.offset) else {
        continue
      }
      if removeMember(object, from: property, in: table, by: entry, transaction) { continue }
      let value = property.value(in: source, without: object, entry)
      rewrite(property, of: source, to: value, in: transaction)
    }
    guard let table = object.table else { return }
    // Those that are empty, too: an object that is added again in the transaction may have got links
    // in between, and the journal needs the values from before it.
    for property in table.schema.linking {
      rewrite(property, of: object, to: property.emptyValue(in: object), in: transaction)
    }
  }

  private func remove(_ object: Object, in transaction: Transaction, isDerived: Bool) {
    guard let table = object.table else { return }
    if !waitingLinks.isEmpty { stopWaiting(object) }
    let values = table.schema.properties.compactMap { property in
      switch property.role {
      case .field, .primaryKey, .indexed:
        (offset: property.offset, value: property.value(in: object))
      case .link, .links, .inverse: nil
      }
    }
    transaction.journal.append(
      .deleted(values: values, sequence: object.sequence, isDerived: isDerived), of: object)
    detach(object, isGone: true)
  }

  /// Detaches every object when the store is deallocated; iterative, however they are linked.
  ///
  /// No reader is notified: an effect would run in the middle of the `deinit` of the store's owner.
  func detachAll() {
    let objects = tables.values.flatMap { table in table.objects.compactMap { $0 } }
    for object in objects {
      guard let table = object.table else { continue }
      for property in table.schema.linking {
        _ = property.takeReferences(from: object)
      }
      object.backlinks = nil
      object.table = nil
      object.slot = -1
      object.isGone = true
    }
    // Companions come last: a value that they release may run user code.
    for object in objects { object.propertyNodes?.companion?.didLoseStore() }
  }
}

/// Different objects in the order in which they were inserted.
private struct DistinctObjects {
  private(set) var all: [Object] = []
  /// The objects, as soon as there are several: most deletions are of one.
  private var set: Set<Object> = []

  func contains(_ object: Object) -> Bool {
    set.isEmpty ? all.contains { $0 === object } : set.contains(object)
  }

  mutating func insert(_ object: Object) {
    if all.count == 8, set.isEmpty { set = Set(all) }
    if contains(object) { return }
    all.append(object)
    if !set.isEmpty { set.insert(object) }
  }
}

extension Property {
  func deleteRule(in object: Object) -> DeleteRule {
    linkingType?.deleteRule(in: object, at: offset) ?? .nullify
  }

  /// Returns the value of a link or list without one object.
  ///
  /// If `entry`, the back-link, is given, the object is found near the position that it notes.
  func value(
    in source: Object, without object: Object, _ entry: BacklinkCounts.Entry? = nil
  ) -> Any {
    editingValue(in: source) { $0.remove(object, near: entry) }
  }

  /// The value of an empty link or list.
  func emptyValue(in source: Object) -> Any { editingValue(in: source) { $0.removeAll() } }
}

extension LinkingProperty {
  fileprivate static func deleteRule(in object: Object, at offset: Int) -> DeleteRule {
    wrapper(in: object, at: offset).deleteRule
  }
}
