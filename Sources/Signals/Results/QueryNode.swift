// A node of the dependency graph whose dependencies concern all rows of a query.
//
// State: the node, which belongs to this object. Its edges lead to the dependencies; a changed one
// marks the node, and a node that notifies the query announces that rows may have changed.

/// The dependencies that count for all rows of a query.
@safe
final class QueryNode {
  private struct Payload {
    // The query owns this node, directly or indirectly, and outlives it.
    let query: Unretained<Query>
    let reader: String
  }
  private typealias Storage = NodeBox<Payload>

  let pointer: NodePointer

  /// Creates a node without dependencies.
  ///
  /// - Parameters:
  ///   - query: The query, which outlives the node.
  ///   - reader: The part of the query that reads, for messages: "a comparison of ".
  ///   - notifies: Whether the query is notified when a dependency may have changed.
  init(of query: Query, reader: String = "", notifies: Bool = true) {
    let flags: Node.Flags = notifies ? [.reader, .observer, .pure] : [.reader, .pure]
    let payload = Payload(query: Unretained(query), reader: reader)
    pointer = Storage.make(flags, payload) { node, event in
      let payload = Storage.payload(of: node)
      switch event {
      case .marked:
        let query = payload.pointee.query.instance
        query.didChangeEverywhere()
      case .describe(let name):
        let query = payload.pointee.query.instance
        name.pointee = payload.pointee.reader + query.description
      case .inspect(let place): place.pointee = payload.pointee.query.instance.inspection
      case .destroy: payload.deinitialize()
      default: break
      }
      return false
    }
  }

  deinit { Node.dispose(pointer) }

  /// Whether the node has no dependencies.
  var isEmpty: Bool { pointer.pointee.deps == nil }

  /// Whether a dependency may have changed since the last call of `takeStaleness` or `takeMark`.
  var isMarked: Bool { !pointer.pointee.flags.isDisjoint(with: .stale) }

  /// Adds a dependency.
  func follow(_ dep: NodePointer) { Node.connect(dep, to: pointer) }

  /// Returns whether a dependency has changed since the last call.
  func takeStaleness() -> Bool {
    let isStale = Node.isStale(pointer)
    pointer.pointee.flags.subtract(.stale)
    return isStale
  }

  /// Returns whether rows that rely on the dependencies are out of date because of changes since
  /// the last call.
  ///
  /// They are also if the node has been marked again after a read in the middle of the batch, which
  /// relied on values that have been overwritten since.
  func takeMark() -> Bool {
    let wasMisled = pointer.pointee.flags.isSuperset(of: [.unsettled, .pending])
    return takeStaleness() || wasMisled
  }

  /// Checks again at the end of the batch if a dependency can still change until then.
  func settleWithDependency() {
    guard let edge = pointer.pointee.deps,
      edge.pointee.dep.pointee.flags.contains(.unsettled)
    else { return }
    Scheduler.current.pointee.touch(pointer)
  }

  /// Runs `body`, and replaces the dependencies by its reads.
  func evaluate<Result>(_ body: () -> Result) -> Result {
    var result: Result?
    Scheduler.current.pointee.depth += 1
    _ = Node.evaluate(
      pointer,
      by: {
        result = body()
        return false
      })
    Scheduler.endBatch()
    guard let result else { trap("a node has not evaluated its closure") }
    return result
  }

  /// Runs `body`, and adds its reads to the dependencies.
  func extend<Result>(_ body: () -> Result) -> Result {
    let outer = Node.reader
    if outer == pointer { return body() }
    Node.reader = pointer
    defer { Node.reader = outer }
    return body()
  }

  /// Makes the node search for an existing edge before another one is added, because other readers
  /// can read in between.
  func allowNestedReaders() { pointer.pointee.flags.insert(.nests) }
}
