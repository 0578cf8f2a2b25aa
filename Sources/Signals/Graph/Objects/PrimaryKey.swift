public import CSignalsThread

/// The value that names an object among the stored ones of its class.
///
/// It may be set until the object is added; then it is fixed, and a write is refused with
/// ``StoreError/primaryKeyIsFixed(_:key:)``. Two stored objects of a class never share one.
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
  /// What the storage holds now.
  public var stored: Value

  /// Creates a primary key with its default.
  @inlinable public init(wrappedValue: Value) { stored = wrappedValue }

  /// Whether writing one value over the other changes nothing.
  @inlinable public static func isSame(_ old: Value, _ new: Value) -> Bool {
    Sameness.areSame(old, new)
  }

  /// What the property means to the graph.
  @inlinable public static var role: PropertyRole { .primaryKey }

  /// Only properties of ``Object`` subclasses can be wrapped.
  @available(*, unavailable, message: "@PrimaryKey is for properties of Object subclasses")
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Reads and writes the property; Swift calls this for `book.isbn`.
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
      if unsafe owner.extent == nil, unsafe owner.watched == nil {
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
