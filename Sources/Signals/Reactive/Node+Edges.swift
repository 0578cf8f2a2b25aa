// Tracking: the edges of the graph.
//
// While a reader is evaluated, its old edges are walked in the order in which they were created.
// A read that meets the expected edge reuses it, so a steady graph allocates nothing. The edges
// that are left after the evaluation weren't used by it and are dropped.

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
    let flags = dep.pointee.flags
    guard let reader = currentReader else {
      return flags.isDisjoint(with: [.dirty, .pending, .running])
    }
    return flags.isDisjoint(with: [.dirty, .pending, .running, .unsettled])
      && !reader.pointee.flags.contains(.redirects) && useNextEdge(to: dep, by: reader)
  }

  /// Registers a read off the fast path: updates `dep` and makes the current reader depend on it.
  ///
  /// - Complexity: O(1), except for bringing `dep` up to date.
  @usableFromInline
  @inline(never)
  static func read(_ dep: NodePointer) {
    if !dep.pointee.flags.isDisjoint(with: [.dirty, .pending, .running]) {
      refresh(dep)
    }
    if let reader { link(dep, to: reader) }
  }

  /// Reuses the edge that the previous evaluation made at this point, or that of the read just
  /// before, if it leads to `dep`.
  ///
  /// - Returns: Whether there was such an edge.
  @inlinable
  @inline(__always)
  static func useNextEdge(to dep: NodePointer, by reader: NodePointer) -> Bool {
    let tail = reader.pointee.depsTail
    let next = if let tail { tail.pointee.nextDep } else { reader.pointee.deps }
    guard let next, next.pointee.dep == dep else {
      guard let tail else { return false }
      return tail.pointee.dep == dep
    }
    next.pointee.run = reader.pointee.run
    reader.pointee.depsTail = next
    dep.pointee.recent = next
    return true
  }

  /// Makes `reader` depend on `dep`.
  ///
  /// - Complexity: O(1).
  static func link(_ dep: NodePointer, to reader: NodePointer) {
    if reader.pointee.flags.contains(.redirects) {
      _ = reader.pointee.reaction(reader, .read(dep))
      return
    }
    connect(dep, to: reader)
  }

  /// Makes a reader that has its own edges, and doesn't redirect reads, depend on `dep`.
  @inline(__always)
  static func connect(_ dep: NodePointer, to reader: NodePointer) {
    if !useNextEdge(to: dep, by: reader) { useOtherEdge(to: dep, by: reader) }
    if !dep.pointee.flags.isDisjoint(with: .unreliable) { recheck(dep, by: reader) }
  }

  /// Makes sure that a reader is checked again, because the node that it read hasn't settled yet.
  private static func recheck(_ dep: NodePointer, by reader: NodePointer) {
    let flags = dep.pointee.flags
    if flags.contains(.unsettled) { Scheduler.current.pointee.touch(reader) }
    // The node was marked again during its own evaluation, by a `deinit` that wrote. A reader of a
    // stale node is stale.
    if !flags.isDisjoint(with: .stale) { markReaders(of: dep, as: .pending) }
  }

  /// Registers a read that the previous evaluation didn't make at this point: a repeated read in
  /// this evaluation, or a new dependency.
  private static func useOtherEdge(to dep: NodePointer, by reader: NodePointer) {
    let tail = reader.pointee.depsTail
    let next = if let tail { tail.pointee.nextDep } else { reader.pointee.deps }
    if let recent = dep.pointee.recent, recent.pointee.sub == reader,
      recent.pointee.run == reader.pointee.run
    {
      return
    }
    if reader.pointee.flags.contains(.nests), isLinked(dep, to: reader) { return }
    let edge = Scheduler.current.pointee.takeEdge()
    edge.initialize(
      to: Edge(
        dep: dep, sub: reader, previousSub: dep.pointee.subsTail, nextSub: nil, previousDep: tail,
        nextDep: next, run: reader.pointee.run))
    if let last = dep.pointee.subsTail {
      last.pointee.nextSub = edge
    } else {
      dep.pointee.subs = edge
    }
    dep.pointee.subsTail = edge
    if let tail {
      tail.pointee.nextDep = edge
    } else {
      reader.pointee.deps = edge
    }
    if let next { next.pointee.previousDep = edge }
    reader.pointee.depsTail = edge
    dep.pointee.recent = edge
  }

  /// Whether a reader has read `dep` in this run, even if nested evaluations have read it since.
  ///
  /// Walks the reader's dependencies and the readers of `dep` in parallel until either list ends.
  private static func isLinked(_ dep: NodePointer, to reader: NodePointer) -> Bool {
    var own = reader.pointee.depsTail
    var other = dep.pointee.subsTail
    while let read = own, let reading = other {
      if reading.pointee.sub == reader, reading.pointee.run == reader.pointee.run {
        dep.pointee.recent = reading
        return true
      }
      if read.pointee.dep == dep {
        dep.pointee.recent = read
        return true
      }
      own = read.pointee.previousDep
      other = reading.pointee.previousSub
    }
    return false
  }

  /// Removes an edge from both its lists.
  ///
  /// - Parameter spare: Whether to keep the edge's memory for the next edge.
  /// - Returns: The reader's next edge.
  @discardableResult
  static func unlink(_ edge: EdgePointer, spare: Bool = false) -> EdgePointer? {
    let dep = edge.pointee.dep
    let sub = edge.pointee.sub
    let nextDep = edge.pointee.nextDep
    let previousDep = edge.pointee.previousDep
    let nextSub = edge.pointee.nextSub
    let previousSub = edge.pointee.previousSub
    if let nextSub {
      nextSub.pointee.previousSub = previousSub
    } else {
      dep.pointee.subsTail = previousSub
    }
    if let previousSub {
      previousSub.pointee.nextSub = nextSub
    } else {
      dep.pointee.subs = nextSub
    }
    if let nextDep { nextDep.pointee.previousDep = previousDep }
    if let previousDep {
      previousDep.pointee.nextDep = nextDep
    } else {
      sub.pointee.deps = nextDep
    }
    if sub.pointee.depsTail == edge { sub.pointee.depsTail = previousDep }
    if dep.pointee.recent == edge { dep.pointee.recent = nil }
    Scheduler.current.pointee.giveBack(edge, spare: spare)
    if dep.pointee.subs == nil, dep.pointee.flags.contains(.kept) {
      Scheduler.current.pointee.enqueueUnread(dep)
    }
    return nextDep
  }

  /// Drops the edges that the evaluation that just ended didn't use.
  ///
  /// Their memory is kept, because the next evaluation is likely to need new edges.
  @inline(__always)
  static func dropUnusedDependencies(_ node: NodePointer) {
    let tail = node.pointee.depsTail
    var edge = if let tail { tail.pointee.nextDep } else { node.pointee.deps }
    while let unused = edge { edge = unlink(unused, spare: true) }
  }

  /// Removes a node from the graph and releases its payload.
  ///
  /// A running node keeps its payload until its evaluation ends. Disposal is iterative: the
  /// payloads of nodes that it disposes of wait in the scheduler's `garbage`.
  ///
  /// - Complexity: O(*n*), where *n* is the number of the node's edges.
  @usableFromInline
  static func dispose(_ node: NodePointer) {
    node.pointee.flags.insert(.dead)
    // A walk along its edges that is under way has to notice.
    node.pointee.run &+= 1
    while let edge = node.pointee.subs {
      let sub = edge.pointee.sub
      let flags = sub.pointee.flags
      let isInUse = isInUse(edge, by: flags)
      unlink(edge)
      if flags.contains(.pending) {
        // Its check could no longer find the change that this node would have reported.
        sub.pointee.flags.insert(.dirty)
      } else if isInUse, !flags.contains(.dead) {
        inheritDependencies(node, to: sub)
      }
    }
    if !node.pointee.flags.contains(.running) { releaseEdges(node) }
    Scheduler.notifyUnread(Scheduler.current)
  }

  /// Makes a reader depend on the dependencies of the node.
  ///
  /// A computed that is created, read and released inside another must not take the dependencies
  /// with it.
  private static func inheritDependencies(_ node: NodePointer, to reader: NodePointer) {
    var edge = node.pointee.deps
    while let current = edge {
      connect(current.pointee.dep, to: reader)
      edge = current.pointee.nextDep
    }
  }

  /// Releases the remaining dependencies and the payload of a dead node.
  static func releaseEdges(_ node: NodePointer) {
    while let edge = node.pointee.deps { unlink(edge) }
    Scheduler.discard(node)
  }

  /// Queues a node without readers for notification, after a read that made no edge.
  ///
  /// Such a read comes from a reader that only records which nodes are read.
  @inline(never)
  static func enqueueUnread(_ node: NodePointer) {
    let scheduler = Scheduler.current
    scheduler.pointee.enqueueUnread(node)
    Scheduler.notifyUnread(scheduler)
  }

  /// Keeps the memory of a node until `release`, whatever user code does in between.
  @inline(__always)
  static func hold(_ node: NodePointer) { node.pointee.holds += 1 }

  @inline(__always)
  static func release(_ node: NodePointer) {
    node.pointee.holds -= 1
    if node.pointee.flags.contains(.dead) { freeIfDone(node) }
  }

  private static func freeIfDone(_ node: NodePointer) {
    guard node.pointee.holds == 0 else { return }
    Scheduler.current.pointee.liveNodes -= 1
    node.free()
  }
}
