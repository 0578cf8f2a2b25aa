// What the closures of a query read.
//
// State: the probe learns offsets on the candidates; `nodes` has a node for each row whose closures read
// something elsewhere, with an edge to each such thing; `everyone` has an edge to each thing that more
// than `limit` rows read. `modified` collects the rows for which something elsewhere did change.

/// Follows the dependencies of a query's filters and sort keys.
@safe
final class RowReads {
  /// So many rows may read one node before it counts for all of them.
  private static let limit = 64

  @safe private struct Payload {
    unowned(unsafe) let reads: RowReads
    /// Nil for the node that stands for all rows.
    let object: Unmanaged<Object>?
  }
  private typealias Storage = Cell<Payload>

  private unowned let query: Query
  private var nodes: [Object: NodePointer] = unsafe [:]
  private var counts: [NodePointer: Int] = unsafe [:]
  private var everyone: NodePointer?
  private var evaluating: Object?
  private var evaluation: (() -> Void)?
  private var modified: [Object] = []
  private var adopted: ContiguousArray<Int> = []
  private lazy var probe = unsafe PropertyProbe(
    PropertyProbe.Delegate(
      describe: { [unowned self] in "a predicate or sort key of \(query.description)" },
      didLearn: { _ in }, didRead: { [unowned self] in unsafe didRead($0) }))

  init(_ query: Query) { self.query = query }

  deinit {
    unsafe nodes.values.forEach { unsafe Node.dispose($0) }
    if let everyone = unsafe everyone { unsafe Node.dispose(everyone) }
  }

  /// The offsets that decide about a row.
  var offsets: ContiguousArray<Int> { adopted.isEmpty ? probe.offsets : probe.offsets + adopted }

  /// Whether rows depend on nothing but their own objects.
  var areAllOwn: Bool { unsafe nodes.isEmpty && everyone == nil }

  /// Takes over what the rows of a wider query depend on.
  func adopt(_ other: RowReads) { adopted = other.offsets }

  /// Evaluates the closures of a query on an object, and follows what they read.
  func evaluate<Result>(_ object: Object, _ body: () -> Result) -> Result {
    guard let node = unsafe nodes[object] else {
      let outer = evaluating
      evaluating = object
      defer { evaluating = outer }
      return probe.evaluate(on: object, body)
    }
    if unsafe Node.isStale(node), query.position(of: object) != nil { noteModified(object) }
    var result: Result?
    withoutActuallyEscaping(body) { body in
      evaluation = { result = self.probe.evaluate(on: object, body) }
      evaluating = object
      unsafe Node.evaluate(node)
      evaluating = nil
      evaluation = nil
    }
    return unsafe result.unsafelyUnwrapped
  }

  private func didRead(_ dep: NodePointer) {
    guard let object = evaluating else { return }
    if unsafe isReadByEveryone(dep) { return }
    let node = unsafe nodes[object] ?? makeNode(for: object)
    unsafe nodes[object] = unsafe node
    unsafe Node.connect(dep, node)
    unsafe counts[dep, default: 0] += 1
    if unsafe counts[dep, default: 0] > Self.limit {
      let all = unsafe everyone ?? makeNode(for: nil)
      unsafe everyone = unsafe all
      unsafe Node.connect(dep, all)
      unsafe counts[dep] = nil
    }
  }

  private func isReadByEveryone(_ dep: NodePointer) -> Bool {
    var edge = unsafe everyone?.pointee.deps
    while let current = unsafe edge {
      if unsafe current.pointee.dep == dep { return true }
      unsafe edge = unsafe current.pointee.nextDep
    }
    return false
  }

  private func makeNode(for object: Object?) -> NodePointer {
    let payload = unsafe Payload(
      reads: self, object: object.map { unsafe Unmanaged.passUnretained($0) })
    let node = unsafe Storage.make([.observer, .watcher, .pure], payload) { node, event in
      let payload = unsafe Storage.payload(of: node)
      switch event {
      case .evaluate: unsafe payload.pointee.reads.evaluation?()
      case .marked:
        let query = unsafe payload.pointee.reads.query
        if let object = unsafe payload.pointee.object {
          unsafe query.didChangeElsewhere(object.takeUnretainedValue())
        } else {
          query.didChangeEverywhere()
        }
      case .describe:
        unsafe Turn.current.pointee.description = unsafe payload.pointee.reads.query.description
      case .destroy: unsafe payload.deinitialize(count: 1)
      case .settle, .perform, .read, .readMember: break
      }
      return false
    }
    let turn = unsafe Turn.current
    if unsafe !turn.pointee.touched.isEmpty { unsafe turn.pointee.touch(node) }
    return unsafe node
  }

  /// Whether something that all rows read did change.
  func haveChangedEverywhere() -> Bool {
    guard let everyone = unsafe everyone else { return false }
    let isStale = unsafe Node.isStale(everyone)
    unsafe everyone.pointee.flags.subtract(.stale)
    return isStale
  }

  func forget(_ object: Object) {
    if let node = unsafe nodes.removeValue(forKey: object) { unsafe Node.dispose(node) }
  }

  func noteModified(_ object: Object) { modified.append(object) }

  /// The rows for which something elsewhere changed since the last call.
  func takeModified() -> [Object] {
    defer { modified = [] }
    return modified
  }
}
