internal import Signals

extension ListPositions {
  /// Applies an operation of another replica, or of this one once more.
  ///
  /// An operation that has been applied before does nothing.
  ///
  /// - Returns: What the caller has to do to its list of values.
  /// - Throws: ``PositionsError``. Nothing has changed then. After
  ///   ``PositionsError/missing(_:)``, the operation can be applied when the elements that it names have come.
  /// - Complexity: O(log *n*) for each run of elements that the operation changes.
  package mutating func apply(
    _ operation: ListOperation<MoveStamp>
  ) throws(PositionsError) -> [ListEffect<MoveStamp>] {
    switch operation {
    case .insert(let range, at: let place):
      try insert(range, at: place)
    case .delete(let range):
      try delete(range)
    case .move(let element, to: let position, at: let place, let stamp):
      try move(element, to: Move(stamp: stamp, position: position), at: place)
    }
  }
}

extension ListPositions {
  // MARK: - Inserting

  private mutating func insert(
    _ range: ElementRange, at place: ListPlace
  ) throws(PositionsError) -> [ListEffect<MoveStamp>] {
    guard range.isWellFormed, range.count <= ListOperation<MoveStamp>.mostInserted else {
      throw .invalidRange(range)
    }
    if let location = try tree.firstLocation(of: range) {
      return try insertRest(of: range, at: location)
    }
    let location = try tree.insert(range, .elements, at: place, showing: .visible)
    return [.inserted(range, at: tree.index(at: location))]
  }

  /// Inserts the new elements of a run that has grown since it was inserted.
  private mutating func insertRest(
    of range: ElementRange, at location: PositionTree.Location
  ) throws(PositionsError) -> [ListEffect<MoveStamp>] {
    guard tree.kind(at: location) == .elements else { throw .alreadyUsed(range.first) }
    let known = tree.bunchRest(at: location)
    guard known < range.count else { return [] }
    let rest = ElementRange(first: range.first.advanced(by: known), count: range.count - known)
    guard try tree.firstLocation(of: rest) == nil else { throw .alreadyUsed(rest.first) }
    let place = ListPlace.after(range.first.advanced(by: known - 1))
    let start = try tree.insert(rest, .elements, at: place, showing: .visible)
    return [.inserted(rest, at: tree.index(at: start))]
  }
}

extension ListPositions {
  // MARK: - Deleting

  private mutating func delete(
    _ range: ElementRange
  ) throws(PositionsError) -> [ListEffect<MoveStamp>] {
    try tree.checkElements(range)
    var effects: [ListEffect<MoveStamp>] = []
    var done = 0
    while done < range.count {
      let id = range.first.advanced(by: done)
      let location = tree.knownLocation(of: id)
      let count = min(range.count - done, tree.rest(at: location))
      switch tree.state(at: location) {
      case .deleted:
        break
      case .visible:
        effects.appendRemoval(at: tree.index(at: location), count: count)
        tree.set(.deleted, at: location, count: count)
      case .vacant:
        for step in 0..<count { deletePosition(of: id.advanced(by: step), &effects) }
        tree.set(.deleted, at: tree.knownLocation(of: id), count: count)
      }
      done += count
    }
    return effects
  }

  /// Hides the position of an element that was moved.
  private mutating func deletePosition(
    of element: ElementID, _ effects: inout [ListEffect<MoveStamp>]
  ) {
    guard let move = moves.removeValue(forKey: element) else {
      trap("a vacant element has no position")
    }
    movedElements[move.position] = nil
    let location = tree.knownLocation(of: move.position)
    effects.appendRemoval(at: tree.index(at: location), count: 1)
    tree.set(.vacant, at: location, count: 1)
  }
}

extension ListPositions {
  // MARK: - Moving

  private mutating func move(
    _ element: ElementID, to move: Move, at place: ListPlace
  ) throws(PositionsError) -> [ListEffect<MoveStamp>] {
    let range = ElementRange(first: move.position, count: 1)
    guard range.isWellFormed else { throw .invalidRange(range) }
    guard let first = tree.location(of: element) else { throw .missing(element) }
    guard tree.kind(at: first) == .elements else { throw .wrongKind(element) }
    if let location = try tree.firstLocation(of: range) {
      guard tree.kind(at: location) == .positions else { throw .alreadyUsed(move.position) }
      return []
    }
    let old = moves[element]
    let isDeleted = tree.state(at: first) == .deleted
    if isDeleted || old.map({ !$0.isBefore(move) }) ?? false {
      // The position is kept, as later operations may be placed beside it.
      _ = try tree.insert(range, .positions, at: place, showing: .vacant)
      return [.moveLost(element, stamp: move.stamp, to: old?.stamp)]
    }
    let from = tree.index(at: old.map { tree.knownLocation(of: $0.position) } ?? first)
    let location = try tree.insert(range, .positions, at: place, showing: .visible)
    let index = tree.index(at: location)
    let left = tree.knownLocation(of: old?.position ?? element)
    tree.set(.vacant, at: left, count: 1)
    if let old { movedElements[old.position] = nil }
    moves[element] = move
    movedElements[move.position] = element
    let to = index > from ? index - 1 : index
    return [.moved(element, from: from, to: to, replacing: old?.stamp)]
  }
}

extension ListPositions.Move {
  /// Returns whether the other move wins: the later one, or of two with the same stamp, that with
  /// the greater position.
  func isBefore(_ other: Self) -> Bool {
    stamp == other.stamp ? position < other.position : stamp < other.stamp
  }
}

extension Array {
  /// Appends the removal of elements, to the last one if that was at the same index.
  fileprivate mutating func appendRemoval<MoveStamp>(at index: Int, count: Int)
  where Element == ListEffect<MoveStamp> {
    if case .removed(let last) = last, last.lowerBound == index {
      self[self.count - 1] = .removed(last.lowerBound..<last.upperBound + count)
    } else {
      append(.removed(index..<index + count))
    }
  }
}
