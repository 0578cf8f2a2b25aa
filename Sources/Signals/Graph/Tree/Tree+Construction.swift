extension Tree.Node {
  /// Creates the nodes of a tree of the elements, in order, and returns the root.
  ///
  /// Nodes are packed, so the elements of a tree that is built once and then read lie close
  /// together.
  ///
  /// - Returns: The root, or nil if there are no elements.
  /// - Complexity: O(*n*).
  static func make(of elements: some Sequence<Element>) -> Tree.Node? {
    var level = leaves(of: elements)
    while level.count > 1 { level = parents(of: level) }
    return level.first
  }

  /// Creates packed leaves of the elements.
  private static func leaves(of elements: some Sequence<Element>) -> [Tree.Node] {
    var leaves: [Tree.Node] = []
    var source = elements.makeIterator()
    var isFull: Bool
    repeat {
      let leaf = make(height: 0)
      isFull = leaf.fill(from: &source)
      if leaf.slots > 0 { leaves.append(leaf) }
    } while isFull
    balanceEnd(of: leaves)
    return leaves
  }

  /// Creates packed nodes over nodes of one height.
  private static func parents(of children: [Tree.Node]) -> [Tree.Node] {
    var parents: [Tree.Node] = []
    for child in children {
      if parents.last.map({ $0.slots == $0.most }) ?? true {
        parents.append(make(height: child.height + 1))
      }
      if let parent = parents.last { parent.insert(child, at: parent.slots) }
    }
    balanceEnd(of: parents)
    return parents
  }

  /// Moves slots from the full neighbor of the last node into it, if it has too few.
  private static func balanceEnd(of nodes: [Tree.Node]) {
    guard nodes.count > 1, let last = nodes.last, last.slots < last.least else { return }
    nodes[nodes.count - 2].balance(with: last)
  }
}
