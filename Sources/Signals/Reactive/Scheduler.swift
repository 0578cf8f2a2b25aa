// The state of one thread between a write and the last callback that it causes.
//
// Mutable state (one `Scheduler` per thread, which no other thread ever accesses):
// - `depth`: the number of open batches; propagation waits for the outermost to end.
// - `touched`: the nodes written or evaluated in the open batch, to be settled when it ends;
//   `late`, those of them that are derived from others and settle after them.
// - `queues`: observers that were marked and have not run, a queue for each phase. `waiting` counts
//   them. `arrivals` counts all that were ever queued, which shows whether a run triggered others.
// - `isFlushing`: whether the queues are being emptied; a write during that time only adds to them.
// - `owner`, `outside`: the collection of created effects, and the reader that `detached` has left
//   (see Owner.swift).
// - `implicitTransaction`, `joined`, `transactionLabel`: the transaction of the running intent,
//   effect or observer (see ImplicitTransaction.swift).
// - `endless`: the chain of observers that was stopped, until it is thrown or printed; `reportsTo`,
//   the number of callers that can be given it (see EndlessChain.swift).
// - `reversals`, `reversalStart`, `openWrites`: restore view state (see Reversals.swift).
// - `edges`, `checks`: the explicit stacks of Propagation.swift.
// - `readers`: the readers at the beginning of nested evaluations, outermost first (see
//   Node+Readers.swift).
// - `untrackedReader`: the reader during `untracked` reads of a pure one, kept for reuse.
// - `spareEdges`: memory of edges, kept for reuse.
// - `garbage`, `isDraining`: disposed nodes whose payload is not released yet.
// - `redirect`: the innermost reader that redirects reads for a time; `spareRedirect` and
//   `idleReader`, such nodes kept for reuse (see ExclusiveAccess.swift).
// - `slots`, `slotMemories`: values that other rooms keep for the thread (see ThreadContext.swift).
// - `pendingReleases`, `isReleasing`: values to be released when structures are consistent (see
//   DeferredRelease.swift).
// - `unread`: nodes that lost their last reader and asked to be notified; `isNotifyingUnread`,
//   whether they are being notified.
// - `liveNodes`, `liveEdges`: counts for tests.
//
// Order of events at the end of the outermost batch: settle, then the queues. Effects run in waves,
// each in creation order; then one observer at a time, in registration order; then hosts, parents
// first; then change sets; and finally the observers that wait for all of that to end. The writes
// of a callback are settled when the callback ends, and the effects that it marked run before the
// next observer.

/// The phases in which marked observers run, in order.
enum Phase: Int, CaseIterable {
  case effects, observers, hosts, commits, afterwards
}

@usableFromInline typealias SchedulerPointer = EnginePointer<Scheduler>

@usableFromInline
@safe struct Scheduler {
  @usableFromInline var depth = 0
  var touched = Stack<NodePointer>()
  private(set) var isFlushing = false
  var implicitTransaction = ImplicitTransaction.none
  var joined: [any TransactionParticipant] = []
  var reversals: [Reversal] = []
  var reversalStart = 0
  var openWrites = 0
  /// The user-visible name of the running callback's transaction, if it has one.
  var transactionLabel: String?
  var owner: EnginePointer<[any Cancellable]>?
  var outside: NodePointer?
  var edges = Stack<EdgePointer>()
  var checks = Stack<Check>()
  var readers = Stack<NodePointer>()
  var untrackedReader: NodePointer?
  var slots = Stack<ContextSlot>()
  var slotMemories: [AnyObject] = []
  /// Nodes and edges created on this thread less those freed on it, for tests.
  @usableFromInline var liveNodes = 0
  var liveEdges = 0
  /// The chain of commits that was stopped, until it is thrown or reported.
  private var endless: EndlessChainError?
  private var arrivals: UInt = 0
  private var waiting = 0
  /// The queue of each phase.
  private let queues: EnginePointer<ObserverQueue>
  var garbage = Stack<NodePointer>()
  var isDraining = false
  var redirect: NodePointer?
  var spareRedirect: NodePointer?
  var idleReader: NodePointer?
  /// Values that structures have dropped, and whether such values are being released.
  var pendingReleases: ContiguousArray<Any> = []
  var isReleasing = false
  var unread = Stack<NodePointer>()
  var isNotifyingUnread = false
  private var late = Stack<NodePointer>()
  private var spareEdges = Stack<EdgePointer>()
  /// Zero under the address sanitizer, so that it sees the end of each edge.
  private static var spareEdgesLimit: Int {
    #if SIGNALS_SANITIZED
      0
    #else
      4096
    #endif
  }

  init() {
    queues = .allocate(Phase.allCases.count)
    for phase in Phase.allCases {
      queues.advanced(by: phase.rawValue).initialize(to: ObserverQueue())
    }
  }

  /// Frees the memory of the thread's scheduler.
  mutating func destroy() {
    for node in [spareRedirect, idleReader, untrackedReader] { node?.free() }
    slots.destroy()
    touched.destroy()
    edges.destroy()
    checks.destroy()
    readers.destroy()
    garbage.destroy()
    unread.destroy()
    late.destroy()
    while let edge = spareEdges.popLast() { edge.free() }
    spareEdges.destroy()
    for phase in Phase.allCases { queues[phase.rawValue].destroy() }
    queues.deallocate()
  }

  // MARK: - Edges

  /// Returns uninitialized memory for an edge.
  @inline(__always)
  mutating func takeEdge() -> EdgePointer {
    liveEdges += 1
    return spareEdges.popLast() ?? .allocate()
  }

  /// Frees the memory of an edge, or keeps it for reuse.
  ///
  /// Only the memory of edges that an evaluation dropped is kept. If the edges of a whole released
  /// graph were reused, those of the next graph would be scattered in memory.
  @inline(__always)
  mutating func giveBack(_ edge: EdgePointer, spare: Bool) {
    liveEdges -= 1
    if spare, spareEdges.count < Self.spareEdgesLimit {
      spareEdges.append(edge)
    } else {
      edge.free()
    }
  }

  // MARK: - Batches

  /// Notes that a node is unsettled until the batch ends.
  @usableFromInline
  mutating func touch(_ node: NodePointer) {
    guard !node.pointee.flags.contains(.unsettled) else { return }
    node.pointee.flags.insert(.unsettled)
    Node.hold(node)
    touched.append(node)
  }

  /// Ends a batch; the end of the outermost settles and, unless a flush is under way already,
  /// flushes.
  @usableFromInline
  static func endBatch() {
    endBatch(current)
  }

  @inline(__always)
  static func endBatch(_ scheduler: SchedulerPointer) {
    if scheduler.pointee.depth == 1, !scheduler.pointee.touched.isEmpty {
      settle(scheduler)
    }
    scheduler.pointee.depth -= 1
    if scheduler.pointee.depth == 0 {
      if !scheduler.pointee.unread.isEmpty { notifyUnread(scheduler) }
      flush(scheduler)
    }
  }

  private static func settle(_ scheduler: SchedulerPointer) {
    Node.withoutReader {
      // User code runs here: the equality of values, and the `deinit` of old ones, which may write.
      var index = 0
      while index < scheduler.pointee.touched.count {
        let node = scheduler.pointee.touched[index]
        index += 1
        if node.pointee.flags.contains(.late) {
          scheduler.pointee.late.append(node)
        } else {
          settle(node)
        }
        while index == scheduler.pointee.touched.count,
          let node = scheduler.pointee.late.popLast()
        {
          settle(node)
        }
      }
      scheduler.pointee.touched.removeAll()
    }
  }

  private static func settle(_ node: NodePointer) {
    node.pointee.flags.remove(.unsettled)
    let flags = node.pointee.flags
    if flags.contains(.dead) {
      // It has no readers to notify.
    } else if flags.contains(.reader), flags.contains(.pending) {
      // It relied on a value that has been overwritten since.
      node.pointee.flags.insert(.dirty)
    } else if node.pointee.reaction(node, .settle) {
      Node.spread(node)
    }
    Node.release(node)
  }

  // MARK: - Queues

  /// Whether writes are still to be propagated.
  static var isUnderWay: Bool {
    current.pointee.depth > 0 || current.pointee.isFlushing
  }

  /// Queues an observer, unless it is queued already.
  mutating func enqueue(_ node: NodePointer, in phase: Phase, order: UInt64) {
    guard !node.pointee.flags.contains(.queued) else { return }
    node.pointee.flags.insert(.queued)
    Node.hold(node)
    arrivals &+= 1
    waiting += 1
    queues[phase.rawValue].append(node, order: order)
  }

  /// Performs queued observers until none is left.
  @inline(__always)
  private static func flush(_ scheduler: SchedulerPointer) {
    if scheduler.pointee.waiting > 0, !scheduler.pointee.isFlushing {
      performQueued(scheduler)
    }
  }

  private static func performQueued(_ scheduler: SchedulerPointer) {
    scheduler.pointee.isFlushing = true
    // The observers' reads aren't dependencies of the writing code, which doesn't own the objects
    // that they create either.
    let owner = scheduler.pointee.owner
    scheduler.pointee.owner = nil
    var guardian = EndlessChainGuard()
    Node.withoutReader {
      while let node = scheduler.pointee.next() {
        perform(node, scheduler, &guardian)
      }
    }
    scheduler.pointee.owner = owner
    scheduler.pointee.isFlushing = false
    // An observer that ran may have been the last reader of a node.
    if !scheduler.pointee.unread.isEmpty { notifyUnread(scheduler) }
    if let error = guardian.finish() { scheduler.pointee.report(error) }
  }

  private static func perform(
    _ node: NodePointer, _ scheduler: SchedulerPointer,
    _ guardian: inout EndlessChainGuard
  ) {
    node.pointee.flags.remove(.queued)
    if !node.pointee.flags.contains(.dead) {
      if guardian.mayRun(node) {
        let before = scheduler.pointee.arrivals
        if node.pointee.flags.contains(.effect) {
          Effect.perform(node, in: scheduler)
        } else {
          _ = node.pointee.reaction(node, .perform)
        }
        if scheduler.pointee.arrivals != before { guardian.didTrigger(node) }
      } else {
        Node.skip(node)
      }
    }
    Node.release(node)
  }

  /// Removes the next observer of the first phase that has any.
  private mutating func next() -> NodePointer? {
    guard waiting > 0 else { return nil }
    waiting -= 1
    var queue = queues
    while queue.pointee.isEmpty { queue = queue.advanced(by: 1) }
    return queue.pointee.next(inWaves: queue == queues)
  }

  // MARK: - Errors

  private mutating func report(_ error: EndlessChainError) {
    endless = error
    if reportsTo == 0 { reportEndlessChain() }
  }

  /// Prints the chain that was stopped, where no caller can be given it.
  mutating func reportEndlessChain() {
    if let error = endless.take() { writeToStandardError("Signals: \(error)\n") }
  }

  /// The number of callers up the stack that will throw an endless chain.
  var reportsTo = 0

  /// Throws the chain that was stopped since `reportsTo` was raised.
  mutating func throwEndlessChain() throws {
    if let error = endless.take() { throw error }
  }
}
