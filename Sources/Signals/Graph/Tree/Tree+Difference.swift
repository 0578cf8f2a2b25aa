/// One difference between two versions: `new[newRange]` has replaced `old[oldRange]`.
@usableFromInline
package struct TreeEdit: Equatable, Sendable {
  /// The positions in the old version; empty if elements were only inserted.
  @usableFromInline package var oldRange: Range<Int>

  /// The positions in the new version; empty if elements were only removed.
  @usableFromInline package var newRange: Range<Int>

  /// Creates a difference between two ranges of positions.
  ///
  /// - Complexity: O(1).
  @inlinable package init(oldRange: Range<Int>, newRange: Range<Int>) {
    self.oldRange = oldRange
    self.newRange = newRange
  }
}

extension TreeEdit {
  /// Returns the edits that lead from one sequence to another.
  ///
  /// The edits are exact, but not always the smallest possible.
  ///
  /// - Parameter isSame: Compares the elements at a position of the first and at one of the second
  ///   sequence.
  /// - Complexity: O(n).
  @inlinable
  static func edits(
    from oldCount: Int, to newCount: Int, isSame: (Int, Int) -> Bool
  ) -> [TreeEdit] {
    var edits: [TreeEdit] = []
    let all = TreeEdit(oldRange: 0..<oldCount, newRange: 0..<newCount)
    all.forEachEdit({ edits.append($0) }, isSame)
    return edits
  }

  /// Calls `body` with the edits within this one.
  ///
  /// - Parameter isSame: Compares two elements by their positions within this edit.
  @inlinable @inline(__always)
  func forEachEdit(_ body: (TreeEdit) -> Void, _ isSame: (Int, Int) -> Bool) {
    var (oldEnd, newEnd) = (oldRange.count, newRange.count)
    while oldEnd > 0, newEnd > 0, isSame(oldEnd - 1, newEnd - 1) {
      oldEnd -= 1
      newEnd -= 1
    }

    var (x, y) = (0, 0)
    while x < oldEnd || y < newEnd {
      if x < oldEnd, y < newEnd, isSame(x, y) {
        x += 1
        y += 1
        continue
      }
      let (oldStart, newStart) = (x, y)
      let isEnd = x == oldEnd || y == newEnd
      (x, y) = (isEnd ? nil : Self.resume(x, oldEnd, y, newEnd, isSame)) ?? (oldEnd, newEnd)
      body(
        TreeEdit(
          oldRange: oldRange.lowerBound + oldStart..<oldRange.lowerBound + x,
          newRange: newRange.lowerBound + newStart..<newRange.lowerBound + y))
    }
  }

  /// Returns the nearest place after a difference at which the sequences agree again.
  ///
  /// It looks only a few elements ahead: an edit that covers too much costs less than a search for
  /// the best edits.
  @inlinable
  static func resume(
    _ x: Int, _ oldEnd: Int, _ y: Int, _ newEnd: Int, _ isSame: (Int, Int) -> Bool
  ) -> (Int, Int)? {
    for distance in 1...8 {
      for ahead in 0...distance {
        let (x, y) = (x + ahead, y + distance - ahead)
        if x < oldEnd, y < newEnd, isSame(x, y) { return (x, y) }
      }
    }
    return nil
  }
}

extension Tree {
  /// Returns the edits that lead from one version to another.
  ///
  /// The edits are in ascending order and not adjacent to each other. Subtrees that both versions
  /// share are skipped, wherever they are now. The remaining elements are compared. The edits are
  /// exact, but not always the smallest possible.
  ///
  /// - Complexity: Proportional to the part that is not shared: a few nodes for each edit if one
  ///   version was made from the other, O(*n*) if they have nothing in common.
  @inline(__always)
  package static func difference(
    from old: Tree, to new: Tree, isSame: (Element, Element) -> Bool
  ) -> [TreeEdit] {
    difference(from: old, to: new, isSameAt: { isSame($0.pointee, $1.pointee) })
  }

  /// Returns the edits that lead from one version to another.
  ///
  /// - Parameter isSame: Compares the elements at two addresses.
  @inline(__always)
  static func difference(
    from old: Tree, to new: Tree, isSameAt isSame: Comparison
  ) -> [TreeEdit] {
    // The code below works with addresses in the nodes of both versions.
    withExtendedLifetime((old, new)) {
      var edits: [TreeEdit] = []
      forEachUnshared(from: old, to: new) { run, leaves in
        if let leaves {
          run.forEachEdit {
            edits.append($0)
          } _: {
            isSame(leaves.old.advanced(by: $0), leaves.new.advanced(by: $1))
          }
        } else {
          compare(run, from: old, to: new, isSame: isSame) { edits.append($0) }
        }
      }
      return edits
    }
  }

  /// Compares the elements at two addresses.
  typealias Comparison = (UncheckedPointer<Element>, UncheckedPointer<Element>) -> Bool

  /// Calls `body` with the edits within a run of elements that the versions do not share.
  @inline(__always)
  private static func compare(
    _ run: TreeEdit, from old: Tree, to new: Tree, isSame: Comparison, _ body: (TreeEdit) -> Void
  ) {
    // The caller holds both versions.
    let (olds, news) = (old.addresses(in: run.oldRange), new.addresses(in: run.newRange))
    run.forEachEdit(body) { isSame(olds[$0], news[$1]) }
  }

  /// The addresses of the elements in a range.
  ///
  /// They are valid as long as this version exists.
  private func addresses(in range: Range<Int>) -> [UncheckedPointer<Element>] {
    var addresses: [UncheckedPointer<Element>] = []
    addresses.reserveCapacity(range.count)
    forEachLeaf(in: range) { leaf in
      for index in leaf.indices { addresses.append(leaf.elements.advanced(by: index)) }
    }
    return addresses
  }
}

extension Tree where Element: AnyObject {
  /// Returns the edits between two versions of a sequence of instances, compared by identity.
  ///
  /// Each comparison loads two addresses. Loading the instances would mostly count references.
  package static func difference(from old: Tree, to new: Tree) -> [TreeEdit] {
    difference(from: old, to: new, isSameAt: { $0.word == $1.word })
  }
}
