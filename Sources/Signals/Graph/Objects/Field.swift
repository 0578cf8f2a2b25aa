public import SignalsThread

/// A value of an object, observed, logged and undone: any `Codable & Equatable & Sendable` type.
///
/// - Writing an equal value does nothing.
/// - On a stored object a write is part of the transaction under way, or one of its own.
/// - After the object was deleted the field keeps its last value; writes to it stay local.
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
  public var stored: Value

  /// Creates a field with its default.
  @inlinable public init(wrappedValue: Value) { stored = wrappedValue }

  @inlinable public static func isSame(_ old: Value, _ new: Value) -> Bool { old == new }

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
    get {
      if unsafe signals_thread_current().pointee.reader != nil {
        unsafe owner.track(
          Object.offset(
            of: withUnsafeMutablePointer(to: &owner[keyPath: storage]) {
              UnsafeMutableRawPointer($0)
            }, in: owner))
      }
      return owner[keyPath: storage].stored
    }
    set {
      if unsafe owner.extent == nil, unsafe owner.watched == nil {
        owner[keyPath: storage].stored = newValue
      } else {
        unsafe owner.replace(
          withUnsafeMutablePointer(to: &owner[keyPath: storage]) { unsafe $0 }, with: newValue)
      }
    }
    _modify {
      if unsafe owner.extent == nil, unsafe owner.watched == nil,
        unsafe signals_thread_current().pointee.reader == nil
      {
        yield &owner[keyPath: storage].stored
      } else {
        let address = unsafe withUnsafeMutablePointer(to: &owner[keyPath: storage]) { unsafe $0 }
        let access = unsafe PropertyAccess(owner, address)
        if unsafe owner.willModifyInPlace(address) {
          defer {
            access.end()
            unsafe owner.didModifyInPlace(address)
          }
          yield &owner[keyPath: storage].stored
        } else {
          var copy = owner[keyPath: storage].stored
          defer {
            access.end()
            unsafe owner.replace(address, with: copy)
          }
          yield &copy
        }
      }
    }
  }
}

extension Field where Value: ExpressibleByNilLiteral {
  /// Creates an optional field that starts as nil.
  @inlinable public init() { stored = nil }
}
