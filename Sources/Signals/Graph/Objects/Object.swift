// The base class of the objects in a graph: a plain Swift class whose wrapped properties are
// observed.
//
// Invariants of an object's header:
// - `membership` is set before anything else when the object is stored, because readers that are
//   marked ask for the store; `slot` follows when the table inserts it. The table removes both
//   together, and so does the store that is released.
// - `backlinks` is nil unless the object is stored. `isGone` is false while it is in a table.
// - Each function that writes a link or a list of an unstored object sets `holdsLinks`, so the
//   `deinit` of an object without references does nothing.
// - The creator of an object calls `give(_:)` before any other code has seen the object, so an id
//   never changes visibly.

private import CSignalsThread

/// The base class of the objects in a live graph.
///
/// Subclass it, and declare properties with ``Field`` and the other property wrappers.
///
/// - Every wrapped property has a default, so `init()` makes a complete object.
/// - Equality and hash are identity. A stored object is the same instance everywhere.
/// - A computed, an effect, a predicate or a view depends on each property that it reads.
/// - Deleting an object detaches it. Its fields keep their last values and stay readable
///   permanently.
/// - It isn't `Codable` and can't leave its isolation domain, because it is part of a graph. Save
///   and send a ``Snapshot`` or a ``ChangeSet`` instead.
///
/// Outside of tracking, reading a field costs about as much as reading a stored property.
///
/// ```swift
/// final class Book: Object {
///   @PrimaryKey var isbn = ""
///   @Field var title = ""
///   @Link var author: Author?
/// }
/// ```
@safe
open class Object: Hashable {
  // `give(_:)` writes it a second time, if at all, before any other code has seen the object.
  /// The object's permanent identifier, also in change sets, snapshots and other stores.
  @safe @exclusivity(unchecked) public internal(set) final var objectID: ObjectID

  // Unchecked exclusivity of these, and safe: no user code runs while one of them is accessed.

  /// The table that holds the object, which ``table`` reads.
  ///
  /// It isn't retained, because the store keeps its tables until it has detached all objects.
  @safe @exclusivity(unchecked) @usableFromInline
  final var membership: Unretained<ObjectTable>?
  /// The nodes of the properties that have readers; nil if none was ever read under tracking.
  @safe @exclusivity(unchecked) @usableFromInline final var propertyNodes: PropertyNodes?
  /// The references to the object.
  @safe @exclusivity(unchecked) final var backlinks: BacklinkCounts?
  /// The object's place in the order in which objects were added to the store.
  @safe @exclusivity(unchecked) final var sequence: UInt64 = 0
  /// The object's index in its table, or -1.
  @safe @exclusivity(unchecked) final var slot: Int32 = -1
  /// The index of the object's latest entry in the journal of the open transaction, or -1.
  @safe @exclusivity(unchecked) final var lastEntry: Int32 = -1
  /// Whether the object was deleted and not added again.
  @safe @exclusivity(unchecked) final var isGone = false
  /// Whether a history has kept a commit that wrote the object, so that it may have steps that concern it.
  @safe @exclusivity(unchecked) final var mayHaveSteps = false
  /// Whether links or lists were written while the object was unstored.
  @safe @exclusivity(unchecked) @usableFromInline final var holdsLinks = false
  /// Whether the id was taken from an object of a snapshot, a draft or another store.
  @safe @exclusivity(unchecked) final var hasGivenID = false
  /// Whether the object is an `EmbeddedObject`; tested often, and this needs no cast.
  @safe @exclusivity(unchecked) package final var isEmbedded = false

  /// The table that holds the object, or `nil` if it isn't stored.
  @inlinable final var table: ObjectTable? {
    @inline(__always) get { membership?.instance }
    @inline(__always) set { membership = newValue.map { Unretained($0) } }
  }

  /// Creates an object that isn't stored.
  public required init() { objectID = ObjectID.next() }

  /// The former names of renamed properties, by their new names.
  ///
  /// Snapshots and change sets of earlier versions of the app contain the former names. If encoded
  /// data has no value for the new name, the value for the former name is used. If the former name
  /// is itself a key here, the name before that is tried next, and so on. The entries of
  /// superclasses also apply and need not be repeated.
  ///
  /// ```swift
  /// final class Book: Object {
  ///   @Field var title = ""
  ///   override static var renamed: [String: String] { ["title": "name"] }
  /// }
  /// ```
  open class var renamed: [String: String] { [:] }

  /// Whether objects of this class are skipped, rather than failing the decoding, when they can't
  /// be decoded.
  ///
  /// This concerns data written by another version of the app. A ``Snapshot`` leaves such objects
  /// out, and a ``ChangeSet`` leaves out their changes. The setting is encoded with the objects, so
  /// it also applies after the class was removed from the app. It is true for ``RestoredValue`` and
  /// false for any other class. Override it for data that may be lost, such as caches or the state
  /// of screens.
  open class var isSkippedIfUndecodable: Bool { false }

  /// Gives a new object, which no other code has seen, the id of another object.
  final func give(_ id: ObjectID) {
    objectID = id
    hasGivenID = true
    ObjectID.skip(id)
  }

  // The properties of subclasses still exist at this point.
  deinit { if holdsLinks { releaseLinks() } }

  /// Whether the object was deleted from its store and not added again.
  ///
  /// Reading it registers a dependency.
  public final var isDeleted: Bool {
    if Node.hasReader { track(Object.deletionOffset) }
    return isGone
  }

  /// The store that owns the object; `nil` before it is added and after it is deleted.
  ///
  /// Reading it registers a dependency.
  public final var store: Store? {
    if Node.hasReader { track(Object.deletionOffset) }
    return table?.store
  }

  /// Returns whether both are the same instance.
  ///
  /// - Parameters:
  ///   - lhs: A value to compare.
  ///   - rhs: Another value to compare.
  /// - Returns: Whether the two are equal.
  public static func == (lhs: Object, rhs: Object) -> Bool { lhs === rhs }

  /// Hashes the object's identity.
  ///
  /// - Parameter hasher: The hasher to feed.
  public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// Runs `body` in a transaction of the object's store.
  ///
  /// On an unstored object, it only calls `body`. Otherwise, the rules are those of
  /// ``Store/write(label:origin:undoable:_:)``.
  ///
  /// - Parameters:
  ///   - label: The name of the undo step.
  ///   - origin: The origin of the change, which observers receive.
  ///   - undoable: Whether the changes can be undone.
  ///   - body: The writes of the transaction.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, or the error of a write that was refused in it. In both cases,
  ///   everything that `body` wrote to the store is rolled back.
  @discardableResult
  public final func write<Result>(
    label: String? = nil, origin: Origin? = nil, undoable: Bool = true, _ body: () throws -> Result
  ) throws -> Result {
    guard let store = table?.store else { return try body() }
    return try store.write(label: label, origin: origin, undoable: undoable, body)
  }

  /// The pseudo-offset under which reads of `isDeleted` and `store` are tracked.
  static let deletionOffset = 0
  /// The pseudo-offset under which reads of an embedded object's `owner` are tracked.
  static let ownerOffset = 8
}

extension Node {
  /// Whether reads are tracked.
  static var hasReader: Bool {
    @inline(__always) get { reader != nil }
  }
}

extension Object {
  /// Reads a property under tracking.
  ///
  /// A reader that asks for key paths gets `path`, the key path of the property itself. The key
  /// path of a computed property that reads this one is another.
  ///
  /// This is separate from the untracked read, which then needs no reference counting.
  @inlinable
  @inline(never)
  final func trackedRead<Property: PropertyStorage>(
    _ property: Property.Type, at offset: Int, path: () -> AnyKeyPath
  ) -> Property.Value {
    track(offset, reporting: path)
    return Property.storage(in: self, at: offset).pointee.stored
  }

  /// Registers a read of the property at `offset` with the current reader, if there is one.
  @usableFromInline
  @inline(never)
  final func track(_ offset: Int) {
    guard let reader = Node.reader else { return }
    if signals_is_changing_property() { refuseIfChanging(at: offset, for: .readElsewhere) }
    if reader.pointee.flags.contains(.redirects), redirect(offset, to: reader) {
      return
    }
    link(offset, to: reader)
  }

  /// Registers a read of the property at `offset` with the current reader, and passes it the
  /// property's key path if it asks for that.
  @usableFromInline
  @inline(never)
  final func track(_ offset: Int, reporting path: () -> AnyKeyPath) {
    guard let reader = Node.reader else { return }
    if signals_is_changing_property() { refuseIfChanging(at: offset, for: .readElsewhere) }
    if reader.pointee.flags.contains(.redirects) {
      // Only readers that redirect want key paths.
      let path = reader.pointee.flags.contains(.wantsPaths) ? path() : nil
      if redirect(offset, to: reader, path) { return }
    }
    link(offset, to: reader)
  }

  @inline(__always)
  private final func redirect(
    _ offset: Int, to reader: NodePointer, _ path: AnyKeyPath? = nil
  ) -> Bool {
    withExtendedLifetime(path) {
      reader.pointee.reaction(
        reader, .readPart(of: Unretained(self), at: offset, path.map { Unretained($0) }))
    }
  }

  @inline(__always)
  private final func link(_ offset: Int, to reader: NodePointer) {
    let propertyNodes: PropertyNodes
    if let present = self.propertyNodes {
      propertyNodes = present
    } else {
      propertyNodes = PropertyNodes()
      self.propertyNodes = propertyNodes
    }
    let node = propertyNodes.node(for: offset, of: self)
    Node.link(node, to: reader)
    if node.pointee.subs == nil { Node.enqueueUnread(node) }
  }

  /// Marks the readers of the property at `offset` as possibly stale.
  ///
  /// - Parameter old: The property's value before the write.
  @usableFromInline
  final func markReaders(of offset: Int, old: @autoclosure () -> any PreviousValue) {
    guard let node = propertyNodes?.existingNode(for: offset),
      node.pointee.subs != nil
    else { return }
    Scheduler.current.pointee.depth += 1
    PropertyNodes.keepBefore(of: node, old)
    Node.markReaders(of: node, as: .pending)
    Scheduler.endBatch()
  }
}
