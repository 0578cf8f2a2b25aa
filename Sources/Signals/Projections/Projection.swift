// A view of one object, or of several, by properties that are read through key paths.
//
// Mutable state, used only in the isolation domain of the graph:
// - `last`: the values when a root was deleted, and the values written since. The store sets it
//   before it unlinks anything (LastValues.swift), and it is used only while a root is deleted.
// - `isKnown`: whether the projection is registered with its roots. It is, unless it was created
//   for one evaluation (TemporaryProjection.swift).
// - `replayed`: the values that all reads return while a change is asked for its old or new values
//   (Projection+Observation.swift).
//
// Ownership: a projection holds its roots. They reference it weakly (ProjectionRegistry.swift), and
// its deinit removes these references. The store keeps no projection alive.

/// A live view of an object, or of several, with properties that are key paths into them.
///
/// Subclass it, and declare the properties to show. It serves as a view model without a separate
/// layer of code.
///
/// - The root is an object, another projection, or a struct of several objects, which makes the
///   projection a join.
/// - A property declared with ``Projected`` is read through its key path; one declared with
///   ``ProjectedWritable`` is also written through it. Reading it depends only on the values that
///   the path reads.
/// - ``shared(for:)`` returns one projection of each class for each root. Every result, list and
///   view that shows the root with this class shows that instance, for as long as it is referenced.
///   `init` creates a separate instance.
/// - Two projections are equal if they have the same class and the same root.
/// - When an object of its root is deleted, ``isDeleted`` becomes true, and all properties keep
///   their last values. Values written after that stay in the projection. When undo restores the
///   object, the projection shows it again.
/// - A projection holds its root; neither the root nor the store holds the projection.
///
/// The identity of a struct consists of the objects in it, at any depth, and its hashable values.
/// Values of other types don't distinguish roots.
///
/// Creating a projection costs about three times as much as creating an object. Creating a join
/// costs ten times that, because its struct is inspected by reflection.
///
/// To keep the last values, the deletion of a root evaluates all key paths of its live projections,
/// in the middle of that transaction. So a path must be valid in every state that a transaction
/// passes through. If undo or redo deletes the root, the paths are evaluated before it begins.
///
/// ```swift
/// final class BookRow: Projection<Book> {
///   @Projected(\Book.author?.name) var author: String?
///   @ProjectedWritable(\Book.title) var title: String
/// }
///
/// final class Desk: Projection<Desk.Roots> {
///   struct Roots { let library: Library; let member: Member }
///   @Projected(\Roots.library.available) var available: List<Book>
///   @Projected(\Roots.member.borrowed.count) var borrowedCount: Int
/// }
///
/// let row = BookRow.shared(for: book)
/// let desk = Desk(Desk.Roots(library: library, member: member))
/// ```
@safe
open class Projection<Root>: ProjectionProtocol, AnyProjection {
  /// The projected object, projection or struct.
  public final let root: Root
  final let objects: RootObjects
  @safe @exclusivity(unchecked) final var last: LastValues?
  @safe @exclusivity(unchecked) final var replayed: [Int: Any]?
  @safe @exclusivity(unchecked) final var isKnown = false
  static var base: AnyClass { Projection.self }

  /// Creates a separate projection, which isn't the one that results, lists and views share.
  ///
  /// - Parameter root: The root of the projection.
  public required init(_ root: Root) {
    self.root = root
    objects = RootObjects(root)
    if !isTemporary { becomeKnown() }
  }

  deinit { if isKnown { objects.forEach { $0.knownProjections?.remove(self) } } }

  /// Returns the shared projection of a root, and creates it if it doesn't exist.
  ///
  /// The caller has to keep the projection alive. A root without any object can't register
  /// projections, so its projections aren't shared.
  ///
  /// - Parameter root: The root of the projection.
  /// - Returns: The shared projection.
  public static func shared(for root: Root) -> Self {
    let objects = RootObjects(root)
    guard let registry = objects.first?.projections else { return self.init(root) }
    let key = objects.key(of: self)
    if let known = registry.shared(key) as? Self { return known }
    let made = self.init(root)
    registry.share(made, as: key)
    return made
  }

  /// Whether an object of the root is deleted and hasn't been restored; reads are tracked.
  public final var isDeleted: Bool {
    var isDeleted = false
    objects.forEach { if $0.isDeleted { isDeleted = true } }
    return isDeleted
  }

  /// Returns whether two projections have the same class and the same root.
  ///
  /// - Parameters:
  ///   - lhs: A value to compare.
  ///   - rhs: Another value to compare.
  /// - Returns: Whether the two are equal.
  public static func == (lhs: Projection, rhs: Projection) -> Bool {
    lhs === rhs || lhs.key == rhs.key
  }

  /// Hashes the class and the identity of the root.
  ///
  /// - Parameter hasher: The hasher to feed.
  public final func hash(into hasher: inout Hasher) { hasher.combine(key) }

  /// The class and the identity of the root.
  final var key: ProjectionKey { objects.key(of: type(of: self)) }

  /// Registers the projection with its roots, so that it keeps its values when one is deleted.
  final func becomeKnown() {
    isKnown = true
    objects.forEach { $0.projections.add(self) }
  }

  /// Whether reads return kept values instead of evaluating the paths: the last values, or those of
  /// a change.
  @usableFromInline final var isFrozen: Bool {
    replayed != nil || (last != nil && objects.isGone)
  }

  /// The value of a property while the projection is frozen.
  @usableFromInline
  final func frozenValue<Value>(at offset: Int) -> Value? {
    if let replayed { return replayed[offset] as? Value }
    objects.forEach { $0.track(Object.deletionOffset) }
    return last?.value(at: offset) as? Value
  }

  /// Writes a property while the projection is frozen.
  @usableFromInline
  final func setFrozen(_ value: Any, at offset: Int) { last?.set(value, at: offset) }
}

/// The requirements that every ``Projection`` meets, which give key paths the concrete class.
///
/// Don't conform to this protocol; subclass ``Projection``.
public protocol ProjectionProtocol: AnyObject, Hashable {
  /// The type of the root.
  associatedtype Root

  /// The projected object, projection or struct.
  var root: Root { get }

  /// Whether an object of the root is deleted and hasn't been restored.
  var isDeleted: Bool { get }

  /// Creates a separate projection.
  ///
  /// - Parameter root: The root of the projection.
  init(_ root: Root)

  /// Returns the shared projection of a root.
  ///
  /// - Parameter root: The root of the projection.
  /// - Returns: The shared projection.
  static func shared(for root: Root) -> Self
}
