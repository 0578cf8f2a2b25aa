public import SignalsThread

/// A reference to one object, or to none.
///
/// - Linking an unstored object from a stored one adds it, with all that it reaches.
/// - When the target is deleted the link becomes nil in the same commit; so does every link of an
///   object that is itself deleted.
/// - Linking a deleted object, or one of another store, is refused with a ``StoreError``.
///
/// ```swift
/// final class Book: Object {
///   @Link var author: Author?
///   @Link(onDelete: .cascade) var cover: Cover?
/// }
/// ```
@propertyWrapper
@frozen
public struct Link<Target: Object>: StoredProperty {
  public var stored: Target?
  @usableFromInline let rule: DeleteRule

  /// Creates a link; `onDelete` says what becomes of the target when the linking object is deleted.
  @inlinable
  public init(wrappedValue: Target? = nil, onDelete rule: DeleteRule = .nullify) {
    stored = wrappedValue
    self.rule = rule
  }

  @inlinable public static func isSame(_ old: Target?, _ new: Target?) -> Bool { old === new }

  @inlinable public static var role: PropertyRole { .link }

  /// Only properties of ``Object`` subclasses can be wrapped.
  @available(*, unavailable, message: "@Link is for properties of Object subclasses")
  public var wrappedValue: Target? {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Reads and writes the property; Swift calls this for `book.author`.
  @inlinable
  public static subscript<Owner: Object>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: ReferenceWritableKeyPath<Owner, Target?>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Target? {
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

/// A link, whatever the type of its target.
protocol LinkWithRule { var deleteRule: DeleteRule { get } }

extension Link: LinkWithRule {
  var deleteRule: DeleteRule { rule }
}

/// What becomes of the target of a link when the linking object is deleted.
public enum DeleteRule: Sendable {
  /// The target stays.
  case nullify
  /// The target is deleted too.
  case cascade
  /// The linking object can't be deleted while it links to something.
  case deny
}
