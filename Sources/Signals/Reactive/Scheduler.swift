// The state of one thread between a write and the last callback that it causes.
//
// Mutable state (one `Scheduler` per thread, which no other thread ever accesses):
// - `depth`: the number of open batches; propagation waits for the outermost to end.
// - `touched`: the nodes written or evaluated in the open batch, to be settled when it ends;
//   `late`, those of them that are derived from others and settle after them.
// - `queues`: watchers that were marked and have not run, a queue for each phase. `waiting` counts
//   them. `arrivals` counts all that were ever queued, which shows whether a run triggered others.
// - `isFlushing`: whether the queues are being emptied; a write during that time only adds to them.
// - `owner`, `outside`: the collection of created effects, and the reader that `detached` has left
//   (see Owner.swift).
// - `implicitTransaction`, `joined`: the transaction of the running intent, effect or observer (see
//   ImplicitTransaction.swift).
// - `reversals`, `reversalStart`, `openWrites`: restore view state (see Reversals.swift).
// - `edges`, `checks`: the explicit stacks of Propagation.swift.
// - `readers`: the readers at the beginning of nested evaluations, outermost first (see
//   Node+Readers.swift).
// - `untrackedReader`: the reader during `untracked` reads of a pure one, kept for reuse.
// - `spareEdges`: memory of edges, kept for reuse.
// - `garbage`, `isDraining`: disposed nodes whose payload is not released yet.
// - `description`, `inspection`: the answer of a node that was asked to describe itself.
// - `access`, `spareAccess`, `idle`: changes of properties under way (see ExclusiveAccess.swift).
// - `isDeliveringCommit`: whether an observer of commits runs.
// - `attachment`: state that the graph keeps for the thread (see GraphThreadState.swift).
// - `readRecorder`: the object that records the reads of a body (see Results/ReadRecorder.swift).
// - `currentActor`: the actor of the running code (see CurrentActor.swift).
// - `pendingReleases`, `isReleasing`: values to be released when structures are consistent (see
//   DeferredRelease.swift).
// - `unread`: nodes that lost their last reader and asked to be notified; `isNotifyingUnread`,
//   whether they are being notified.
//
// Order of events at the end of the outermost batch: settle, then the queues. Effects run in waves,
// each in creation order; then one observer at a time, in registration order; then hosts, parents
// first; then change sets; and finally the watchers that wait for all of that to end. The writes
// of a callback are settled when the callback ends, and the effects that it marked run before the
// next observer.

public import CSignalsThread

/// The phases in which marked watchers run, in order.
enum Phase: Int, CaseIterable {
  case effects, observers, hosts, commits, afterwards
}

@usableFromInline
@safe struct Scheduler {
  @usableFromInline var depth = 0
  var touched = unsafe Stack<NodePointer>()
  private(set) var isFlushing = false
  private(set) var isDeliveringCommit = false
  var implicitTransaction = ImplicitTransaction.none
  var joined: [any TransactionParticipant] = []
  var reversals: [Reversal] = []
  var reversalStart = 0
  var openWrites = 0
  /// The user-visible name of the running intent, if it has one.
  var intentLabel: String?
  var owner: UnsafeMutablePointer<[any Cancellable]>?
  var outside: NodePointer?
  var edges = unsafe Stack<EdgePointer>()
  var checks = Stack<Check>()
  var readers = unsafe Stack<NodePointer>()
  var untrackedReader: NodePointer?
  var description = ""
  var inspection = Inspection()
  /// An object that a higher layer keeps for this thread.
  var attachment: AnyObject?
  /// The object of a higher layer that is notified of reads of live rows during an evaluation.
  var readRecorder: Unmanaged<AnyObject>?
  /// The isolation of the running code, as a higher layer knows it.
  var currentActor: AnyObject?
  /// Whether reads of view state aren't dependencies, as in a condition of `where(on:)`.
  var ignoresViewState = false
  /// Nodes and edges created on this thread less those freed on it, for tests.
  @usableFromInline var liveNodes = 0
  var liveEdges = 0
  /// The chain of commits that was stopped, until it is thrown or reported.
  private var endless: EndlessChainError?
  private var arrivals: UInt = 0
  private var waiting = 0
  private let queues: UnsafeMutablePointer<ObserverQueue>
  var garbage = unsafe Stack<NodePointer>()
  var isDraining = false
  /// A redirecting node kept for reuse (see ExclusiveAccess.swift).
  var spareAccess: NodePointer?
  /// Values that structures have dropped, and whether such values are being released.
  var pendingReleases: ContiguousArray<Any> = []
  var isReleasing = false
  /// The innermost change of a property that is under way.
  var access: NodePointer?
  /// The reader that represents no observer while a property is being changed.
  var idle: NodePointer?
  var unread = unsafe Stack<NodePointer>()
  var isNotifyingUnread = false
  private var late = unsafe Stack<NodePointer>()
  private var spareEdges = unsafe Stack<EdgePointer>()
  /// Zero in debug builds, so that the address sanitizer sees the end of each edge.
  private static var spareEdgesLimit: Int { _isDebugAssertConfiguration() ? 0 : 4096 }

  /// This thread's scheduler, if it has one yet.
  static var present: UnsafeMutablePointer<Scheduler>? {
    @inline(__always) get {
      unsafe signals_thread_current().pointee.scheduler?.assumingMemoryBound(to: Scheduler.self)
    }
  }

  /// This thread's scheduler, created on first use.
  @inlinable
  static var current: UnsafeMutablePointer<Scheduler> {
    if let scheduler = unsafe signals_thread_current().pointee.scheduler {
      return unsafe scheduler.assumingMemoryBound(to: Scheduler.self)
    }
    return unsafe make()
  }

  @usableFromInline
  @inline(never)
  static func make() -> UnsafeMutablePointer<Scheduler> {
    let scheduler = UnsafeMutablePointer<Scheduler>.allocate(capacity: 1)
    unsafe scheduler.initialize(to: Scheduler())
    unsafe signals_thread_keep_scheduler(scheduler) { pointer in
      guard let scheduler = unsafe pointer?.assumingMemoryBound(to: Scheduler.self) else { return }
      unsafe scheduler.pointee.destroy()
      unsafe scheduler.deinitialize(count: 1)
      unsafe scheduler.deallocate()
    }
    return unsafe scheduler
  }

  private init() {
    unsafe owner = nil
    unsafe outside = nil
    unsafe spareAccess = nil
    unsafe access = nil
    unsafe idle = nil
    unsafe untrackedReader = nil
    unsafe readRecorder = nil
    unsafe queues = .allocate(capacity: Phase.allCases.count)
    unsafe queues.initialize(repeating: ObserverQueue(), count: Phase.allCases.count)
  }

  private mutating func destroy() {
    let own = unsafe [spareAccess, idle, untrackedReader]
    for index in unsafe own.indices {
      guard let node = unsafe own[index] else { continue }
      unsafe node.deinitialize(count: 1)
      unsafe UnsafeMutableRawPointer(node).deallocate()
    }
    unsafe touched.destroy()
    unsafe edges.destroy()
    checks.destroy()
    unsafe readers.destroy()
    unsafe garbage.destroy()
    unsafe unread.destroy()
    unsafe late.destroy()
    while let edge = unsafe spareEdges.popLast() { unsafe edge.deallocate() }
    unsafe spareEdges.destroy()
    for phase in Phase.allCases { unsafe queues[phase.rawValue].destroy() }
    unsafe queues.deallocate()
  }

  // MARK: - Edges

  /// Returns uninitialized memory for an edge.
  @inline(__always)
  mutating func takeEdge() -> EdgePointer {
    liveEdges += 1
    return unsafe spareEdges.popLast() ?? .allocate(capacity: 1)
  }

  /// Frees the memory of an edge, or keeps it for reuse.
  ///
  /// Only the memory of edges that an evaluation dropped is kept. If the edges of a whole released
  /// graph were reused, those of the next graph would be scattered in memory.
  @inline(__always)
  mutating func giveBack(_ edge: EdgePointer, spare: Bool) {
    liveEdges -= 1
    if spare, unsafe spareEdges.count < Self.spareEdgesLimit {
      unsafe spareEdges.append(edge)
    } else {
      unsafe edge.deallocate()
    }
  }

  // MARK: - Batches

  /// Notes that a node is unsettled until the batch ends.
  @usableFromInline
  mutating func touch(_ node: NodePointer) {
    guard unsafe !node.pointee.flags.contains(.unsettled) else { return }
    unsafe node.pointee.flags.insert(.unsettled)
    unsafe Node.hold(node)
    unsafe touched.append(node)
  }

  /// Ends a batch; the end of the outermost settles and, unless a flush is under way already,
  /// flushes.
  @usableFromInline
  static func endBatch() {
    unsafe endBatch(current)
  }

  @inline(__always)
  static func endBatch(_ scheduler: UnsafeMutablePointer<Scheduler>) {
    if unsafe scheduler.pointee.depth == 1, unsafe !scheduler.pointee.touched.isEmpty {
      unsafe settle(scheduler)
    }
    unsafe scheduler.pointee.depth -= 1
    if unsafe scheduler.pointee.depth == 0 {
      if unsafe !scheduler.pointee.unread.isEmpty { unsafe notifyUnread(scheduler) }
      unsafe flush(scheduler)
    }
  }

  private static func settle(_ scheduler: UnsafeMutablePointer<Scheduler>) {
    Node.withoutReader {
      // User code runs here: the equality of values, and the `deinit` of old ones, which may write.
      var index = 0
      while unsafe index < scheduler.pointee.touched.count {
        let node = unsafe scheduler.pointee.touched[index]
        index += 1
        if unsafe node.pointee.flags.contains(.late) {
          unsafe scheduler.pointee.late.append(node)
        } else {
          unsafe settle(node)
        }
        while unsafe index == scheduler.pointee.touched.count,
          let node = unsafe scheduler.pointee.late.popLast()
        {
          unsafe settle(node)
        }
      }
      unsafe scheduler.pointee.touched.removeAll()
    }
  }

  private static func settle(_ node: NodePointer) {
    unsafe node.pointee.flags.remove(.unsettled)
    let flags = unsafe node.pointee.flags
    if flags.contains(.dead) {
      // It has no readers to notify.
    } else if flags.contains(.observer), flags.contains(.pending) {
      // It relied on a value that has been overwritten since.
      unsafe node.pointee.flags.insert(.dirty)
    } else if unsafe node.pointee.reaction(node, .settle) {
      unsafe Node.spread(node)
    }
    unsafe Node.release(node)
  }

  // MARK: - Queues

  /// Whether writes are still to be propagated.
  static var isUnderWay: Bool {
    unsafe current.pointee.depth > 0 || current.pointee.isFlushing
  }

  /// Runs an observer of commits.
  static func deliveringCommit(_ body: () -> Void) {
    let scheduler = unsafe current
    let outer = unsafe scheduler.pointee.isDeliveringCommit
    unsafe scheduler.pointee.isDeliveringCommit = true
    body()
    unsafe scheduler.pointee.isDeliveringCommit = outer
  }

  /// Queues a watcher, unless it is queued already.
  mutating func enqueue(_ node: NodePointer, _ phase: Phase, order: UInt64) {
    guard unsafe !node.pointee.flags.contains(.queued) else { return }
    unsafe node.pointee.flags.insert(.queued)
    unsafe Node.hold(node)
    arrivals &+= 1
    waiting += 1
    unsafe queues[phase.rawValue].append(node, order: order)
  }

  /// Performs queued watchers until none is left.
  @usableFromInline
  static func flush() {
    unsafe flush(current)
  }

  @inline(__always)
  private static func flush(_ scheduler: UnsafeMutablePointer<Scheduler>) {
    if unsafe scheduler.pointee.waiting > 0, unsafe !scheduler.pointee.isFlushing {
      unsafe performQueued(scheduler)
    }
  }

  private static func performQueued(_ scheduler: UnsafeMutablePointer<Scheduler>) {
    unsafe scheduler.pointee.isFlushing = true
    // The watchers' reads aren't dependencies of the writing code, which doesn't own the objects
    // that they create either.
    let owner = unsafe scheduler.pointee.owner
    unsafe scheduler.pointee.owner = nil
    var guardian = EndlessChainGuard()
    Node.withoutReader {
      while let node = unsafe scheduler.pointee.next() {
        unsafe perform(node, scheduler, &guardian)
      }
    }
    unsafe scheduler.pointee.owner = owner
    unsafe scheduler.pointee.isFlushing = false
    // A watcher that ran may have been the last reader of a node.
    if unsafe !scheduler.pointee.unread.isEmpty { unsafe notifyUnread(scheduler) }
    if let error = guardian.finish() { unsafe scheduler.pointee.report(error) }
  }

  private static func perform(
    _ node: NodePointer, _ scheduler: UnsafeMutablePointer<Scheduler>,
    _ guardian: inout EndlessChainGuard
  ) {
    unsafe node.pointee.flags.remove(.queued)
    if unsafe !node.pointee.flags.contains(.dead) {
      if unsafe guardian.mayRun(node) {
        let before = unsafe scheduler.pointee.arrivals
        if unsafe node.pointee.flags.contains(.effect) {
          unsafe Effect.perform(node, scheduler)
        } else {
          _ = unsafe node.pointee.reaction(node, .perform)
        }
        if unsafe scheduler.pointee.arrivals != before { unsafe guardian.didTrigger(node) }
      } else {
        unsafe Node.skip(node)
      }
    }
    unsafe Node.release(node)
  }

  /// Removes the next watcher of the first phase that has any.
  private mutating func next() -> NodePointer? {
    guard waiting > 0 else { return nil }
    waiting -= 1
    var queue = unsafe queues
    while unsafe queue.pointee.isEmpty { unsafe queue += 1 }
    return unsafe queue.pointee.next(inWaves: queue == queues)
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
