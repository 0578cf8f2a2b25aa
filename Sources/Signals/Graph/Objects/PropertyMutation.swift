// A property in the hands of whoever changes it: `book.tags.append("x")`.
//
// The value is reached by its address and not through the property: no access of the property stays open
// across the user's code, and so the compiler need not have every read of it checked at run time.
// Reading it meanwhile traps by name (PropertyAccess.swift).

/// Yields the value of a property to be changed, and stores what became of it.
@usableFromInline
@unsafe
struct PropertyMutation<Property: StoredProperty> {
  /// Where the value is that is changed.
  @usableFromInline let value: UnsafeMutablePointer<Property.Value>
  private let storage: UnsafeMutablePointer<Property>
  private let access: PropertyAccess
  private let kind: Kind

  private enum Kind {
    /// In the storage of an object that nobody follows.
    case plain
    /// In the storage, inside a transaction that has the old value.
    case logged
    /// In a copy, which is written when the mutation ends.
    case copied
  }

  /// Begins to change the property stored at `storage`.
  @usableFromInline
  init(_ object: Object, _ storage: UnsafeMutablePointer<Property>) {
    // The value is the first thing in the storage of every wrapper.
    let stored = unsafe UnsafeMutableRawPointer(storage).assumingMemoryBound(
      to: Property.Value.self)
    unsafe self.storage = unsafe storage
    unsafe access = unsafe PropertyAccess(object, storage)
    if unsafe object.extent == nil, unsafe object.watched == nil {
      if Property.role == .link || Property.role == .links { unsafe object.holdsLinks = true }
      unsafe kind = .plain
      unsafe value = unsafe stored
    } else if Property.role == .field, unsafe object.willMutate(storage) {
      unsafe kind = .logged
      unsafe value = unsafe stored
    } else {
      unsafe kind = .copied
      unsafe value = .allocate(capacity: 1)
      unsafe value.initialize(to: stored.pointee)
    }
  }

  /// Ends the mutation.
  @usableFromInline
  func end(_ object: Object) {
    unsafe access.end()
    switch unsafe kind {
    case .plain: break
    case .logged:
      unsafe object.extent?.didChange(
        object, at: Object.offset(of: UnsafeMutableRawPointer(storage), in: object))
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
  fileprivate func willMutate<Property: StoredProperty>(
    _ storage: UnsafeMutablePointer<Property>
  ) -> Bool {
    guard Property.hasSize, let transaction = unsafe extent?.store.transaction else { return false }
    let offset = unsafe Object.offset(of: UnsafeMutableRawPointer(storage), in: self)
    Node.checkMayWrite(describeProperty(at: offset))
    unsafe transaction.log.save(self, offset, storage.pointee.stored)
    unsafe markReaders(of: offset, old: Self.before(storage, storage.pointee.stored))
    return true
  }
}
