extension Tree.Node {
  /// Makes the root over all elements in order, or nil if there are none.
  ///
  /// O(*n*).
  ///
  /// Nodes are packed: the elements of a tree that is built and then read lie as close as they can.
  static func make(of elements: some Sequence<Element>) -> Tree.Node? {
    var level = leaves(of: elements)
    while level.count > 1 { level = parents(of: level) }
    return level.first
  }

  /// The packed leaves that hold the elements.
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

  /// The packed nodes over nodes of one height.
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

  /// Lets the last node have slots of its full neighbor if it has too few itself.
  private static func balanceEnd(of nodes: [Tree.Node]) {
    guard nodes.count > 1, let last = nodes.last, last.slots < last.least else { return }
    nodes[nodes.count - 2].balance(with: last)
  }
}
