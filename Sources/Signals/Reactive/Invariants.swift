// Invariants of the graph that hold while nothing is running, checked by the tests.

/// An object that owns a node of the graph: a signal, a computed, an effect.
package protocol NodeOwner: AnyObject {
  /// The address of its node, or nil once it is disposed of.
  var vertex: NodeHandle? { get }
}

/// A node, for code that only passes it on.
package struct NodeHandle {
  let node: NodePointer
}

extension Signal: NodeOwner {
  package var vertex: NodeHandle? { NodeHandle(node: node) }
}

extension Computed: NodeOwner {
  package var vertex: NodeHandle? { NodeHandle(node: node) }
}

/// The graph as tests see it.
package enum ReactiveGraph {
  /// The number of nodes this thread has created and not freed.
  package static var liveNodes: Int { Scheduler.current.pointee.liveNodes }

  /// The number of edges this thread has created and not freed.
  package static var liveEdges: Int { Scheduler.current.pointee.liveEdges }

  /// Returns the number of edges to readers of a node.
  package static func readers(of owner: any NodeOwner) -> Int {
    guard let vertex = owner.vertex else { return 0 }
    var count = 0
    var edge = vertex.node.pointee.subs
    while let current = edge {
      count += 1
      edge = current.pointee.nextSub
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
      if let vertex = owner.vertex {
        check.visit(vertex.node)
      }
    }
    return check.run(Scheduler.current)
  }
}

@safe private struct InvariantCheck {
  private var problems: [String] = []
  private var seen: Set<NodePointer> = []
  private var waiting: [NodePointer] = []
  private var edges: [EdgePointer: Int] = [:]

  mutating func visit(_ node: NodePointer) {
    if seen.insert(node).inserted { waiting.append(node) }
  }

  mutating func run(_ scheduler: SchedulerPointer) -> [String] {
    // Nodes that lost their last reader outside a batch would only be notified with the next one.
    Scheduler.notifyUnread(scheduler)
    while let node = waiting.popLast() { check(node) }
    expect(edges.values.allSatisfy { $0 == 3 }, or: "an edge is in one list only")
    expect(scheduler.pointee.depth == 0, or: "a batch is open")
    expect(scheduler.pointee.touched.isEmpty, or: "unsettled nodes are left")
    expect(scheduler.pointee.edges.isEmpty, or: "edges are left to mark")
    expect(scheduler.pointee.checks.isEmpty, or: "checks are left")
    return problems
  }

  private mutating func expect(_ holds: Bool, or problem: String) {
    if !holds { problems.append(problem) }
  }

  private mutating func check(_ node: NodePointer) {
    let flags = node.pointee.flags
    let name = Node.name(of: node)
    expect(flags.isDisjoint(with: [.unsettled, .running, .queued, .dead]), or: "\(name): flags")
    expect(node.pointee.holds == 0, or: "\(name): held")
    expect(flags.contains(.reader) || flags.isDisjoint(with: .stale), or: "\(name): stale source")
    expect(
      !flags.contains(.observer) || flags.isDisjoint(with: .stale), or: "\(name): stale observer")
    checkDependencies(of: node, name)
    checkReaders(of: node, name)
  }

  private mutating func checkDependencies(of node: NodePointer, _ name: String) {
    var previous: EdgePointer?
    var edge = node.pointee.deps
    while let current = edge {
      expect(current.pointee.sub == node, or: "\(name): foreign dependency")
      expect(current.pointee.previousDep == previous, or: "\(name): dependencies' back link")
      expect(current.pointee.run == node.pointee.run, or: "\(name): dependency of an old run")
      edges[current, default: 0] |= 1
      visit(current.pointee.dep)
      previous = current
      edge = current.pointee.nextDep
    }
    expect(node.pointee.depsTail == previous, or: "\(name): end of dependencies")
  }

  private mutating func checkReaders(of node: NodePointer, _ name: String) {
    let isStale = !node.pointee.flags.isDisjoint(with: .stale)
    var recentIsFound = node.pointee.recent == nil
    var previous: EdgePointer?
    var edge = node.pointee.subs
    while let current = edge {
      let sub = current.pointee.sub
      expect(current.pointee.dep == node, or: "\(name): foreign reader")
      expect(current.pointee.previousSub == previous, or: "\(name): readers' back link")
      expect(
        !isStale || !sub.pointee.flags.isDisjoint(with: .stale),
        or: "\(name): a reader does not know that it is stale")
      if current == node.pointee.recent { recentIsFound = true }
      edges[current, default: 0] |= 2
      visit(sub)
      previous = current
      edge = current.pointee.nextSub
    }
    expect(node.pointee.subsTail == previous, or: "\(name): end of readers")
    expect(recentIsFound, or: "\(name): the most recent edge is not one of its own")
  }
}
