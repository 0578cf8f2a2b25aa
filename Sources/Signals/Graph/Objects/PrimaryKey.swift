public import CSignalsThread

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
  @inlinable public init(wrappedValue: Value) { stored = wrappedValue }

  /// Returns whether writing `new` over `old` changes nothing.
  ///
  /// NaN counts as equal to NaN, also inside a value.
  @inlinable public static func isSame(_ old: Value, _ new: Value) -> Bool {
    ValueEquality.areEqual(old, new)
  }

  /// The property's role in the graph, ``PropertyRole/primaryKey``.
  @inlinable public static var role: PropertyRole { .primaryKey }

  /// Unavailable, because only properties of ``Object`` subclasses can be wrapped.
  @available(*, unavailable, message: "@PrimaryKey is for properties of Object subclasses")
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Reads or writes the property; Swift calls this subscript for `book.isbn`.
  @inlinable
  public static subscript<Owner: Object>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    @inline(__always) get {
      if unsafe _fastPath(signals_reader() == nil) { return owner[keyPath: storage].stored }
      return unsafe owner.trackedRead(
        Self.self,
        at: Object.offset(
          of: withUnsafeMutablePointer(to: &owner[keyPath: storage]) { unsafe $0 }, in: owner)
      ) { wrapped }
    }
    @inline(__always) set {
      if owner.table == nil, owner.propertyNodes == nil {
        if signals_is_changing_property() {
          unsafe owner.refuseIfChanging(
            withUnsafeMutablePointer(to: &owner[keyPath: storage]) { unsafe $0 })
        }
        _ = owner[keyPath: storage].exchange(newValue)
      } else {
        unsafe owner.replace(
          withUnsafeMutablePointer(to: &owner[keyPath: storage]) { unsafe $0 }, with: newValue)
      }
    }
    @inline(__always) _modify {
      let mutation = unsafe PropertyMutation(
        owner, withUnsafeMutablePointer(to: &owner[keyPath: storage]) { unsafe $0 })
      defer { unsafe mutation.end(owner) }
      yield unsafe &mutation.value.pointee
    }
  }
}
