// The current readers, for messages that show how one evaluation led to another.
//
// An evaluation without an outer reader records nothing. A nested evaluation records the outer
// reader in the scheduler's `readers`; a check records the waiting one in `checks`. Read
// together from their ends, they give the path that led to the evaluation of a computed.
//
// A pure reader must not write inside `untracked` either, so it isn't simply removed. The thread's
// reader is then the scheduler's untracked reader, which ignores all reads and knows which reader
// it represents.

extension Node {
  private typealias UntrackedReader = NodeBox<NodePointer>

  // MARK: - Untracked reads

  /// The state saved by `untracked`: the reader, and the previous payload of the untracked reader.
  @usableFromInline
  @safe struct Untracked {
    @usableFromInline let reader: NodePointer?
    @usableFromInline let untrackedReader: NodePointer?
    @usableFromInline let isPure: Bool

    @inlinable
    init(reader: NodePointer?, untrackedReader: NodePointer?, isPure: Bool) {
      self.reader = reader
      self.untrackedReader = untrackedReader
      self.isPure = isPure
    }
  }

  /// Makes reads depend on nothing until `endUntracked`.
  @inlinable
  static func beginUntracked() -> Untracked {
    let outer = reader
    if let outer, outer.pointee.flags.contains(.pure) {
      return Untracked(
        reader: outer, untrackedReader: beginUntrackedReader(for: outer), isPure: true)
    }
    reader = idleReader
    return Untracked(reader: outer, untrackedReader: nil, isPure: false)
  }

  /// Restores the reader.
  @inlinable
  static func endUntracked(_ outer: Untracked) {
    if outer.isPure, let reader = outer.reader {
      endUntrackedReader(for: reader, restoring: outer.untrackedReader)
    } else {
      reader = outer.reader
    }
  }

  /// Makes reads of a pure reader depend on nothing.
  ///
  /// - Returns: The previous payload of the untracked reader, to be passed to `endUntrackedReader`.
  @usableFromInline
  static func beginUntrackedReader(for reader: NodePointer) -> NodePointer? {
    let scheduler = Scheduler.current
    let untrackedReader = scheduler.pointee.untrackedReader ?? makeUntrackedReader(reader)
    if reader == untrackedReader { return nil }
    let outer = UntrackedReader.payload(of: untrackedReader).pointee
    UntrackedReader.payload(of: untrackedReader).pointee = reader
    Node.reader = untrackedReader
    return outer
  }

  /// Restores the reader.
  @usableFromInline
  static func endUntrackedReader(for reader: NodePointer, restoring outer: NodePointer?) {
    guard let outer,
      let untrackedReader = Scheduler.current.pointee.untrackedReader
    else { return }
    UntrackedReader.payload(of: untrackedReader).pointee = outer
    Node.reader = reader
  }

  private static func makeUntrackedReader(_ reader: NodePointer) -> NodePointer {
    let untrackedReader = UntrackedReader.make([.pure, .redirects], reader) { node, event in
      if case .describe(let name) = event {
        name.pointee = Node.name(of: UntrackedReader.payload(of: node).pointee)
      }
      return true
    }
    // It belongs to the thread, so tests that count nodes must not find it.
    Scheduler.current.pointee.liveNodes -= 1
    Scheduler.current.pointee.untrackedReader = untrackedReader
    return untrackedReader
  }

  /// The node that a reader represents.
  private static func observer(_ reader: NodePointer) -> NodePointer {
    if let untrackedReader = Scheduler.current.pointee.untrackedReader,
      reader == untrackedReader
    {
      return UntrackedReader.payload(of: untrackedReader).pointee
    }
    return reader
  }

  /// The node that is reading now, also if it is a pure one inside `untracked`.
  static var presentReader: NodePointer? {
    if let reader { return observer(reader) }
    return nil
  }

  // MARK: - Nested evaluations

  /// Records the outer reader when a nested evaluation begins.
  @inline(never)
  static func beginNested(in outer: NodePointer) {
    let reader = observer(outer)
    reader.pointee.flags.insert(.nests)
    Scheduler.current.pointee.readers.append(reader)
  }

  @inline(never)
  static func endNested() { _ = Scheduler.current.pointee.readers.removeLast() }

  /// Notes that code inside the current reader's evaluation reads with other readers.
  static func noteNested() {
    if let reader = presentReader { reader.pointee.flags.insert(.nests) }
  }

  /// The chain of nodes whose reads led to `node`, up to `end` if it is found, else to the
  /// outermost.
  private static func readers(of node: NodePointer, until end: NodePointer?) -> [NodePointer] {
    let scheduler = Scheduler.current
    var (readers, checks) = (scheduler.pointee.readers.count, scheduler.pointee.checks.count)
    var present = presentReader
    var path = [node]
    while let node = path.last, node != end {
      if node == present {
        present = nil
      } else if present == nil && readers > 0
        && scheduler.pointee.readers[readers - 1] == node
      {
        readers -= 1
      }
      if checks > 0, reads(scheduler.pointee.checks[checks - 1].node, from: node) {
        checks -= 1
        path.append(scheduler.pointee.checks[checks].node)
      } else if let present {
        path.append(present)
      } else if readers > 0 {
        path.append(scheduler.pointee.readers[readers - 1])
      } else {
        break
      }
    }
    return path
  }

  private static func reads(_ reader: NodePointer, from dep: NodePointer) -> Bool {
    var edge = reader.pointee.deps
    while let current = edge {
      if current.pointee.dep == dep { return true }
      edge = current.pointee.nextDep
    }
    return false
  }

  /// The names along a path; for a long path, only those at its beginning and end.
  private static func names(along path: [NodePointer]) -> String {
    let count = path.count
    let shown = 5
    var names: [String] = []
    for index in 0..<count {
      if index < shown || index >= count - shown {
        names.append(name(of: path[index]))
      } else if index == shown {
        names.append("… \(count - 2 * shown) more …")
      }
    }
    return names.joined(separator: " -> ")
  }

  // MARK: - Traps

  static func trapCycle(_ node: NodePointer, readBy reader: NodePointer?) -> Never {
    var path = [node]
    if let reader { path += readers(of: reader, until: node) }
    let names = names(along: path.reversed())
    trap("\(name(of: node)) reads itself, directly or through what it reads: \(names)")
  }

  static func trapDepth(_ node: NodePointer) -> Never {
    let names = names(along: readers(of: node, until: nil).reversed())
    trap(
      """
      the stack is full while \(name(of: node)) is evaluated for the first time: \
      read long chains in the order of their creation first (\(names))
      """)
  }
}
