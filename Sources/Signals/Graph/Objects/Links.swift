public import SignalsThread

/// A list of references to objects: ordered, duplicates allowed.
///
/// The property is a ``List`` value: edit it in place (`member.borrowed.append(book)`) or assign it;
/// a copy is independent and does not edit the model. What holds for a ``Link`` holds for each member;
/// when a member is deleted, it leaves the list in the same commit.
///
/// ```swift
/// final class Library: Object {
///   @Links var available: List<Book>
/// }
/// ```
@propertyWrapper
@frozen
public struct Links<Target: Object>: StoredProperty {
  public var stored: List<Target>

  /// Creates an empty list.
  @inlinable public init() { stored = List() }

  /// Creates a list with its default.
  @inlinable public init(wrappedValue: List<Target>) { stored = wrappedValue }

  public static func isSame(_ old: List<Target>, _ new: List<Target>) -> Bool { old == new }

  @inlinable public static var role: PropertyRole { .links }

  /// Only properties of ``Object`` subclasses can be wrapped.
  @available(*, unavailable, message: "@Links is for properties of Object subclasses")
  public var wrappedValue: List<Target> {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Reads and writes the property; Swift calls this for `library.available`.
  @inlinable
  public static subscript<Owner: Object>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: ReferenceWritableKeyPath<Owner, List<Target>>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> List<Target> {
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
        unsafe owner.holdsLinks = true
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
        unsafe owner.holdsLinks = true
        yield &owner[keyPath: storage].stored
      } else {
        let address = unsafe withUnsafeMutablePointer(to: &owner[keyPath: storage]) { unsafe $0 }
        let access = unsafe PropertyAccess(owner, address)
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
