public import CSignalsThread

/// A value of an object, observed, logged and undone: any `Codable & Equatable & Sendable` type.
///
/// - Writing an equal value does nothing, nor does not-a-number where there is not-a-number: the field keeps the
///   value that it has. A transaction that changes a field and then writes what equals its first value keeps what
///   was written last and tells of no change: `==` should compare everything that is shown.
/// - On a stored object a write is part of the transaction under way, or one of its own.
/// - After the object was deleted the field keeps its last value; writes to it stay local.
/// - Arrays, sets and dictionaries are values, changed in place and recorded as a whole. A field of values of
///   several types is an enum with payloads. A value that Swift can't encode is no field: keep what it is
///   made of.
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
public struct Field<Value: FieldValue>: StoredFieldProperty {
  /// What the storage holds now.
  public var stored: Value

  /// Creates a field with its default.
  @inlinable public init(wrappedValue: Value) { stored = wrappedValue }

  /// Whether writing one value over the other changes nothing.
  @inlinable public static func isSame(_ old: Value, _ new: Value) -> Bool {
    Sameness.areSame(old, new)
  }

  /// What the property means to the graph.
  @inlinable public static var role: PropertyRole { .field }

  /// Only properties of ``Object`` subclasses can be wrapped.
  @available(*, unavailable, message: "@Field is for properties of Object subclasses")
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Reads and writes the property; Swift calls this for `book.title`.
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
      // Here and not in `replace`: to hand the storage on, the compiler retains the object.
      if owner.isUnattended {
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

extension Field where Value: ExpressibleByNilLiteral {
  /// Creates an optional field that starts as nil.
  @inlinable public init() { stored = nil }
}
