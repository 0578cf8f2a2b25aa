// How the wrappers read and write their properties.
//
// These functions are inlined into the accessors of a user's class, where the key path of the
// storage is a literal. The compiler turns it into an address there.

public import CSignalsThread

extension Object {
  /// Reads a wrapped property.
  @inlinable
  @inline(__always)
  static func read<Owner: Object, Property: PropertyStorage>(
    _ owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Property>,
    _ wrapped: ReferenceWritableKeyPath<Owner, Property.Value>
  ) -> Property.Value {
    if _fastPath(Node.isUntracked) { return owner[keyPath: storage].stored }
    let offset = UncheckedPointer(to: storage, of: owner).offset(in: owner)
    return owner.trackedRead(Property.self, at: offset) { wrapped }
  }

  /// Writes a wrapped property.
  @inlinable
  @inline(__always)
  static func write<Owner: Object, Property: PropertyStorage>(
    _ new: consuming Property.Value, to owner: Owner,
    _ storage: ReferenceWritableKeyPath<Owner, Property>
  ) {
    // Not in `replace`: passing the storage on would make the compiler retain the object.
    if owner.changeContext(of: Property.role) == .none {
      if signals_is_changing_property() {
        owner.refuseIfChanging(UncheckedPointer(to: storage, of: owner))
      }
      if Property.role == .link || Property.role == .links { owner.holdsLinks = true }
      _ = owner[keyPath: storage].exchange(new)
    } else {
      owner.replace(UncheckedPointer(to: storage, of: owner), with: new)
    }
  }

  /// Begins a mutation of a wrapped property.
  @inlinable
  @inline(__always)
  static func mutation<Owner: Object, Property: PropertyStorage>(
    of owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Property>
  ) -> PropertyMutation<Property> {
    PropertyMutation(owner, at: UncheckedPointer(to: storage, of: owner))
  }
}
