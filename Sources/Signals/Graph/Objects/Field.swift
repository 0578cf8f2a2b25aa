/// An observed, logged and undoable value of an object.
///
/// The value can have any `Codable & Equatable & Sendable` type.
///
/// - Writing an equal value does nothing: the field keeps its current value. NaN counts as equal to
///   NaN. A transaction that changes a field and then writes a value equal to the first one keeps
///   the value written last and reports no change. `==` should therefore compare everything that is
///   shown.
/// - On a stored object, a write is part of the open transaction. If none is open, the write is a
///   separate transaction.
/// - After the object is deleted, the field keeps its last value. Writes to it stay local.
/// - Arrays, sets and dictionaries are values, changed in place and recorded as a whole.
/// - For values of several types, use an enum with payloads. For a value that Swift can't encode,
///   store the parts from which it can be made.
///
/// ```swift
/// final class Book: Object {
///   @Field var title = ""
///   @Field var pages = 0
///   @Field var published: Date?
/// }
/// ```
@propertyWrapper
@frozen
public struct Field<Value: FieldValue>: FieldStorage {
  /// The value in the storage; reading it here registers no dependency.
  public var stored: Value

  /// Creates a field with a default value.
  ///
  /// - Parameter wrappedValue: The default value.
  @inlinable public init(wrappedValue: Value) { stored = wrappedValue }

  /// The property's role in the graph, ``PropertyRole/field``.
  @inlinable public static var role: PropertyRole { .field }

  /// Unavailable, because only properties of ``Object`` subclasses can be wrapped.
  @available(*, unavailable, message: "@Field is for properties of Object subclasses")
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Reads or writes the property; Swift calls this subscript for `book.title`.
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

extension Field where Value: ExpressibleByNilLiteral {
  /// Creates an optional field whose default is `nil`.
  @inlinable public init() { stored = nil }
}
