extension Tree {
  /// Returns the number of leading elements for which the predicate holds.
  ///
  /// - Precondition: No element for which it holds follows one for which it does not.
  /// - Complexity: O(log *n*). Only one leaf is touched.
  @inline(__always)
  package func lowerBound(_ isBefore: (Element) -> Bool) -> Int {
    root?.lowerBound(isBefore) ?? 0
  }

  /// Elements that are next to each other in a leaf.
  ///
  /// They can be read as long as the version exists.
  struct Leaf {
    let elements: UncheckedPointer<Element>
    let count: Int

    var indices: Range<Int> { 0..<count }

    subscript(index: Int) -> Element {
      @inline(__always) _read { yield elements[index] }
    }
  }

  /// Returns the leaf that holds the element at `offset`, and makes `offset` relative to the leaf.
  ///
  /// - Complexity: O(log *n*).
  func leaf(holding offset: inout Int) -> Leaf {
    precondition(offset >= 0 && offset < count, "index out of range")
    guard let root else { trap("a nonempty tree has no root") }
    return root.leaf(holding: &offset)
  }
}

extension Tree where Element: AnyObject {
  /// Returns at most `most` positions of an instance, in ascending order.
  ///
  /// - Complexity: O(log *n* + *d*) if `most` of them are no further than *d* from `hint`, O(*n*)
  ///   if there are fewer.
  func positions(of element: Element, atMost most: Int, near hint: Int) -> [Int] {
    var found: [Int] = []
    var searched = Swift.min(Swift.max(hint, 0), count)..<Swift.min(Swift.max(hint, 0), count)
    var width = 32
    while found.count < most, searched.count < count {
      let low = Swift.max(0, searched.lowerBound - width)
      let high = Swift.min(count, searched.upperBound + width)
      appendPositions(of: element, in: low..<searched.lowerBound, to: &found)
      appendPositions(of: element, in: searched.upperBound..<high, to: &found)
      searched = low..<high
      width *= 2
    }
    found.sort()
    return found
  }

  private func appendPositions(of element: Element, in range: Range<Int>, to found: inout [Int]) {
    let address = UInt(bitPattern: ObjectIdentifier(element))
    var position = range.lowerBound
    forEachLeaf(in: range) { leaf in
      // By address: loading the elements would mostly count references.
      for index in leaf.indices where leaf.elements.advanced(by: index).word == address {
        found.append(position + index)
      }
      position += leaf.count
    }
  }
}

extension Tree.Node {
  /// Calls a function with a child, without retaining it.
  ///
  /// A pair of atomic operations at each level would be most of the cost of a search.
  ///
  /// - Complexity: O(1).
  func withChild<R>(at slot: Int, _ body: (Tree.Node) -> R) -> R {
    // The link owns the child, and no caller's `body` removes the link.
    Unretained(links[slot].child).withInstance(body)
  }

  /// Whether another inner node has the same child at a slot.
  ///
  /// - Complexity: O(1), without reference counting: the child is the first field of a link.
  func shares(_ slot: Int, with other: Tree.Node) -> Bool {
    links.advanced(by: slot).word == other.links.advanced(by: slot).word
  }

  /// Returns the slot of the child that holds the element at `offset`, and makes `offset` relative
  /// to the child.
  ///
  /// - Complexity: O(slots).
  func slot(holding offset: inout Int) -> Int {
    var slot = 0
    // The caller passes an offset within the node, so the loop ends at some link.
    while offset >= links[slot].count {
      offset -= links[slot].count
      slot += 1
    }
    return slot
  }

  /// Returns the slot of the child that holds the gap before `offset`, and makes `offset` relative
  /// to the child.
  ///
  /// A gap between two children belongs to the left one, so the first element of neither changes.
  ///
  /// - Complexity: O(slots).
  func slot(before offset: inout Int) -> Int {
    guard offset > 0 else { return 0 }
    offset -= 1
    defer { offset += 1 }
    return slot(holding: &offset)
  }

  /// See ``Tree/leaf(holding:)``.
  func leaf(holding offset: inout Int) -> Tree.Leaf {
    guard !isLeaf else { return Tree.Leaf(elements: elements, count: slots) }
    let slot = slot(holding: &offset)
    return withChild(at: slot) { $0.leaf(holding: &offset) }
  }

  /// See ``Tree/lowerBound(_:)``.
  ///
  /// This is a loop so that the predicate can be inlined: a call would take a copy of each element.
  @inline(__always)
  func lowerBound(_ isBefore: (Element) -> Bool) -> Int {
    // A node that is searched is owned by the link above it. This node is retained here, and
    // thereby all nodes below it. An edit in the predicate finds them shared and copies them.
    defer { withExtendedLifetime(self) {} }
    var node = Unretained(self)
    var skipped = 0
    while true {
      let found = node.withInstance { node -> Unretained<Tree.Node>? in
        let before = node.partition(isBefore)
        // In an inner node the last child that begins before the bound contains it.
        guard !node.isLeaf, before > 0 else {
          skipped &+= before
          return nil
        }
        for slot in 0..<(before - 1) { skipped &+= node.links[slot].count }
        return Unretained(node.links[before - 1].child)
      }
      guard let child = found else { return skipped }
      node = child
    }
  }

  /// The number of leading slots for whose elements the predicate holds.
  ///
  /// - Complexity: O(log slots).
  @inline(__always)
  private func partition(_ isBefore: (Element) -> Bool) -> Int {
    var low = 0
    var high = slots
    while low < high {
      let middle = (low + high) / 2
      if isBefore(elements[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
