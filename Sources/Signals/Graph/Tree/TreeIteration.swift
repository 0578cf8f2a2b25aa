// State: where a reading stands.
//
// - `Iterator.position`, the index after the current leaf; `place` and `end`, what is left of that
//   leaf. Only the iterator's own `next()` changes them. Its `tree` keeps the leaf alive.

extension Tree: Sequence {
  /// Reads a version from front to back.
  ///
  /// It holds the version: edits to the tree meanwhile do not show.
  @safe package struct Iterator: IteratorProtocol {
    private let tree: Tree
    private var position: Int
    private var place: UnsafePointer<Element>?
    private var end: UnsafePointer<Element>?

    /// Makes an iterator whose first element is the one at `position`.
    ///
    /// O(1).
    fileprivate init(_ tree: Tree, from position: Int) {
      precondition(position >= 0 && position <= tree.count, "index out of range")
      self.tree = tree
      self.position = position
      unsafe place = nil
      unsafe end = nil
    }

    /// The next element.
    ///
    /// O(1) amortised.
    package mutating func next() -> Element? {
      // Both addresses are in one leaf of `tree`, which this iterator keeps alive.
      if unsafe place == end {
        guard position < tree.count else { return nil }
        enterLeaf()
      }
      return withExtendedLifetime(tree) {
        let current = unsafe place.unsafelyUnwrapped
        unsafe place = current + 1
        return unsafe current.pointee
      }
    }

    /// Goes to the leaf of the element at `position`.
    private mutating func enterLeaf() {
      var offset = position
      let leaf = unsafe tree.leaf(holding: &offset)
      unsafe place = leaf.baseAddress.unsafelyUnwrapped + offset
      unsafe end = leaf.baseAddress.unsafelyUnwrapped + leaf.count
      position += leaf.count - offset
    }
  }

  /// Makes an iterator over all elements.
  ///
  /// O(1).
  package func makeIterator() -> Iterator {
    makeIterator(from: 0)
  }

  /// Makes an iterator over the elements from `position` on.
  ///
  /// O(1).
  package func makeIterator(from position: Int) -> Iterator {
    Iterator(self, from: position)
  }

  /// The number of elements.
  ///
  /// O(1).
  package var underestimatedCount: Int { count }

  /// Calls a function with each element of a range of positions.
  ///
  /// O(*m* + log *n*) for *m* elements.
  package func forEach(
    in range: Range<Int>, _ body: (Element) throws -> Void
  ) rethrows {
    try unsafe forEachLeaf(in: range) { leaf in
      for index in leaf.indices { try unsafe body(leaf[index]) }
    }
  }

  /// Calls a function with each leaf's part of a range of positions.
  ///
  /// O(log *n*) for each leaf.
  ///
  /// The memory is valid for as long as this version exists.
  func forEachLeaf(
    in range: Range<Int>, _ body: (UnsafeBufferPointer<Element>) throws -> Void
  ) rethrows {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "range out of bounds")
    try withExtendedLifetime(self) {
      var position = range.lowerBound
      while position < range.upperBound {
        var offset = position
        let leaf = unsafe leaf(holding: &offset)
        let end = Swift.min(leaf.count, offset + range.upperBound - position)
        try unsafe body(UnsafeBufferPointer(rebasing: leaf[offset..<end]))
        position += end - offset
      }
    }
  }
}
