/// A reference to an instance that isn't counted.
///
/// An atomic retain and release costs as much as everything else that the engine does for a node.
///
/// A use is safe, because the instance outlives each of its holders:
/// - The payload of a node refers to the instance that owns the node. Its `deinit` disposes of the
///   node, and a node that was disposed of sends no events.
/// - An object refers to its table, a table to its store, and a registration with a store to the
///   store. The store's `deinit` detaches its objects and clears the registrations.
/// - A back-link refers to an object of the store, and is removed when that object leaves the
///   store. So is the entry of an index.
/// - A store refers to the histories that record it, and such a history to the store. The first
///   that is released clears the other.
/// - A node of a snapshot refers to the shape of its class, and a shape to its columns. A shape is
///   never released.
/// - A walk through a tree refers to its nodes. Its caller holds the tree.
/// - A mutation, a read, or an evaluation refers to an object that its caller holds.
/// - A thread refers to the recorder of the evaluation that runs on it.
@usableFromInline
@safe @frozen
struct Unretained<Instance: AnyObject>: Hashable {
  @usableFromInline let reference: Unmanaged<Instance>

  @inlinable
  @inline(__always)
  init(_ instance: Instance) { unsafe reference = Unmanaged.passUnretained(instance) }

  /// The instance.
  ///
  /// Hot code calls `withInstance(_:)`, because the compiler may retain what this returns.
  @inlinable var instance: Instance {
    @inline(__always) get { unsafe reference.takeUnretainedValue() }
  }

  /// Calls `body` with the instance, without counting references.
  ///
  /// That is so only if nothing uses the reference in the same function after the call.
  @inlinable
  @inline(__always)
  func withInstance<Result>(_ body: (Instance) throws -> Result) rethrows -> Result {
    try unsafe reference._withUnsafeGuaranteedRef(body)
  }

  /// Returns whether this refers to an instance.
  @inlinable
  @inline(__always)
  func refers(to other: Instance) -> Bool { self == Unretained(other) }

  /// Returns the same reference with another type, which the instance has.
  @inline(__always)
  func cast<Other: AnyObject>(to _: Other.Type) -> Unretained<Other> {
    assert(instance is Other)
    return unsafe Unretained<Other>(Unmanaged.fromOpaque(reference.toOpaque()))
  }

  private init(_ reference: Unmanaged<Instance>) { unsafe self.reference = unsafe reference }

  @inlinable
  @inline(__always)
  static func == (one: Unretained, other: Unretained) -> Bool {
    unsafe one.reference.toOpaque() == other.reference.toOpaque()
  }

  @inlinable
  func hash(into hasher: inout Hasher) { unsafe hasher.combine(reference.toOpaque()) }
}
