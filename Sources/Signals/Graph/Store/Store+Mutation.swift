// One change of the graph, forwards or backwards: the value, and everything that depends on it.
//
// Every change of a stored object passes through here, except for a setter's write of a plain field
// (PropertyStorage.swift), its change in place (PropertyMutation.swift), and the edit of one element
// of a list (Store+ListEdits.swift). Indexes and back-links
// follow the value immediately, and readers and live queries are marked, so that a read inside the
// transaction sees it. Rollback and undo use the same functions.

private import CSignalsThread

extension Store {
  /// Writes a property of a stored object.
  @usableFromInline
  func replace<P: PropertyStorage>(
    _ object: Object, _ storage: UncheckedPointer<P>, _ offset: Int, _ new: P.Value
  ) {
    mutate { transaction in
      guard let table = object.table else { return }
      var change: ReferenceChange?
      switch P.role {
      case .primaryKey:
        throw StoreError.primaryKeyIsFixed(subject(of: object, at: offset), key: "\(new)")
      case .link, .links:
        // The new value must be in the store before anything refers to it.
        let references = UncheckedPointer.reading(new) { References(P.role, at: $0.untyped()) }
        let difference = ReferenceChange(
          from: References(P.role, at: storage.untyped()), to: references)
        try admit(difference, from: object, at: offset)
        try checkStored(object, in: table)
        // A key that the store hashes for that may write the property.
        if difference.begins(with: References(P.role, at: storage.untyped())) {
          change = difference
        }
      case .field, .indexed, .inverse: break
      }
      transaction.journal.save(object, at: offset, old: storage.pointee.stored)
      if P.role == .link, !waitingLinks.isEmpty, let property = table.schema.property(at: offset) {
        wait(for: [], at: property, of: object)
      }
      apply(new, to: storage, of: object, at: offset, in: table, change)
    }
  }

  /// Stores a value in a stored object, and updates everything that depends on it.
  ///
  /// - Parameter change: How the references of the property change, if the caller knows that.
  func apply<P: PropertyStorage>(
    _ new: P.Value, to storage: UncheckedPointer<P>, of object: Object, at offset: Int,
    in table: ObjectTable, _ change: ReferenceChange? = nil
  ) {
    if signals_is_changing_property() { object.refuseIfChanging(at: offset, for: .written) }
    // A caller that allows no user code at the end of this function retains the value for longer.
    let old = storage.pointee.stored
    defer { withExtendedLifetime(old) {} }
    object.markReaders(of: offset, old: ValueBefore<P>(old))
    table.markQueries(of: object, at: offset)
    switch P.role {
    case .field, .inverse: storage.pointee.stored = new
    case .indexed, .primaryKey:
      let index = table.index(at: offset)
      if let dropped = index?.remove(object, at: offset) { transaction?.retainUntilEnd(dropped) }
      storage.pointee.stored = new
      index?.insert(object, at: offset)
      if let index, index.isObserved { table.markQueries(of: object, at: offset, cameTo: index) }
    case .link, .links:
      let before = References(P.role, at: storage.untyped())
      storage.pointee.stored = new
      let change =
        change ?? ReferenceChange(from: before, to: References(P.role, at: storage.untyped()))
      addBacklinks(change, from: object, at: offset)
    }
  }

  /// Stores a value whose type only the property knows.
  func apply(_ new: Any, to property: Property, of object: Object, in table: ObjectTable) {
    property.type.apply(new, to: object, at: property.offset, in: table, of: self)
  }

  /// Logs the value of a property and stores a new one, as deletion, undo and upsert do.
  func rewrite(
    _ property: Property, of object: Object, to new: Any, in transaction: Transaction
  ) {
    guard let table = object.table else { return }
    let old = property.value(in: object)
    if !transaction.journal.save(object, at: property.offset, old: old), property.mayOwn {
      transaction.retainUntilEnd(old)
    }
    if property.role == .link, !waitingLinks.isEmpty { wait(for: [], at: property, of: object) }
    apply(new, to: property, of: object, in: table)
  }

  /// Sets a field of a stored object in the open transaction, whatever its present value is.
  ///
  /// - Parameters:
  ///   - property: The field; not a link, a list or the primary key.
  ///   - object: The object.
  ///   - encoded: The encoded value.
  package func setField(
    _ property: Property, of object: Object, toEncoded encoded: any FieldValue
  ) {
    guard let transaction, object.table?.store === self,
      let new = property.value(decoding: encoded, find: { _ in nil }, missing: { _ in })
    else { return }
    if !property.isSame(new, in: object) {
      rewrite(property, of: object, to: new, in: transaction)
    }
  }

  /// Reverts an entry of the journal.
  func revert(_ entry: Journal.Entry) {
    let object = entry.object
    switch entry.change {
    case .property(let offset, let old):
      guard let table = object.table, let property = table.schema.property(at: offset)
      else {
        return
      }
      if property.mayOwn { transaction?.retainUntilEnd(property.value(in: object)) }
      apply(old, to: property, of: object, in: table)
    case .inserted(let wasGone, let sequence, _):
      detach(object, isGone: wasGone)
      object.sequence = sequence
    case .deleted(let values, let sequence, _):
      restore(values, of: object)
      attach(object, sequence: sequence)
    }
  }

  /// Reverts an insertion whose back-links have not been added yet.
  func revertUnlinked(_ entry: Journal.Entry) {
    guard case .inserted(let wasGone, let sequence, _) = entry.change else { return }
    detachUnlinked(entry.object, isGone: wasGone)
    entry.object.sequence = sequence
  }

  // MARK: - Attaching and detaching

  /// Makes an object a stored one, and adds the back-links of its links.
  func attach(_ object: Object, sequence: UInt64) {
    attachUnlinked(object, sequence: sequence, in: table(of: type(of: object)))
    attachLinks(of: object)
  }

  /// Makes an object a stored one.
  ///
  /// The first half of attaching several objects that link to each other.
  func attachUnlinked(_ object: Object, sequence: UInt64, in table: ObjectTable) {
    let before = LifeBefore(object)
    // Set first, because readers that are marked ask for the store.
    object.table = table
    object.markReaders(of: Object.deletionOffset, old: before)
    object.sequence = sequence
    if object.isGone, let snapshots { snapshots.hasReturned = true }
    object.isGone = false
    table.insert(object)
    noteIdentity(of: object.objectID, object)
  }

  /// Adds the back-links of an object's links.
  ///
  /// The second half: every target is stored by now.
  func attachLinks(of object: Object) {
    guard let table = object.table else { return }
    for property in table.schema.linking {
      var place = 0
      property.references(in: object).forEach { target in
        addBacklinks(1, from: object, at: property.offset, to: target, place)
        place += 1
      }
    }
  }

  /// Makes a stored object an unstored one, and removes the back-links of its links.
  func detach(_ object: Object, isGone: Bool) {
    guard let table = object.table else { return }
    object.forEachTarget(in: table.schema) { target, property in
      addBacklinks(-1, from: object, at: property.offset, to: target)
    }
    detachUnlinked(object, isGone: isGone)
  }

  private func detachUnlinked(_ object: Object, isGone: Bool) {
    object.markReaders(of: Object.deletionOffset, old: LifeBefore(object))
    noteIdentity(of: object.objectID, nil)
    object.table?.remove(object)
    object.isGone = isGone
  }

  /// Restores the fields of a detached object, and discards the values and links written since.
  func restore(_ values: [(offset: Int, value: Any)], of object: Object) {
    let schema = table(of: type(of: object)).schema
    func put(_ value: Any, in property: Property) {
      // The value written in between may have no other reference.
      if property.mayOwn || property.role == .link || property.role == .links {
        transaction?.retainUntilEnd(property.value(in: object))
      }
      property.put(value, into: object)
    }
    for (offset, value) in values {
      if let property = schema.property(at: offset) { put(value, in: property) }
    }
    for property in schema.linking { put(property.emptyValue(in: object), in: property) }
  }

  // MARK: - Back-links

  /// Adds and removes the back-links that a change of a link or list adds and removes.
  func addBacklinks(_ change: ReferenceChange, from source: Object, at offset: Int) {
    change.forEachDifference { target, count, place in
      addBacklinks(count, from: source, at: offset, to: target, place)
    }
  }

  /// Adds references from a property to `target`, or removes some if `count` is negative.
  ///
  /// - Parameter place: In a list, the position of the last reference that was inserted or moved.
  private func addBacklinks(
    _ count: Int, from source: Object, at offset: Int, to target: Object, _ place: Int = 0
  ) {
    if count == 0 { return target.backlinks?.move(from: source, at: offset, to: place) ?? () }
    let table = target.table
    let inverses = table?.inverses(following: source, offset, in: target) ?? []
    for property in inverses {
      target.markReaders(
        of: property.offset, old: property.inverse(in: target).snapshot(of: target))
      table?.markQueries(of: target, at: property.offset)
    }
    if target.isEmbedded {
      willChangeOwner(of: target)
      table?.markQueries(of: target, at: Object.ownerOffset)
    }
    let links = target.backlinks ?? BacklinkCounts()
    target.backlinks = links
    links.add(count, from: source, at: offset, position: place)
    if links.entries.isEmpty { target.backlinks = nil }
  }
}

/// Whether an object was stored, and whether it was deleted, before a change.
private struct LifeBefore: PreviousValue {
  private let isGone: Bool
  private let isStored: Bool

  init(_ object: Object) {
    isGone = object.isGone
    isStored = object.membership != nil
  }

  func isSame(_ object: Object, at offset: Int) -> Bool {
    object.isGone == isGone && (object.membership != nil) == isStored
  }
}

extension Property {
  func inverse(in object: Object) -> any InverseProperty {
    guard let type = type as? any InverseProperty.Type else { trap("\(name) is no inverse") }
    return type.inverse(in: object, at: offset)
  }
}

extension InverseProperty {
  fileprivate static func inverse(in object: Object, at offset: Int) -> any InverseProperty {
    wrapper(in: object, at: offset)
  }
}

extension PropertyStorage {
  /// Stores a value whose type only the property knows, in a stored object.
  fileprivate static func apply(
    _ new: Any, to object: Object, at offset: Int, in table: ObjectTable, of store: Store
  ) {
    guard let value = new as? Value else {
      trap("\(object.describeProperty(at: offset)) can't hold \(new)")
    }
    let storage = storage(in: object, at: offset)
    if isSame(storage.pointee.stored, as: value) { return }
    store.apply(value, to: storage, of: object, at: offset, in: table)
  }
}
