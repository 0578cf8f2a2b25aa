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
@safe
final class ComparisonDependencies {
  @safe private struct Payload { unowned(unsafe) let query: Query }
  private typealias Storage = Cell<Payload>

  private unowned let query: Query
  let node: NodePointer
  private var added = 0

  init(_ query: Query) {
    self.query = query
    node = Storage.make([.reader, .observer, .pure], Payload(query: query)) {
      node, event in
      let payload = unsafe Storage.payload(of: node)
      switch event {
      case .marked:
        let query = unsafe payload.pointee.query
        query.didChangeEverywhere()
      case .describe(let name):
        let query = unsafe payload.pointee.query
        name.pointee = "a comparison of \(query.description)"
      case .inspect(let place): place.pointee = unsafe payload.pointee.query.inspection
      case .destroy: unsafe payload.deinitialize()
      default: break
      }
      return false
    }
  }

  deinit { Node.dispose(node) }

  /// Whether the comparisons have no dependencies.
  var isEmpty: Bool { node.pointee.deps == nil }

  /// Whether a dependency may have changed since all rows were last sorted.
  var isMarked: Bool { !node.pointee.flags.isDisjoint(with: .stale) }

  /// Whether all rows must be sorted again because of changes since the last call.
  func takeMark() -> Bool {
    // Marked again after a read in the middle of the batch, which relied on values that have been
    // overwritten since.
    let wasMisled = node.pointee.flags.isSuperset(of: [.unsettled, .pending])
    let isStale = Node.isStale(node)
    node.pointee.flags.subtract(.stale)
    return wasMisled || isStale || (added > 64 + 2 * query.tree.count && !isEmpty)
  }

  /// Runs the comparisons that sort all rows, and replaces the previous dependencies by theirs.
  func putInOrder<Result>(_ body: () -> Result) -> Result {
    added = 0
    var result: Result?
    Scheduler.current.pointee.depth += 1
    _ = Node.evaluate(node) {
      result = compare(body)
      return false
    }
    Scheduler.endBatch()
    return unsafe result.unsafelyUnwrapped
  }

  /// Notes that rows were inserted one by one.
  func didAdd(_ count: Int) { added += count }

  /// Runs further comparisons, and adds their dependencies.
  func follow<Result>(_ body: () -> Result) -> Result {
    let outer = Node.reader
    if outer == node { return compare(body) }
    Node.reader = node
    defer { Node.reader = outer }
    return compare(body)
  }

  private func compare<Result>(_ body: () -> Result) -> Result {
    // Other readers can read in between, so an existing edge is searched for before another one is
    // added.
    node.pointee.flags.insert(.nests)
    let wasEvaluating = query.isEvaluating
    query.isEvaluating = true
    defer { query.isEvaluating = wasEvaluating }
    guard query.ignoresViewState else { return body() }
    return Query.ignoringViewState(body)
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
