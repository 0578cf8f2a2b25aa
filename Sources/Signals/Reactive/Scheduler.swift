// The state of one thread between a write and the last callback that it causes.
//
// Each thread has one `Scheduler`, which no other thread ever accesses.
//
// Order of events at the end of the outermost batch: settle, then the queues. Effects run in waves,
// each in creation order; then one observer at a time, in registration order; then hosts, parents
// first; then change sets; and finally the observers that wait for all of that to end. The writes
// of a callback are settled when the callback ends, and the effects that it marked run before the
// next observer.
//
// Invariants:
// - Propagation waits for the outermost batch to end (`depth`). A write during a flush
//   (`isFlushing`) only adds to the queues.
// - `touched`, `late` and the queues hold their nodes, whose memory outlives the release by their
//   owners.
// - `waiting` is the number of nodes in all queues, kept beside them because every batch asks for it
//   at its end. `arrivals` only grows: if it is the same after a run, the run triggered nothing.

/// The phases in which marked observers run, in order.
enum Phase: Int, CaseIterable {
  case effects, observers, hosts, commits, afterwards
}

@usableFromInline typealias SchedulerPointer = UncheckedPointer<Scheduler>

@usableFromInline
@safe struct Scheduler {
  /// The number of open batches.
  @usableFromInline var depth = 0
  /// The nodes written or evaluated in the open batch, to be settled when it ends.
  var touched = Stack<NodePointer>()
  /// Whether the queues are being emptied.
  private(set) var isFlushing = false
  /// The index in `joined` where the participants of the innermost running callback begin;
  /// negative while no callback is running.
  var implicitTransaction = ImplicitTransaction.none
  /// The participants of all running callbacks, the innermost last.
  var joined: [any TransactionParticipant] = []
  /// The closures that restore view state if a transaction fails, oldest first.
  var reversals: [Reversal] = []
  /// The index in `reversals` where those of the innermost savepoint begin.
  var reversalStart = 0
  /// The number of open outermost `write`s of stores.
  var openWrites = 0
  /// The user-visible name of the running callback's transaction, if it has one.
  var transactionLabel: String?
  /// The collection of the effects, scopes and cleanups that the running owner creates.
  var owner: UncheckedPointer<[any Cancellable]>?
  /// The computed whose evaluation `detached` has left.
  var outside: NodePointer?
  /// The explicit stack of marking; see Propagation.swift.
  var edges = Stack<EdgePointer>()
  /// The explicit stack of checking whether a node is stale; see Propagation.swift.
  var checks = Stack<Check>()
  /// The readers at the beginning of nested evaluations, outermost first.
  var readers = Stack<NodePointer>()
  /// The reader during `untracked` reads of a pure one, kept for reuse.
  var untrackedReader: NodePointer?
  /// Values that other rooms keep for the thread; see ThreadContext.swift.
  var slots = Stack<ContextSlot>()
  /// The memory of `slots`, freed when the thread ends.
  var slotMemories: [AnyObject] = []
  /// Nodes and edges created on this thread less those freed on it, for tests.
  @usableFromInline var liveNodes = 0
  var liveEdges = 0
  /// The chain of commits that was stopped, until it is thrown or reported.
  private var endless: EndlessChainError?
  /// The number of observers that were ever queued.
  private var arrivals: UInt = 0
  /// The number of queued observers that haven't run.
  private var waiting = 0
  /// The queue of each phase.
  private let queues: UncheckedPointer<ObserverQueue>
  /// Disposed nodes whose payload isn't released yet.
  var garbage = Stack<NodePointer>()
  /// Whether the payloads of `garbage` are being released.
  var isDraining = false
  /// The innermost reader that redirects reads for a time; see ExclusiveAccess.swift.
  var redirect: NodePointer?
  /// A node for `redirect`, kept for reuse.
  var spareRedirect: NodePointer?
  /// The node that replaces the null reader during a mutation, kept for reuse.
  var idleReader: NodePointer?
  /// Values that structures have dropped; see DeferredRelease.swift.
  var pendingReleases: ContiguousArray<Any> = []
  /// Whether such values are being released.
  var isReleasing = false
  /// The number of disposals on the stack; see Disposal.swift.
  var disposals = 0
  /// Code that such disposals still have to run, the next last.
  var postponed: ContiguousArray<() -> Void> = []
  /// Whether a batch is open because of that code.
  var postpones = false
  /// Nodes that lost their last reader and asked to be notified.
  var unread = Stack<NodePointer>()
  /// Whether the nodes of `unread` are being notified.
  var isNotifyingUnread = false
  /// Nodes of the open batch that are derived from others and settle after them.
  private var late = Stack<NodePointer>()
  /// Memory of edges, kept for reuse.
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
      if !scheduler.pointee.pendingReleases.isEmpty { release() }
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
          _ = node.pointee.reaction(node, .run)
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
  private mutating func reportEndlessChain() {
    if let error = endless.take() { writeToStandardError("Signals: \(error)\n") }
  }

  /// The number of callers up the stack that will throw an endless chain.
  private var reportsTo = 0

  /// Runs `body`, and then throws the chain that was stopped in it, if there was one.
  ///
  /// If `body` throws, the caller gets that error, and the chain is printed.
  static func throwingEndlessChain<Result>(
    in scheduler: SchedulerPointer = Scheduler.current, _ body: () throws -> Result
  ) throws -> Result {
    scheduler.pointee.reportsTo += 1
    defer { scheduler.pointee.reportsTo -= 1 }
    let result: Result
    do { result = try body() } catch {
      scheduler.pointee.reportEndlessChain()
      throw error
    }
    if let error = scheduler.pointee.endless.take() { throw error }
    return result
  }
}
