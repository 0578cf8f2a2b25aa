public import CSignalsThread

/// A reference to one object, or to none.
///
/// - Linking an unstored object from a stored one adds it, with all that it reaches.
/// - When the target is deleted the link becomes nil in the same commit; so does every link of an
///   object that is itself deleted.
/// - Linking a deleted object, or one of another store, is refused with a ``StoreError``.
///
/// `onDelete` is about the deletion of the object that has the link, as in Core Data: here deleting a
/// book deletes its cover too, and leaves its author. It is not SQL's rule about the target.
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
  /// What the storage holds now.
  public var stored: Target?
  @usableFromInline let rule: DeleteRule

  /// Creates a link; `onDelete` says what becomes of the target when the linking object is deleted.
  @inlinable
  public init(wrappedValue: Target? = nil, onDelete rule: DeleteRule = .nullify) {
    stored = wrappedValue
    self.rule = rule
  }

  /// Whether writing one value over the other changes nothing.
  @inlinable public static func isSame(_ old: Target?, _ new: Target?) -> Bool { old === new }

  /// What the property means to the graph.
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
        unsafe owner.holdsLinks = true
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

/// A link, whatever the type of its target.
protocol LinkWithRule { var deleteRule: DeleteRule { get } }

extension Link: LinkWithRule {
  var deleteRule: DeleteRule { rule }
}

/// A link or list, whatever the type of its targets.
protocol LinkingProperty { static var targetType: Object.Type { get } }

extension Property {
  /// The name of the class that a link or list leads to, and `Object` of any other property.
  var targetName: String {
    String(describing: (type as? any LinkingProperty.Type)?.targetType ?? Object.self)
  }
}

extension Link: LinkingProperty { static var targetType: Object.Type { Target.self } }

extension Links: LinkingProperty { static var targetType: Object.Type { Target.self } }

/// What becomes of the target of a link when the linking object is deleted.
public enum DeleteRule: Sendable {
  /// The target stays.
  case nullify
  /// The target is deleted too.
  case cascade
  /// The linking object can't be deleted while it links to something.
  case deny
}
