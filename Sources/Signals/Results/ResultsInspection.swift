// Inspecting results as part of the dependency graph.

extension Query {
  /// The result as one vertex.
  ///
  /// Its readers depend on its settling source. Its nodes depend on the values that rows and
  /// comparisons read.
  var inspection: Inspection {
    let count = state == .kept ? "\(tree.count) \(tree.count == 1 ? "row" : "rows")" : nil
    var inspection = Inspection(kind: .results, value: count)
    inspection.group = self
    inspection.members = [invalidation.node] + dependencies.nodes
    if let comparisons { inspection.members.append(comparisons.node.pointer) }
    return inspection
  }
}

extension DependencyGraph.Kind {
  /// A ``Results``.
  public static let results = DependencyGraph.Kind("results", drawnWith: "shape=cylinder")
}

extension DependencyGraph {
  /// Creates the graph around a result: its readers, and the external dependencies of its
  /// conditions, sort keys and comparisons.
  public init<Element>(
    around results: Results<Element>, depth: Int = 3, limit: Int = 500
  ) {
    var walk = DependencyWalk(depth: depth, limit: limit)
    walk.start(at: [results.query.invalidation.node])
    self = walk.finish()
  }
}
