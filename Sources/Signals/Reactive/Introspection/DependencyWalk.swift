// Builds a graph that can be shown, from nodes.
//
// First all vertices are discovered, nearest first. Then the edges between them are added, and those
// that lead beyond are counted.
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
  /// The vertices in the order of their discovery, each with its nodes.
  private var found: [Found] = []
  /// The index of each node's vertex in `found`.
  private var places: [NodePointer: Int] = [:]
  /// The index in `found` of the vertex of each owner of a group of nodes.
  private var groups: [ObjectIdentifier: Int] = [:]
  private var names: [String: Int] = [:]
  /// The nodes whose memory is kept until the end of the walk.
  private var held: Set<NodePointer> = []

  init(depth: Int, limit: Int) {
    self.depth = depth
    self.limit = max(1, limit)
    Scheduler.current.pointee.depth += 1
  }

  /// Keeps the memory of nodes until the end of the walk.
  private mutating func keep(_ nodes: [NodePointer]) -> [NodePointer] {
    for index in nodes.indices where held.insert(nodes[index]).inserted {
      Node.hold(nodes[index])
    }
    return nodes
  }

  /// Discovers the vertices around the given nodes.
  mutating func start(at nodes: [NodePointer]) {
    let nodes = keep(nodes)
    for index in nodes.indices { discover(nodes[index], at: 0) }
    var next = 0
    while next < found.count, found.count < limit {
      let distance = found[next].distance + 1
      guard distance <= depth else { return }
      let around = dependencies(of: found[next]) + readers(of: found[next])
      for index in around.indices { discover(around[index], at: distance) }
      next += 1
    }
  }

  private mutating func discover(_ node: NodePointer, at distance: Int) {
    guard places[node] == nil, found.count < limit else { return }
    if node.pointee.flags.contains(.dead) { return }
    let inspection = Node.inspect(node)
    if inspection.isHidden || node.pointee.flags.contains(.dead) { return }
    let place = inspection.group.flatMap { groups[ObjectIdentifier($0)] } ?? found.count
    places[node] = place
    guard place == found.count else { return }
    let nodes = keep(inspection.group == nil ? [node] : inspection.members)
    if let group = inspection.group { groups[ObjectIdentifier(group)] = place }
    for index in nodes.indices { places[nodes[index]] = place }
    found.append(
      Found(
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
    var deps: [NodePointer] = []
    for index in found.nodes.indices {
      var edge = found.nodes[index].pointee.deps
      while let current = edge {
        deps.append(current.pointee.dep)
        edge = current.pointee.nextDep
      }
    }
    return sorted(keep(deps), in: found)
  }

  private mutating func readers(of found: Found) -> [NodePointer] {
    var readers: [NodePointer] = []
    for index in found.nodes.indices {
      var edge = found.nodes[index].pointee.subs
      while let current = edge {
        readers.append(current.pointee.sub)
        edge = current.pointee.nextSub
      }
    }
    return keep(readers)
  }

  /// Sorts the dependencies of a group by name, because the nodes of a group have no order.
  private func sorted(_ deps: [NodePointer], in found: Found) -> [NodePointer] {
    if found.inspection.group == nil { return deps }
    let named = Set(deps).filter { !$0.pointee.flags.contains(.dead) }.map {
      ($0, Node.name(of: $0))
    }
    return named.sorted { $0.1 < $1.1 }.map { $0.0 }
  }

  /// Connects the discovered vertices, and ends the walk.
  consuming func finish() -> DependencyGraph {
    defer {
      held.forEach { Node.release($0) }
      Scheduler.endBatch()
    }
    var edges: [DependencyGraph.Edge] = []
    var hiddenReads: [Set<NodePointer>] = Array(repeating: [], count: found.count)
    var hiddenReaders: [Int] = Array(repeating: 0, count: found.count)
    for (reader, entry) in found.enumerated() {
      var known: Set<Int> = []
      let deps = dependencies(of: entry)
      for index in deps.indices {
        if let dependency = places[deps[index]] {
          guard known.insert(dependency).inserted else { continue }
          edges.append(DependencyGraph.Edge(dependency: dependency, reader: reader))
        } else {
          hiddenReads[reader].insert(deps[index])
        }
      }
      hiddenReaders[reader] = hiddenReaderCount(of: entry)
    }
    let vertices = found.enumerated().map { id, entry in
      let isStale = entry.nodes.contains { node in
        node.pointee.flags.contains(.reader)
          && !node.pointee.flags.isDisjoint(with: .stale)
      }
      return DependencyGraph.Vertex(
        id: id, kind: entry.inspection.kind, name: entry.name, value: entry.inspection.value,
        isStale: isStale, distance: entry.distance,
        hiddenDependencies: hiddenReads[id].count, hiddenReaders: hiddenReaders[id])
    }
    return DependencyGraph(vertices: vertices, edges: edges)
  }

  /// The number of readers that aren't shown; the nodes of one group count once.
  private mutating func hiddenReaderCount(of entry: Found) -> Int {
    var seen: Set<NodePointer> = []
    var seenGroups: Set<ObjectIdentifier> = []
    let readers = readers(of: entry)
    for index in readers.indices where places[readers[index]] == nil {
      if readers[index].pointee.flags.contains(.dead) { continue }
      let inspection = Node.inspect(readers[index])
      if inspection.isHidden { continue }
      if let group = inspection.group {
        if groups[ObjectIdentifier(group)] == nil { seenGroups.insert(ObjectIdentifier(group)) }
      } else {
        seen.insert(readers[index])
      }
    }
    return seen.count + seenGroups.count
  }
}
