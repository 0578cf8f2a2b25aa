extension Tree {
  /// Inserts an element before the one at `index`, or at the end.
  ///
  /// - Complexity: O(log *n*).
  package mutating func insert(_ element: Element, at index: Int) {
    precondition(index >= 0 && index <= count, "index out of range")
    count += 1
    guard !isEmpty else {
      let leaf = Node.make(height: 0)
      leaf.insert(element, at: 0)
      root = leaf
      return
    }
    let sibling = withUniqueRoot { $0.insert(element, before: index) }
    if let sibling { grow(sibling) }
  }

  /// Adds an element at the end.
  ///
  /// - Complexity: O(log *n*).
  package mutating func append(_ element: Element) {
    insert(element, at: count)
  }

  /// Removes and returns an element.
  ///
  /// - Complexity: O(log *n*).
  @discardableResult package mutating func remove(at index: Int) -> Element {
    precondition(index >= 0 && index < count, "index out of range")
    count -= 1
    let (element, slots) = withUniqueRoot { ($0.remove(index), $0.slots) }
    if slots < 2 { root = root?.collapsedRoot }
    return element
  }

  /// Replaces an element and returns the old one.
  ///
  /// - Complexity: O(log *n*).
  @discardableResult
  package mutating func replace(at index: Int, with element: Element) -> Element {
    precondition(index >= 0 && index < count, "index out of range")
    return withUniqueRoot { $0.replace(index, with: element) }
  }

  /// Calls a function with the root of a nonempty tree, which is copied first if it has another
  /// owner.
  ///
  /// - Complexity: O(1), or O(slots) if the root is copied.
  mutating func withUniqueRoot<R>(_ body: (Node) -> R) -> R {
    if !isKnownUniquelyReferenced(&root) { root = root?.copy() }
    // Mapped first, so that the root isn't retained during it. `body` doesn't release it.
    guard let node = root.map({ Unretained($0) }) else { trap("a nonempty tree has no root") }
    return node.withInstance(body)
  }

  /// Adds a root above the current root and a sibling that was split off it.
  ///
  /// - Complexity: O(1).
  mutating func grow(_ sibling: Node) {
    root = root.map { Node.make(over: $0, sibling) }
  }
}

// Each function here is called on a node whose only owner is the caller. It updates the data that
// the nodes on its way have about their children: the number of elements, and the first one.
extension Tree.Node {
  /// Inserts an element before the one at `index` under this node, or at the end.
  ///
  /// - Returns: A new sibling to the right, if this node had to be split.
  func insert(_ element: Element, before index: Int) -> Tree.Node? {
    guard !isLeaf else {
      insert(element, at: index)
      return overflow(after: index)
    }
    var offset = index
    let slot = slot(before: &offset)
    let sibling = withUniqueChild(at: slot) { $0.insert(element, before: offset) }
    if offset == 0 { noteFirst(slot) }
    links[slot].count += 1
    guard let sibling else { return nil }
    insert(sibling, at: slot + 1)
    links[slot].count -= links[slot + 1].count
    return overflow(after: slot + 1)
  }

  /// Removes the element at `index` under this node, which may be left with too few slots.
  func remove(_ index: Int) -> Element {
    guard !isLeaf else { return removeElement(at: index) }
    var offset = index
    let slot = slot(holding: &offset)
    let element = withUniqueChild(at: slot) { $0.remove(offset) }
    if offset == 0 { noteFirst(slot) }
    links[slot].count -= 1
    fixUnderflow(slot)
    return element
  }

  /// Replaces the element at `index` under this node, and returns the old one.
  func replace(_ index: Int, with element: Element) -> Element {
    guard !isLeaf else {
      let old = elements[index]
      elements[index] = element
      return old
    }
    var offset = index
    let slot = slot(holding: &offset)
    let old = withUniqueChild(at: slot) { $0.replace(offset, with: element) }
    if offset == 0 { noteFirst(slot) }
    return old
  }

  /// Calls a function with a child, which is copied first if it has another owner.
  ///
  /// - Complexity: O(1), or O(slots) if the child is copied.
  func withUniqueChild<R>(at slot: Int, _ body: (Tree.Node) -> R) -> R {
    own(slot)
    return withChild(at: slot, body)
  }

  /// Makes this node the only owner of a child, by copying the child if necessary.
  ///
  /// - Complexity: O(1), or O(slots) if the child is copied.
  private func own(_ slot: Int) {
    // The caller is the only owner of this node, so nothing else reads the link.
    if !isKnownUniquelyReferenced(&links[slot].child) {
      links[slot].child = links[slot].child.copy()
    }
  }

  /// Splits the node if it has no room left after an insertion at `slot`.
  ///
  /// - Returns: The new sibling to the right, if there is one.
  /// - Complexity: O(slots).
  func overflow(after slot: Int) -> Tree.Node? {
    guard slots > most else { return nil }
    // An insertion at the end is likely to be followed by others there, so leave a well-filled node
    // behind.
    return split(at: slot == slots - 1 ? slots - least : slots / 2)
  }

  /// Balances a child that has too few slots with a neighbor, if there is one.
  ///
  /// - Complexity: O(slots).
  func fixUnderflow(_ slot: Int) {
    guard slots > 1, withChild(at: slot, { $0.slots < $0.least }) else { return }
    balance(slot == 0 ? 0 : slot - 1)
  }

  /// Merges a child with its right neighbor if one node has room for both, and otherwise makes them
  /// equally full.
  ///
  /// - Complexity: O(slots).
  func balance(_ left: Int) {
    let right = left + 1
    own(left)
    own(right)
    let isSpare = withChild(at: left) { left in
      withChild(at: right) { right in
        left.balance(with: right)
        return right.slots == 0
      }
    }
    refresh(left)
    if isSpare { removeChild(at: right) } else { refresh(right) }
  }

  /// Takes all slots of the right neighbor if they fit, and otherwise makes both equally full.
  ///
  /// - Complexity: O(slots).
  func balance(with right: Tree.Node) {
    let sum = slots + right.slots
    let share = sum <= most ? sum : sum / 2
    if slots < share {
      take(share - slots, from: right, at: 0, to: slots)
    } else {
      right.take(slots - share, from: self, at: share, to: 0)
    }
  }

  /// Updates a link from its child.
  ///
  /// - Complexity: O(slots).
  func refresh(_ slot: Int) {
    noteFirst(slot)
    links[slot].count = withChild(at: slot) { $0.total }
  }

  /// The node to be the root instead of this one: nil if it is empty, and the only child if it has
  /// one.
  ///
  /// - Complexity: O(1).
  var collapsedRoot: Tree.Node? {
    switch slots {
    case 0: nil
    case 1 where !isLeaf: links[0].child
    default: self
    }
  }
}
