/// An ordered list of references to objects, in which an object may occur more than once.
///
/// The property is a ``List`` value. Edit it in place (`member.borrowed.append(book)`) or assign
/// it. A copy is independent, and changing it doesn't edit the model. The rules of a ``Link`` apply
/// to each member. When a member is deleted, it is removed from the list in the same commit.
///
/// There are no sets or dictionaries of links. To allow each member only once, check before
/// appending, or in ``Store/beforeCommit(file:line:_:)``. To find objects by a key, give them an ``Indexed``
/// field, or use intermediate objects that each have a key and a link.
///
/// ```swift
/// final class Library: Object {
///   @Links var available: List<Book>
/// }
/// ```
@propertyWrapper
@frozen
public struct Links<Target: Object>: PropertyStorage {
  /// The value in the storage; reading it here registers no dependency.
  public var stored: List<Target>

  /// Creates a list property that is empty by default.
  @inlinable public init() { stored = List() }

  /// Creates a list property with a default value.
  ///
  /// - Parameter wrappedValue: The default value.
  @inlinable public init(wrappedValue: List<Target>) { stored = wrappedValue.settled() }

  /// Returns whether both lists hold the same instances in the same order.
  ///
  /// - Parameters:
  ///   - old: The list before.
  ///   - new: The list after.
  /// - Returns: Whether the two are equal.
  public static func isSame(_ old: List<Target>, as new: List<Target>) -> Bool { old == new }

  /// The property's role in the graph, ``PropertyRole/links``.
  @inlinable public static var role: PropertyRole { .links }

  /// Unavailable, because only properties of ``Object`` subclasses can be wrapped.
  @available(*, unavailable, message: "@Links is for properties of Object subclasses")
  public var wrappedValue: List<Target> {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Reads or writes the property; Swift calls this subscript for `library.available`.
  ///
  /// - Parameters:
  ///   - owner: The object that has the property.
  ///   - wrapped: The key path of the property.
  ///   - storage: The key path of the property's wrapper.
  @inlinable
  public static subscript<Owner: Object>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: ReferenceWritableKeyPath<Owner, List<Target>>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> List<Target> {
    @inline(__always) get { Object.read(owner, storage, wrapped) }
    @inline(__always) set { Object.write(newValue.settled(), to: owner, storage) }
    @inline(__always) _modify {
      let mutation = Object.mutation(of: owner, storage)
      defer { mutation.end(owner) }
      yield &mutation.value.pointee
    }
  }
}
