// The memory of the reactive graph.
//
// A node is anything that can be read (a signal, a field, a list, a result) or can react (a
// computed, an effect, the body of a view). An edge says that one node reads another. Both live
// outside ARC: a retain and release pair costs as much as everything else the engine does for a
// node.
//
// A node belongs to the object that created it, which calls `dispose`. Its memory is freed when no
// code holds the pointer: code that keeps a pointer while user code runs (the queues, the check
// stack) counts itself in `holds`.
//
// Only Node+Edges.swift links and unlinks edges. Propagation.swift sets and clears the colors, and
// counts evaluations; `dispose` adds one. Scheduler.swift sets and clears `queued` and `unsettled`.
// The owner sets the node's kind once.

@usableFromInline typealias NodePointer = UncheckedPointer<Node>
@usableFromInline typealias EdgePointer = UncheckedPointer<Edge>

/// A question or notification that the engine sends to the owner of a node.
@usableFromInline
@safe enum NodeEvent {
  /// Evaluate the node, and return whether its value changed.
  case evaluate
  /// The batch ends; return whether the value differs from the one before the batch.
  case settle
  /// A dependency may have changed (sent to observers only, and only once until they run).
  case marked
  /// Run, because the observer was queued.
  case run
  /// The node, which is flagged `kept`, has lost its last reader.
  case lostLastReader
  /// Store the node's name for messages in the given place.
  case describe(UncheckedPointer<String>)
  /// Store a description of the node for introspection in the given place.
  case inspect(UncheckedPointer<Inspection>)
  /// This redirecting reader has read a node.
  case read(NodePointer)
  /// This redirecting reader has read a part of an instance, whose node may not exist yet. The key
  /// path of the part is given to readers flagged `wantsPaths`, if it is known. Return whether the
  /// read has been handled; if not, the part's node is read.
  case readPart(of: Unretained<AnyObject>, at: Int, Unretained<AnyKeyPath>?)
  /// Deinitialize everything that follows the node in memory.
  case destroy
}

/// Handles an event; it captures nothing, so that calling it costs no reference counting.
@usableFromInline typealias NodeReaction = (NodePointer, NodeEvent) -> Bool

/// A vertex of the dependency graph.
@usableFromInline
@safe
struct Node {
  @usableFromInline var deps: EdgePointer?
  @usableFromInline var depsTail: EdgePointer?
  @usableFromInline var subs: EdgePointer?
  @usableFromInline var subsTail: EdgePointer?
  /// The edge of the node's last read; finds repeated reads in O(1).
  @usableFromInline var recent: EdgePointer?
  /// Counts evaluations; an edge compares it to find out whether it was used in the current one.
  @usableFromInline var run: UInt32
  @usableFromInline var flags: Flags
  /// The number of queues and stacks that hold this pointer.
  @usableFromInline var holds: UInt16
  @usableFromInline let reaction: NodeReaction

  @usableFromInline
  init(_ flags: Flags, reaction: @escaping NodeReaction) {
    deps = nil
    depsTail = nil
    subs = nil
    subsTail = nil
    recent = nil
    run = 0
    holds = 0
    self.flags = flags
    self.reaction = reaction
  }

  @usableFromInline
  struct Flags: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt16
    @inlinable init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Has dependencies and is evaluated; a node without this flag is a source.
    @inlinable static var reader: Flags { Flags(rawValue: 1) }
    /// Wants `marked` as soon as a dependency may have changed; a reader without this flag is a
    /// computed.
    @inlinable static var observer: Flags { Flags(rawValue: 2) }
    /// May read but not write.
    @inlinable static var pure: Flags { Flags(rawValue: 4) }
    /// Receives reads as events and makes no edges.
    @inlinable static var redirects: Flags { Flags(rawValue: 8) }
    /// A dependency changed; the node must be evaluated.
    @inlinable static var dirty: Flags { Flags(rawValue: 16) }
    /// An indirect dependency may have changed; the node must be checked.
    @inlinable static var pending: Flags { Flags(rawValue: 32) }
    /// Written or evaluated in the open batch; readers can't rely on it before the batch settles.
    @inlinable static var unsettled: Flags { Flags(rawValue: 64) }
    /// Is being evaluated.
    @inlinable static var running: Flags { Flags(rawValue: 128) }
    /// Is in a queue of the scheduler: of observers, or of nodes that lost their last reader.
    @inlinable static var queued: Flags { Flags(rawValue: 256) }
    /// Was disposed of; the memory remains while the pointer is held.
    @inlinable static var dead: Flags { Flags(rawValue: 512) }
    /// Is an effect: an observer that is queued and run without `marked` and `run`
    /// events.
    static var effect: Flags { Flags(rawValue: 16384) }
    /// Wants the key paths of the parts that are read, where they are known.
    static var wantsPaths: Flags { Flags(rawValue: 8192) }
    /// Settles after all others, because its value is derived from theirs.
    static var late: Flags { Flags(rawValue: 4096) }
    /// Wants `lostLastReader` when it has lost its last reader.
    static var kept: Flags { Flags(rawValue: 2048) }
    /// Is an observer of the reads of one element of a collection, and owns nothing, as a computed.
    ///
    /// All nodes with this flag have the same type of payload.
    static var element: Flags { Flags(rawValue: 1024) }

    /// Other readers were evaluated inside its current evaluation.
    static var nests: Flags { Flags(rawValue: 32768) }

    @inlinable static var stale: Flags { [.dirty, .pending] }
    static var endingAtEvaluation: Flags { [.dirty, .pending, .nests] }
    /// A reader of the node has to be checked once more.
    @inlinable static var unreliable: Flags { [.dirty, .pending, .unsettled] }
  }
}

/// A reader's dependency on a node.
///
/// It is a member of two intrusive lists, so that linking and unlinking are O(1).
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

/// A node and its owner's payload, in one allocation.
@usableFromInline
struct NodeBox<Payload: ~Copyable>: ~Copyable {
  @usableFromInline var node: Node
  @usableFromInline var payload: Payload

  /// Allocates a cell, whose first field is the node, so that both have the same address.
  @inlinable
  static func make(
    _ flags: Node.Flags, _ payload: consuming Payload, reaction: @escaping NodeReaction
  ) -> NodePointer {
    Scheduler.current.pointee.liveNodes += 1
    let cell = UncheckedPointer<NodeBox>.allocate()
    cell.initialize(to: NodeBox(node: Node(flags, reaction: reaction), payload: payload))
    return unsafe cell.field(as: Node.self)
  }

  @inlinable
  init(node: Node, payload: consuming Payload) {
    self.node = node
    self.payload = payload
  }

  /// The payload of a node, which `make` of the same type must have returned.
  ///
  /// Safe, because each owner of nodes makes them with one type of payload, its `Storage`.
  @inlinable
  @inline(__always)
  static func payload(of node: NodePointer) -> UncheckedPointer<Payload> {
    let mask = MemoryLayout<Payload>.alignment - 1
    let offset = (MemoryLayout<Node>.size + mask) & ~mask
    return unsafe node.field(at: offset, as: Payload.self)
  }
}
