// Dependencies shared by so many rows that an edge for each row would cost more than testing all
// rows.
//
// State: `followed` has two nodes for each such dependency, both with an edge to it. At each
// refresh, one determines whether rows must be tested again. At the end of the batch, the other
// determines whether the dependency has changed. `changed` has the changed dependencies while the
// rows are tested again to find which of them read these.

/// The dependencies of more than `limit` rows.
final class SharedDependencies {
  /// The number of rows that may read one node before it counts for all rows.
  static let limit = 64

  private typealias Followers = (now: QueryNode, before: QueryNode)

  private unowned let query: Query
  /// Once a dependency is removed, another node may get its address.
  private var followed: [NodePointer: Followers] = [:]
  private var changed: Set<NodePointer> = []

  init(_ query: Query) { self.query = query }

  var isEmpty: Bool { followed.isEmpty }

  var nodes: [NodePointer] {
    followed.values.flatMap { [$0.now.pointer, $0.before.pointer] }
  }

  func removeAll() {
    let ended = exchange(&followed, with: [:])
    changed = []
    withExtendedLifetime(ended) {}
  }

  /// Whether a node counts for all rows.
  func follows(_ dep: NodePointer) -> Bool {
    guard !followed.isEmpty else { return false }
    guard let followers = followed[dep] else { return false }
    if !followers.now.isEmpty { return true }
    // The node that had this address was removed, and this is another one.
    followed[dep] = nil
    withExtendedLifetime(followers) {}
    return false
  }

  func follow(_ dep: NodePointer) {
    let followers = (now: QueryNode(of: query), before: QueryNode(of: query, notifies: false))
    followers.now.follow(dep)
    followers.before.follow(dep)
    followed[dep] = followers
  }

  /// Whether all rows must be tested again because of changes since the last call.
  func takeMark() -> Bool {
    var isMarked = !changed.isEmpty
    // An evaluation in `takeMark` may build all rows again, and remove all followers.
    for (dep, followers) in followed where followed[dep] != nil {
      if followers.now.takeMark() { isMarked = true }
      followers.now.settleWithDependency()
    }
    return isMarked
  }

  /// Whether a dependency of the rows had changed at the end of the batch.
  func didChange(_ dep: NodePointer) -> Bool {
    !changed.isEmpty && changed.contains(dep)
  }

  /// Finds the changed dependencies after a batch.
  func settle() {
    for (dep, followers) in followed where followed[dep] != nil {
      if followers.before.takeStaleness() { changed.insert(dep) }
    }
  }

  /// Called after the rows have been tested again.
  func didSettle() { changed = [] }
}
