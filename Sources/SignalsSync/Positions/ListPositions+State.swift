extension ListPositions {
  /// All that the list knows, as plain values.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of runs.
  package var state: ListState<MoveStamp> {
    var state = ListState<MoveStamp>()
    state.bunches = tree.bunches.exported()
    state.moves = moves.map { element, move in
      ListMove(element: element, position: move.position, stamp: move.stamp)
    }
    state.moves.sort { $0.element < $1.element }
    state.deleted = tree.deletedRanges()
    return state
  }

  /// Creates the positions that a state describes, which may come from anywhere.
  ///
  /// - Throws: ``PositionsError``, if no replica can have had the state.
  /// - Complexity: O(*n* log *n*), where *n* is the number of runs.
  package init(_ state: ListState<MoveStamp>) throws(PositionsError) {
    for number in try state.bunches.insertionOrder() {
      let bunch = state.bunches[number]
      let shown = bunch.kind == .elements ? SlotSequence.SlotState.visible : .vacant
      _ = try tree.insert(bunch.ids, bunch.kind, at: bunch.place, showing: shown)
    }
    try restore(state.deleted)
    try restore(state.moves)
  }

  private mutating func restore(_ deleted: [ElementRange]) throws(PositionsError) {
    var end: ElementID?
    for range in deleted {
      try tree.checkElements(range)
      // A range that goes on where the last one ends should be part of it.
      if let end, range.first <= end.advanced(by: 1) { throw .notCanonical(range.first) }
      end = range.last
      _ = try apply(.delete(range))
    }
  }

  private mutating func restore(_ moves: [ListMove<MoveStamp>]) throws(PositionsError) {
    self.moves.reserveCapacity(moves.count)
    movedElements.reserveCapacity(moves.count)
    var last: ElementID?
    for move in moves {
      if let last, move.element <= last { throw .notCanonical(move.element) }
      last = move.element
      try tree.checkElements(ElementRange(first: move.element, count: 1))
      guard !isDeleted(move.element) else { throw .positionOfDeleted(move.element) }
      guard let location = tree.location(of: move.position) else { throw .missing(move.position) }
      guard tree.kind(at: location) == .positions else { throw .wrongKind(move.position) }
      guard tree.state(at: location) == .vacant else { throw .positionOfTwo(move.position) }
      tree.set(.visible, at: location, count: 1)
      tree.set(.vacant, at: tree.knownLocation(of: move.element), count: 1)
      self.moves[move.element] = Move(stamp: move.stamp, position: move.position)
      movedElements[move.position] = move.element
    }
  }
}

extension Bunches {
  /// Returns the bunches in the order of their identities.
  fileprivate func exported() -> [ListBunch] {
    bunches.sorted { $0.first < $1.first }.map { bunch in
      ListBunch(
        ids: ElementRange(first: bunch.first, count: Int(bunch.count)),
        place: bunch.origin == .start
          ? .start
          : bunch.side == .after ? .after(id(of: bunch.origin)) : .before(id(of: bunch.origin)),
        kind: bunch.kind)
    }
  }
}
