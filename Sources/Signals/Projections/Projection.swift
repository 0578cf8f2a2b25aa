// A view of one object, or of several, by properties that are read through key paths.
//
// Mutable state, and who may touch it:
// - `last`: the values from the moment at which a root was deleted, and what was written over them since;
//   the store sets it before it unlinks anything (KeepingValues.swift), and it counts only while a root is
//   gone;
// - `isKnown`: the roots know it, which they do unless it is made for one evaluation (TransientRow.swift);
// - `replayed`: the values that stand for all reads while a change is asked for its old or new ones
//   (ObservingProjections.swift).
//
// Ownership: a projection holds its roots; they know it weakly (ProjectionRegistry.swift), and it leaves
// them when it goes. The store keeps none.

/// A view model without a layer for it: subclass it, and declare what of the root it shows.
///
/// - The root is an object, a struct of several objects, which makes the projection a join, or another
///   projection.
/// - A property declared with ``Projected`` is read through its key path, and one declared with
///   ``ProjectedWritable`` written too. Reading it is a dependency on just what the path reads.
/// - ``shared(for:)`` makes one projection of a class for each root: every result, list and view that shows the
///   root with this class shows that instance, for as long as anybody holds it. `init` makes another one.
/// - Two projections are equal if they are of one class and show the same root.
/// - When an object of its root is deleted, ``isDeleted`` turns true, and all properties keep the values that
///   they had just before; what is written then stays in the projection. When undo brings the object
///   back, the projection shows it again.
/// - It holds its root; neither the root nor the store holds it.
///
/// Of a struct the objects count, wherever they are in it, and the values that are hashable; what is
/// neither does not tell roots apart.
///
/// Making one costs about three times as much as making an object; a join, whose struct is looked into,
/// ten times that. To keep the last values, all paths of a projection that somebody holds are evaluated
/// when its root is deleted, in the middle of that transaction: a path must hold in every state that a
/// transaction passes through. Those of what undo or redo deletes are evaluated before it begins.
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
open class Projection<Root>: RootedProjection, LiveProjection {
  /// What is projected.
  public final let root: Root
  final let objects: RootObjects
  @safe @exclusivity(unchecked) final var last: LastValues?
  @safe @exclusivity(unchecked) final var replayed: [Int: Any]?
  @safe @exclusivity(unchecked) final var isKnown = false
  static var base: AnyClass { Projection.self }

  /// Creates a projection of its own, which is not the one that results, lists and views share.
  public required init(_ root: Root) {
    self.root = root
    objects = RootObjects(root)
    if !TransientRow.isMade(of: type(of: self), objects.first) { becomeKnown() }
  }

  deinit { if isKnown { objects.forEach { $0.knownProjections?.remove(self) } } }

  /// The projection of a root that all who ask for it share, made if nobody holds it.
  ///
  /// It is kept by those who hold it. A root without any object has none to be known by: its projections are
  /// not shared.
  public static func shared(for root: Root) -> Self {
    let objects = RootObjects(root)
    guard let registry = objects.first?.projections else { return self.init(root) }
    let key = ProjectionKey(type: ObjectIdentifier(self), identity: objects.identity)
    if let known = registry.shared(key) as? Self { return known }
    let made = self.init(root)
    registry.share(made, key)
    return made
  }

  /// Whether an object of the root was deleted and did not come back; a read is a dependency.
  public final var isDeleted: Bool {
    var isDeleted = false
    objects.forEach { if $0.isDeleted { isDeleted = true } }
    return isDeleted
  }

  /// Whether two projections are of one class and show the same root.
  public static func == (lhs: Projection, rhs: Projection) -> Bool {
    lhs === rhs || (type(of: lhs) == type(of: rhs) && lhs.objects.identity == rhs.objects.identity)
  }

  /// Hashes the identity of the root.
  public final func hash(into hasher: inout Hasher) { hasher.combine(objects.identity) }

  /// Has the roots know the projection, so that it keeps its values when one is deleted.
  final func becomeKnown() {
    isKnown = true
    objects.forEach { $0.projections.add(self) }
  }

  /// What is read instead of the paths: the last values, or those of a change.
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

  /// The byte offset of a wrapper.
  @usableFromInline
  final func offset(of storage: UnsafeMutableRawPointer) -> Int {
    unsafe storage - Unmanaged.passUnretained(self).toOpaque()
  }
}

/// What every ``Projection`` is, so that key paths given to it know its class.
///
/// You don't conform to this; ``Projection`` does.
public protocol RootedProjection: AnyObject, Hashable {
  /// What is projected.
  associatedtype Root

  /// What is projected.
  var root: Root { get }

  /// Whether an object of the root was deleted and did not come back.
  var isDeleted: Bool { get }

  /// Creates a projection of its own.
  init(_ root: Root)

  /// The projection of a root that all who ask for it share.
  static func shared(for root: Root) -> Self
}
