// How a trace finds out afterwards which dependencies had changed, without the engine recording
// anything.
//
// A traced node has a follower for each of its dependencies: an observer of that dependency alone,
// which is never evaluated. It is marked by the same changes as the traced node, so equal values
// and batches that end where they began don't count. After a run, the followers are checked and
// then replaced.
//
// State: `followers`, in the order of reading, each with the description of its dependency after
// the last run; `runs` and `last`, the results.

/// Follows the dependencies of one node, and finds out after each run which of them had changed.
@usableFromInline
@safe final class ChangeTrace {
  @safe private struct Follower {
    let node: NodePointer
    let dep: NodePointer
    let name: String
    var value: String?

    /// Whether `dep` still exists; otherwise it was disposed of.
    var isAttached: Bool {
      guard let edge = unsafe node.pointee.deps else { return false }
      return unsafe edge.pointee.dep == dep
    }

    /// Whether the dependency changed, as far as that is known without evaluating anything.
    func hasChanged() -> Bool {
      if isAttached, unsafe dep.pointee.flags.isDisjoint(with: .stale) {
        return unsafe Node.isStale(node)
      }
      return unsafe node.pointee.flags.contains(.dirty)
    }
  }

  private typealias Storage = Cell<UInt8>

  private let node: NodePointer
  private var followers: [Follower] = []
  private var runs = 0
  private var hasRun = false
  private(set) var isOn = false
  private(set) var last: Explanation?

  init(_ node: NodePointer) { unsafe self.node = unsafe node }

  deinit { stop() }

  /// Starts to follow the current dependencies of the node.
  ///
  /// - Parameter hasRun: Whether the node was evaluated before.
  func start(hasRun: Bool) {
    guard !isOn else { return }
    isOn = true
    self.hasRun = hasRun
    Node.withoutReader { unsafe follow(node.pointee.depsTail) }
  }

  /// Forgets all results and drops the followers.
  func stop() {
    isOn = false
    (last, runs) = (nil, 0)
    let old = followers
    followers = []
    for follower in old { unsafe Node.dispose(follower.node) }
  }

  /// Records a run of the node's body.
  ///
  /// - Parameter others: Changes of inputs that aren't dependencies in the graph.
  func didRun(others: [Explanation.Change] = []) {
    guard isOn, unsafe !node.pointee.flags.contains(.dead) else { return }
    Node.withoutReader {
      let changes = changes()
      // User code that describes a value may have stopped this trace.
      guard isOn else { return }
      runs += 1
      last = Explanation(
        name: unsafe Node.name(of: node), run: runs, isFirst: !hasRun, changes: others + changes)
      hasRun = true
      unsafe follow(node.pointee.depsTail)
    }
  }

  private func changes() -> [Explanation.Change] {
    // Held, because user code describes the values and may stop this trace.
    let followers = followers
    for follower in followers { unsafe Node.hold(follower.node) }
    defer { for follower in followers { unsafe Node.release(follower.node) } }
    return followers.compactMap { follower in
      guard unsafe !follower.node.pointee.flags.contains(.dead), follower.hasChanged()
      else { return nil }
      let new = unsafe follower.isAttached ? Node.inspect(follower.dep).value : nil
      return Explanation.Change(name: follower.name, old: follower.value, new: new)
    }
  }

  /// Follows the dependencies of the node up to `tail`, and no others.
  private func follow(_ tail: EdgePointer?) {
    var new: [Follower] = []
    // Held, because user code describes the values, and nodes and edges may be released in it.
    var deps: [NodePointer] = unsafe []
    var edge = unsafe tail == nil ? nil : node.pointee.deps
    while let current = unsafe edge {
      unsafe Node.hold(current.pointee.dep)
      unsafe deps.append(current.pointee.dep)
      unsafe edge = unsafe current == tail ? nil : current.pointee.nextDep
    }
    for index in unsafe deps.indices {
      let dep = unsafe deps[index]
      if unsafe !dep.pointee.flags.contains(.dead) { unsafe new.append(follower(of: dep)) }
      unsafe Node.release(dep)
    }
    let old = isOn ? followers : new
    if isOn { followers = new }
    for follower in old { unsafe Node.dispose(follower.node) }
  }

  private func follower(of dep: NodePointer) -> Follower {
    let follower = unsafe Storage.make([.observer, .pure], 0) { _, event in
      if case .inspect = event { return Node.answer(.hidden) }
      return false
    }
    unsafe Node.connect(dep, follower)
    return unsafe Follower(
      node: follower, dep: dep, name: Node.name(of: dep), value: Node.inspect(dep).value)
  }
}
