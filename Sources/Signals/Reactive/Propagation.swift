// Propagation: a write pushes marks, a read pulls values, and nothing is evaluated twice.
//
// A write pushes colors: all direct and indirect readers turn pending, observers are notified, and
// nothing is evaluated. A read or the end of the batch pulls: a pending reader checks its
// dependencies in the order in which it read them, and the first that changed makes it dirty.
//
// While a batch is open, each node written or evaluated in it is unsettled. Readers don't rely on
// an unsettled node, and the node remembers its value from before the batch. When the batch ends,
// each unsettled node is settled: if its value differs from the one before the batch, its readers
// turn dirty, otherwise they find that nothing changed. So a batch that ends where it began runs
// nothing, even if a computed was read in the middle of it.
//
// An evaluation is a batch. Writes during it (by an effect, by the `deinit` of a released value)
// propagate when the outermost evaluation has ended.
//
// All of this is iterative: a chain may be as long as memory allows. Evaluations nest only where a
// reader reads a stale node that wasn't checked first. That happens on the reader's first
// evaluation, or after an earlier dependency changed, because the later ones may not be read again.
// Once half of the stack is used, the later ones are brought up to date first anyway.

private import CSignalsThread

extension Node {
  /// Marks all nodes that depend on `node` as pending, and its direct readers with `color`.
  @usableFromInline
  static func markReaders(of node: NodePointer, as color: Flags) {
    guard let first = node.pointee.subs else { return }
    let scheduler = Scheduler.current
    let base = scheduler.pointee.edges.count
    var edge: EdgePointer? = first
    var color = color
    while true {
      while let current = edge {
        let sub = current.pointee.sub
        let flags = sub.pointee.flags
        edge = current.pointee.nextSub
        guard isInUse(current, by: flags) else { continue }
        sub.pointee.flags.insert(color)
        guard flags.isDisjoint(with: .stale) else { continue }
        if flags.contains(.effect) {
          Effect.enqueue(sub, in: scheduler)
        } else if flags.contains(.observer) {
          _ = sub.pointee.reaction(sub, .marked)
        }
        if let subs = sub.pointee.subs { scheduler.pointee.edges.append(subs) }
      }
      color = .pending
      guard scheduler.pointee.edges.count > base else { return }
      edge = scheduler.pointee.edges.removeLast()
    }
  }

  /// Whether the reader relies on an edge.
  ///
  /// A running reader doesn't rely on an edge of its previous run, which this run may drop.
  @inline(__always)
  static func isInUse(_ edge: EdgePointer, by flags: Flags) -> Bool {
    if !flags.contains(.running) { return true }
    return edge.pointee.run == edge.pointee.sub.pointee.run
  }

  /// Marks the pending readers of `node` as dirty, because it changed.
  static func spread(_ node: NodePointer) {
    var edge = node.pointee.subs
    while let current = edge {
      let sub = current.pointee.sub
      let flags = sub.pointee.flags
      if flags.contains(.pending), isInUse(current, by: flags) {
        sub.pointee.flags.insert(.dirty)
      }
      edge = current.pointee.nextSub
    }
  }

  /// Whether a reader must be evaluated.
  ///
  /// Brings the computeds that it depends on up to date, in the order in which it read them and up
  /// to the first that changed.
  static func isStale(_ root: NodePointer) -> Bool {
    let flags = root.pointee.flags
    if flags.isDisjoint(with: .stale) { return false }
    return flags.contains(.dirty) || check(root, thoroughly: false)
  }

  /// Checks whether the dependencies of a stale reader changed.
  ///
  /// - Parameter thoroughly: Whether to check also the dependencies read after one that changed.
  /// - Returns: Whether the reader is dirty.
  private static func check(_ root: NodePointer, thoroughly: Bool) -> Bool {
    let scheduler = Scheduler.current
    let base = scheduler.pointee.checks.count
    var node = root
    var edge = root.pointee.deps
    hold(root)
    while true {
      while let current = edge,
        thoroughly || !node.pointee.flags.contains(.dirty)
      {
        let dep = current.pointee.dep
        let flags = dep.pointee.flags
        if flags.contains(.running) {
          if !node.pointee.flags.contains(.dirty) { trapCycle(dep, readBy: node) }
        } else if !flags.isDisjoint(with: .stale), thoroughly || !flags.contains(.unsettled) {
          scheduler.pointee.checks.append(
            Check(node: node, edge: current, run: node.pointee.run))
          hold(dep)
          node = dep
          edge = dep.pointee.deps
          continue
        } else if flags.contains(.unsettled) {
          node.pointee.flags.insert(.dirty)
        }
        edge = current.pointee.nextDep
      }
      let isDirty = node.pointee.flags.contains(.dirty)
      if !isDirty { node.pointee.flags.remove(.pending) }
      guard scheduler.pointee.checks.count > base else {
        release(root)
        return isDirty
      }
      if isDirty { evaluateAndSpread(node) }
      let flags = node.pointee.flags
      release(node)
      let check = scheduler.pointee.checks.removeLast()
      node = check.node
      if flags.contains(.dead) || node.pointee.run != check.run {
        // The edge may be gone: user code may have disposed of one of its ends, or read the
        // reader.
        edge = node.pointee.deps
      } else {
        if !flags.isDisjoint(with: .unreliable) { node.pointee.flags.insert(.dirty) }
        edge = check.edge.pointee.nextDep
      }
    }
  }

  /// Brings a computed up to date.
  @usableFromInline
  static func refresh(_ node: NodePointer) {
    let flags = node.pointee.flags
    if flags.contains(.running) { trapCycle(node, readBy: presentReader) }
    if flags.isDisjoint(with: .stale) { return }
    let thoroughly = signals_stack_is_deep()
    guard (flags.contains(.dirty) && !thoroughly) || check(node, thoroughly: thoroughly)
    else { return }
    evaluateAndSpread(node)
  }

  /// Lets a stale reader that must no longer run wait for the next change.
  static func skip(_ node: NodePointer) {
    repeat {
      node.pointee.flags.remove(.dirty)
      node.pointee.flags.insert(.pending)
    } while !node.pointee.flags.contains(.dead) && check(node, thoroughly: false)
  }

  private static func evaluateAndSpread(_ node: NodePointer) {
    let scheduler = Scheduler.current
    scheduler.pointee.depth += 1
    if evaluateInBatch(node), !node.pointee.flags.contains(.unsettled) {
      spread(node)
    }
    Scheduler.endBatch(scheduler)
  }

  /// Evaluates a reader under tracking.
  ///
  /// - Returns: Whether its value changed.
  @discardableResult
  static func evaluate(_ node: NodePointer) -> Bool {
    let scheduler = Scheduler.current
    scheduler.pointee.depth += 1
    let changed = evaluateInBatch(node)
    Scheduler.endBatch(scheduler)
    return changed
  }

  private static func evaluateInBatch(_ node: NodePointer) -> Bool {
    evaluate(node) { node.pointee.reaction(node, .evaluate) }
  }

  /// Evaluates a reader with `body`, within a batch.
  ///
  /// - Returns: Whether its value changed.
  @inline(__always)
  static func evaluate(_ node: NodePointer, by body: () -> Bool) -> Bool {
    let flags = node.pointee.flags
    if flags.contains(.dead) { return false }
    if flags.contains(.running) { trapCycle(node, readBy: presentReader) }
    if signals_stack_is_full() { trapDepth(node) }
    let outer = reader
    if let outer { beginNested(in: outer) }
    node.pointee.run &+= 1
    node.pointee.depsTail = nil
    node.pointee.flags = flags.subtracting(.endingAtEvaluation).union(.running)
    hold(node)
    reader = node
    var changed = body()
    reader = outer
    if outer != nil { endNested() }
    node.pointee.flags.remove(.running)
    if node.pointee.flags.contains(.dead) {
      releaseEdges(node)
      changed = false
    } else {
      dropUnusedDependencies(node)
    }
    release(node)
    return changed
  }

  /// Ends tracking in an evaluation whose body has returned.
  ///
  /// Comparing and releasing values also runs user code, whose reads aren't dependencies.
  @inlinable
  @inline(__always)
  static func stopReading() { reader = idleReader }

  /// Suspends tracking until `endUnread`.
  ///
  /// - Returns: The suspended reader, to be passed to `endUnread`.
  @inlinable
  @inline(__always)
  static func beginUnread() -> NodePointer? {
    let outer = reader
    reader = nil
    return outer
  }

  @inlinable
  @inline(__always)
  static func endUnread(_ outer: NodePointer?) { reader = outer }

  /// Runs `body` without a reader, so that its reads aren't dependencies.
  @inlinable
  static func withoutReader<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outer = reader
    reader = idleReader
    defer { reader = outer }
    return try body()
  }

  /// The name of a node in messages.
  static func name(of node: NodePointer) -> String {
    var name = "a node"
    UncheckedPointer.with(&name) { _ = node.pointee.reaction(node, .describe($0)) }
    return name
  }

  /// Traps if the current reader isn't allowed to write.
  @inlinable
  @inline(__always)
  static func checkMayWrite(_ target: @autoclosure () -> String) {
    if isPure, let reader { refuseWrite(of: target(), by: reader) }
  }

  /// Whether the current reader may only read.
  @inlinable @inline(__always)
  static var isPure: Bool { reader?.pointee.flags.contains(.pure) ?? false }

  @usableFromInline
  static func refuseWrite(of target: String, by reader: NodePointer) {
    trap("\(name(of: reader)) must not write \(target): it may only read")
  }
}

/// A reader that waits in a check until one of its dependencies is up to date.
@safe struct Check: BitwiseCopyable {
  let node: NodePointer
  let edge: EdgePointer
  /// The reader's run when the check began; if it differs afterwards, the edge may be gone.
  let run: UInt32
}

/// Stops the program with a message, in release builds too.
@usableFromInline
package func trap(_ message: String) -> Never {
  fatalError("Signals: \(message)")
}
