// Propagation: a write pushes marks, a read pulls values, and nothing is evaluated twice.
//
// A write pushes colors: all direct and indirect readers turn pending, watchers are notified, and
// nothing is evaluated. A read or the end of the batch pulls: a pending observer checks its
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
// All of this is iterative: a chain may be as long as memory allows. Evaluations nest only where an
// observer reads a stale node that wasn't checked first. That happens on the observer's first
// evaluation, or after an earlier dependency changed, because the later ones may not be read again.
// Once half of the stack is used, the later ones are brought up to date first anyway.

public import CSignalsThread

extension Node {
  /// Marks all nodes that depend on `node` as pending, and its direct readers with `color`.
  @usableFromInline
  static func mark(_ node: NodePointer, _ color: Flags) {
    guard let first = unsafe node.pointee.subs else { return }
    let scheduler = unsafe Scheduler.current
    let base = unsafe scheduler.pointee.edges.count
    var edge: EdgePointer? = unsafe first
    var color = color
    while true {
      while let current = unsafe edge {
        let sub = unsafe current.pointee.sub
        let flags = unsafe sub.pointee.flags
        unsafe edge = current.pointee.nextSub
        guard unsafe isInUse(current, by: flags) else { continue }
        unsafe sub.pointee.flags.insert(color)
        guard flags.isDisjoint(with: .stale) else { continue }
        if flags.contains(.effect) {
          unsafe Effect.enqueue(sub, scheduler)
        } else if flags.contains(.watcher) {
          _ = unsafe sub.pointee.reaction(sub, .marked)
        }
        if unsafe sub.pointee.subs != nil {
          unsafe scheduler.pointee.edges.append(sub.pointee.subs.unsafelyUnwrapped)
        }
      }
      color = .pending
      guard unsafe scheduler.pointee.edges.count > base else { return }
      unsafe edge = scheduler.pointee.edges.removeLast()
    }
  }

  /// Whether the reader relies on an edge.
  ///
  /// A running reader doesn't rely on an edge of its previous run, which this run may drop.
  @inline(__always)
  static func isInUse(_ edge: EdgePointer, by flags: Flags) -> Bool {
    if !flags.contains(.running) { return true }
    return unsafe edge.pointee.run == edge.pointee.sub.pointee.run
  }

  /// Marks the pending readers of `node` as dirty, because it changed.
  static func spread(_ node: NodePointer) {
    var edge = unsafe node.pointee.subs
    while let current = unsafe edge {
      let sub = unsafe current.pointee.sub
      let flags = unsafe sub.pointee.flags
      if flags.contains(.pending), unsafe isInUse(current, by: flags) {
        unsafe sub.pointee.flags.insert(.dirty)
      }
      unsafe edge = current.pointee.nextSub
    }
  }

  /// Whether an observer must be evaluated.
  ///
  /// Brings the computeds that it depends on up to date, in the order in which it read them and up
  /// to the first that changed.
  static func isStale(_ root: NodePointer) -> Bool {
    let flags = unsafe root.pointee.flags
    if flags.isDisjoint(with: .stale) { return false }
    return unsafe flags.contains(.dirty) || check(root, thoroughly: false)
  }

  /// Checks whether the dependencies of a stale observer changed.
  ///
  /// - Parameter thoroughly: Whether to check also the dependencies read after one that changed.
  /// - Returns: Whether the observer is dirty.
  private static func check(_ root: NodePointer, thoroughly: Bool) -> Bool {
    let scheduler = unsafe Scheduler.current
    let base = unsafe scheduler.pointee.checks.count
    var node = unsafe root
    var edge = unsafe root.pointee.deps
    unsafe hold(root)
    while true {
      while let current = unsafe edge,
        unsafe thoroughly || !node.pointee.flags.contains(.dirty)
      {
        let dep = unsafe current.pointee.dep
        let flags = unsafe dep.pointee.flags
        if flags.contains(.running) {
          if unsafe !node.pointee.flags.contains(.dirty) { unsafe trapCycle(dep, readBy: node) }
        } else if !flags.isDisjoint(with: .stale), thoroughly || !flags.contains(.unsettled) {
          unsafe scheduler.pointee.checks.append(
            Check(node: node, edge: current, run: node.pointee.run))
          unsafe hold(dep)
          unsafe node = dep
          unsafe edge = dep.pointee.deps
          continue
        } else if flags.contains(.unsettled) {
          unsafe node.pointee.flags.insert(.dirty)
        }
        unsafe edge = current.pointee.nextDep
      }
      let isDirty = unsafe node.pointee.flags.contains(.dirty)
      if !isDirty { unsafe node.pointee.flags.remove(.pending) }
      guard unsafe scheduler.pointee.checks.count > base else {
        unsafe release(root)
        return isDirty
      }
      if isDirty { unsafe evaluateAndSpread(node) }
      let flags = unsafe node.pointee.flags
      unsafe release(node)
      let check = unsafe scheduler.pointee.checks.removeLast()
      unsafe node = check.node
      if unsafe flags.contains(.dead) || node.pointee.run != check.run {
        // The edge may be gone: user code may have disposed of one of its ends, or read the
        // observer.
        unsafe edge = node.pointee.deps
      } else {
        if !flags.isDisjoint(with: .unreliable) { unsafe node.pointee.flags.insert(.dirty) }
        unsafe edge = check.edge.pointee.nextDep
      }
    }
  }

  /// Brings a computed up to date.
  @usableFromInline
  static func refresh(_ node: NodePointer) {
    let flags = unsafe node.pointee.flags
    if flags.contains(.running) { unsafe trapCycle(node, readBy: presentReader) }
    if flags.isDisjoint(with: .stale) { return }
    let thoroughly = signals_stack_is_deep()
    guard unsafe (flags.contains(.dirty) && !thoroughly) || check(node, thoroughly: thoroughly)
    else { return }
    unsafe evaluateAndSpread(node)
  }

  /// Lets a stale observer that must no longer run wait for the next change.
  static func skip(_ node: NodePointer) {
    repeat {
      unsafe node.pointee.flags.remove(.dirty)
      unsafe node.pointee.flags.insert(.pending)
    } while unsafe !node.pointee.flags.contains(.dead) && check(node, thoroughly: false)
  }

  private static func evaluateAndSpread(_ node: NodePointer) {
    let scheduler = unsafe Scheduler.current
    unsafe scheduler.pointee.depth += 1
    if unsafe evaluateInBatch(node, scheduler), unsafe !node.pointee.flags.contains(.unsettled) {
      unsafe spread(node)
    }
    unsafe Scheduler.endBatch(scheduler)
  }

  /// Evaluates an observer under tracking.
  ///
  /// - Returns: Whether its value changed.
  @discardableResult
  static func evaluate(_ node: NodePointer) -> Bool {
    let scheduler = unsafe Scheduler.current
    unsafe scheduler.pointee.depth += 1
    let changed = unsafe evaluateInBatch(node, scheduler)
    unsafe Scheduler.endBatch(scheduler)
    return changed
  }

  private static func evaluateInBatch(
    _ node: NodePointer, _ scheduler: UnsafeMutablePointer<Scheduler>
  ) -> Bool {
    unsafe evaluate(node) { unsafe node.pointee.reaction(node, .evaluate) }
  }

  /// Evaluates an observer with `body`, within a batch.
  ///
  /// - Returns: Whether its value changed.
  @inline(__always)
  static func evaluate(_ node: NodePointer, by body: () -> Bool) -> Bool {
    let flags = unsafe node.pointee.flags
    if flags.contains(.dead) { return false }
    if flags.contains(.running) { unsafe trapCycle(node, readBy: presentReader) }
    if signals_stack_is_full() { unsafe trapDepth(node) }
    let thread = unsafe signals_thread_current()
    let outer = unsafe thread.pointee.reader
    if let outer = unsafe outer { unsafe beginNested(outer) }
    unsafe node.pointee.run &+= 1
    unsafe node.pointee.depsTail = nil
    unsafe node.pointee.flags = flags.subtracting(.endingAtEvaluation).union(.running)
    unsafe hold(node)
    unsafe thread.pointee.reader = UnsafeMutableRawPointer(node)
    var changed = body()
    unsafe thread.pointee.reader = outer
    if unsafe outer != nil { endNested() }
    unsafe node.pointee.flags.remove(.running)
    if unsafe node.pointee.flags.contains(.dead) {
      unsafe releaseEdges(node)
      changed = false
    } else {
      unsafe dropUnusedDependencies(node)
    }
    unsafe release(node)
    return changed
  }

  /// Ends tracking in an evaluation whose body has returned.
  ///
  /// Comparing and releasing values also runs user code, whose reads aren't dependencies.
  @inlinable
  @inline(__always)
  static func stopReading() {
    let thread = unsafe signals_thread_current()
    unsafe thread.pointee.reader = thread.pointee.idle_reader
  }

  /// Suspends tracking until `endUnread`.
  ///
  /// - Returns: The suspended reader, to be passed to `endUnread`.
  @inlinable
  @inline(__always)
  static func beginUnread() -> UnsafeMutableRawPointer? {
    let thread = unsafe signals_thread_current()
    let outer = unsafe thread.pointee.reader
    unsafe thread.pointee.reader = nil
    return unsafe outer
  }

  @inlinable
  @inline(__always)
  static func endUnread(_ outer: UnsafeMutableRawPointer?) {
    unsafe signals_thread_current().pointee.reader = outer
  }

  /// Runs `body` without a reader, so that its reads aren't dependencies.
  @inlinable
  static func withoutReader<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let thread = unsafe signals_thread_current()
    let outer = unsafe thread.pointee.reader
    unsafe thread.pointee.reader = thread.pointee.idle_reader
    defer { unsafe thread.pointee.reader = outer }
    return try body()
  }

  /// The name of a node in messages.
  static func name(of node: NodePointer) -> String {
    unsafe Scheduler.current.pointee.description = "a node"
    _ = unsafe node.pointee.reaction(node, .describe)
    return unsafe Scheduler.current.pointee.description
  }

  /// Traps if the current reader isn't allowed to write.
  @inlinable
  @inline(__always)
  static func checkMayWrite(_ target: @autoclosure () -> String) {
    if isPure, let reader = unsafe reader { unsafe refuseWrite(reader, target()) }
  }

  /// Whether the current reader may only read.
  @inlinable @inline(__always)
  static var isPure: Bool { unsafe reader?.pointee.flags.contains(.pure) ?? false }

  @usableFromInline
  static func refuseWrite(_ reader: NodePointer, _ target: String) {
    trap("\(unsafe name(of: reader)) must not write \(target): it may only read")
  }
}

/// An observer that waits in a check until one of its dependencies is up to date.
@safe struct Check: BitwiseCopyable {
  let node: NodePointer
  let edge: EdgePointer
  /// The observer's run when the check began; if it differs afterwards, the edge may be gone.
  let run: UInt32
}

/// Stops the program with a message, in release builds too.
@usableFromInline
package func trap(_ message: String) -> Never {
  fatalError("Signals: \(message)")
}
