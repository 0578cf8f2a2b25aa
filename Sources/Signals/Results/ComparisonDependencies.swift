// The dependencies of the comparisons of a query.
//
// The keys of rows can be values that user code compares: objects, other types, or any values with
// a comparison given to `sorted`. Such a comparison may read fields and signals, and the order of
// the rows depends on them.
//
// State: `node` has an edge to each dependency of comparisons since all rows were last sorted.
// `added` counts the rows inserted one by one since then, which leave edges behind when they are
// removed.
//
// Order of events: a changed dependency marks the node, which announces that rows may have changed.
// The next refresh takes the mark, and sorts all rows again before any comparison searches for a
// row.

/// Tracks the dependencies of a query's comparisons.
final class ComparisonDependencies {
  private unowned let query: Query
  let node: QueryNode
  private var added = 0

  init(_ query: Query) {
    self.query = query
    node = QueryNode(of: query, reader: "a comparison of ")
  }

  /// Whether all rows must be sorted again because of changes since the last call.
  func takeMark() -> Bool {
    node.takeMark() || (added > 64 + 2 * query.tree.count && !node.isEmpty)
  }

  /// Runs the comparisons that sort all rows, and replaces the previous dependencies by theirs.
  func putInOrder<Result>(_ body: () -> Result) -> Result {
    added = 0
    return node.evaluate { compare(body) }
  }

  /// Notes that rows were inserted one by one.
  func didAdd(_ count: Int) { added += count }

  /// Runs further comparisons, and adds their dependencies.
  func follow<Result>(_ body: () -> Result) -> Result { node.extend { compare(body) } }

  private func compare<Result>(_ body: () -> Result) -> Result {
    node.allowNestedReaders()
    let wasEvaluating = query.isEvaluating
    query.isEvaluating = true
    defer { query.isEvaluating = wasEvaluating }
    guard query.definition.ignoresViewState else { return body() }
    return query.definition.ignoringViewState(body)
  }
}

extension Query {
  /// Runs comparisons of an order, which may be user code.
  @inline(__always)
  func comparing<Result>(by order: RowOrder, _ body: () -> Result) -> Result {
    order.callsUserCode ? follow(body) : body()
  }

  /// Runs the comparisons that sort all rows of the query.
  func puttingInOrder<Result>(_ body: () -> Result) -> Result {
    guard order.callsUserCode || comparisons != nil else { return body() }
    return comparisonDependencies.putInOrder(body)
  }

  @inline(never)
  private func follow<Result>(_ body: () -> Result) -> Result {
    comparisonDependencies.follow(body)
  }

  private var comparisonDependencies: ComparisonDependencies {
    if let comparisons { return comparisons }
    let made = ComparisonDependencies(self)
    comparisons = made
    return made
  }
}
