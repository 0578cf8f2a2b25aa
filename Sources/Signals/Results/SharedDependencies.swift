// Dependencies shared by so many rows that an edge for each row would cost more than testing all
// rows.
//
// State: `followed` has two nodes for each such dependency, both with an edge to it. At each
// refresh, one determines whether rows must be tested again. At the end of the batch, the other
// determines whether the dependency has changed. `changed` has the changed dependencies while the
// rows are tested again to find which of them read these.

/// The dependencies of more than `limit` rows.
@safe
final class SharedDependencies {
  /// The number of rows that may read one node before it counts for all rows.
  static let limit = 64

  @safe private struct Followers {
    let now: NodePointer
    let before: NodePointer
  }

  @safe private struct Payload { unowned(unsafe) let query: Query }
  private typealias Storage = Cell<Payload>

  private unowned let query: Query
  private var followed: [NodePointer: Followers] = [:]
  private var changed: Set<NodePointer> = []

  init(_ query: Query) { self.query = query }

  deinit { removeAll() }

  var isEmpty: Bool { followed.isEmpty }

  var nodes: [NodePointer] { followed.values.flatMap { [$0.now, $0.before] } }

  func removeAll() {
    let ended = exchange(&followed, with: [:])
    changed = []
    ended.values.forEach(dispose)
  }

  private func dispose(_ followers: Followers) {
    Node.dispose(followers.now)
    Node.dispose(followers.before)
  }

  /// Whether a node counts for all rows.
  func follows(_ dep: NodePointer) -> Bool {
    guard !followed.isEmpty, let followers = followed[dep] else { return false }
    if followers.now.pointee.deps != nil { return true }
    // The node that had this address was removed, and this is another one.
    followed[dep] = nil
    dispose(followers)
    return false
  }

  func follow(_ dep: NodePointer) {
    let followers = Followers(now: makeNode(isHeard: true), before: makeNode(isHeard: false))
    Node.connect(dep, to: followers.now)
    Node.connect(dep, to: followers.before)
    followed[dep] = followers
  }

  private func makeNode(isHeard: Bool) -> NodePointer {
    let flags: Node.Flags = isHeard ? [.reader, .observer, .pure] : [.reader, .pure]
    return Storage.make(flags, Payload(query: query)) { node, event in
      let payload = unsafe Storage.payload(of: node)
      switch event {
      case .marked:
        let query = unsafe payload.pointee.query
        query.didChangeEverywhere()
      case .describe(let name):
        name.pointee = unsafe payload.pointee.query.description
      case .inspect(let place): place.pointee = unsafe payload.pointee.query.inspection
      case .destroy: unsafe payload.deinitialize()
      default: break
      }
      return false
    }
  }

  /// Whether all rows must be tested again because of changes since the last call.
  func takeMark() -> Bool {
    var isMarked = !changed.isEmpty
    // An evaluation in `takeMark(of:)` may build all rows again, and dispose of the nodes.
    followed.keys.forEach { dep in
      guard let followers = followed[dep] else { return }
      if takeMark(of: followers.now) { isMarked = true }
    }
    return isMarked
  }

  private func takeMark(of node: NodePointer) -> Bool {
    Node.hold(node)
    defer { Node.release(node) }
    // Marked again after a test in the middle of the batch, which relied on values that have been
    // overwritten since.
    let wasMisled = node.pointee.flags.isSuperset(of: [.unsettled, .pending])
    let isStale = takeStaleness(of: node)
    if let edge = node.pointee.deps,
      edge.pointee.dep.pointee.flags.contains(.unsettled)
    {
      Scheduler.current.pointee.touch(node)
    }
    return wasMisled || isStale
  }

  /// Whether a dependency of the rows had changed at the end of the batch.
  func didChange(_ dep: NodePointer) -> Bool {
    !changed.isEmpty && changed.contains(dep)
  }

  /// Finds the changed dependencies after a batch.
  func settle() {
    followed.keys.forEach { dep in
      guard let followers = followed[dep] else { return }
      if takeStaleness(of: followers.before) { changed.insert(dep) }
    }
  }

  /// Called after the rows have been tested again.
  func didSettle() { changed = [] }

  private func takeStaleness(of node: NodePointer) -> Bool {
    Node.hold(node)
    defer { Node.release(node) }
    let isStale = Node.isStale(node)
    node.pointee.flags.subtract(.stale)
    return isStale
  }
}
