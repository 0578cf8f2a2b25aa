// The mutation of a property: `book.tags.append("x")`.
//
// The value is reached by its address, not through the property. No formal access to the property
// stays open while user code runs, so the compiler needn't insert run-time exclusivity checks for
// every read. A read during the mutation traps with a message that names the property
// (ExclusiveAccess.swift).

public import CSignalsThread

/// Yields the value of a property for mutation, then stores the result.
@usableFromInline
struct PropertyMutation<Property: PropertyStorage> {
  /// The address of the value being changed.
  @usableFromInline let value: UncheckedPointer<Property.Value>
  @usableFromInline let storage: UncheckedPointer<Property>
  @usableFromInline let access: ExclusiveAccess
  /// Whether a copy is changed, which is written to the property when the mutation ends.
  ///
  /// If the copy is a list that has noted one edit, the edit is made in the property instead.
  /// The value is changed in the storage if nothing observes that, or if the open transaction has
  /// recorded the old value.
  @usableFromInline let isCopy: Bool

  /// Begins a mutation of the property stored at `storage`.
  @inlinable
  init(_ object: Object, at storage: UncheckedPointer<Property>) {
    let stored = storage.storedValue
    self.storage = storage
    let offset = storage.offset(in: object)
    if signals_is_changing_property() { object.refuseIfChanging(at: offset, for: .written) }
    if object.changeContext(of: Property.role) == .none {
      if Property.role == .link || Property.role == .links { object.holdsLinks = true }
      isCopy = false
      value = stored
    } else if Property.role == .field, object.willMutate(storage, offset) {
      isCopy = false
      value = stored
    } else {
      isCopy = true
      value = .allocate()
      value.initialize(to: stored.pointee)
      if Property.role == .links { value.untyped().awaitListEdit() }
    }
    access = ExclusiveAccess(object, at: offset, isInPlace: !isCopy)
  }

  /// Ends the mutation.
  @inlinable
  func end(_ object: Object) {
    access.end()
    guard isCopy else { return }
    if Property.role == .links, object.makeEdit(of: value, in: storage) { return }
    let new = value.move()
    value.deallocate()
    object.replace(storage, with: new)
  }
}

extension Object {
  /// Prepares a field for a change in place, by recording its old value in the open transaction.
  ///
  /// This way, an array to which a transaction appends repeatedly is copied only once.
  ///
  /// - Returns: Whether the field can be changed in place: not without an open transaction.
  @inlinable
  final func willMutate<Property: PropertyStorage>(
    _ storage: UncheckedPointer<Property>, _ offset: Int
  ) -> Bool {
    guard MemoryLayout<Property>.size > 0, isInTransaction else { return false }
    record(offset, old: storage.pointee.stored)
    if propertyNodes != nil {
      markReaders(of: offset, old: ValueBefore<Property>(storage.pointee.stored))
    }
    return true
  }

  /// Whether the object's store has an open transaction.
  @usableFromInline
  final var isInTransaction: Bool { table?.withStore { $0.transaction != nil } ?? false }

  /// Records the value of a field in the open transaction.
  @usableFromInline
  final func record(_ offset: Int, old: Any) {
    Node.checkMayWrite(describeProperty(at: offset))
    guard let table else { return }
    _ = table.withStore { $0.record(self, in: table, at: offset, old: old) }
  }
}
