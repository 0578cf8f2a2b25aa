// Push, pull, and nothing twice.
//
// A write pushes colours: what reads it directly or indirectly turns pending, watchers are told, and
// nobody runs. A read or the end of the turn pulls: a pending observer asks its dependencies in the
// order in which it read them, and the first that changed makes it dirty.
//
// While a batch is open, what was written or evaluated in it is unsettled: whoever evaluates relies
// on nothing, and keeps the value that it had before the batch. When the batch ends, each unsettled
// node is settled: if it differs from what it was before, its readers turn dirty, else they find
// out that nothing changed. So a batch that ends where it began runs nothing, even if a computed
// was read in the middle of it.
//
// All of it is iterative: a chain may be as long as memory allows.

public import SignalsThread

extension Node {
  /// Turns all that depends on `node` pending, and its direct readers to `colour`.
  @usableFromInline
  static func mark(_ node: NodePointer, _ colour: Flags) {
    guard let first = unsafe node.pointee.subs else { return }
    let turn = unsafe Turn.current
    let base = unsafe turn.pointee.edges.count
    var edge: EdgePointer? = unsafe first
    var colour = colour
    while true {
      while let current = unsafe edge {
        let sub = unsafe current.pointee.sub
        let flags = unsafe sub.pointee.flags
        unsafe edge = current.pointee.nextSub
        unsafe sub.pointee.flags.insert(colour)
        guard flags.isDisjoint(with: .stale) else { continue }
        if flags.contains(.watcher) { _ = unsafe sub.pointee.reaction(sub, .marked) }
        if unsafe sub.pointee.subs != nil {
          unsafe turn.pointee.edges.append(sub.pointee.subs.unsafelyUnwrapped)
        }
      }
      colour = .pending
      guard unsafe turn.pointee.edges.count > base else { return }
      unsafe edge = turn.pointee.edges.removeLast()
    }
  }

  /// Tells the readers that wait for `node` that it did change.
  static func spread(_ node: NodePointer) {
    var edge = unsafe node.pointee.subs
    while let current = unsafe edge {
      let sub = unsafe current.pointee.sub
      if unsafe sub.pointee.flags.contains(.pending) {
        unsafe sub.pointee.flags.insert(.dirty)
      }
      unsafe edge = current.pointee.nextSub
    }
  }

  /// Whether an observer must be evaluated; brings the computeds it depends on up to date, in the
  /// order in which it read them and up to the first that changed.
  static func isStale(_ root: NodePointer) -> Bool {
    if unsafe root.pointee.flags.contains(.dirty) { return true }
    guard unsafe root.pointee.flags.contains(.pending) else { return false }
    let turn = unsafe Turn.current
    let base = unsafe turn.pointee.checks.count
    unsafe hold(root)
    var node = unsafe root
    var edge = unsafe root.pointee.deps
    while true {
      var descended = false
      while unsafe !node.pointee.flags.contains(.dirty), let current = unsafe edge {
        let dep = unsafe current.pointee.dep
        let flags = unsafe dep.pointee.flags
        if flags.contains(.unsettled) {
          unsafe node.pointee.flags.insert(.dirty)
        } else if flags.contains(.observer), !flags.isDisjoint(with: .stale) {
          // The edge outlives the visit unless `dep` dies, which makes `node` dirty.
          unsafe turn.pointee.checks.append((node, current))
          unsafe hold(dep)
          unsafe node = dep
          unsafe edge = dep.pointee.deps
          descended = true
          break
        } else {
          unsafe edge = current.pointee.nextDep
        }
      }
      if descended { continue }
      let isDirty = unsafe node.pointee.flags.contains(.dirty)
      if !isDirty { unsafe node.pointee.flags.remove(.pending) }
      guard unsafe turn.pointee.checks.count > base else {
        unsafe release(root)
        return isDirty
      }
      if isDirty, unsafe !node.pointee.flags.contains(.dead) { unsafe evaluateAndSpread(node) }
      let (parent, via) = unsafe turn.pointee.checks.removeLast()
      unsafe release(node)
      unsafe node = parent
      unsafe edge = parent.pointee.flags.contains(.dirty) ? nil : via
      // Visits `via` once more: its node may have become unsettled, else it is clean now.
    }
  }

  /// Brings a computed up to date.
  @usableFromInline
  static func refresh(_ node: NodePointer) {
    if unsafe isStale(node) { unsafe evaluateAndSpread(node) }
  }

  private static func evaluateAndSpread(_ node: NodePointer) {
    if unsafe evaluate(node), unsafe !node.pointee.flags.contains(.unsettled) {
      unsafe spread(node)
    }
  }

  /// Evaluates an observer under tracking; the answer is whether its value changed.
  @discardableResult
  static func evaluate(_ node: NodePointer) -> Bool {
    if unsafe node.pointee.flags.contains(.running) {
      trap("\(unsafe name(of: node)) reads itself, directly or through what it reads")
    }
    if signals_stack_left() < 48 * 1024 {
      trap(
        """
        the stack is full while \(unsafe name(of: node)) is evaluated for the first time: \
        read long chains in the order of their creation first
        """)
    }
    let thread = unsafe signals_thread_current()
    let turn = unsafe Turn.current
    let outer = unsafe thread.pointee.reader
    unsafe node.pointee.run &+= 1
    unsafe node.pointee.depsTail = nil
    unsafe node.pointee.flags.subtract(.stale)
    unsafe node.pointee.flags.insert(.running)
    unsafe hold(node)
    if unsafe !turn.pointee.touched.isEmpty { unsafe turn.pointee.touch(node) }
    unsafe thread.pointee.reader = UnsafeMutableRawPointer(node)
    let changed = unsafe node.pointee.reaction(node, .evaluate)
    unsafe thread.pointee.reader = outer
    unsafe node.pointee.flags.remove(.running)
    unsafe dropUnusedDependencies(node)
    unsafe release(node)
    return changed
  }

  /// Runs `body` with nobody reading.
  @inlinable
  static func withoutReader<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let thread = unsafe signals_thread_current()
    let outer = unsafe thread.pointee.reader
    unsafe thread.pointee.reader = nil
    defer { unsafe thread.pointee.reader = outer }
    return try body()
  }

  /// The name that messages give a node.
  static func name(of node: NodePointer) -> String {
    unsafe Turn.current.pointee.description = "a node"
    _ = unsafe node.pointee.reaction(node, .describe)
    return unsafe Turn.current.pointee.description
  }

  /// Traps if whoever is reading may not write.
  @inlinable
  @inline(__always)
  static func checkMayWrite(_ target: @autoclosure () -> String) {
    if let reader = unsafe reader, unsafe reader.pointee.flags.contains(.pure) {
      unsafe refuseWrite(reader, target())
    }
  }

  @usableFromInline
  static func refuseWrite(_ reader: NodePointer, _ target: String) {
    trap("\(unsafe name(of: reader)) must not write \(target): it may only read")
  }
}

/// Stops the program with a message that survives release builds.
@usableFromInline
func trap(_ message: String) -> Never {
  fatalError("Signals: \(message)")
}
