// What one thread has under way between a write and the last callback that it causes.
//
// Mutable state (one `Turn` a thread; nobody else ever sees it):
// - `depth`: how many batches are open; propagation waits for the outermost to end;
// - `touched`: the nodes written or evaluated in the open batch, to be settled when it ends, and of
//   these `late`, which are derived from others and come after them;
// - `queues`: watchers that were marked and have not run, a queue for each phase; `waiting` counts
//   them, and `arrivals` all that ever were, so that one can tell who triggered somebody;
// - `isFlushing`: the queues are being emptied; a write made meanwhile only adds to them;
// - `owner`, `outside`: what collects the effects that are made, and the reader that `detached` has left
//   (see Owner.swift);
// - `callback`, `joined`: the transaction of the intent, effect or observer that runs (see Callback.swift);
// - `reversals`, `reversalStart`, `openWrites`: what sets view state back (see Reversals.swift);
// - `edges`, `checks`: the explicit stacks of Propagation.swift;
// - `readers`: who was reading when a nested evaluation began, outermost first (see Reading.swift);
// - `blind`: the reader while a pure one reads `untracked`, to be used again;
// - `spareEdges`: memory of edges to be used again;
// - `garbage`, `isDraining`: disposed nodes whose payload is not released yet;
// - `description`, `inspection`: what a node was asked to tell of itself;
// - `access`, `spareAccess`, `idle`: changes of properties under way (see PropertyAccess.swift);
// - `isDeliveringCommit`: an observer of commits runs;
// - `attachment`: what the graph keeps for the thread (see ReleasingLinks.swift);
// - `witness`: who notes what a body reads (see Results/RowWitness.swift);
// - `workplace`: the actor of the code that runs (see Workplace.swift);
// - `left`, `isLettingGo`: what is to be released when structures are whole (see LettingGo.swift);
// - `abandoned`: nodes that lost their last reader and asked to be told; `isReleasing`, whether they
//   are being told.
//
// Order of events at the end of the outermost batch: settle, then the queues: effects in waves, each
// in creation order; then one observer at a time, in registration order; then hosts, parents first;
// then change sets; and at last whoever waits for all that to be over. Whatever a callback writes is
// settled when the callback ends, and the effects that it marked run before the next observer.

public import CSignalsThread

/// In which order marked watchers run.
enum Phase: Int, CaseIterable {
  case effects, observers, hosts, commits, afterwards
}

@usableFromInline
@safe struct Turn {
  @usableFromInline var depth = 0
  var touched = unsafe Stack<NodePointer>()
  private(set) var isFlushing = false
  private(set) var isDeliveringCommit = false
  var callback = Callback.none
  var joined: [any CallbackParticipant] = []
  var reversals: [Reversal] = []
  var reversalStart = 0
  var openWrites = 0
  /// What the intent under way is called, where that has a name for the user.
  var intentLabel: String?
  var owner: UnsafeMutablePointer<[any Cancellable]>?
  var outside: NodePointer?
  var edges = unsafe Stack<EdgePointer>()
  var checks = Stack<Check>()
  var readers = unsafe Stack<NodePointer>()
  var blind: NodePointer?
  var description = ""
  var inspection = Inspection()
  /// What a higher room keeps for this thread.
  var attachment: AnyObject?
  /// What a higher room wants to be told of reads of live rows, while it evaluates something.
  var witness: Unmanaged<AnyObject>?
  /// What a higher room knows of the isolation of the code that runs.
  var workplace: AnyObject?
  /// Whether reads of the state of views are no dependencies, in a condition of `where(on:)`.
  var ignoresViewState = false
  /// Nodes and edges made on this thread less those freed on it, for tests.
  @usableFromInline var liveNodes = 0
  var liveEdges = 0
  /// The chain of commits that had to be stopped, until somebody throws or reports it.
  private var endless: EndlessChainError?
  private var arrivals: UInt = 0
  private var waiting = 0
  private let queues: UnsafeMutablePointer<WatcherQueue>
  private var garbage = unsafe Stack<NodePointer>()
  private var isDraining = false
  /// A redirecting node to be used again (see PropertyAccess.swift).
  var spareAccess: NodePointer?
  /// What structures have dropped, and whether such things are being released.
  var left: ContiguousArray<Any> = []
  var isLettingGo = false
  /// The innermost change of a property that is under way.
  var access: NodePointer?
  /// The reader that stands for none while a property is being changed.
  var idle: NodePointer?
  private var abandoned = unsafe Stack<NodePointer>()
  private var isReleasing = false
  private var late = unsafe Stack<NodePointer>()
  private var spareEdges = unsafe Stack<EdgePointer>()
  /// None in debug builds, where the address sanitizer shall see each edge's end.
  private static var spareEdgesLimit: Int { _isDebugAssertConfiguration() ? 0 : 4096 }

  /// This thread's turn, if it has one yet.
  static var present: UnsafeMutablePointer<Turn>? {
    @inline(__always) get {
      unsafe signals_thread_current().pointee.turn?.assumingMemoryBound(to: Turn.self)
    }
  }

  /// This thread's turn.
  @inlinable
  static var current: UnsafeMutablePointer<Turn> {
    if let turn = unsafe signals_thread_current().pointee.turn {
      return unsafe turn.assumingMemoryBound(to: Turn.self)
    }
    return unsafe make()
  }

  @usableFromInline
  @inline(never)
  static func make() -> UnsafeMutablePointer<Turn> {
    let turn = UnsafeMutablePointer<Turn>.allocate(capacity: 1)
    unsafe turn.initialize(to: Turn())
    unsafe signals_thread_keep_turn(turn) { pointer in
      guard let turn = unsafe pointer?.assumingMemoryBound(to: Turn.self) else { return }
      unsafe turn.pointee.destroy()
      unsafe turn.deinitialize(count: 1)
      unsafe turn.deallocate()
    }
    return unsafe turn
  }

  private init() {
    unsafe owner = nil
    unsafe outside = nil
    unsafe spareAccess = nil
    unsafe access = nil
    unsafe idle = nil
    unsafe blind = nil
    unsafe witness = nil
    unsafe queues = .allocate(capacity: Phase.allCases.count)
    unsafe queues.initialize(repeating: WatcherQueue(), count: Phase.allCases.count)
  }

  private mutating func destroy() {
    let own = unsafe [spareAccess, idle, blind]
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
    unsafe abandoned.destroy()
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

  /// Takes the memory of an edge back.
  ///
  /// Only that of one which an evaluation dropped is spared: after the release of a whole graph its edges
  /// would lie scattered in the memory of the next.
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

  /// Ends a batch; the outermost settles and, unless that is under way already, flushes.
  @usableFromInline
  static func endBatch() {
    unsafe endBatch(current)
  }

  @inline(__always)
  static func endBatch(_ turn: UnsafeMutablePointer<Turn>) {
    if unsafe turn.pointee.depth == 1, unsafe !turn.pointee.touched.isEmpty {
      unsafe settle(turn)
    }
    unsafe turn.pointee.depth -= 1
    if unsafe turn.pointee.depth == 0 {
      if unsafe !turn.pointee.abandoned.isEmpty { unsafe releaseAbandoned(turn) }
      unsafe flush(turn)
    }
  }

  private static func settle(_ turn: UnsafeMutablePointer<Turn>) {
    Node.withoutReader {
      // Equality of users' values runs here, and the `deinit` of the old ones, which may write.
      var index = 0
      while unsafe index < turn.pointee.touched.count {
        let node = unsafe turn.pointee.touched[index]
        index += 1
        if unsafe node.pointee.flags.contains(.late) {
          unsafe turn.pointee.late.append(node)
        } else {
          unsafe settle(node)
        }
        while unsafe index == turn.pointee.touched.count,
          let node = unsafe turn.pointee.late.popLast()
        {
          unsafe settle(node)
        }
      }
      unsafe turn.pointee.touched.removeAll()
    }
  }

  private static func settle(_ node: NodePointer) {
    unsafe node.pointee.flags.remove(.unsettled)
    let flags = unsafe node.pointee.flags
    if flags.contains(.dead) {
      // Nobody is left to be told.
    } else if flags.contains(.observer), flags.contains(.pending) {
      // It relied on what was written over since.
      unsafe node.pointee.flags.insert(.dirty)
    } else if unsafe node.pointee.reaction(node, .settle) {
      unsafe Node.spread(node)
    }
    unsafe Node.release(node)
  }

  // MARK: - Queues

  /// Whether something is still to follow from what was written.
  static var isUnderWay: Bool {
    unsafe current.pointee.depth > 0 || current.pointee.isFlushing
  }

  /// Runs an observer of commits.
  static func deliveringCommit(_ body: () -> Void) {
    let turn = unsafe current
    let outer = unsafe turn.pointee.isDeliveringCommit
    unsafe turn.pointee.isDeliveringCommit = true
    body()
    unsafe turn.pointee.isDeliveringCommit = outer
  }

  /// Queues a watcher once until it is performed.
  mutating func enqueue(_ node: NodePointer, _ phase: Phase, order: UInt64) {
    guard unsafe !node.pointee.flags.contains(.queued) else { return }
    unsafe node.pointee.flags.insert(.queued)
    unsafe Node.hold(node)
    arrivals &+= 1
    waiting += 1
    unsafe queues[phase.rawValue].append(node, order: order)
  }

  /// Performs what is queued until nothing is.
  @usableFromInline
  static func flush() {
    unsafe flush(current)
  }

  @inline(__always)
  private static func flush(_ turn: UnsafeMutablePointer<Turn>) {
    if unsafe turn.pointee.waiting > 0, unsafe !turn.pointee.isFlushing {
      unsafe performQueued(turn)
    }
  }

  private static func performQueued(_ turn: UnsafeMutablePointer<Turn>) {
    unsafe turn.pointee.isFlushing = true
    // Whoever wrote is not the one who reads now, and does not keep what is made now.
    let owner = unsafe turn.pointee.owner
    unsafe turn.pointee.owner = nil
    var guardian = EndlessChainGuard()
    Node.withoutReader {
      while let node = unsafe turn.pointee.next() { unsafe perform(node, turn, &guardian) }
    }
    unsafe turn.pointee.owner = owner
    unsafe turn.pointee.isFlushing = false
    // What ran may have been the last to read something.
    if unsafe !turn.pointee.abandoned.isEmpty { unsafe releaseAbandoned(turn) }
    if let error = guardian.finish() { unsafe turn.pointee.report(error) }
  }

  private static func perform(
    _ node: NodePointer, _ turn: UnsafeMutablePointer<Turn>, _ guardian: inout EndlessChainGuard
  ) {
    unsafe node.pointee.flags.remove(.queued)
    if unsafe !node.pointee.flags.contains(.dead) {
      if unsafe guardian.mayRun(node) {
        let before = unsafe turn.pointee.arrivals
        if unsafe node.pointee.flags.contains(.effect) {
          unsafe Effect.perform(node, turn)
        } else {
          _ = unsafe node.pointee.reaction(node, .perform)
        }
        if unsafe turn.pointee.arrivals != before { unsafe guardian.didTrigger(node) }
      } else {
        unsafe Node.skip(node)
      }
    }
    unsafe Node.release(node)
  }

  /// Takes the next watcher of the first phase that has any.
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

  /// How many callers up the stack will throw an endless chain.
  var reportsTo = 0

  /// Throws the chain that was stopped since `reportsTo` was raised.
  mutating func throwEndlessChain() throws {
    if let error = endless.take() { throw error }
  }

  // MARK: - Release

  /// Notes that a node lost its last reader, once; it is told when next a batch ends, the queues have run
  /// empty or a node is disposed of, and no batch is open.
  mutating func abandon(_ node: NodePointer) {
    guard unsafe !node.pointee.flags.contains(.queued) else { return }
    unsafe node.pointee.flags.insert(.queued)
    unsafe Node.hold(node)
    unsafe abandoned.append(node)
  }

  /// Tells the nodes that lost their last reader, and found no other since, unless a batch is open.
  ///
  /// One after the other, however many there are: what is released in turn waits for the outermost call.
  static func releaseAbandoned(_ turn: UnsafeMutablePointer<Turn>) {
    guard unsafe turn.pointee.depth == 0, unsafe !turn.pointee.isReleasing else { return }
    unsafe turn.pointee.isReleasing = true
    defer { unsafe turn.pointee.isReleasing = false }
    while let node = unsafe turn.pointee.abandoned.popLast() {
      unsafe node.pointee.flags.remove(.queued)
      if unsafe node.pointee.subs == nil, unsafe !node.pointee.flags.contains(.dead) {
        _ = Node.withoutReader { unsafe node.pointee.reaction(node, .perform) }
      }
      unsafe Node.release(node)
    }
  }

  /// Releases what the owner of a disposed node kept, one at a time however deep it is nested.
  static func discard(_ node: NodePointer) {
    let turn = unsafe current
    unsafe Node.hold(node)
    unsafe turn.pointee.garbage.append(node)
    guard unsafe !turn.pointee.isDraining else { return }
    unsafe turn.pointee.isDraining = true
    while let node = unsafe turn.pointee.garbage.popLast() {
      _ = Node.withoutReader { unsafe node.pointee.reaction(node, .destroy) }
      unsafe Node.release(node)
    }
    unsafe turn.pointee.isDraining = false
  }
}
