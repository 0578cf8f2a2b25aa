extension Tree {
  /// Inserts an element before the one at `index`, or at the end.
  ///
  /// O(log *n*).
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
  /// O(log *n*).
  package mutating func append(_ element: Element) {
    insert(element, at: count)
  }

  /// Removes and returns an element.
  ///
  /// O(log *n*).
  @discardableResult package mutating func remove(at index: Int) -> Element {
    precondition(index >= 0 && index < count, "index out of range")
    count -= 1
    let (element, slots) = withUniqueRoot { ($0.remove(index), $0.slots) }
    if slots < 2 { root = root?.trimmed }
    return element
  }

  /// Exchanges an element and returns the old one.
  ///
  /// O(log *n*).
  @discardableResult
  package mutating func replace(at index: Int, with element: Element) -> Element {
    precondition(index >= 0 && index < count, "index out of range")
    return withUniqueRoot { $0.replace(index, with: element) }
  }

  /// Hands out the root of a tree that is not empty, copied first if it has another owner.
  ///
  /// O(1), or O(slots).
  mutating func withUniqueRoot<R>(_ body: (Node) -> R) -> R {
    if !isKnownUniquelyReferenced(&root) { root = root?.copy() }
    // A tree that is not empty has a root, and `body` works below it.
    return unsafe Unmanaged.passUnretained(root.unsafelyUnwrapped)._withUnsafeGuaranteedRef(body)
  }

  /// Puts a root over the root and what was split off it.
  ///
  /// O(1).
  mutating func grow(_ sibling: Node) {
    root = root.map { Node.make(over: $0, sibling) }
  }
}

// Each function here is called on a node with one owner, the caller. It brings what the nodes on its
// way know of their children up to date: the number of elements, and the first one.
extension Tree.Node {
  /// Inserts an element under this node.
  ///
  /// Returns a new sibling to the right if it had to be split.
  func insert(_ element: Element, before index: Int) -> Tree.Node? {
    guard !isLeaf else {
      insert(element, at: index)
      return overflow(after: index)
    }
    var offset = index
    let slot = slot(before: &offset)
    let sibling = withUniqueChild(at: slot) { $0.insert(element, before: offset) }
    if offset == 0 { noteFirst(slot) }
    unsafe links[slot].count += 1
    guard let sibling else { return nil }
    insert(sibling, at: slot + 1)
    unsafe links[slot].count -= links[slot + 1].count
    return overflow(after: slot + 1)
  }

  /// Removes the element at `index` under this node, which may be left with too few slots.
  func remove(_ index: Int) -> Element {
    guard !isLeaf else { return removeElement(at: index) }
    var offset = index
    let slot = slot(holding: &offset)
    let element = withUniqueChild(at: slot) { $0.remove(offset) }
    if offset == 0 { noteFirst(slot) }
    unsafe links[slot].count -= 1
    mend(slot)
    return element
  }

  /// Exchanges the element at `index` under this node.
  func replace(_ index: Int, with element: Element) -> Element {
    guard !isLeaf else {
      let old = unsafe elements[index]
      unsafe elements[index] = element
      return old
    }
    var offset = index
    let slot = slot(holding: &offset)
    let old = withUniqueChild(at: slot) { $0.replace(offset, with: element) }
    if offset == 0 { noteFirst(slot) }
    return old
  }

  /// Hands out a child, copied first if it has another owner.
  ///
  /// O(1), or O(slots).
  func withUniqueChild<R>(at slot: Int, _ body: (Tree.Node) -> R) -> R {
    own(slot)
    return withChild(at: slot, body)
  }

  /// Makes this node the only owner of a child.
  ///
  /// O(1), or O(slots).
  private func own(_ slot: Int) {
    // The caller alone owns this node, so nobody else reads the link.
    if unsafe !isKnownUniquelyReferenced(&links[slot].child) {
      unsafe links[slot].child = links[slot].child.copy()
    }
  }

  /// Splits a node that has no room left after something was put into `slot`.
  ///
  /// O(slots).
  func overflow(after slot: Int) -> Tree.Node? {
    guard slots > most else { return nil }
    // Whoever inserts at the end is likely to go on there: leave a well filled node behind.
    return split(at: slot == slots - 1 ? slots - least : slots / 2)
  }

  /// Does something about a child with too few slots, if it has a neighbor.
  ///
  /// O(slots).
  func mend(_ slot: Int) {
    guard slots > 1, withChild(at: slot, { $0.slots < $0.least }) else { return }
    balance(slot == 0 ? 0 : slot - 1)
  }

  /// Merges a child with its right neighbor if one node has room for both, and makes them equally
  /// full if not.
  ///
  /// O(slots).
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

  /// Takes all slots of the right neighbor if they fit, and makes both equally full if not.
  ///
  /// O(slots).
  func balance(with right: Tree.Node) {
    let sum = slots + right.slots
    let share = sum <= most ? sum : sum / 2
    if slots < share {
      take(share - slots, from: right, at: 0, to: slots)
    } else {
      right.take(slots - share, from: self, at: share, to: 0)
    }
  }

  /// Brings a link up to date with its child.
  ///
  /// O(slots).
  func refresh(_ slot: Int) {
    noteFirst(slot)
    unsafe links[slot].count = withChild(at: slot) { $0.total }
  }

  /// This node as a root: nothing when it is empty, the child when there is one.
  ///
  /// O(1).
  var trimmed: Tree.Node? {
    switch slots {
    case 0: nil
    case 1 where !isLeaf: unsafe links[0].child
    default: self
    }
  }
}
