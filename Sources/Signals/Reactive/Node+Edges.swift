// Tracking: the edges of the graph.
//
// While an observer is evaluated, its old edges are walked in the order in which they were created.
// A read that meets the expected edge reuses it, so a steady graph allocates nothing. The edges
// that are left after the evaluation weren't used by it and are dropped.

public import CSignalsThread

extension Node {
  /// Registers a read on the fast path, if it applies.
  ///
  /// It applies if the node is up to date, and either nothing is reading, or the reader read the
  /// node at the same point of its previous evaluation or in the read just before. It is inlined
  /// where values are read and calls nothing, so that nothing is retained for it.
  ///
  /// - Returns: Whether the fast path applied. If not, the read must be registered with `read(_:)`.
  @inlinable
  @inline(__always)
  static func readAsBefore(_ dep: NodePointer) -> Bool {
    let flags = unsafe dep.pointee.flags
    // This function is pure, so that the compiler knows that nothing is released.
    guard let reader = unsafe signals_reader()?.assumingMemoryBound(to: Node.self) else {
      return flags.isDisjoint(with: [.dirty, .pending, .running])
    }
    return unsafe flags.isDisjoint(with: [.dirty, .pending, .running, .unsettled])
      && !reader.pointee.flags.contains(.redirects) && useNextEdge(dep, reader)
  }

  /// Registers a read off the fast path: updates `dep` and makes the current reader depend on it.
  ///
  /// - Complexity: O(1), except for bringing `dep` up to date.
  @usableFromInline
  @inline(never)
  static func read(_ dep: NodePointer) {
    if unsafe !dep.pointee.flags.isDisjoint(with: [.dirty, .pending, .running]) {
      unsafe refresh(dep)
    }
    if let reader = unsafe reader { unsafe link(dep, reader) }
  }

  /// Reuses the edge that the previous evaluation made at this point, or that of the read just
  /// before, if it leads to `dep`.
  ///
  /// - Returns: Whether there was such an edge.
  @inlinable
  @inline(__always)
  static func useNextEdge(_ dep: NodePointer, _ reader: NodePointer) -> Bool {
    let tail = unsafe reader.pointee.depsTail
    let next = unsafe tail == nil ? reader.pointee.deps : tail.unsafelyUnwrapped.pointee.nextDep
    guard let next = unsafe next, unsafe next.pointee.dep == dep else {
      return unsafe tail != nil && tail.unsafelyUnwrapped.pointee.dep == dep
    }
    unsafe next.pointee.run = reader.pointee.run
    unsafe reader.pointee.depsTail = next
    unsafe dep.pointee.recent = next
    return true
  }

  /// Makes `reader` depend on `dep`.
  ///
  /// - Complexity: O(1).
  static func link(_ dep: NodePointer, _ reader: NodePointer) {
    if unsafe reader.pointee.flags.contains(.redirects) {
      _ = unsafe reader.pointee.reaction(reader, .read(dep))
      return
    }
    unsafe connect(dep, reader)
  }

  /// Makes a reader that has its own edges, and doesn't redirect reads, depend on `dep`.
  @inline(__always)
  static func connect(_ dep: NodePointer, _ reader: NodePointer) {
    if unsafe !useNextEdge(dep, reader) { unsafe useOtherEdge(dep, reader) }
    if unsafe !dep.pointee.flags.isDisjoint(with: .unreliable) { unsafe recheck(dep, by: reader) }
  }

  /// Makes sure that a reader is checked again, because the node that it read hasn't settled yet.
  private static func recheck(_ dep: NodePointer, by reader: NodePointer) {
    let flags = unsafe dep.pointee.flags
    if flags.contains(.unsettled) { unsafe Scheduler.current.pointee.touch(reader) }
    // The node was marked again during its own evaluation, by a `deinit` that wrote. A reader of a
    // stale node is stale.
    if !flags.isDisjoint(with: .stale) { unsafe mark(dep, .pending) }
  }

  /// Registers a read that the previous evaluation didn't make at this point: a repeated read in
  /// this evaluation, or a new dependency.
  private static func useOtherEdge(_ dep: NodePointer, _ reader: NodePointer) {
    let tail = unsafe reader.pointee.depsTail
    let next = unsafe tail == nil ? reader.pointee.deps : tail.unsafelyUnwrapped.pointee.nextDep
    if let recent = unsafe dep.pointee.recent, unsafe recent.pointee.sub == reader,
      unsafe recent.pointee.run == reader.pointee.run
    {
      return
    }
    if unsafe reader.pointee.flags.contains(.nests), unsafe isLinked(dep, reader) { return }
    let edge = unsafe Scheduler.current.pointee.takeEdge()
    unsafe edge.initialize(
      to: Edge(
        dep: dep, sub: reader, previousSub: dep.pointee.subsTail, nextSub: nil, previousDep: tail,
        nextDep: next, run: reader.pointee.run))
    if let last = unsafe dep.pointee.subsTail {
      unsafe last.pointee.nextSub = unsafe edge
    } else {
      unsafe dep.pointee.subs = unsafe edge
    }
    unsafe dep.pointee.subsTail = unsafe edge
    if let tail = unsafe tail {
      unsafe tail.pointee.nextDep = unsafe edge
    } else {
      unsafe reader.pointee.deps = unsafe edge
    }
    if let next = unsafe next { unsafe next.pointee.previousDep = unsafe edge }
    unsafe reader.pointee.depsTail = unsafe edge
    unsafe dep.pointee.recent = unsafe edge
  }

  /// Whether a reader has read `dep` in this run, even if nested evaluations have read it since.
  ///
  /// Walks the reader's dependencies and the readers of `dep` in parallel until either list ends.
  private static func isLinked(_ dep: NodePointer, _ reader: NodePointer) -> Bool {
    var own = unsafe reader.pointee.depsTail
    var other = unsafe dep.pointee.subsTail
    while let read = unsafe own, let reading = unsafe other {
      if unsafe reading.pointee.sub == reader, unsafe reading.pointee.run == reader.pointee.run {
        unsafe dep.pointee.recent = unsafe reading
        return true
      }
      if unsafe read.pointee.dep == dep {
        unsafe dep.pointee.recent = unsafe read
        return true
      }
      unsafe own = read.pointee.previousDep
      unsafe other = reading.pointee.previousSub
    }
    return false
  }

  /// Removes an edge from both its lists.
  ///
  /// - Parameter spare: Whether to keep the edge's memory for the next edge.
  /// - Returns: The reader's next edge.
  @discardableResult
  static func unlink(_ edge: EdgePointer, spare: Bool = false) -> EdgePointer? {
    let dep = unsafe edge.pointee.dep
    let sub = unsafe edge.pointee.sub
    let nextDep = unsafe edge.pointee.nextDep
    let previousDep = unsafe edge.pointee.previousDep
    let nextSub = unsafe edge.pointee.nextSub
    let previousSub = unsafe edge.pointee.previousSub
    if let nextSub = unsafe nextSub {
      unsafe nextSub.pointee.previousSub = previousSub
    } else {
      unsafe dep.pointee.subsTail = previousSub
    }
    if let previousSub = unsafe previousSub {
      unsafe previousSub.pointee.nextSub = nextSub
    } else {
      unsafe dep.pointee.subs = nextSub
    }
    if let nextDep = unsafe nextDep { unsafe nextDep.pointee.previousDep = previousDep }
    if let previousDep = unsafe previousDep {
      unsafe previousDep.pointee.nextDep = nextDep
    } else {
      unsafe sub.pointee.deps = nextDep
    }
    if unsafe sub.pointee.depsTail == edge { unsafe sub.pointee.depsTail = previousDep }
    if unsafe dep.pointee.recent == edge { unsafe dep.pointee.recent = nil }
    unsafe Scheduler.current.pointee.giveBack(edge, spare: spare)
    if unsafe dep.pointee.subs == nil, unsafe dep.pointee.flags.contains(.kept) {
      unsafe Scheduler.current.pointee.enqueueUnread(dep)
    }
    return unsafe nextDep
  }

  /// Drops the edges that the evaluation that just ended didn't use.
  ///
  /// Their memory is kept, because the next evaluation is likely to need new edges.
  @inline(__always)
  static func dropUnusedDependencies(_ node: NodePointer) {
    let tail = unsafe node.pointee.depsTail
    var edge = unsafe tail == nil ? node.pointee.deps : tail.unsafelyUnwrapped.pointee.nextDep
    while let unused = unsafe edge { unsafe edge = unlink(unused, spare: true) }
  }

  /// Removes a node from the graph and releases its payload.
  ///
  /// A running node keeps its payload until its evaluation ends. Disposal is iterative: the
  /// payloads of nodes that it disposes of wait in the scheduler's `garbage`.
  ///
  /// - Complexity: O(*n*), where *n* is the number of the node's edges.
  @usableFromInline
  static func dispose(_ node: NodePointer) {
    unsafe node.pointee.flags.insert(.dead)
    // A walk along its edges that is under way has to notice.
    unsafe node.pointee.run &+= 1
    while let edge = unsafe node.pointee.subs {
      let sub = unsafe edge.pointee.sub
      let flags = unsafe sub.pointee.flags
      let isInUse = unsafe isInUse(edge, by: flags)
      unsafe unlink(edge)
      if flags.contains(.pending) {
        // Its check could no longer find the change that this node would have reported.
        unsafe sub.pointee.flags.insert(.dirty)
      } else if isInUse, !flags.contains(.dead) {
        unsafe inheritDependencies(node, to: sub)
      }
    }
    if unsafe !node.pointee.flags.contains(.running) { unsafe releaseEdges(node) }
    unsafe Scheduler.notifyUnread(Scheduler.current)
  }

  /// Makes a reader depend on the dependencies of the node.
  ///
  /// A computed that is created, read and released inside another must not take the dependencies
  /// with it.
  private static func inheritDependencies(_ node: NodePointer, to reader: NodePointer) {
    var edge = unsafe node.pointee.deps
    while let current = unsafe edge {
      unsafe connect(current.pointee.dep, reader)
      unsafe edge = current.pointee.nextDep
    }
  }

  /// Releases the remaining dependencies and the payload of a dead node.
  static func releaseEdges(_ node: NodePointer) {
    while let edge = unsafe node.pointee.deps { unsafe unlink(edge) }
    unsafe Scheduler.discard(node)
  }

  /// Queues a node without readers for notification, after a read that made no edge.
  ///
  /// Such a read comes from a reader that only records which nodes are read.
  @inline(never)
  static func enqueueUnread(_ node: NodePointer) {
    let scheduler = unsafe Scheduler.current
    unsafe scheduler.pointee.enqueueUnread(node)
    unsafe Scheduler.notifyUnread(scheduler)
  }

  /// Keeps the memory of a node until `release`, whatever user code does in between.
  @inline(__always)
  static func hold(_ node: NodePointer) { unsafe node.pointee.holds += 1 }

  @inline(__always)
  static func release(_ node: NodePointer) {
    unsafe node.pointee.holds -= 1
    if unsafe node.pointee.flags.contains(.dead) { unsafe freeIfDone(node) }
  }

  private static func freeIfDone(_ node: NodePointer) {
    guard unsafe node.pointee.holds == 0 else { return }
    unsafe Scheduler.current.pointee.liveNodes -= 1
    unsafe node.deinitialize(count: 1)
    unsafe UnsafeMutableRawPointer(node).deallocate()
  }

  /// The observer whose evaluation is running on this thread.
  @inlinable
  @inline(__always)
  static var reader: NodePointer? {
    unsafe signals_thread_current().pointee.reader?.assumingMemoryBound(to: Node.self)
  }
}
