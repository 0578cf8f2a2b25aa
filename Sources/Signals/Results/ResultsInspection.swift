// What results tell of themselves to those who look at the graph from outside.

extension Query {
  /// The result as one vertex: whoever reads it hangs on its trigger, what its rows read on their nodes.
  var inspection: Inspection {
    let count = state == .kept ? "\(tree.count) \(tree.count == 1 ? "row" : "rows")" : nil
    var inspection = Inspection(kind: .results, value: count)
    inspection.group = self
    unsafe inspection.members = [trigger.node] + reads.nodes
    if let comparisons { unsafe inspection.members.append(comparisons.node) }
    return inspection
  }
}

extension DependencyGraph {
  /// The graph around a result: who reads it, and what its conditions, sort keys and comparisons read elsewhere.
  public init<Element>(
    around results: Results<Element>, depth: Int = 3, limit: Int = 500
  ) {
    var walk = DependencyWalk(depth: depth, limit: limit)
    unsafe walk.start(at: [results.query.trigger.node])
    self = walk.finish()
  }
}
