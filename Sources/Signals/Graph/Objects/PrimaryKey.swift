/// The value that identifies an object among the stored objects of its class.
///
/// It can be set until the object is added. After that it is fixed, and a write is refused with
/// ``StoreError/primaryKeyIsFixed(_:key:)``. No two stored objects of a class have the same key.
/// `store.object(Book.self, primaryKey: isbn)` finds the object in O(1).
///
/// ```swift
/// final class Book: Object {
///   @PrimaryKey var isbn = ""
/// }
/// ```
@propertyWrapper
@frozen
public struct PrimaryKey<Value: FieldValue & Hashable>: IndexedProperty {
  /// The value in the storage; reading it here registers no dependency.
  public var stored: Value

  /// Creates a primary key with a default value.
  ///
  /// - Parameter wrappedValue: The default value.
  @inlinable public init(wrappedValue: Value) { stored = wrappedValue }

  /// The property's role in the graph, ``PropertyRole/primaryKey``.
  @inlinable public static var role: PropertyRole { .primaryKey }

  /// Unavailable, because only properties of ``Object`` subclasses can be wrapped.
  @available(*, unavailable, message: "@PrimaryKey is for properties of Object subclasses")
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Reads or writes the property; Swift calls this subscript for `book.isbn`.
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
