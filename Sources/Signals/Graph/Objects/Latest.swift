/// A field whose concurrent changes keep the larger value: the time of the last visit, the number
/// of the last message that was read.
///
/// It behaves like a ``Field``, except that two changes made from the same value don't conflict.
/// Instead, the larger of the two values is kept:
///
/// - If later commits have written the field, an undo or redo keeps their value, unless the value
///   that it restores is larger.
/// - ``Store/apply(_:undoable:onConflict:)`` keeps the value of the store or of the change set,
///   whichever is larger. A change set that is applied twice has the same effect as once.
/// - A draft that is committed after another write of the field keeps the larger value.
///
/// Without concurrent changes any value can be written, also a smaller one. Between the replicas of
/// a shared store, the largest value that any of them has written is kept, so a smaller one doesn't
/// last.
///
/// Values must have a total order: of a floating-point number that may be NaN, make a ``Field``.
///
/// ```swift
/// final class Membership: Object {
///   @Latest var lastRead = 0
/// }
///
/// membership.lastRead = 12
/// try store.write(undoable: false) { membership.lastRead = 15 }   // read on another device
/// try store.undo()                                                // still 15
/// ```
@propertyWrapper
@frozen
public struct Latest<Value: FieldValue & Comparable>: FieldStorage {
  /// The value in the storage; reading it here registers no dependency.
  public var stored: Value

  /// Creates a field with a default value.
  ///
  /// - Parameter wrappedValue: The default value.
  @inlinable public init(wrappedValue: Value) { stored = wrappedValue }

  /// The property's role in the graph, ``PropertyRole/field``.
  @inlinable public static var role: PropertyRole { .field }

  /// Unavailable, because only properties of ``Object`` subclasses can be wrapped.
  @available(*, unavailable, message: "@Latest is for properties of Object subclasses")
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Reads or writes the property; Swift calls this subscript for `membership.lastRead`.
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

extension Latest: MaximumProperty {}
