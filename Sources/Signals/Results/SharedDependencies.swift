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
  private var followed: [NodePointer: Followers] = unsafe [:]
  private var changed: Set<NodePointer> = unsafe []

  init(_ query: Query) { self.query = query }

  deinit { removeAll() }

  var isEmpty: Bool { unsafe followed.isEmpty }

  var nodes: [NodePointer] { unsafe followed.values.flatMap { unsafe [$0.now, $0.before] } }

  func removeAll() {
    let ended = unsafe exchange(&followed, with: [:])
    unsafe changed = []
    unsafe ended.values.forEach(dispose)
  }

  private func dispose(_ followers: Followers) {
    unsafe Node.dispose(followers.now)
    unsafe Node.dispose(followers.before)
  }

  /// Whether a node counts for all rows.
  func follows(_ dep: NodePointer) -> Bool {
    guard unsafe !followed.isEmpty, let followers = unsafe followed[dep] else { return false }
    if unsafe followers.now.pointee.deps != nil { return true }
    // The node that had this address was removed, and this is another one.
    unsafe followed[dep] = nil
    dispose(followers)
    return false
  }

  func follow(_ dep: NodePointer) {
    let followers = unsafe Followers(now: makeNode(isHeard: true), before: makeNode(isHeard: false))
    unsafe Node.connect(dep, followers.now)
    unsafe Node.connect(dep, followers.before)
    unsafe followed[dep] = followers
  }

  private func makeNode(isHeard: Bool) -> NodePointer {
    let flags: Node.Flags = isHeard ? [.observer, .watcher, .pure] : [.observer, .pure]
    return unsafe Storage.make(flags, Payload(query: query)) { node, event in
      let payload = unsafe Storage.payload(of: node)
      switch event {
      case .marked:
        let query = unsafe payload.pointee.query
        query.didChangeEverywhere()
      case .describe:
        unsafe Scheduler.current.pointee.description = unsafe payload.pointee.query.description
      case .inspect: return unsafe Node.answer(payload.pointee.query.inspection)
      case .destroy: unsafe payload.deinitialize(count: 1)
      case .evaluate, .settle, .perform, .read, .readMember, .readPath: break
      }
      return false
    }
  }

  /// Whether all rows must be tested again because of changes since the last call.
  func takeMark() -> Bool {
    var isMarked = unsafe !changed.isEmpty
    // An evaluation in `takeMark(of:)` may build all rows again, and dispose of the nodes.
    unsafe followed.keys.forEach { dep in
      guard let followers = unsafe followed[dep] else { return }
      if unsafe takeMark(of: followers.now) { isMarked = true }
    }
    return isMarked
  }

  private func takeMark(of node: NodePointer) -> Bool {
    unsafe Node.hold(node)
    defer { unsafe Node.release(node) }
    // Marked again after a test in the middle of the batch, which relied on values that have been
    // overwritten since.
    let wasMisled = unsafe node.pointee.flags.isSuperset(of: [.unsettled, .pending])
    let isStale = unsafe takeStaleness(of: node)
    if let edge = unsafe node.pointee.deps,
      unsafe edge.pointee.dep.pointee.flags.contains(.unsettled)
    {
      unsafe Scheduler.current.pointee.touch(node)
    }
    return wasMisled || isStale
  }

  /// Whether a dependency of the rows had changed at the end of the batch.
  func didChange(_ dep: NodePointer) -> Bool {
    unsafe !changed.isEmpty && changed.contains(dep)
  }

  /// Finds the changed dependencies after a batch.
  func settle() {
    unsafe followed.keys.forEach { dep in
      guard let followers = unsafe followed[dep] else { return }
      if unsafe takeStaleness(of: followers.before) { unsafe changed.insert(dep) }
    }
  }

  /// Called after the rows have been tested again.
  func didSettle() { unsafe changed = [] }

  private func takeStaleness(of node: NodePointer) -> Bool {
    unsafe Node.hold(node)
    defer { unsafe Node.release(node) }
    let isStale = unsafe Node.isStale(node)
    unsafe node.pointee.flags.subtract(.stale)
    return isStale
  }
}
