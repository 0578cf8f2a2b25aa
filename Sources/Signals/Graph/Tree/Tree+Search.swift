extension Tree {
  /// Returns the number of leading elements for which the predicate holds.
  ///
  /// - Precondition: No element for which it holds follows one for which it does not.
  /// - Complexity: O(log *n*). Only one leaf is touched.
  @inline(__always)
  package func lowerBound(_ isBefore: (Element) -> Bool) -> Int {
    root?.lowerBound(isBefore) ?? 0
  }

  /// Returns the leaf that holds the element at `offset`, and makes `offset` relative to the leaf.
  ///
  /// The memory is valid as long as this version exists.
  ///
  /// - Complexity: O(log *n*).
  func leaf(holding offset: inout Int) -> UnsafeBufferPointer<Element> {
    precondition(offset >= 0 && offset < count, "index out of range")
    // A tree with elements has a root.
    return unsafe root.unsafelyUnwrapped.leaf(holding: &offset)
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
    let address = unsafe UnsafeRawPointer(Unmanaged.passUnretained(element).toOpaque())
    var position = range.lowerBound
    unsafe forEachLeaf(in: range) { leaf in
      // By address: loading the elements would mostly count references.
      unsafe leaf.withMemoryRebound(to: UnsafeRawPointer.self) { leaf in
        for index in leaf.indices where unsafe leaf[index] == address {
          found.append(position + index)
        }
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
    unsafe Unmanaged.passUnretained(links[slot].child)._withUnsafeGuaranteedRef(body)
  }

  /// Whether another inner node has the same child at a slot.
  ///
  /// - Complexity: O(1), without reference counting: the child is the first field of a link.
  func shares(_ slot: Int, with other: Tree.Node) -> Bool {
    let (mine, others) = unsafe (links + slot, other.links + slot)
    return unsafe UnsafeRawPointer(mine).load(as: UnsafeRawPointer.self)
      == UnsafeRawPointer(others).load(as: UnsafeRawPointer.self)
  }

  /// Returns the slot of the child that holds the element at `offset`, and makes `offset` relative
  /// to the child.
  ///
  /// - Complexity: O(slots).
  func slot(holding offset: inout Int) -> Int {
    var slot = 0
    // The caller passes an offset within the node, so the loop ends at some link.
    while unsafe offset >= links[slot].count {
      unsafe offset -= links[slot].count
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
  func leaf(holding offset: inout Int) -> UnsafeBufferPointer<Element> {
    guard !isLeaf else { return unsafe UnsafeBufferPointer(start: elements, count: slots) }
    let slot = slot(holding: &offset)
    return unsafe withChild(at: slot) { unsafe $0.leaf(holding: &offset) }
  }

  /// See ``Tree/lowerBound(_:)``.
  ///
  /// This is a loop so that the predicate can be inlined: a call would take a copy of each element.
  @inline(__always)
  func lowerBound(_ isBefore: (Element) -> Bool) -> Int {
    // A node that is searched is owned by the link above it. This node is retained here, and
    // thereby all nodes below it. An edit in the predicate finds them shared and copies them.
    defer { withExtendedLifetime(self) {} }
    var node = unsafe Unmanaged.passUnretained(self)
    var skipped = 0
    while true {
      let found = unsafe node._withUnsafeGuaranteedRef { node in
        let before = node.partition(isBefore)
        // In an inner node the last child that begins before the bound contains it.
        guard !node.isLeaf, before > 0 else {
          skipped &+= before
          return unsafe Unmanaged<Tree.Node>?.none
        }
        for slot in 0..<(before - 1) { unsafe skipped &+= node.links[slot].count }
        return unsafe Unmanaged.passUnretained(node.links[before - 1].child)
      }
      guard let child = unsafe found else { return skipped }
      unsafe node = unsafe child
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
      if unsafe isBefore(elements[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
