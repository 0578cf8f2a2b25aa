// How a trace finds out afterwards which dependencies had changed, without the engine recording
// anything.
//
// A traced node has a follower for each of its dependencies: an observer of that dependency alone,
// which is never evaluated. It is marked by the same changes as the traced node, so equal values
// and batches that end where they began don't count. After a run, the followers are checked and
// then replaced.

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
      guard let edge = node.pointee.deps else { return false }
      return edge.pointee.dep == dep
    }

    /// Whether the dependency changed, as far as that is known without evaluating anything.
    func hasChanged() -> Bool {
      if isAttached, dep.pointee.flags.isDisjoint(with: .stale) {
        return Node.isStale(node)
      }
      return node.pointee.flags.contains(.dirty)
    }
  }

  private typealias Storage = NodeBox<UInt8>

  private let node: NodePointer
  /// The followers in the order of reading, each with the description of its dependency after the
  /// last run.
  private var followers: [Follower] = []
  /// The number of traced runs.
  private var runs = 0
  private var hasRun = false
  private(set) var isOn = false
  /// The explanation of the last run.
  private(set) var last: Explanation?

  init(_ node: NodePointer) { self.node = node }

  deinit { stop() }

  /// Starts to follow the current dependencies of the node.
  ///
  /// - Parameter hasRun: Whether the node was evaluated before.
  func start(hasRun: Bool) {
    guard !isOn else { return }
    isOn = true
    self.hasRun = hasRun
    Node.withoutReader { follow(node.pointee.depsTail) }
  }

  /// Forgets all results and drops the followers.
  func stop() {
    isOn = false
    (last, runs) = (nil, 0)
    let old = followers
    followers = []
    for follower in old { Node.dispose(follower.node) }
  }

  /// Records a run of the node's body.
  ///
  /// - Parameter others: Changes of inputs that aren't dependencies in the graph.
  func didRun(others: [Explanation.Change] = []) {
    guard isOn, !node.pointee.flags.contains(.dead) else { return }
    Node.withoutReader {
      let changes = changes()
      // User code that describes a value may have stopped this trace.
      guard isOn else { return }
      runs += 1
      last = Explanation(
        name: Node.name(of: node), run: runs, isFirst: !hasRun, changes: others + changes)
      hasRun = true
      follow(node.pointee.depsTail)
    }
  }

  private func changes() -> [Explanation.Change] {
    // Held, because user code describes the values and may stop this trace.
    let followers = followers
    for follower in followers { Node.hold(follower.node) }
    defer { for follower in followers { Node.release(follower.node) } }
    return followers.compactMap { follower in
      guard !follower.node.pointee.flags.contains(.dead), follower.hasChanged()
      else { return nil }
      let new = follower.isAttached ? Node.inspect(follower.dep).value : nil
      return Explanation.Change(name: follower.name, old: follower.value, new: new)
    }
  }

  /// Follows the dependencies of the node up to `tail`, and no others.
  private func follow(_ tail: EdgePointer?) {
    var new: [Follower] = []
    // Held, because user code describes the values, and nodes and edges may be released in it.
    var deps: [NodePointer] = []
    var edge = tail == nil ? nil : node.pointee.deps
    while let current = edge {
      Node.hold(current.pointee.dep)
      deps.append(current.pointee.dep)
      edge = current == tail ? nil : current.pointee.nextDep
    }
    for index in deps.indices {
      let dep = deps[index]
      if !dep.pointee.flags.contains(.dead) { new.append(follower(of: dep)) }
      Node.release(dep)
    }
    let old = isOn ? followers : new
    if isOn { followers = new }
    for follower in old { Node.dispose(follower.node) }
  }

  private func follower(of dep: NodePointer) -> Follower {
    let follower = Storage.make([.reader, .pure], 0) { _, event in
      if case .inspect(let place) = event { place.pointee.isHidden = true }
      return false
    }
    Node.connect(dep, to: follower)
    return Follower(
      node: follower, dep: dep, name: Node.name(of: dep), value: Node.inspect(dep).value)
  }
}
