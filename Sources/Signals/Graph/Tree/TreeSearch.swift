extension Tree {
  /// The number of leading elements for which the predicate holds.
  ///
  /// O(log *n*), in one leaf.
  ///
  /// - Precondition: No element for which it holds follows one for which it does not.
  @inline(__always)
  package func lowerBound(_ isBefore: (Element) -> Bool) -> Int {
    root?.lowerBound(isBefore) ?? 0
  }

  /// The leaf in which an element lies; afterwards `offset` is its place there.
  ///
  /// O(log *n*).
  ///
  /// The memory is valid for as long as this version exists.
  func leaf(holding offset: inout Int) -> UnsafeBufferPointer<Element> {
    precondition(offset >= 0 && offset < count, "index out of range")
    // A tree with elements has a root.
    return unsafe root.unsafelyUnwrapped.leaf(holding: &offset)
  }
}

extension Tree where Element: AnyObject {
  /// The positions of an instance, in ascending order; `most` of them are enough.
  ///
  /// O(log *n* + *d*) if they are no further than *d* from `hint`, O(*n*) if there are fewer.
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
      // By address: to load the elements would mostly count references.
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
  /// Hands out a child without retaining it.
  ///
  /// O(1).
  ///
  /// A pair of atomic operations per level is most of what a search would cost.
  func withChild<R>(at slot: Int, _ body: (Tree.Node) -> R) -> R {
    // The link owns the child, and no caller lets `body` remove the link.
    unsafe Unmanaged.passUnretained(links[slot].child)._withUnsafeGuaranteedRef(body)
  }

  /// Whether another inner node has the same child at a slot.
  ///
  /// O(1), without counting references: the child is the first thing in a link.
  func shares(_ slot: Int, with other: Tree.Node) -> Bool {
    let (mine, others) = unsafe (links + slot, other.links + slot)
    return unsafe UnsafeRawPointer(mine).load(as: UnsafeRawPointer.self)
      == UnsafeRawPointer(others).load(as: UnsafeRawPointer.self)
  }

  /// The child that holds an element; afterwards `offset` is its place there.
  ///
  /// O(slots).
  func slot(holding offset: inout Int) -> Int {
    var slot = 0
    // The caller has an offset within the node, so some link ends the loop.
    while unsafe offset >= links[slot].count {
      unsafe offset -= links[slot].count
      slot += 1
    }
    return slot
  }

  /// The child in which there is a gap; afterwards `offset` is its place there.
  ///
  /// O(slots).
  ///
  /// A gap between two children belongs to the left one, whose first element stays what it is.
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
  /// A loop, so that the predicate can become part of it: one that is called takes a copy of each element.
  @inline(__always)
  func lowerBound(_ isBefore: (Element) -> Bool) -> Int {
    // A node that is searched is owned by the link above it. This one is kept, and with it all below: what an
    // edit in a predicate finds shared, it copies.
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

  /// The number of slots whose elements are before.
  ///
  /// O(log slots).
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
