extension Tree {
  /// Replaces the elements in a range of positions.
  ///
  /// - Complexity: O(*m* + log *n*) for *m* removed and inserted elements.
  package mutating func replaceSubrange(
    _ range: Range<Int>, with elements: some Collection<Element>
  ) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "range out of bounds")
    guard range.count + elements.count > Self.few else {
      return replaceFew(range, with: elements)
    }
    let rest = split(at: range.upperBound)
    _ = split(at: range.lowerBound)
    append(Tree(elements))
    append(rest)
  }

  /// The largest number of single edits that cost less than splitting a tree and joining it again.
  private static var few: Int { 32 }

  /// Replaces the elements in a range one by one.
  ///
  /// - Complexity: O(*m* log *n*).
  private mutating func replaceFew(_ range: Range<Int>, with elements: some Collection<Element>) {
    var position = range.lowerBound
    for element in elements {
      if position < range.upperBound {
        replace(at: position, with: element)
      } else {
        insert(element, at: position)
      }
      position += 1
    }
    for _ in stride(from: position, to: range.upperBound, by: 1) { remove(at: position) }
  }

  /// Keeps the elements before `index` and returns the others.
  ///
  /// - Complexity: O(log *n*).
  mutating func split(at index: Int) -> Tree {
    guard index < count else { return Tree() }
    guard index > 0 else {
      defer { self = Tree() }
      return self
    }
    // Cut the root left and right of the child that the cut goes through, then cut this child.
    var cut: Tree?
    var offset = index
    let rest = withUniqueRoot { root in
      guard !root.isLeaf else { return Tree(root.split(at: index)) }
      let slot = root.slot(before: &offset)
      let rest = Tree(root.split(at: slot + 1).collapsedRoot)
      cut = Tree(root.removeChild(at: slot))
      return rest
    }
    self = Tree(root?.collapsedRoot)
    guard var left = cut.take() else { return rest }
    var right = left.split(at: offset)
    append(left)
    right.append(rest)
    return right
  }

  /// Appends the elements of another tree.
  ///
  /// - Complexity: O(log *n*), whichever tree is higher.
  mutating func append(_ other: consuming Tree) {
    var (tree, edge) = (other, Node.Edge.end)
    if tree.height > height {
      swap(&self, &tree)
      edge = .start
    }
    guard let lower = tree.root else { return }
    count += tree.count
    if tree.height < height {
      if let sibling = withUniqueRoot({ $0.graft(lower, at: edge) }) { grow(sibling) }
    } else {
      grow(lower)
      withUniqueRoot { root in
        root.fixUnderflow(0)
        root.fixUnderflow(root.slots - 1)
      }
      root = root?.collapsedRoot
    }
  }

  /// The height of the root, or -1 if the tree is empty.
  ///
  /// - Complexity: O(1).
  var height: Int { root?.height ?? -1 }
}

extension Tree.Node {
  /// The end of a node at which a lower tree is added.
  enum Edge {
    case start, end
  }

  /// Adds a lower tree under this node, whose only owner is the caller.
  ///
  /// - Returns: A new sibling to the right, if this node had to be split.
  /// - Complexity: O(log *n*).
  func graft(_ tree: Tree.Node, at edge: Edge) -> Tree.Node? {
    let slot: Int
    if height == tree.height + 1 {
      slot = edge == .start ? 0 : slots
      insert(tree, at: slot)
      fixUnderflow(slot)
    } else {
      let child = edge == .start ? 0 : slots - 1
      let sibling = withUniqueChild(at: child) { $0.graft(tree, at: edge) }
      refresh(child)
      guard let sibling else { return nil }
      slot = child + 1
      insert(sibling, at: slot)
    }
    return overflow(after: slot)
  }
}
