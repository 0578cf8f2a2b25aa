// The object of the graph: a plain Swift class whose wrapped properties are observed.
//
// Mutable state of the header, and who may touch it:
// - `membership`, read as `extent`: set while the object is stored, by Store/Extent.swift and
//   Store/Deleting.swift; not retained, because the store has its extents until it has detached all;
// - `watched`: the nodes of the properties that somebody reads; WatchedProperties.swift;
// - `slot`, `sequence`: the object's place in its extent; Extent.swift;
// - `lastRecord`: where the open transaction logged this object last; TransactionLog.swift;
// - `backlinks`: who links here, while stored; Backlinks.swift;
// - `isGone`: was deleted and not added again;
// - `holdsLinks`: links or lists were written while unstored; Link.swift and Links.swift set it;
// - `hasGivenID`: its id is another object's, of a snapshot or another store; who made it sets it;
// - `isEmbedded`: is an `EmbeddedObject`, whose `init` sets it: asked often, and without a cast.

private import CSignalsThread

/// An object of a live graph: subclass it, and declare properties with ``Field`` and its siblings.
///
/// - Every wrapped property has a default, so that `init()` makes a complete object.
/// - Equality and hash are identity: a stored object is one instance everywhere.
/// - A property read in a computed, an effect, a predicate or a view is a dependency of it.
/// - Deleting an object detaches it: its fields keep their last values and can be read for ever.
/// - It is not `Codable`, and can't leave its isolation domain, since it is part of a graph: ``Snapshot`` and
///   ``ChangeSet`` are what is written down and sent.
///
/// Reading a field costs about as much as reading a stored property while nobody tracks.
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
  // Written once more by a store that makes the object of another one, before anybody sees it.
  /// Names this object for ever.
  @safe @exclusivity(unchecked) public internal(set) final var objectID: ObjectID

  @exclusivity(unchecked) @usableFromInline final var membership: Unmanaged<Extent>?
  @exclusivity(unchecked) @usableFromInline final var watched: WatchedProperties?
  @exclusivity(unchecked) final var backlinks: IncomingLinks?
  @exclusivity(unchecked) final var sequence: UInt64 = 0
  @exclusivity(unchecked) final var slot: Int32 = -1
  @exclusivity(unchecked) final var lastRecord: Int32 = -1
  @exclusivity(unchecked) final var isGone = false
  @exclusivity(unchecked) @usableFromInline final var holdsLinks = false
  @exclusivity(unchecked) final var hasGivenID = false
  @safe @exclusivity(unchecked) final var isEmbedded = false

  /// The extent that has the object while it is stored.
  @unsafe @inlinable final var extent: Extent? {
    @inline(__always) get { unsafe membership?.takeUnretainedValue() }
    @inline(__always) set {
      unsafe membership = newValue.map { unsafe Unmanaged.passUnretained($0) }
    }
  }

  /// Creates an object that no store knows yet.
  public required init() { objectID = ObjectID.next() }

  /// The properties that had another name in snapshots and change sets of earlier versions: new name to
  /// old name.
  ///
  /// What was encoded and has no property of the new name is asked for the old one, and if that was renamed
  /// before, for the one before. Those of superclasses count too and need not be repeated.
  ///
  /// ```swift
  /// final class Book: Object {
  ///   @Field var title = ""
  ///   override static var renamed: [String: String] { ["title": "name"] }
  /// }
  /// ```
  open class var renamed: [String: String] { [:] }

  /// Whether the graph can do without an object of this class that can't be read any more.
  ///
  /// A ``Snapshot`` that another version of the app has written leaves such objects out where it would be
  /// refused otherwise, and a ``ChangeSet`` their changes. It is written down with them, so that it still
  /// counts when the class itself is no more. True of ``RestoredValue``; false for everything else, unless
  /// you say so: of caches, and of what your screens look like.
  open class var isExpendable: Bool { false }

  /// Gives an object that nobody has seen the id of another.
  final func give(_ id: ObjectID) {
    objectID = id
    unsafe hasGivenID = true
    ObjectID.skip(id)
  }

  // The properties of subclasses are still there.
  deinit { if unsafe holdsLinks { releaseLinks() } }

  /// Whether the object was deleted from its store and not added again; a read is a dependency.
  public final var isDeleted: Bool {
    if unsafe Node.reader != nil { track(Object.deletionOffset) }
    return unsafe isGone
  }

  /// The store that owns the object; nil before it is added and after it was deleted.
  public final var store: Store? {
    if unsafe Node.reader != nil { track(Object.deletionOffset) }
    return unsafe extent?.store
  }

  /// Two objects are equal if they are one instance.
  public static func == (lhs: Object, rhs: Object) -> Bool { lhs === rhs }

  /// Hashes the identity.
  public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// Runs `body` in a transaction of the object's store; a plain call on an unstored object.
  ///
  /// Throws what `body` throws, with everything undone, or the error of a refused write in it.
  @discardableResult
  public final func write<Result>(_ body: () throws -> Result) throws -> Result {
    guard let store = unsafe extent?.store else { return try body() }
    return try store.write(body)
  }

  /// Stands for `isDeleted` and `store` among the offsets of properties.
  static let deletionOffset = 0
  /// Stands for the owner of an embedded object likewise.
  static let ownerOffset = 8

  /// The byte offset of a property's storage: its identity within the class.
  @inlinable
  @inline(__always)
  static func offset(of storage: UnsafeMutableRawPointer, in object: Object) -> Int {
    unsafe storage - Unmanaged.passUnretained(object).toOpaque()
  }

  /// The address of the storage at an offset.
  @inlinable final func storage(at offset: Int) -> UnsafeMutableRawPointer {
    unsafe Unmanaged.passUnretained(self).toOpaque() + offset
  }
}

extension Object {
  /// Reads a property while somebody is reading, and tells whoever asks which key path is the property
  /// itself: a computed property that reads it has another.
  ///
  /// Apart from the plain read, so that this costs no reference counting while nobody is.
  @inlinable
  @inline(never)
  final func trackedRead<Property: StoredProperty>(
    _ property: Property.Type, at offset: Int, path: () -> AnyKeyPath
  ) -> Property.Value {
    track(offset, telling: path)
    return unsafe storage(at: offset).assumingMemoryBound(to: property).pointee.stored
  }

  /// Registers a read of the property at `offset` with whoever is reading.
  @usableFromInline
  @inline(never)
  final func track(_ offset: Int) {
    guard let reader = unsafe Node.reader else { return }
    if signals_is_changing_property() { refuseIfChanging(offset, .readElsewhere) }
    if unsafe reader.pointee.flags.contains(.redirects), unsafe redirect(offset, reader) { return }
    unsafe link(offset, reader)
  }

  /// Likewise, and tells whoever asks for it the key path of the property.
  @usableFromInline
  @inline(never)
  final func track(_ offset: Int, telling path: () -> AnyKeyPath) {
    guard let reader = unsafe Node.reader else { return }
    if signals_is_changing_property() { refuseIfChanging(offset, .readElsewhere) }
    if unsafe reader.pointee.flags.contains(.redirects) {
      // Only a reader that redirects asks.
      if unsafe reader.pointee.flags.contains(.asksPaths) { unsafe tell(path(), reader) }
      if unsafe redirect(offset, reader) { return }
    }
    unsafe link(offset, reader)
  }

  private final func tell(_ path: AnyKeyPath, _ reader: NodePointer) {
    _ = unsafe reader.pointee.reaction(
      reader,
      .readPath(of: Unmanaged.passUnretained(self).toOpaque(), Unmanaged.passUnretained(path)))
    withExtendedLifetime(path) {}
  }

  @inline(__always)
  private final func redirect(_ offset: Int, _ reader: NodePointer) -> Bool {
    unsafe reader.pointee.reaction(
      reader, .readMember(of: Unmanaged.passUnretained(self).toOpaque(), at: offset))
  }

  @inline(__always)
  private final func link(_ offset: Int, _ reader: NodePointer) {
    let watched: WatchedProperties
    if let present = unsafe self.watched {
      watched = present
    } else {
      watched = WatchedProperties()
      unsafe self.watched = watched
    }
    let node = unsafe watched.node(for: offset, of: self)
    unsafe Node.link(node, reader)
    if unsafe node.pointee.subs == nil { unsafe Node.abandon(node) }
  }

  /// Marks whoever read the property at `offset`; `old` is its value before the write.
  @usableFromInline
  final func markReaders(of offset: Int, old: @autoclosure () -> any PropertyBefore) {
    guard let node = unsafe watched?.existingNode(for: offset), unsafe node.pointee.subs != nil
    else { return }
    unsafe Turn.current.pointee.depth += 1
    unsafe WatchedProperties.keepBefore(node, old)
    unsafe Node.mark(node, .pending)
    Turn.endBatch()
  }
}
