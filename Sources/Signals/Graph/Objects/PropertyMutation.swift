// A property in the hands of whoever changes it: `book.tags.append("x")`.
//
// The value is reached by its address and not through the property: no access of the property stays open
// across the user's code, and so the compiler need not have every read of it checked at run time.
// Reading it meanwhile traps by name (PropertyAccess.swift).

public import CSignalsThread

/// Yields the value of a property to be changed, and stores what became of it.
@usableFromInline
@unsafe
struct PropertyMutation<Property: StoredProperty> {
  /// Where the value is that is changed.
  @usableFromInline let value: UnsafeMutablePointer<Property.Value>
  @usableFromInline let storage: UnsafeMutablePointer<Property>
  @usableFromInline let access: PropertyAccess
  @usableFromInline let kind: Kind

  @usableFromInline
  enum Kind {
    /// In the storage of an object that nobody follows, and whose store keeps nothing of it.
    case plain
    /// In the storage, inside a transaction that has the old value.
    case logged
    /// In a copy, which is written when the mutation ends.
    case copied
  }

  /// Begins to change the property stored at `storage`.
  @inlinable
  init(_ object: Object, _ storage: UnsafeMutablePointer<Property>) {
    // The value is the first thing in the storage of every wrapper.
    let stored = unsafe UnsafeMutableRawPointer(storage).assumingMemoryBound(
      to: Property.Value.self)
    unsafe self.storage = unsafe storage
    let offset = unsafe Object.offset(of: UnsafeMutableRawPointer(storage), in: object)
    if signals_is_changing_property() { object.refuseIfChanging(offset, .written) }
    if unsafe object.watched == nil,
      unsafe object.extent.map({ Property.role == .field && $0.attention == .none }) ?? true
    {
      if unsafe object.extent != nil { Node.checkMayWrite(object.describeProperty(at: offset)) }
      if Property.role == .link || Property.role == .links { unsafe object.holdsLinks = true }
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
    unsafe access = PropertyAccess(object, offset, isInPlace: kind != .copied)
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
  /// Prepares a field to be changed where it is: inside a transaction, which has its old value then.
  ///
  /// So an array that is appended to again and again is copied once in a transaction.
  @inlinable
  final func willMutate<Property: StoredProperty>(
    _ storage: UnsafeMutablePointer<Property>, _ offset: Int
  ) -> Bool {
    guard MemoryLayout<Property>.size > 0, isInTransaction else { return false }
    unsafe save(offset, old: storage.pointee.stored)
    if unsafe watched != nil {
      unsafe markReaders(of: offset, old: ValueBefore<Property>(storage.pointee.stored))
    }
    return true
  }

  /// Whether a transaction of its store is open.
  @usableFromInline
  final var isInTransaction: Bool { unsafe extent?.isInTransaction ?? false }

  /// Keeps the value of a field for a rollback.
  @usableFromInline
  final func save(_ offset: Int, old: Any) {
    Node.checkMayWrite(describeProperty(at: offset))
    unsafe extent?.save(self, offset, old)
  }

  /// A field was changed where it is.
  @usableFromInline
  final func didMutate(_ offset: Int) { unsafe extent?.didChange(self, at: offset) }
}
