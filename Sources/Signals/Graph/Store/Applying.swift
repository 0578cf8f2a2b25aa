// One change of the graph, forwards or backwards: the value, and all that hangs on it.
//
// Every change of a stored object passes here: indexes, back-links, watched properties and live queries
// follow the value at once, so that a read inside the transaction sees it; rollback and undo pass
// through the same door.

extension Store {
  /// Writes a property of a stored object.
  func replace<Value, P: StoredProperty>(
    _ object: Object, _ storage: UnsafeMutablePointer<P>, _ offset: Int, _ old: Value, _ new: Value,
    _ extent: Extent
  ) where P.Value == Value {
    mutate { transaction in
      switch P.role {
      case .primaryKey:
        throw StoreError.primaryKeyIsFixed(subject(object, offset), key: "\(new)")
      case .link, .links:
        // The new value must be in the store before anything refers to it.
        var copy = unsafe storage.pointee
        copy.stored = new
        unsafe try admit(
          withUnsafePointer(to: copy) { unsafe References(P.role, $0) }, from: object, offset)
      case .field, .indexed, .inverse: break
      }
      if !transaction.log.hasSaved(object, offset) {
        transaction.log.append(object, .property(offset: offset, old: old))
      }
      unsafe apply(new, to: storage, of: object, at: offset, extent)
    }
  }

  /// Stores a value in a stored object, with all that follows.
  func apply<P: StoredProperty>(
    _ new: P.Value, to storage: UnsafeMutablePointer<P>, of object: Object, at offset: Int,
    _ extent: Extent
  ) {
    let old = unsafe storage.pointee.stored
    unsafe object.markReaders(of: offset, old: Object.before(storage, old))
    switch P.role {
    case .field, .primaryKey, .inverse: unsafe storage.pointee.stored = new
    case .indexed:
      extent.indexes[offset]?.remove(object, at: offset)
      unsafe storage.pointee.stored = new
      extent.indexes[offset]?.insert(object, at: offset)
    case .link, .links:
      let before = unsafe References(P.role, storage)
      unsafe storage.pointee.stored = new
      unsafe before.forEachDifference(from: References(P.role, storage)) { target, count in
        addBacklinks(count, from: object, at: offset, to: target)
      }
    }
    extent.didChange(object, at: offset)
  }

  /// Stores a value whose type is only known to the property.
  func apply(_ new: Any, to property: Property, of object: Object, _ extent: Extent) {
    func open<P: StoredProperty>(_ type: P.Type) {
      guard let value = new as? P.Value else {
        trap("\(object.describeProperty(at: property.offset)) can't hold \(new)")
      }
      let storage = unsafe object.storage(at: property.offset).assumingMemoryBound(to: P.self)
      if unsafe !P.isSame(storage.pointee.stored, value) {
        unsafe apply(value, to: storage, of: object, at: property.offset, extent)
      }
    }
    open(property.type)
  }

  /// Logs a property and then stores a value: what deletion and undo do.
  func rewrite(_ property: Property, of object: Object, to new: Any, _ transaction: Transaction) {
    guard let extent = unsafe object.extent else { return }
    if !transaction.log.hasSaved(object, property.offset) {
      let old = property.value(in: object)
      transaction.log.append(object, .property(offset: property.offset, old: old))
    }
    apply(new, to: property, of: object, extent)
  }

  /// Takes a record of the log back.
  func revert(_ record: TransactionLog.Record) {
    let object = record.object
    switch record.change {
    case .property(let offset, let old):
      guard let extent = unsafe object.extent, let property = extent.schema.property(at: offset)
      else {
        return
      }
      apply(old, to: property, of: object, extent)
    case .inserted(let wasGone): detach(object, isGone: wasGone)
    case .deleted: unsafe attach(object, sequence: object.sequence)
    }
  }

  // MARK: - Coming and going

  /// Makes an object a stored one, with the links it holds.
  func attach(_ object: Object, sequence: UInt64) {
    attachUnlinked(object, sequence: sequence)
    attachLinks(of: object)
  }

  /// The first half of attaching several objects that link to each other.
  func attachUnlinked(_ object: Object, sequence: UInt64) {
    markLife(of: object)
    unsafe object.sequence = sequence
    unsafe object.isGone = false
    extent(of: type(of: object)).insert(object)
  }

  /// The second half: every target is stored by now.
  func attachLinks(of object: Object) {
    guard let extent = unsafe object.extent else { return }
    object.forEachTarget(extent.schema) { target, property in
      addBacklinks(1, from: object, at: property.offset, to: target)
    }
  }

  /// Makes a stored object an unstored one.
  func detach(_ object: Object, isGone: Bool) {
    guard let extent = unsafe object.extent else { return }
    object.forEachTarget(extent.schema) { target, property in
      addBacklinks(-1, from: object, at: property.offset, to: target)
    }
    markLife(of: object)
    extent.remove(object)
    unsafe object.isGone = isGone
  }

  private func markLife(of object: Object) {
    let isGone = unsafe object.isGone
    let isStored = unsafe object.extent != nil
    object.markReaders(
      of: Object.deletionOffset,
      old: PropertyBefore { [unowned object] in
        unsafe object.isGone == isGone && (object.extent != nil) == isStored
      })
  }

  // MARK: - Back-links

  private func addBacklinks(_ count: Int, from source: Object, at offset: Int, to target: Object) {
    guard count != 0 else { return }
    let inverses = unsafe target.extent?.inverses.filter {
      ($0.type as? any InverseProperty.Type) != nil
        && $0.inverse(in: target).follows(source, offset)
    }
    for property in inverses ?? [] {
      target.markReaders(
        of: property.offset, old: property.inverse(in: target).snapshot(of: target))
    }
    let links = unsafe target.backlinks ?? IncomingLinks()
    unsafe target.backlinks = links
    links.add(count, from: source, at: offset)
    if links.entries.isEmpty { unsafe target.backlinks = nil }
    for property in inverses ?? [] { unsafe target.extent?.didChange(target, at: property.offset) }
  }
}

extension Property {
  /// The present value of the property, whatever its type.
  func value(in object: Object) -> Any {
    func open<P: StoredProperty>(_ type: P.Type) -> Any {
      unsafe object.storage(at: offset).assumingMemoryBound(to: P.self).pointee.stored
    }
    return open(self.type)
  }

  func inverse(in object: Object) -> any InverseProperty {
    func open<P: InverseProperty>(_ type: P.Type) -> any InverseProperty {
      unsafe object.storage(at: offset).assumingMemoryBound(to: P.self).pointee
    }
    guard let inverse = type as? any InverseProperty.Type else { trap("\(name) is no inverse") }
    return open(inverse)
  }
}
