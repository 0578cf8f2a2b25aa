// Who reads whom: the edges of the graph.
//
// While an observer is evaluated, its old edges are walked in the order in which they were made: a
// read that meets the expected edge re-uses it, so a steady graph allocates nothing. What is left
// of the list after the evaluation was not read this time and is dropped.

public import CSignalsThread

extension Node {
  /// Registers the usual read, and answers whether this was one.
  ///
  /// That is a read of what is up to date, by nobody or by who read it at the same point in the
  /// evaluation before.
  ///
  /// It is inlined where values are read and calls nothing: so nothing is retained for it.
  @inlinable
  @inline(__always)
  static func readAsBefore(_ dep: NodePointer) -> Bool {
    let flags = unsafe dep.pointee.flags
    // Asked so that the compiler knows that nothing is released.
    guard let reader = unsafe signals_reader()?.assumingMemoryBound(to: Node.self) else {
      return flags.isDisjoint(with: [.dirty, .pending, .running])
    }
    return unsafe flags.isDisjoint(with: [.dirty, .pending, .running, .unsettled])
      && !reader.pointee.flags.contains(.redirects) && useNextEdge(dep, reader)
  }

  /// Registers any other read, in O(1): brings `dep` up to date and makes whoever reads depend on it.
  @usableFromInline
  @inline(never)
  static func read(_ dep: NodePointer) {
    if unsafe !dep.pointee.flags.isDisjoint(with: [.dirty, .pending, .running]) {
      unsafe refresh(dep)
    }
    if let reader = unsafe reader { unsafe link(dep, reader) }
  }

  /// Uses the edge that the evaluation before made at this point, or the read before, if it led to `dep`.
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

  /// Makes `reader` depend on `dep`, in O(1).
  static func link(_ dep: NodePointer, _ reader: NodePointer) {
    if unsafe reader.pointee.flags.contains(.redirects) {
      _ = unsafe reader.pointee.reaction(reader, .read(dep))
      return
    }
    unsafe connect(dep, reader)
  }

  /// Makes a reader that has edges of its own depend on `dep`.
  @inline(__always)
  static func connect(_ dep: NodePointer, _ reader: NodePointer) {
    if unsafe !useNextEdge(dep, reader) { unsafe useOtherEdge(dep, reader) }
    if unsafe !dep.pointee.flags.isDisjoint(with: .unreliable) { unsafe distrust(dep, by: reader) }
  }

  /// Has a reader looked at once more: what it read has not settled yet.
  private static func distrust(_ dep: NodePointer, by reader: NodePointer) {
    let flags = unsafe dep.pointee.flags
    if flags.contains(.unsettled) { unsafe Turn.current.pointee.touch(reader) }
    // Marked again in its own evaluation (by a `deinit` that wrote): who reads a stale node is stale.
    if !flags.isDisjoint(with: .stale) { unsafe mark(dep, .pending) }
  }

  /// A read that the evaluation before did not make here: of what was read in this one, or a new one.
  private static func useOtherEdge(_ dep: NodePointer, _ reader: NodePointer) {
    let tail = unsafe reader.pointee.depsTail
    let next = unsafe tail == nil ? reader.pointee.deps : tail.unsafelyUnwrapped.pointee.nextDep
    if let recent = unsafe dep.pointee.recent, unsafe recent.pointee.sub == reader,
      unsafe recent.pointee.run == reader.pointee.run
    {
      return
    }
    if unsafe reader.pointee.flags.contains(.nests), unsafe isLinked(dep, reader) { return }
    let edge = unsafe Turn.current.pointee.takeEdge()
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

  /// Whether a reader has read `dep` in this run, though others evaluated inside it read it since.
  ///
  /// Looks at what the reader read and at who reads `dep`, until either ends.
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

  /// Removes an edge from both its lists and returns the reader's next one; a `spare` one's memory is
  /// kept for the next edge.
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
    unsafe Turn.current.pointee.giveBack(edge, spare: spare)
    if unsafe dep.pointee.subs == nil, unsafe dep.pointee.flags.contains(.kept) {
      unsafe Turn.current.pointee.abandon(dep)
    }
    return unsafe nextDep
  }

  /// Drops the edges that the evaluation just ended did not use; the next evaluation will want others.
  @inline(__always)
  static func dropUnusedDependencies(_ node: NodePointer) {
    let tail = unsafe node.pointee.depsTail
    var edge = unsafe tail == nil ? node.pointee.deps : tail.unsafelyUnwrapped.pointee.nextDep
    while let unused = unsafe edge { unsafe edge = unlink(unused, spare: true) }
  }

  /// Takes a node out of the graph and releases what its owner kept beside it.
  ///
  /// A running node keeps its payload until its evaluation ends. O(edges), and iterative: what is
  /// released in turn waits in the turn's queue.
  @usableFromInline
  static func dispose(_ node: NodePointer) {
    unsafe node.pointee.flags.insert(.dead)
    // Whoever is on a walk along its edges has to notice.
    unsafe node.pointee.run &+= 1
    while let edge = unsafe node.pointee.subs {
      let sub = unsafe edge.pointee.sub
      let flags = unsafe sub.pointee.flags
      let isInUse = unsafe isInUse(edge, by: flags)
      unsafe unlink(edge)
      if flags.contains(.pending) {
        // Its check would look in vain for the change that this node was to report.
        unsafe sub.pointee.flags.insert(.dirty)
      } else if isInUse, !flags.contains(.dead) {
        unsafe bequeath(node, to: sub)
      }
    }
    if unsafe !node.pointee.flags.contains(.running) { unsafe retire(node) }
    unsafe Turn.releaseAbandoned(Turn.current)
  }

  /// Makes a reader depend on what the node read: a computed made, read and released inside another
  /// must not take the dependency with it.
  private static func bequeath(_ node: NodePointer, to reader: NodePointer) {
    var edge = unsafe node.pointee.deps
    while let current = unsafe edge {
      unsafe connect(current.pointee.dep, reader)
      unsafe edge = current.pointee.nextDep
    }
  }

  /// Releases what a dead node still has.
  static func retire(_ node: NodePointer) {
    while let edge = unsafe node.pointee.deps { unsafe unlink(edge) }
    unsafe Turn.discard(node)
  }

  /// Has a node released that a reader without edges has read: one that only learns what is read.
  @inline(never)
  static func abandon(_ node: NodePointer) {
    let turn = unsafe Turn.current
    unsafe turn.pointee.abandon(node)
    unsafe Turn.releaseAbandoned(turn)
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
    unsafe Turn.current.pointee.liveNodes -= 1
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
