// What the wrappers have in common: how a property is read, written, logged and restored.

private import SignalsThread

/// A value that a field can hold and a change set can carry.
public typealias FieldValue = Codable & Equatable & Sendable

/// The storage of a wrapped property.
///
/// You don't conform to this; ``Field`` and its siblings do.
///
/// The requirements are the engine's: they work on the storage inside the object, and know nothing of
/// transactions.
public protocol StoredProperty {
  /// What the property holds.
  associatedtype Value

  /// What the storage holds now.
  var stored: Value { get set }

  /// Whether writing `new` over `old` changes nothing.
  static func isSame(_ old: Value, _ new: Value) -> Bool

  /// What the property means to the graph.
  static var role: PropertyRole { get }
}

/// The storage of a property that holds a value rather than references.
public protocol StoredFieldProperty: StoredProperty where Value: FieldValue {}

/// What a property means to the graph.
public enum PropertyRole: Sendable {
  /// A value.
  case field
  /// The value that names the object in its class.
  case primaryKey
  /// A value with an index.
  case indexed
  /// A reference to one object.
  case link
  /// A list of references.
  case links
  /// The references that others hold.
  case inverse
}

extension Object {
  /// Writes a wrapped property: plainly while unstored, else in the transaction under way or its own.
  @inlinable
  final func replace<Property: StoredProperty>(
    _ storage: UnsafeMutablePointer<Property>, with new: Property.Value
  ) {
    let old = unsafe storage.pointee.stored
    if MemoryLayout<Property>.size == 0 || Property.isSame(old, new) { return }
    let offset = unsafe Object.offset(of: UnsafeMutableRawPointer(storage), in: self)
    Node.checkMayWrite(describeProperty(at: offset))
    if Property.role == .field, unsafe watched == nil, isUnfollowed {
      keepForUndo(offset, old)
      return unsafe storage.pointee.stored = new
    }
    guard let store = unsafe extent?.store else {
      if Property.role == .link || Property.role == .links { unsafe holdsLinks = true }
      unsafe storage.pointee.stored = new
      unsafe markReaders(of: offset, old: Self.before(storage, old))
      return
    }
    guard Property.role == .field else { return unsafe store.replace(self, storage, offset, new) }
    let isOwn = store.beginFieldWrite(self, offset, old)
    if unsafe watched != nil { unsafe markReaders(of: offset, old: Self.before(storage, old)) }
    unsafe storage.pointee.stored = new
    store.endFieldWrite(self, offset, isOwn: isOwn)
  }

  /// Whether nobody could see or refuse the write of a field of this stored object, and no transaction
  /// is under way.
  @usableFromInline
  final var isUnfollowed: Bool {
    if let turn = unsafe signals_thread_current().pointee.turn,
      unsafe turn.assumingMemoryBound(to: Turn.self).pointee.callback >= 0
    {
      return false
    }
    if unsafe extent?.isUnfollowed ?? false { return true }
    return isFollowedBySnapshotAlone
  }

  /// Whether the next snapshot is all that follows such a write, for which it is noted here.
  ///
  /// Apart, so that a write that nobody follows at all costs nothing for it.
  @inline(never)
  private final var isFollowedBySnapshotAlone: Bool {
    unsafe extent?.store.isFollowedBySnapshotAlone(self) ?? false
  }

  /// Whether such a write could be undone.
  @usableFromInline
  final var keepsUndo: Bool { unsafe extent?.keepsUndo ?? false }

  /// Keeps what such a write replaces, if the store can undo.
  @inlinable
  @inline(__always)
  final func keepForUndo(_ offset: Int, _ old: @autoclosure () -> Any) {
    if keepsUndo { unsafe extent?.keepForUndo(self, offset, old()) }
  }

  /// What tells whether a property still has its old value when a batch ends.
  @inlinable
  static func before<Property: StoredProperty>(
    _ storage: UnsafeMutablePointer<Property>, _ old: Property.Value
  ) -> PropertyBefore {
    PropertyBefore { unsafe Property.isSame(old, storage.pointee.stored) }
  }

  /// How a message names a property: `Book.title of #12`.
  @usableFromInline
  final func describeProperty(at offset: Int) -> String {
    let schema = Schema(of: type(of: self))
    let name = schema.properties.first { $0.offset == offset }?.name
    let pseudo = offset == Object.ownerOffset ? "owner" : "isDeleted"
    return "\(schema.name).\(name ?? pseudo) of \(objectID)"
  }
}
