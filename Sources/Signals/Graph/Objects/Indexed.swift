/// A field with an index that is kept up to date while the object is stored.
///
/// It behaves like a ``Field``. While the object is stored, each write also updates the index, in
/// O(1). ``Results/where(_:equals:)`` uses the index to find the objects with a value, in O(1) for
/// each. ``Results/where(_:hasPrefix:)`` and conditions on ranges are for indexed fields, too.
///
/// ```swift
/// final class Package: Object {
///   @Indexed var section = ""
/// }
/// ```
@propertyWrapper
@frozen
public struct Indexed<Value: FieldValue & Hashable>: IndexedProperty {
  /// The value in the storage; reading it here registers no dependency.
  public var stored: Value

  /// Creates an indexed field with a default value.
  ///
  /// - Parameter wrappedValue: The default value.
  @inlinable public init(wrappedValue: Value) { stored = wrappedValue }

  /// The property's role in the graph, ``PropertyRole/indexed``.
  @inlinable public static var role: PropertyRole { .indexed }

  /// Unavailable, because only properties of ``Object`` subclasses can be wrapped.
  @available(*, unavailable, message: "@Indexed is for properties of Object subclasses")
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Reads or writes the property; Swift calls this subscript for `package.section`.
  ///
  /// - Parameters:
  ///   - owner: The object that has the property.
  ///   - wrapped: The key path of the property.
  ///   - storage: The key path of the property's wrapper.
  @inlinable
  public static subscript<Owner: Object>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    @inline(__always) get { Object.read(owner, storage, wrapped) }
    @inline(__always) set { Object.write(newValue, to: owner, storage) }
    @inline(__always) _modify {
      let mutation = Object.mutation(of: owner, storage)
      defer { mutation.end(owner) }
      yield &mutation.value.pointee
    }
  }
}
