// State: the progress of an iteration.
//
// - `Iterator.position`, the index after the current leaf; `place` and `end`, the rest of that
//   leaf. Only the iterator's own `next()` changes them. Its `tree` keeps the leaf alive.

extension Tree: Sequence {
  /// An iterator over one version, from front to back.
  ///
  /// It retains the version, so later edits of the tree don't affect it.
  @safe package struct Iterator: IteratorProtocol {
    private let tree: Tree
    private var position: Int
    private var place: UnsafePointer<Element>?
    private var end: UnsafePointer<Element>?

    /// Creates an iterator that begins with the element at `position`.
    ///
    /// - Complexity: O(1).
    fileprivate init(_ tree: Tree, from position: Int) {
      precondition(position >= 0 && position <= tree.count, "index out of range")
      self.tree = tree
      self.position = position
      unsafe place = nil
      unsafe end = nil
    }

    /// Returns the next element.
    ///
    /// - Complexity: O(1) amortized.
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

    /// Enters the leaf of the element at `position`.
    private mutating func enterLeaf() {
      var offset = position
      let leaf = unsafe tree.leaf(holding: &offset)
      unsafe place = leaf.baseAddress.unsafelyUnwrapped + offset
      unsafe end = leaf.baseAddress.unsafelyUnwrapped + leaf.count
      position += leaf.count - offset
    }
  }

  /// Returns an iterator over all elements.
  ///
  /// - Complexity: O(1).
  package func makeIterator() -> Iterator {
    makeIterator(from: 0)
  }

  /// Returns an iterator over the elements from `position` on.
  ///
  /// - Complexity: O(1).
  package func makeIterator(from position: Int) -> Iterator {
    Iterator(self, from: position)
  }

  /// The number of elements.
  ///
  /// - Complexity: O(1).
  package var underestimatedCount: Int { count }

  /// Calls a function with each element in a range of positions.
  ///
  /// - Complexity: O(*m* + log *n*) for *m* elements.
  package func forEach(
    in range: Range<Int>, _ body: (Element) throws -> Void
  ) rethrows {
    try unsafe forEachLeaf(in: range) { leaf in
      for index in leaf.indices { try unsafe body(leaf[index]) }
    }
  }

  /// Calls a function with the part of each leaf that is in a range of positions.
  ///
  /// The memory is valid as long as this version exists.
  ///
  /// - Complexity: O(log *n*) for each leaf.
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
