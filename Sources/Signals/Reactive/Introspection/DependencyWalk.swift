// Builds a graph that can be shown, from nodes.
//
// State: `places` maps each node to the index of its vertex, and `groups` maps the owner of a group
// of nodes; `found` has the vertices in the order of their discovery, each with its nodes. First
// all vertices are discovered, nearest first. Then the edges between them are added, and those that
// lead beyond are counted.
//
// A walk is a batch, from `init` to `finish`: user code describes names and values and may drop
// what was read, but nodes without readers are only released when the batch ends.

@safe struct DependencyWalk {
  @safe private struct Found {
    let nodes: [NodePointer]
    let inspection: Inspection
    let name: String
    let distance: Int
  }

  private let depth: Int
  private let limit: Int
  private var found: [Found] = []
  private var places: [NodePointer: Int] = unsafe [:]
  private var groups: [ObjectIdentifier: Int] = [:]
  private var names: [String: Int] = [:]
  private var held: Set<NodePointer> = unsafe []

  init(depth: Int, limit: Int) {
    self.depth = depth
    self.limit = max(1, limit)
    unsafe Scheduler.current.pointee.depth += 1
  }

  /// Keeps the memory of nodes until the end of the walk.
  private mutating func keep(_ nodes: [NodePointer]) -> [NodePointer] {
    for index in unsafe nodes.indices where unsafe held.insert(nodes[index]).inserted {
      unsafe Node.hold(nodes[index])
    }
    return unsafe nodes
  }

  /// Discovers the vertices around the given nodes.
  mutating func start(at nodes: [NodePointer]) {
    let nodes = unsafe keep(nodes)
    for index in unsafe nodes.indices { unsafe discover(nodes[index], 0) }
    var next = 0
    while next < found.count, found.count < limit {
      let distance = found[next].distance + 1
      guard distance <= depth else { return }
      let around = unsafe dependencies(of: found[next]) + readers(of: found[next])
      for index in unsafe around.indices { unsafe discover(around[index], distance) }
      next += 1
    }
  }

  private mutating func discover(_ node: NodePointer, _ distance: Int) {
    guard unsafe places[node] == nil, found.count < limit else { return }
    if unsafe node.pointee.flags.contains(.dead) { return }
    let inspection = unsafe Node.inspect(node)
    if unsafe inspection.isHidden || node.pointee.flags.contains(.dead) { return }
    let place = inspection.group.flatMap { groups[ObjectIdentifier($0)] } ?? found.count
    unsafe places[node] = place
    guard place == found.count else { return }
    let nodes = unsafe keep(inspection.group == nil ? [node] : inspection.members)
    if let group = inspection.group { groups[ObjectIdentifier(group)] = place }
    for index in unsafe nodes.indices { unsafe places[nodes[index]] = place }
    found.append(
      unsafe Found(
        nodes: nodes, inspection: inspection, name: unique(Node.name(of: node)), distance: distance)
    )
  }

  /// Numbers a name that was used before.
  private mutating func unique(_ name: String) -> String {
    let count = (names[name] ?? 0) + 1
    names[name] = count
    return count == 1 ? name : "\(name) (\(count))"
  }

  private mutating func dependencies(of found: Found) -> [NodePointer] {
    var deps: [NodePointer] = unsafe []
    for index in unsafe found.nodes.indices {
      var edge = unsafe found.nodes[index].pointee.deps
      while let current = unsafe edge {
        unsafe deps.append(current.pointee.dep)
        unsafe edge = current.pointee.nextDep
      }
    }
    return unsafe sorted(keep(deps), in: found)
  }

  private mutating func readers(of found: Found) -> [NodePointer] {
    var readers: [NodePointer] = unsafe []
    for index in unsafe found.nodes.indices {
      var edge = unsafe found.nodes[index].pointee.subs
      while let current = unsafe edge {
        unsafe readers.append(current.pointee.sub)
        unsafe edge = current.pointee.nextSub
      }
    }
    return unsafe keep(readers)
  }

  /// Sorts the dependencies of a group by name, because the nodes of a group have no order.
  private func sorted(_ deps: [NodePointer], in found: Found) -> [NodePointer] {
    if found.inspection.group == nil { return unsafe deps }
    let named = unsafe Set(deps).filter { unsafe !$0.pointee.flags.contains(.dead) }.map {
      unsafe ($0, Node.name(of: $0))
    }
    return unsafe named.sorted { unsafe $0.1 < $1.1 }.map { unsafe $0.0 }
  }

  /// Connects the discovered vertices, and ends the walk.
  consuming func finish() -> DependencyGraph {
    defer {
      unsafe held.forEach { unsafe Node.release($0) }
      Scheduler.endBatch()
    }
    var edges: [DependencyGraph.Edge] = []
    var hiddenReads: [Set<NodePointer>] = unsafe Array(repeating: [], count: found.count)
    var hiddenReaders: [Int] = Array(repeating: 0, count: found.count)
    for (reader, entry) in found.enumerated() {
      var known: Set<Int> = []
      let deps = unsafe dependencies(of: entry)
      for index in unsafe deps.indices {
        if let dependency = unsafe places[deps[index]] {
          guard known.insert(dependency).inserted else { continue }
          edges.append(DependencyGraph.Edge(dependency: dependency, reader: reader))
        } else {
          unsafe hiddenReads[reader].insert(deps[index])
        }
      }
      hiddenReaders[reader] = hiddenReaderCount(of: entry)
    }
    let vertices = found.enumerated().map { id, entry in
      let isStale = unsafe entry.nodes.contains { node in
        unsafe node.pointee.flags.contains(.observer)
          && !node.pointee.flags.isDisjoint(with: .stale)
      }
      return DependencyGraph.Vertex(
        id: id, kind: entry.inspection.kind, name: entry.name, value: entry.inspection.value,
        isStale: isStale, distance: entry.distance,
        hiddenDependencies: unsafe hiddenReads[id].count, hiddenReaders: hiddenReaders[id])
    }
    return DependencyGraph(vertices: vertices, edges: edges)
  }

  /// The number of readers that aren't shown; the nodes of one group count once.
  private mutating func hiddenReaderCount(of entry: Found) -> Int {
    var seen: Set<NodePointer> = unsafe []
    var seenGroups: Set<ObjectIdentifier> = []
    let readers = unsafe readers(of: entry)
    for index in unsafe readers.indices where unsafe places[readers[index]] == nil {
      if unsafe readers[index].pointee.flags.contains(.dead) { continue }
      let inspection = unsafe Node.inspect(readers[index])
      if inspection.isHidden { continue }
      if let group = inspection.group {
        if groups[ObjectIdentifier(group)] == nil { seenGroups.insert(ObjectIdentifier(group)) }
      } else {
        unsafe seen.insert(readers[index])
      }
    }
    return unsafe seen.count + seenGroups.count
  }
}
