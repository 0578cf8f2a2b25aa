// How one knows afterwards what had changed, without the engine noting anything.
//
// A node that is traced has a follower for each thing that it reads: an observer of that thing alone, which
// nobody ever evaluates. So it is marked as the traced node is, by the same changes, equal values and
// batches that came to nothing left out. After a run the followers are asked, and then made anew.
//
// State: `followers`, in the order of reading, each with the description that its dependency had after the
// last run; `runs` and `last`, what is told.

/// Follows what one node reads, and tells after each of its runs what had changed.
@usableFromInline
@safe final class ChangeTrace {
  @safe private struct Follower {
    let node: NodePointer
    let dep: NodePointer
    let name: String
    var value: String?

    /// Whether `dep` is there: else it was disposed of.
    var isAttached: Bool {
      guard let edge = unsafe node.pointee.deps else { return false }
      return unsafe edge.pointee.dep == dep
    }

    /// Whether there was a change, for all that is known without evaluating anything.
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

  /// Follows what the node has read so far; `hasRun` tells whether it was evaluated at all.
  func start(hasRun: Bool) {
    guard !isOn else { return }
    isOn = true
    self.hasRun = hasRun
    Node.withoutReader { unsafe follow(node.pointee.depsTail) }
  }

  /// Forgets everything.
  func stop() {
    isOn = false
    (last, runs) = (nil, 0)
    let old = followers
    followers = []
    for follower in old { unsafe Node.dispose(follower.node) }
  }

  /// The body of the node has run; `others` are changes that are no dependencies of the graph.
  func didRun(others: [Explanation.Change] = []) {
    guard isOn, unsafe !node.pointee.flags.contains(.dead) else { return }
    Node.withoutReader {
      let changes = changes()
      // What describes a value may have stopped this.
      guard isOn else { return }
      runs += 1
      last = Explanation(
        name: unsafe Node.name(of: node), run: runs, isFirst: !hasRun, changes: others + changes)
      hasRun = true
      unsafe follow(node.pointee.depsTail)
    }
  }

  private func changes() -> [Explanation.Change] {
    // Held: what describes a value is user code, which may stop this.
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

  /// Follows what the node read up to `tail`, and nothing else.
  private func follow(_ tail: EdgePointer?) {
    var new: [Follower] = []
    // Held: what describes a value is user code, with which nodes and edges may go.
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
      if case .inspect = event { return Node.tell(.hidden) }
      return false
    }
    unsafe Node.connect(dep, follower)
    return unsafe Follower(
      node: follower, dep: dep, name: Node.name(of: dep), value: Node.inspect(dep).value)
  }
}
