// The current readers, for messages that show how one evaluation led to another.
//
// An evaluation without an outer reader records nothing. A nested evaluation records the outer
// reader in the scheduler's `readers`; a check records the waiting observer in `checks`. Read
// together from their ends, they give the path that led to the evaluation of a computed.
//
// A pure reader must not write inside `untracked` either, so it isn't simply removed. The thread's
// reader is then the scheduler's untracked reader, which ignores all reads and knows which reader
// it represents.

public import CSignalsThread

extension Node {
  private typealias UntrackedReader = Cell<NodePointer>

  // MARK: - Untracked reads

  /// The state saved by `untracked`: the reader, and the previous payload of the untracked reader.
  @usableFromInline
  @safe struct Untracked {
    @usableFromInline let reader: UnsafeMutableRawPointer?
    @usableFromInline let untrackedReader: NodePointer?
    @usableFromInline let isPure: Bool

    @inlinable
    init(_ reader: UnsafeMutableRawPointer?, _ untrackedReader: NodePointer?, isPure: Bool) {
      unsafe self.reader = reader
      unsafe self.untrackedReader = untrackedReader
      self.isPure = isPure
    }
  }

  /// Makes reads depend on nothing until `endUntracked`.
  @inlinable
  static func beginUntracked() -> Untracked {
    let thread = unsafe signals_thread_current()
    let outer = unsafe thread.pointee.reader
    if let reader = unsafe Node.reader, unsafe reader.pointee.flags.contains(.pure) {
      return unsafe Untracked(outer, beginUntrackedReader(reader), isPure: true)
    }
    unsafe thread.pointee.reader = thread.pointee.idle_reader
    return unsafe Untracked(outer, nil, isPure: false)
  }

  /// Restores the reader.
  @inlinable
  static func endUntracked(_ outer: Untracked) {
    if outer.isPure, let reader = unsafe outer.reader {
      unsafe endUntrackedReader(reader.assumingMemoryBound(to: Node.self), outer.untrackedReader)
    } else {
      unsafe signals_thread_current().pointee.reader = unsafe outer.reader
    }
  }

  /// Makes reads of a pure reader depend on nothing.
  ///
  /// - Returns: The previous payload of the untracked reader, to be passed to `endUntrackedReader`.
  @usableFromInline
  static func beginUntrackedReader(_ reader: NodePointer) -> NodePointer? {
    let scheduler = unsafe Scheduler.current
    let untrackedReader = unsafe scheduler.pointee.untrackedReader ?? makeUntrackedReader(reader)
    if unsafe reader == untrackedReader { return nil }
    let outer = unsafe UntrackedReader.payload(of: untrackedReader).pointee
    unsafe UntrackedReader.payload(of: untrackedReader).pointee = unsafe reader
    unsafe signals_thread_current().pointee.reader = UnsafeMutableRawPointer(untrackedReader)
    return unsafe outer
  }

  /// Restores the reader.
  @usableFromInline
  static func endUntrackedReader(_ reader: NodePointer, _ outer: NodePointer?) {
    guard let outer = unsafe outer,
      let untrackedReader = unsafe Scheduler.current.pointee.untrackedReader
    else { return }
    unsafe UntrackedReader.payload(of: untrackedReader).pointee = unsafe outer
    unsafe signals_thread_current().pointee.reader = UnsafeMutableRawPointer(reader)
  }

  private static func makeUntrackedReader(_ reader: NodePointer) -> NodePointer {
    let untrackedReader = unsafe UntrackedReader.make([.pure, .redirects], reader) { node, event in
      if case .describe = event { _ = unsafe name(of: UntrackedReader.payload(of: node).pointee) }
      return true
    }
    // It belongs to the thread, so tests that count nodes must not find it.
    unsafe Scheduler.current.pointee.liveNodes -= 1
    unsafe Scheduler.current.pointee.untrackedReader = unsafe untrackedReader
    return unsafe untrackedReader
  }

  /// The observer that a reader represents.
  private static func observer(_ reader: NodePointer) -> NodePointer {
    if let untrackedReader = unsafe Scheduler.current.pointee.untrackedReader,
      unsafe reader == untrackedReader
    {
      return unsafe UntrackedReader.payload(of: untrackedReader).pointee
    }
    return unsafe reader
  }

  /// The observer that is reading now, also if it is a pure one inside `untracked`.
  static var presentReader: NodePointer? {
    if let reader = unsafe reader { return unsafe observer(reader) }
    return nil
  }

  // MARK: - Nested evaluations

  /// Records the outer reader when a nested evaluation begins.
  @inline(never)
  static func beginNested(_ outer: UnsafeMutableRawPointer) {
    let reader = unsafe observer(outer.assumingMemoryBound(to: Node.self))
    unsafe reader.pointee.flags.insert(.nests)
    unsafe Scheduler.current.pointee.readers.append(reader)
  }

  @inline(never)
  static func endNested() { _ = unsafe Scheduler.current.pointee.readers.removeLast() }

  /// Notes that code inside the current reader's evaluation reads with other readers.
  static func noteNested() {
    if let reader = unsafe presentReader { unsafe reader.pointee.flags.insert(.nests) }
  }

  /// The chain of observers whose reads led to `node`, up to `end` if it is found, else to the
  /// outermost.
  private static func readers(of node: NodePointer, until end: NodePointer?) -> [NodePointer] {
    let scheduler = unsafe Scheduler.current
    var (readers, checks) = unsafe (scheduler.pointee.readers.count, scheduler.pointee.checks.count)
    var present = unsafe presentReader
    var path = unsafe [node]
    while let node = unsafe path.last, unsafe node != end {
      if unsafe node == present {
        unsafe present = nil
      } else if unsafe present == nil && readers > 0
        && scheduler.pointee.readers[readers - 1] == node
      {
        readers -= 1
      }
      if checks > 0, unsafe reads(scheduler.pointee.checks[checks - 1].node, node) {
        checks -= 1
        unsafe path.append(scheduler.pointee.checks[checks].node)
      } else if let present = unsafe present {
        unsafe path.append(present)
      } else if readers > 0 {
        unsafe path.append(scheduler.pointee.readers[readers - 1])
      } else {
        break
      }
    }
    return unsafe path
  }

  private static func reads(_ reader: NodePointer, _ dep: NodePointer) -> Bool {
    var edge = unsafe reader.pointee.deps
    while let current = unsafe edge {
      if unsafe current.pointee.dep == dep { return true }
      unsafe edge = current.pointee.nextDep
    }
    return false
  }

  /// The names along a path; for a long path, only those at its beginning and end.
  private static func names(along path: [NodePointer]) -> String {
    let count = unsafe path.count
    let shown = 5
    var names: [String] = []
    for index in 0..<count {
      if index < shown || index >= count - shown {
        names.append(unsafe name(of: path[index]))
      } else if index == shown {
        names.append("… \(count - 2 * shown) more …")
      }
    }
    return names.joined(separator: " -> ")
  }

  // MARK: - Traps

  static func trapCycle(_ node: NodePointer, readBy reader: NodePointer?) -> Never {
    var path = unsafe [node]
    if let reader = unsafe reader { unsafe path += readers(of: reader, until: node) }
    let names = unsafe names(along: path.reversed())
    trap("\(unsafe name(of: node)) reads itself, directly or through what it reads: \(names)")
  }

  static func trapDepth(_ node: NodePointer) -> Never {
    let names = unsafe names(along: readers(of: node, until: nil).reversed())
    trap(
      """
      the stack is full while \(unsafe name(of: node)) is evaluated for the first time: \
      read long chains in the order of their creation first (\(names))
      """)
  }
}
