// Invariants of the graph that hold while nothing is running, checked by the tests.

/// An object that owns a node of the graph: a signal, a computed, an effect.
package protocol NodeOwner: AnyObject {
  /// The address of its node, or nil once it is disposed of.
  var vertex: UnsafeMutableRawPointer? { get }
}

extension Signal: NodeOwner {
  package var vertex: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(node) }
}

extension Computed: NodeOwner {
  package var vertex: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(node) }
}

/// The graph as tests see it.
package enum ReactiveGraph {
  /// The number of nodes this thread has created and not freed.
  package static var liveNodes: Int { unsafe Scheduler.current.pointee.liveNodes }

  /// The number of edges this thread has created and not freed.
  package static var liveEdges: Int { unsafe Scheduler.current.pointee.liveEdges }

  /// Returns the number of edges to readers of a node.
  package static func readers(of owner: any NodeOwner) -> Int {
    guard let vertex = unsafe owner.vertex else { return 0 }
    var count = 0
    var edge = unsafe vertex.assumingMemoryBound(to: Node.self).pointee.subs
    while let current = unsafe edge {
      count += 1
      unsafe edge = current.pointee.nextSub
    }
    return count
  }

  /// Runs `body` as an intent does.
  package static func runCallback(_ body: () throws -> Void) throws {
    try ImplicitTransaction.run(body)
  }

  /// Checks the part of the graph that can be reached from `owners`, outside any batch.
  ///
  /// - Returns: A description of each violation.
  package static func checkInvariants(_ owners: [any NodeOwner]) -> [String] {
    var check = InvariantCheck()
    for owner in owners {
      if let vertex = unsafe owner.vertex {
        unsafe check.visit(vertex.assumingMemoryBound(to: Node.self))
      }
    }
    return unsafe check.run(Scheduler.current)
  }
}

@safe private struct InvariantCheck {
  private var problems: [String] = []
  private var seen: Set<NodePointer> = unsafe []
  private var waiting: [NodePointer] = unsafe []
  private var edges: [EdgePointer: Int] = unsafe [:]

  mutating func visit(_ node: NodePointer) {
    if unsafe seen.insert(node).inserted { unsafe waiting.append(node) }
  }

  mutating func run(_ scheduler: UnsafeMutablePointer<Scheduler>) -> [String] {
    // Nodes that lost their last reader outside a batch would only be notified with the next one.
    unsafe Scheduler.notifyUnread(scheduler)
    while let node = unsafe waiting.popLast() { unsafe check(node) }
    expect(unsafe edges.values.allSatisfy { $0 == 3 }, "an edge is in one list only")
    expect(unsafe scheduler.pointee.depth == 0, "a batch is open")
    expect(unsafe scheduler.pointee.touched.isEmpty, "unsettled nodes are left")
    expect(unsafe scheduler.pointee.edges.isEmpty, "edges are left to mark")
    expect(unsafe scheduler.pointee.checks.isEmpty, "checks are left")
    return problems
  }

  private mutating func expect(_ holds: Bool, _ problem: String) {
    if !holds { problems.append(problem) }
  }

  private mutating func check(_ node: NodePointer) {
    let flags = unsafe node.pointee.flags
    let name = unsafe Node.name(of: node)
    expect(flags.isDisjoint(with: [.unsettled, .running, .queued, .dead]), "\(name): flags")
    expect(unsafe node.pointee.holds == 0, "\(name): held")
    expect(flags.contains(.observer) || flags.isDisjoint(with: .stale), "\(name): stale source")
    expect(!flags.contains(.watcher) || flags.isDisjoint(with: .stale), "\(name): stale watcher")
    unsafe checkDependencies(of: node, name)
    unsafe checkReaders(of: node, name)
  }

  private mutating func checkDependencies(of node: NodePointer, _ name: String) {
    var previous: EdgePointer?
    var edge = unsafe node.pointee.deps
    while let current = unsafe edge {
      expect(unsafe current.pointee.sub == node, "\(name): foreign dependency")
      expect(unsafe current.pointee.previousDep == previous, "\(name): dependencies' back link")
      expect(unsafe current.pointee.run == node.pointee.run, "\(name): dependency of an old run")
      unsafe edges[current, default: 0] |= 1
      unsafe visit(current.pointee.dep)
      unsafe previous = current
      unsafe edge = current.pointee.nextDep
    }
    expect(unsafe node.pointee.depsTail == previous, "\(name): end of dependencies")
  }

  private mutating func checkReaders(of node: NodePointer, _ name: String) {
    let isStale = unsafe !node.pointee.flags.isDisjoint(with: .stale)
    var recentIsFound = unsafe node.pointee.recent == nil
    var previous: EdgePointer?
    var edge = unsafe node.pointee.subs
    while let current = unsafe edge {
      let sub = unsafe current.pointee.sub
      expect(unsafe current.pointee.dep == node, "\(name): foreign reader")
      expect(unsafe current.pointee.previousSub == previous, "\(name): readers' back link")
      expect(
        unsafe !isStale || !sub.pointee.flags.isDisjoint(with: .stale),
        "\(name): a reader does not know that it is stale")
      if unsafe current == node.pointee.recent { recentIsFound = true }
      unsafe edges[current, default: 0] |= 2
      unsafe visit(sub)
      unsafe previous = current
      unsafe edge = current.pointee.nextSub
    }
    expect(unsafe node.pointee.subsTail == previous, "\(name): end of readers")
    expect(recentIsFound, "\(name): the most recent edge is not one of its own")
  }
}
