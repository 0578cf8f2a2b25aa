// What the comparisons of a query read.
//
// The keys of rows can be values that users compare: objects, types of their own, or whatever a comparison is given
// to `sorted`. Such a comparison may read fields and signals, and the rows stand in an order that depends on them.
//
// State: `node` has an edge to each thing that a comparison has read since all rows were put into order; `added`
// counts the rows that were put in one by one since, which leave edges behind when they go.
//
// Order of events: something that was read changes and marks the node, which announces that rows may be others. The
// next refresh takes the mark, and puts all rows into order anew before any comparison looks for one of them.

private import CSignalsThread

/// Follows the dependencies of a query's comparisons.
@safe
final class ComparisonReads {
  @safe private struct Payload { unowned(unsafe) let query: Query }
  private typealias Storage = Cell<Payload>

  private unowned let query: Query
  let node: NodePointer
  private var added = 0

  init(_ query: Query) {
    self.query = query
    unsafe node = unsafe Storage.make([.observer, .watcher, .pure], Payload(query: query)) {
      node, event in
      let payload = unsafe Storage.payload(of: node)
      switch event {
      case .marked:
        let query = unsafe payload.pointee.query
        query.didChangeEverywhere()
      case .describe:
        let query = unsafe payload.pointee.query
        unsafe Turn.current.pointee.description = "a comparison of \(query.description)"
      case .inspect: return unsafe Node.tell(payload.pointee.query.inspection)
      case .destroy: unsafe payload.deinitialize(count: 1)
      case .evaluate, .settle, .perform, .read, .readMember, .readPath: break
      }
      return false
    }
  }

  deinit { unsafe Node.dispose(node) }

  /// Whether no comparison has read anything.
  var isEmpty: Bool { unsafe node.pointee.deps == nil }

  /// Whether something that was read may have changed since all rows were put into order.
  var isMarked: Bool { unsafe !node.pointee.flags.isDisjoint(with: .stale) }

  /// Whether all rows must be put into order anew, since the last call.
  func takeMark() -> Bool {
    // Marked again after it was read in the middle of the batch: it relied on what was written over since.
    let wasMisled = unsafe node.pointee.flags.isSuperset(of: [.unsettled, .pending])
    let isStale = unsafe Node.isStale(node)
    unsafe node.pointee.flags.subtract(.stale)
    return wasMisled || isStale || (added > 64 + 2 * query.tree.count && !isEmpty)
  }

  /// Runs the comparisons that put all rows into order: the order depends on what they read, and on nothing else.
  func putInOrder<Result>(_ body: () -> Result) -> Result {
    added = 0
    var result: Result?
    unsafe Turn.current.pointee.depth += 1
    _ = unsafe Node.evaluate(node) {
      result = compare(body)
      return false
    }
    Turn.endBatch()
    return unsafe result.unsafelyUnwrapped
  }

  /// Notes that rows were put in one by one.
  func didAdd(_ count: Int) { added += count }

  /// Runs further comparisons: the order depends on what they read too.
  func follow<Result>(_ body: () -> Result) -> Result {
    let thread = unsafe signals_thread_current()
    let outer = unsafe thread.pointee.reader
    if unsafe outer == UnsafeMutableRawPointer(node) { return compare(body) }
    unsafe thread.pointee.reader = UnsafeMutableRawPointer(node)
    defer { unsafe thread.pointee.reader = outer }
    return compare(body)
  }

  private func compare<Result>(_ body: () -> Result) -> Result {
    // Others read in between what was read here: an edge is looked for before a second one is made.
    unsafe node.pointee.flags.insert(.nests)
    let wasEvaluating = query.isEvaluating
    query.isEvaluating = true
    defer { query.isEvaluating = wasEvaluating }
    guard query.ignoresViewState else { return body() }
    return Query.ignoringViewState(body)
  }
}

extension Query {
  /// Runs comparisons by an order, which may be the user's code.
  @inline(__always)
  func comparing<Result>(by order: RowOrder, _ body: () -> Result) -> Result {
    order.callsUserCode ? follow(body) : body()
  }

  /// Runs the comparisons that put all rows into the order of the query.
  func puttingInOrder<Result>(_ body: () -> Result) -> Result {
    guard order.callsUserCode || comparisons != nil else { return body() }
    return comparisonReads.putInOrder(body)
  }

  @inline(never)
  private func follow<Result>(_ body: () -> Result) -> Result { comparisonReads.follow(body) }

  private var comparisonReads: ComparisonReads {
    if let comparisons { return comparisons }
    let made = ComparisonReads(self)
    comparisons = made
    return made
  }
}
