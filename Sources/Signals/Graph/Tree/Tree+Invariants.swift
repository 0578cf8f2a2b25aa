extension Tree {
  /// Traps if the tree is not well formed; for tests.
  ///
  /// - Parameter isSame: Whether two elements are the same one. It is used to check that the copies
  ///   in inner nodes are exact.
  /// - Complexity: O(*n*).
  package func checkInvariants(_ isSame: (Element, Element) -> Bool = { _, _ in true }) {
    guard let root else { return precondition(count == 0, "an empty tree has elements") }
    precondition(root.slots >= (root.isLeaf ? 1 : 2), "the root is not needed")
    precondition(root.check(isSame) == count, "the tree's count is wrong")
  }
}

extension Tree.Node {
  /// Checks everything under this node.
  ///
  /// - Returns: The number of elements under it.
  fileprivate func check(_ isSame: (Element, Element) -> Bool) -> Int {
    precondition(slots <= most, "a node is too full")
    guard !isLeaf else { return slots }
    var sum = 0
    for slot in 0..<slots {
      let link = links[slot]
      precondition(link.child.height == height - 1, "leaves are not equally deep")
      precondition(link.child.slots >= link.child.least, "a node is too empty")
      precondition(link.child.check(isSame) == link.count, "a child's count is wrong")
      precondition(isSame(elements[slot], link.child.first), "a copy is not exact")
      sum += link.count
    }
    return sum
  }
}
