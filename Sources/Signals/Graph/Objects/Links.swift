public import CSignalsThread

/// A list of references to objects: ordered, duplicates allowed.
///
/// The property is a ``List`` value: edit it in place (`member.borrowed.append(book)`) or assign it;
/// a copy is independent and does not edit the model. What holds for a ``Link`` holds for each member;
/// when a member is deleted, it leaves the list in the same commit.
///
/// There are no sets and no dictionaries of links. That a member stands in a list once is a rule of the
/// model, kept by who appends or by ``Store/beforeCommit``; objects under names of their own are found
/// by an ``Indexed`` field of theirs, or by objects between, with a key and a link each.
///
/// ```swift
/// final class Library: Object {
///   @Links var available: List<Book>
/// }
/// ```
@propertyWrapper
@frozen
public struct Links<Target: Object>: StoredProperty {
  /// What the storage holds now.
  public var stored: List<Target>

  /// Creates an empty list.
  @inlinable public init() { stored = List() }

  /// Creates a list with its default.
  @inlinable public init(wrappedValue: List<Target>) { stored = wrappedValue }

  /// Whether writing one value over the other changes nothing.
  public static func isSame(_ old: List<Target>, _ new: List<Target>) -> Bool { old == new }

  /// What the property means to the graph.
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
