public import CSignalsThread

/// A field with an index, which is kept up to date while the object is stored.
///
/// It behaves like a ``Field``; a write also costs O(1) for the index while the object is stored.
/// ``Results/where(_:equals:)`` finds the objects with a value in O(1) each.
///
/// ```swift
/// final class Package: Object {
///   @Indexed var section = ""
/// }
/// ```
@propertyWrapper
@frozen
public struct Indexed<Value: FieldValue & Hashable>: IndexedProperty {
  /// What the storage holds now.
  public var stored: Value

  /// Creates an indexed field with its default.
  @inlinable public init(wrappedValue: Value) { stored = wrappedValue }

  /// Whether writing one value over the other changes nothing.
  @inlinable public static func isSame(_ old: Value, _ new: Value) -> Bool {
    Sameness.areSame(old, new)
  }

  /// What the property means to the graph.
  @inlinable public static var role: PropertyRole { .indexed }

  /// Only properties of ``Object`` subclasses can be wrapped.
  @available(*, unavailable, message: "@Indexed is for properties of Object subclasses")
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Reads and writes the property; Swift calls this for `package.section`.
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
