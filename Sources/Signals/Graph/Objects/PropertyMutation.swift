// The mutation of a property: `book.tags.append("x")`.
//
// The value is reached by its address, not through the property. No formal access to the property
// stays open while user code runs, so the compiler needn't insert run-time exclusivity checks for
// every read. A read during the mutation traps with a message that names the property
// (ExclusiveAccess.swift).

public import CSignalsThread

/// Yields the value of a property for mutation, then stores the result.
@usableFromInline
@unsafe
struct PropertyMutation<Property: StoredProperty> {
  /// The address of the value being changed.
  @usableFromInline let value: UnsafeMutablePointer<Property.Value>
  @usableFromInline let storage: UnsafeMutablePointer<Property>
  @usableFromInline let access: ExclusiveAccess
  @usableFromInline let kind: Kind

  @usableFromInline
  enum Kind {
    /// In the storage of an object that has no readers, and whose store records nothing of the
    /// change.
    case plain
    /// In the storage, inside a transaction that has logged the old value.
    case logged
    /// In a copy, which is written to the property when the mutation ends.
    case copied
  }

  /// Begins a mutation of the property stored at `storage`.
  @inlinable
  init(_ object: Object, at storage: UnsafeMutablePointer<Property>) {
    // The storage of every wrapper begins with the value.
    let stored = unsafe UnsafeMutableRawPointer(storage).assumingMemoryBound(
      to: Property.Value.self)
    unsafe self.storage = unsafe storage
    let offset = unsafe Object.offset(of: UnsafeMutableRawPointer(storage), in: object)
    if signals_is_changing_property() { object.refuseIfChanging(at: offset, for: .written) }
    if object.propertyNodes == nil,
      object.table.map({ Property.role == .field && $0.writePath == .none }) ?? true
    {
      if object.table != nil { Node.checkMayWrite(object.describeProperty(at: offset)) }
      if Property.role == .link || Property.role == .links { object.holdsLinks = true }
      unsafe kind = .plain
      unsafe value = unsafe stored
    } else if Property.role == .field, unsafe object.willMutate(storage, offset) {
      unsafe kind = .logged
      unsafe value = unsafe stored
    } else {
      unsafe kind = .copied
      unsafe value = .allocate(capacity: 1)
      unsafe value.initialize(to: stored.pointee)
    }
    unsafe access = ExclusiveAccess(object, at: offset, isInPlace: kind != .copied)
  }

  /// Ends the mutation.
  @inlinable
  func end(_ object: Object) {
    unsafe access.end()
    switch unsafe kind {
    case .plain: break
    case .logged:
      object.didMutate(unsafe Object.offset(of: UnsafeMutableRawPointer(storage), in: object))
    case .copied:
      let new = unsafe value.move()
      unsafe value.deallocate()
      unsafe object.replace(storage, with: new)
    }
  }
}

extension Object {
  /// Prepares a field for a change in place, by logging its old value in the open transaction.
  ///
  /// This way, an array to which a transaction appends repeatedly is copied only once.
  ///
  /// - Returns: Whether the field can be changed in place: not without an open transaction.
  @inlinable
  final func willMutate<Property: StoredProperty>(
    _ storage: UnsafeMutablePointer<Property>, _ offset: Int
  ) -> Bool {
    guard MemoryLayout<Property>.size > 0, isInTransaction else { return false }
    unsafe save(offset, old: storage.pointee.stored)
    if propertyNodes != nil {
      unsafe markReaders(of: offset, old: ValueBefore<Property>(storage.pointee.stored))
    }
    return true
  }

  /// Whether the object's store has an open transaction.
  @usableFromInline
  final var isInTransaction: Bool { table?.isInTransaction ?? false }

  /// Logs the value of a field for a rollback.
  @usableFromInline
  final func save(_ offset: Int, old: Any) {
    Node.checkMayWrite(describeProperty(at: offset))
    table?.save(self, offset, old)
  }

  /// Called after a field was changed in place.
  @usableFromInline
  final func didMutate(_ offset: Int) { table?.didChange(self, at: offset) }
}
