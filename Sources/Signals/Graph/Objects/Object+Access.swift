// How the wrappers read and write their properties.
//
// These functions are inlined into the accessors of a user's class, where the key path of the
// storage is a literal. The compiler turns it into an address there.

public import CSignalsThread

extension Object {
  /// Reads a wrapped property.
  @inlinable
  @inline(__always)
  static func read<Owner: Object, Property: StoredProperty>(
    _ owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Property>,
    _ wrapped: ReferenceWritableKeyPath<Owner, Property.Value>
  ) -> Property.Value {
    if unsafe _fastPath(signals_reader() == nil) { return owner[keyPath: storage].stored }
    return unsafe owner.trackedRead(
      Property.self,
      at: Object.offset(
        of: withUnsafeMutablePointer(to: &owner[keyPath: storage]) { unsafe $0 }, in: owner)
    ) { wrapped }
  }

  /// Writes a wrapped property.
  @inlinable
  @inline(__always)
  static func write<Owner: Object, Property: StoredProperty>(
    _ new: consuming Property.Value, to owner: Owner,
    _ storage: ReferenceWritableKeyPath<Owner, Property>
  ) {
    // Not in `replace`: passing the storage on would make the compiler retain the object.
    if owner.writePath(of: Property.role) == .none {
      if signals_is_changing_property() {
        unsafe owner.refuseIfChanging(
          withUnsafeMutablePointer(to: &owner[keyPath: storage]) { unsafe $0 })
      }
      if Property.role == .link || Property.role == .links { owner.holdsLinks = true }
      _ = owner[keyPath: storage].exchange(new)
    } else {
      unsafe owner.replace(
        withUnsafeMutablePointer(to: &owner[keyPath: storage]) { unsafe $0 }, with: new)
    }
  }

  /// Begins a mutation of a wrapped property.
  @unsafe
  @inlinable
  @inline(__always)
  static func mutation<Owner: Object, Property: StoredProperty>(
    of owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Property>
  ) -> PropertyMutation<Property> {
    unsafe PropertyMutation(
      owner, at: withUnsafeMutablePointer(to: &owner[keyPath: storage]) { unsafe $0 })
  }
}
