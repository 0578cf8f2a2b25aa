internal import Signals

/// The identities and the order of the elements of a list that several replicas edit.
///
/// The values are not here: the caller keeps them in another list, and edits it by the
/// effects that operations have. Elements can be inserted, deleted and moved, also while replicas
/// don't hear of each other:
///
/// - An element keeps its identity, and is never in the list twice.
/// - Runs that are inserted at the same place don't mix.
/// - Of several moves of an element, the one with the latest stamp wins.
/// - An element that was deleted stays so, whatever else is done to it.
///
/// A local edit takes indexes and returns the operation for the other replicas, which apply it:
///
/// ```swift
/// let operation = mine.insert(count: 1, at: 0, first: ElementID(replica: 1, counter: 7))
/// for effect in try theirs.apply(operation) { values.apply(effect) }
/// ```
///
/// A list that was made in one place is a single run: until it is edited elsewhere, it has the
/// size of one piece, whatever its length.
///
/// The state is `tree`; `moves`, the latest move of each element that was moved and not deleted;
/// and `movedElements`, the element at each position in `moves`. An element with a move is shown at
/// that position, and its first position is vacant.
package struct ListPositions<MoveStamp: Comparable & Sendable>: Sendable {
  struct Move: Sendable {
    var stamp: MoveStamp
    var position: ElementID
  }

  var tree = PositionTree()
  var moves: [ElementID: Move] = [:]
  var movedElements: [ElementID: ElementID] = [:]

  /// Creates the positions of an empty list.
  package init() {}

  /// Creates the positions of a list whose elements were made in one place, in order.
  ///
  /// - Throws: ``PositionsError/invalidRange(_:)``
  package init(elements: ElementRange) throws(PositionsError) {
    guard elements.isWellFormed else { throw .invalidRange(elements) }
    _ = try tree.insert(elements, .elements, at: .start, showing: .visible)
  }
}

extension ListPositions {
  // MARK: - Reading

  /// The number of elements.
  package var count: Int { tree.sequence.visibleCount }

  /// The number of pieces: runs that are of one origin, side by side and in the same state.
  ///
  /// The memory of the list grows with it, and not with the number of elements.
  package var pieceCount: Int { tree.sequence.pieceCount }

  /// Returns the element at an index.
  ///
  /// - Complexity: O(log *n*).
  /// - Precondition: `index` is in `0..<count`.
  package func element(at index: Int) -> ElementID {
    checkIndex(index, upTo: count - 1)
    let (piece, offset) = tree.sequence.piece(at: index)
    return element(at: PositionTree.Location(piece: piece, offset: offset))
  }

  /// Returns the index of an element, or nil if it is not in the list.
  ///
  /// - Complexity: O(log *n*).
  package func index(of element: ElementID) -> Int? {
    guard let location = tree.location(of: moves[element]?.position ?? element),
      tree.state(at: location) == .visible, self.element(at: location) == element
    else { return nil }
    return tree.index(at: location)
  }

  /// Returns whether the element was in the list and has been deleted.
  package func isDeleted(_ element: ElementID) -> Bool {
    tree.location(of: element).map { tree.state(at: $0) == .deleted } ?? false
  }

  /// Returns the identities of the elements in a range of indexes, in order.
  ///
  /// - Complexity: O(log *n* + *k*), where *k* is the number of runs in the range.
  package func elements(in range: Range<Int>) -> [ElementRange] {
    guard !range.isEmpty else { return [] }
    checkIndex(range.lowerBound, upTo: count - 1)
    checkIndex(range.upperBound, upTo: count)
    var ranges: [ElementRange] = []
    var rest = range.count
    var (piece, offset) = tree.sequence.piece(at: range.lowerBound)
    while rest > 0 {
      let location = PositionTree.Location(piece: piece, offset: offset)
      if tree.state(at: location) == .visible {
        let count = min(rest, tree.rest(at: location))
        append(location, count: count, to: &ranges)
        rest -= count
      }
      piece = tree.sequence.piece(after: piece)
      offset = 0
    }
    return ranges
  }

  /// Appends the elements that some visible positions of one piece show.
  private func append(
    _ location: PositionTree.Location, count: Int, to ranges: inout [ElementRange]
  ) {
    if tree.kind(at: location) == .elements {
      ranges.append(tree.id(at: location), count: count)
      return
    }
    for step in 0..<count {
      var location = location
      location.offset += UInt32(step)
      ranges.append(element(at: location), count: 1)
    }
  }

  /// Returns the element that a visible position shows.
  private func element(at location: PositionTree.Location) -> ElementID {
    let id = tree.id(at: location)
    guard tree.kind(at: location) == .positions else { return id }
    guard let element = movedElements[id] else {
      trap("a visible position has no element")
    }
    return element
  }

  func checkIndex(_ index: Int, upTo last: Int) {
    guard index >= 0, index <= last else {
      trap("index \(index) is out of range in a shared list")
    }
  }
}
