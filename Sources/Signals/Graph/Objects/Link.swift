/// An optional reference to one object.
///
/// - Linking an unstored object from a stored one adds it to the store, with everything that it
///   reaches.
/// - When the target is deleted, the link becomes `nil` in the same commit.
/// - When the object that has the link is deleted, the link also becomes `nil`.
/// - Linking a deleted object, or an object of another store, is refused with a ``StoreError``.
/// - A link of an object that isn't stored retains its target. Unstored objects that link to each
///   other, and one that links to itself, are released when such a link is cleared.
///
/// `onDelete` applies when the object that has the link is deleted, as in Core Data. In the
/// example, deleting a book also deletes its cover and keeps its author. In SQL, by contrast, such
/// a rule applies when the target is deleted.
///
/// ```swift
/// final class Book: Object {
///   @Link var author: Author?
///   @Link(onDelete: .cascade) var cover: Cover?
/// }
/// ```
@propertyWrapper
@frozen
public struct Link<Target: Object>: PropertyStorage {
  /// The value in the storage; reading it here registers no dependency.
  public var stored: Target?
  @usableFromInline let rule: DeleteRule

  /// Creates a link.
  ///
  /// - Parameters:
  ///   - wrappedValue: The default target.
  ///   - rule: What happens to the target when the linking object is deleted.
  @inlinable
  public init(wrappedValue: Target? = nil, onDelete rule: DeleteRule = .nullify) {
    stored = wrappedValue
    self.rule = rule
  }

  /// Returns whether both are the same instance, or both are `nil`.
  ///
  /// - Parameters:
  ///   - old: The target before.
  ///   - new: The target after.
  /// - Returns: Whether the two are the same.
  @inlinable public static func isSame(_ old: Target?, as new: Target?) -> Bool { old === new }

  /// The property's role in the graph, ``PropertyRole/link``.
  @inlinable public static var role: PropertyRole { .link }

  /// Unavailable, because only properties of ``Object`` subclasses can be wrapped.
  @available(*, unavailable, message: "@Link is for properties of Object subclasses")
  public var wrappedValue: Target? {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Reads or writes the property; Swift calls this subscript for `book.author`.
  ///
  /// - Parameters:
  ///   - owner: The object that has the property.
  ///   - wrapped: The key path of the property.
  ///   - storage: The key path of the property's wrapper.
  @inlinable
  public static subscript<Owner: Object>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: ReferenceWritableKeyPath<Owner, Target?>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Target? {
    @inline(__always) get { Object.read(owner, storage, wrapped) }
    @inline(__always) set { Object.write(newValue, to: owner, storage) }
    @inline(__always) _modify {
      let mutation = Object.mutation(of: owner, storage)
      defer { mutation.end(owner) }
      yield &mutation.value.pointee
    }
  }
}

/// A ``Link`` or ``Links`` with its target type erased.
protocol LinkingProperty: PropertyStorage {
  static var targetType: Object.Type { get }
  /// What happens to a target when the linking object is deleted.
  var deleteRule: DeleteRule { get }
  /// Returns a value with the given targets; at most one for a link.
  static func value(of targets: [Object]) -> Any
}

extension LinkingProperty {
  /// Returns whether the property can refer to an object.
  static func holds(_ object: Object) -> Bool { type(of: object).isSubclass(of: targetType) }
}

extension Link: LinkingProperty {
  static var targetType: Object.Type { Target.self }
  var deleteRule: DeleteRule { rule }
  static func value(of targets: [Object]) -> Any { targets.first as? Target as Any }
}

extension Links: LinkingProperty {
  static var targetType: Object.Type { Target.self }
  var deleteRule: DeleteRule { .nullify }
  static func value(of targets: [Object]) -> Any { List<Target>(tree: Tree(targets)) }
}

extension Property {
  /// The class name of a link's or list's targets; `Object` for any other property.
  var targetName: String {
    String(describing: linkingType?.targetType ?? Object.self)
  }
}

/// What happens to the target of a link when the linking object is deleted.
public enum DeleteRule: Sendable {
  /// The target is kept.
  case nullify
  /// The target is deleted too.
  case cascade
  /// The linking object can't be deleted while it has a target, unless the target is deleted too.
  case deny
}
