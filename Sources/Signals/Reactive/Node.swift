// The memory of the reactive graph.
//
// A node is whatever can be read (a signal, a field, a list, a result) or can react (a computed, an
// effect, the body of a view); an edge says that one reads another. Both live outside ARC: a retain
// and release pair costs as much as everything else the engine does for a node.
//
// Mutable state, and who may touch it:
// - the two edge lists (`deps`, `subs`): Tracking.swift alone links and unlinks;
// - `flags`: Propagation.swift sets and clears the colors, the owner sets its kind once;
// - `holds`: whoever keeps a pointer while user code runs (the queues, the check stack);
// - `run`: Propagation.swift counts evaluations, Tracking.swift compares.
// A node belongs to the object that made it, which calls `dispose`; the memory goes when nobody
// holds the pointer any more.

@usableFromInline typealias NodePointer = UnsafeMutablePointer<Node>
@usableFromInline typealias EdgePointer = UnsafeMutablePointer<Edge>

/// What the engine asks of the owner of a node.
@usableFromInline
@safe enum NodeEvent {
  /// Evaluate: the answer is whether the value changed.
  case evaluate
  /// The batch ends: the answer is whether the value differs from the one before the batch.
  case settle
  /// A dependency may have changed (sent to watchers only, once until they run).
  case marked
  /// The turn of a queued watcher has come; or nobody reads a node any more that asked to be told.
  case perform
  /// Put a name for messages into the turn.
  case describe
  /// Put what users may know of the node into the turn (see Inspection.swift).
  case inspect
  /// This reader, which redirects, has read a node.
  case read(NodePointer)
  /// This reader, which redirects, has read a member of an object: the answer is whether that was
  /// all there is to do, else the member's node will be read.
  case readMember(of: UnsafeMutableRawPointer, at: Int)
  /// This reader, which asks for that, reads a member of an object, which has this key path.
  case readPath(of: UnsafeMutableRawPointer, Unmanaged<AnyKeyPath>)
  /// Deinitialize everything that follows the node in memory.
  case destroy
}

/// Answers an event; it captures nothing, so that calling it costs no reference counting.
@usableFromInline typealias NodeReaction = (NodePointer, NodeEvent) -> Bool

/// A vertex of the dependency graph.
@usableFromInline
@safe
struct Node {
  @usableFromInline var deps: EdgePointer?
  @usableFromInline var depsTail: EdgePointer?
  @usableFromInline var subs: EdgePointer?
  @usableFromInline var subsTail: EdgePointer?
  /// The edge by which this node was read last: finds repeated reads in O(1).
  @usableFromInline var recent: EdgePointer?
  /// Counts evaluations, so that an edge can tell whether it was used in the present one.
  @usableFromInline var run: UInt32
  @usableFromInline var flags: Flags
  /// How many queues and stacks hold this pointer.
  @usableFromInline var holds: UInt16
  @usableFromInline let reaction: NodeReaction

  @usableFromInline
  init(_ flags: Flags, reaction: @escaping NodeReaction) {
    unsafe deps = nil
    unsafe depsTail = nil
    unsafe subs = nil
    unsafe subsTail = nil
    unsafe recent = nil
    run = 0
    holds = 0
    self.flags = flags
    unsafe self.reaction = reaction
  }

  @usableFromInline
  struct Flags: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt16
    @inlinable init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Has dependencies and is evaluated.
    @inlinable static var observer: Flags { Flags(rawValue: 1) }
    /// Wants `marked` as soon as a dependency may have changed.
    @inlinable static var watcher: Flags { Flags(rawValue: 2) }
    /// May read but not write.
    @inlinable static var pure: Flags { Flags(rawValue: 4) }
    /// Gets reads as events and makes no edges.
    @inlinable static var redirects: Flags { Flags(rawValue: 8) }
    /// A dependency changed: must be evaluated.
    @inlinable static var dirty: Flags { Flags(rawValue: 16) }
    /// A dependency of a dependency may have changed: must be checked.
    @inlinable static var pending: Flags { Flags(rawValue: 32) }
    /// Written or evaluated in the open batch: readers can't rely on it before the batch settles.
    @inlinable static var unsettled: Flags { Flags(rawValue: 64) }
    /// Is being evaluated.
    @inlinable static var running: Flags { Flags(rawValue: 128) }
    /// Stands in a queue of the turn: of watchers, or of nodes that nobody reads any more.
    @inlinable static var queued: Flags { Flags(rawValue: 256) }
    /// Was disposed of while somebody held the pointer.
    @inlinable static var dead: Flags { Flags(rawValue: 512) }
    /// Is an effect: a watcher that is queued and performed without being asked.
    static var effect: Flags { Flags(rawValue: 16384) }
    /// Wants to be told the key paths of what is read, where they are known.
    static var asksPaths: Flags { Flags(rawValue: 8192) }
    /// Settles after all others: what it stands for is derived from them.
    static var late: Flags { Flags(rawValue: 4096) }
    /// Wants `perform` when its last reader is gone.
    static var kept: Flags { Flags(rawValue: 2048) }
    /// Follows what one row of a live result reads elsewhere.
    static var row: Flags { Flags(rawValue: 1024) }

    /// Others were evaluated inside its present evaluation.
    static var nests: Flags { Flags(rawValue: 32768) }

    @inlinable static var stale: Flags { [.dirty, .pending] }
    static var endingAtEvaluation: Flags { [.dirty, .pending, .nests] }
    /// Whoever reads it has to be looked at once more.
    @inlinable static var unreliable: Flags { [.dirty, .pending, .unsettled] }
  }
}

/// An observer's dependency on a node: a member of two intrusive lists, so that linking and
/// unlinking are O(1).
@usableFromInline
@safe
struct Edge {
  @usableFromInline let dep: NodePointer
  @usableFromInline let sub: NodePointer
  @usableFromInline var previousSub: EdgePointer?
  @usableFromInline var nextSub: EdgePointer?
  @usableFromInline var previousDep: EdgePointer?
  @usableFromInline var nextDep: EdgePointer?
  @usableFromInline var run: UInt32
}

/// A node and what its owner keeps beside it, in one allocation.
@usableFromInline
struct Cell<Payload: ~Copyable>: ~Copyable {
  @usableFromInline var node: Node
  @usableFromInline var payload: Payload

  /// Allocates a cell; the node is its first field, so that one address serves for both.
  @inlinable
  static func make(
    _ flags: Node.Flags, _ payload: consuming Payload, reaction: @escaping NodeReaction
  ) -> NodePointer {
    unsafe Turn.current.pointee.liveNodes += 1
    let cell = UnsafeMutablePointer<Cell>.allocate(capacity: 1)
    unsafe cell.initialize(to: Cell(node: Node(flags, reaction: reaction), payload: payload))
    return unsafe UnsafeMutableRawPointer(cell).assumingMemoryBound(to: Node.self)
  }

  @inlinable
  init(node: Node, payload: consuming Payload) {
    self.node = node
    self.payload = payload
  }

  /// The payload beside a node that `make` of the same type returned.
  @inlinable
  @inline(__always)
  static func payload(of node: NodePointer) -> UnsafeMutablePointer<Payload> {
    let mask = MemoryLayout<Payload>.alignment - 1
    let offset = (MemoryLayout<Node>.size + mask) & ~mask
    return unsafe (UnsafeMutableRawPointer(node) + offset).assumingMemoryBound(to: Payload.self)
  }
}
