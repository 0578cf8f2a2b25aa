// Iterating a version of a tree.

extension Tree: Sequence {
  /// An iterator over one version, from front to back.
  ///
  /// It retains the version, so later edits of the tree don't affect it.
  package struct Iterator: IteratorProtocol {
    /// The version, which keeps the leaf of `place` alive.
    private let tree: Tree
    /// The index after the current leaf.
    private var position: Int
    /// The next element of the current leaf.
    private var place: UncheckedPointer<Element>?
    /// The end of the current leaf.
    private var end: UncheckedPointer<Element>?

    /// Creates an iterator that begins with the element at `position`.
    ///
    /// - Complexity: O(1).
    fileprivate init(_ tree: Tree, from position: Int) {
      precondition(position >= 0 && position <= tree.count, "index out of range")
      self.tree = tree
      self.position = position
      place = nil
      end = nil
    }

    /// Returns the next element.
    ///
    /// - Complexity: O(1) amortized.
    package mutating func next() -> Element? {
      // Both addresses are in one leaf of `tree`, which this iterator keeps alive.
      if place == end {
        guard position < tree.count else { return nil }
        enterLeaf()
      }
      return withExtendedLifetime(tree) {
        guard let current = place else { return nil }
        place = current.advanced(by: 1)
        return current.pointee
      }
    }

    /// Enters the leaf of the element at `position`.
    private mutating func enterLeaf() {
      var offset = position
      let leaf = tree.leaf(holding: &offset)
      place = leaf.elements.advanced(by: offset)
      end = leaf.elements.advanced(by: leaf.count)
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
    try forEachLeaf(in: range) { leaf in
      for index in leaf.indices { try body(leaf[index]) }
    }
  }

  /// Calls a function with the part of each leaf that is in a range of positions.
  ///
  /// - Complexity: O(log *n*) for each leaf.
  func forEachLeaf(
    in range: Range<Int>, _ body: (Leaf) throws -> Void
  ) rethrows {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "range out of bounds")
    try withExtendedLifetime(self) {
      var position = range.lowerBound
      while position < range.upperBound {
        var offset = position
        let leaf = leaf(holding: &offset)
        let end = Swift.min(leaf.count, offset + range.upperBound - position)
        try body(Leaf(elements: leaf.elements.advanced(by: offset), count: end - offset))
        position += end - offset
      }
    }
  }
}
