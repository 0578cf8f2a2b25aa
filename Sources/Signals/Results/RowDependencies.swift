// The dependencies of the filters and sort keys of a query.
//
// Reads on a row's own object are learned as offsets, which are the same for all rows. All other
// reads, on other objects and of signals, are external dependencies.
//
// State: `offsets`, the offsets ever read on a candidate itself, which only grow. `rows` has nodes
// for each row with external dependencies, with an edge to each of them. `shared` has the external
// dependencies of so many rows that they count for all rows. `unsettled` has the rows to check at
// the end of the batch. `evaluating` and `evaluation` are the row that is being evaluated.
//
// The query may be read in the middle of a batch. Whether a row is modified is decided for the
// whole batch: have the dependencies that its closures had before the batch changed by its end? So
// a row that is tested again within a batch gets a second node, and the first one keeps its edges
// until the end of the batch. The first node gives the exact result. An evaluation that reads other
// things than before has first read one of the old dependencies and found it changed.

/// Tracks the dependencies of a query's filters and sort keys.
@safe
final class RowDependencies {
  private struct Payload {
    let dependencies: Unretained<RowDependencies>
    let object: Unretained<Object>
    var isSetAside = false
  }
  private typealias Storage = NodeBox<Payload>

  /// The nodes of one row.
  private struct RowNodes {
    /// Has edges to the dependencies of the latest evaluation; nil if it had none.
    var now: NodePointer?
    /// Has edges to the dependencies before the batch, if the row has been tested in the batch.
    var before: NodePointer?
    var wasTestedSince = false
    /// Whether the row is in `unsettled`.
    var isUnsettled = false
  }

  private unowned let query: Query
  /// The offsets of the properties that decide about a row.
  private(set) var offsets: ContiguousArray<Int> = []
  /// Whether the batch has ended, so that values read now are final.
  private var isSettling = false
  // Each access copies nodes in or out. No user code runs within it: the caller holds the object
  // whose row it removes.
  @safe @exclusivity(unchecked) private var rows: [Object: RowNodes] = [:]
  private var unsettled: [Object] = []
  // The caller of `evaluate` holds the object.
  @safe @exclusivity(unchecked) private var evaluating: Unretained<Object>?
  private var evaluation: (() -> Void)?
  private lazy var shared = SharedDependencies(query)
  /// The numbers of edges that rows have got, for nodes with many readers, perhaps those of other queries.
  ///
  /// A number is a hint: edges that are removed are still counted.
  private var edgeCounts: [NodePointer: Int] = [:]
  private lazy var collector = DependencyCollector(
    DependencyCollector.Delegate(
      describe: { [unowned self] in "a predicate or sort key of \(query.description)" },
      didLearn: { [unowned self] in learn($0) }, didRead: { [unowned self] in didRead($0) }))

  init(_ query: Query) { self.query = query }

  deinit { reset() }

  /// Removes the external dependencies of all rows.
  func reset() {
    edgeCounts = [:]
    // Removing a row may release its object.
    let forgotten = (exchange(&rows, with: [:]), exchange(&unsettled, with: []))
    forgotten.0.values.forEach(dispose)
    shared.removeAll()
    withExtendedLifetime(forgotten) {}
  }

  private func dispose(_ nodes: RowNodes) {
    if let now = nodes.now { Node.dispose(now) }
    if let before = nodes.before { Node.dispose(before) }
  }

  /// All nodes that have dependencies, in no order.
  var nodes: [NodePointer] {
    let own = rows.values.flatMap { [$0.now, $0.before].compactMap { $0 } }
    return own + shared.nodes
  }

  /// Whether rows depend only on their own objects.
  var hasNoExternalDependencies: Bool { rows.isEmpty && shared.isEmpty }

  /// Adopts the dependencies of the rows of a base query.
  func adopt(_ other: RowDependencies) { other.offsets.forEach(learn) }

  /// Adds an offset to those that decide about a row.
  func learn(_ offset: Int) {
    if !offsets.contains(offset) { offsets.append(offset) }
  }

  // MARK: - Evaluating

  /// Evaluates the closures of a query on an object, and tracks their dependencies.
  func evaluate<Result>(on object: Object, _ body: () -> Result) -> Result {
    evaluate(on: object, in: collector, body)
  }

  /// Calls `body` with a condition that tracks its dependencies, for many objects.
  ///
  /// - Parameters:
  ///   - isIncluded: The condition of the query.
  ///   - body: A closure that evaluates the given condition on objects.
  func evaluateEach(
    _ isIncluded: @escaping (Object) -> Bool, _ body: (_ isIncluded: (Object) -> Bool) -> Void
  ) {
    // Looked up once.
    let collector = collector
    body { object in evaluate(on: object, in: collector) { isIncluded(object) } }
  }

  @inline(__always)
  private func evaluate<Result>(
    on object: Object, in collector: DependencyCollector, _ body: () -> Result
  ) -> Result {
    evaluating = Unretained(object)
    defer { evaluating = nil }
    guard !rows.isEmpty, let node = nodeToEvaluate(object) else {
      return collector.evaluate(on: object, body)
    }
    return evaluate(node, of: object, body)
  }

  /// Evaluates `body` with the node of a row as the reader.
  @inline(never)
  private func evaluate<Result>(
    _ node: NodePointer, of object: Object, _ body: () -> Result
  ) -> Result {
    // User code that runs in between, such as a `deinit`, may delete the object and so its node.
    Node.hold(node)
    defer { Node.release(node) }
    var result: Result?
    withoutActuallyEscaping(body) { body in
      evaluation = { result = self.collector.evaluate(on: object, body) }
      Node.evaluate(node)
      evaluation = nil
    }
    if rows[object]?.now == node, node.pointee.deps == nil { dropNode(of: object) }
    guard let result else { trap("a node has not evaluated its closure") }
    return result
  }

  /// The node whose edges the next evaluation replaces; nil if there is none.
  private func nodeToEvaluate(_ object: Object) -> NodePointer? {
    guard let nodes = rows[object] else { return nil }
    if keepsBefore, !nodes.wasTestedSince {
      setAside(nodes, of: object)
      return nil
    }
    return nodes.now
  }

  private var keepsBefore: Bool { !isSettling && query.consumers.areWaiting }

  private func setAside(_ nodes: RowNodes, of object: Object) {
    var nodes = nodes
    nodes.before = nodes.now.take()
    nodes.wasTestedSince = true
    if let before = nodes.before {
      Storage.payload(of: before).pointee.isSetAside = true
    }
    list(&nodes, of: object)
    rows[object] = nodes
  }

  private func list(_ nodes: inout RowNodes, of object: Object) {
    if !nodes.isUnsettled { unsettled.append(object) }
    nodes.isUnsettled = true
  }

  private func dropNode(of object: Object) {
    guard var nodes = rows[object], let node = nodes.now else { return }
    nodes.now = nil
    rows[object] = nodes.isUnsettled ? nodes : nil
    Node.dispose(node)
  }

  private func didRead(_ dep: NodePointer) {
    guard let object = evaluating?.instance else { return }
    if shared.follows(dep) {
      if shared.didChange(dep) { query.consumers.noteModified(object) }
      return
    }
    let node = rows[object]?.now ?? makeNode(for: object)
    let last = dep.pointee.subsTail
    Node.connect(dep, to: node)
    if dep.pointee.subsTail != last, isReadByMany(dep) {
      shared.follow(dep)
    }
  }

  /// Whether more rows of this query than the limit have an edge to a node, now that one has got another.
  ///
  /// - Complexity: Amortized O(1 + edges of all readers / limit).
  private func isReadByMany(_ dep: NodePointer) -> Bool {
    let limit = SharedDependencies.limit
    let count: Int
    if let last = edgeCounts[dep] {
      count = last + 1
    } else {
      let first = readers(of: dep, amongFirst: limit + 1)
      if first.all <= limit { return false }
      count = first.own
    }
    let isMany = count > limit && readers(of: dep, amongFirst: .max).own > limit
    edgeCounts[dep] = isMany ? nil : count > limit ? 0 : count
    return isMany
  }

  /// Counts the rows of this query, up to one more than the limit, among the first readers of a node.
  private func readers(of dep: NodePointer, amongFirst most: Int) -> (own: Int, all: Int) {
    var (own, all) = (0, 0)
    var edge = dep.pointee.subs
    while let current = edge, all < most, own <= SharedDependencies.limit {
      let sub = current.pointee.sub
      if sub.pointee.flags.contains(.element),
        Storage.payload(of: sub).pointee.dependencies.refers(to: self),
        !Storage.payload(of: sub).pointee.isSetAside
      {
        own += 1
      }
      all += 1
      edge = current.pointee.nextSub
    }
    return (own, all)
  }

  private func makeNode(for object: Object) -> NodePointer {
    let payload = Payload(dependencies: Unretained(self), object: Unretained(object))
    let node = Storage.make([.reader, .observer, .pure, .element], payload) { node, event in
      let payload = Storage.payload(of: node)
      let dependencies = payload.pointee.dependencies
      switch event {
      case .evaluate: dependencies.instance.evaluation?()
      case .marked: dependencies.instance.didMark(payload.pointee.object.instance)
      case .describe(let name): name.pointee = dependencies.instance.query.description
      case .inspect(let place): place.pointee = dependencies.instance.query.inspection
      case .destroy: payload.deinitialize()
      default: break
      }
      return false
    }
    var nodes = rows[object] ?? RowNodes()
    if keepsBefore, !nodes.wasTestedSince {
      nodes.wasTestedSince = true
      list(&nodes, of: object)
    }
    nodes.now = node
    rows[object] = nodes
    return node
  }

  // MARK: - Following

  private func didMark(_ object: Object) {
    if query.consumers.areWaiting, var nodes = rows[object] {
      list(&nodes, of: object)
      rows[object] = nodes
    }
    query.didChangeElsewhere(object)
  }

  /// Whether a dependency that counts for all rows may have changed since the last call.
  func takeSharedMark() -> Bool { shared.takeMark() }

  /// Runs `refresh` after a batch, and calls `noteModified` with the rows whose external
  /// dependencies have changed.
  func settle(_ noteModified: (Object) -> Void = { _ in }, refresh: () -> Void = {}) {
    settleRows(noteModified)
    shared.settle()
    isSettling = true
    refresh()
    isSettling = false
    shared.didSettle()
  }

  /// Checks the rows that the batch left unsettled.
  private func settleRows(_ noteModified: (Object) -> Void) {
    // Keeps deleted objects alive until the end, because removing a row may release its object.
    let settling = exchange(&unsettled, with: [])
    for object in settling {
      guard let asked = rows[object] else { continue }
      let node = asked.wasTestedSince ? asked.before : asked.now
      if let node, Node.isStale(node) { noteModified(object) }
      // The evaluation in `isStale` may have tested the row, or deleted the object.
      guard var nodes = rows[object] else { continue }
      let before = nodes.before.take()
      nodes.wasTestedSince = false
      nodes.isUnsettled = false
      rows[object] = nodes.now == nil ? nil : nodes
      if let before { Node.dispose(before) }
    }
    withExtendedLifetime(settling) {}
  }

  /// Removes the row of an object, but keeps its dependencies before the batch until the batch
  /// ends.
  func forget(_ object: Object) {
    guard let nodes = rows[object] else { return }
    if !query.consumers.areWaiting {
      rows[object] = nil
      dispose(nodes)
    } else if nodes.wasTestedSince {
      dropNode(of: object)
    } else {
      setAside(nodes, of: object)
    }
  }
}
