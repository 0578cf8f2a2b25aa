internal import Signals

/// The positions of a shared list: their tree, their order, and what each shows.
///
/// The state is `bunches`, the tree; `sequence`, the order that follows from it; `index`, which
/// finds the pieces of the sequence; and `slotCount`. An insertion is placed by the tree, and then
/// made in the sequence and the index. Only the sequence has what a position shows. Only
/// `PositionTree+Editing.swift` changes the state.
struct PositionTree: Sendable {
  /// The greatest number of positions, so that numbers of them fit into 31 bits.
  static let mostSlots = Int(Int32.max)

  var bunches = Bunches()
  var sequence = SlotSequence()
  var index = PieceIndex()
  /// The number of positions, the hidden ones included.
  var slotCount = 0

  /// A position, as the number of its piece and its number in the piece.
  struct Location {
    var piece: UInt32
    var offset: UInt32
  }
}

extension PositionTree {
  /// Returns where a position is, or nil if no position has the identity.
  func location(of id: ElementID) -> Location? {
    guard let number = index.piece(atOrBefore: id) else { return nil }
    let piece = sequence[number]
    let first = bunches[piece.bunch].first
    let offset = id.counter &- first.counter &- UInt64(piece.offset)
    guard first.replica == id.replica, offset < piece.count else { return nil }
    return Location(piece: number, offset: UInt32(offset))
  }

  /// Returns where the first of the identities is, or nil if all are missing.
  ///
  /// - Throws: ``PositionsError/alreadyUsed(_:)``, if there are others but not the first.
  func firstLocation(of range: ElementRange) throws(PositionsError) -> Location? {
    guard let number = index.piece(atOrBefore: range.last) else { return nil }
    let end = Location(piece: number, offset: sequence[number].count - 1)
    let last = id(at: end)
    guard last.replica == range.first.replica, last >= range.first else { return nil }
    guard let location = location(of: range.first) else { throw .alreadyUsed(range.first) }
    return location
  }

  /// Returns where a position is that is known to be there.
  func knownLocation(of id: ElementID) -> Location {
    guard let location = location(of: id) else {
      trap("a position of a shared list is not in its index")
    }
    return location
  }

  /// Returns the identity of a position.
  func id(at location: Location) -> ElementID { bunches.id(of: slot(at: location)) }

  /// Returns what the piece of the position shows.
  func state(at location: Location) -> SlotSequence.SlotState { sequence[location.piece].state }

  /// Returns whether the position is that of an element or was made by a move.
  func kind(at location: Location) -> ListBunch.Kind {
    bunches[sequence[location.piece].bunch].kind
  }

  /// Returns the number of positions in the piece from the one given on.
  func rest(at location: Location) -> Int {
    Int(sequence[location.piece].count - location.offset)
  }

  /// Returns the index of a visible position.
  func index(at location: Location) -> Int {
    sequence.index(of: location.piece) + Int(location.offset)
  }

  /// Returns the place for an insertion after the visible position at the index, or at the start.
  ///
  /// It is on the right of that position, or on the left of the next if there is something on the
  /// right already. So runs that are inserted at the same place don't mix, whether each was
  /// inserted forward or backward.
  func place(afterIndex index: Int?) -> ListPlace {
    var next = Location(piece: sequence.first, offset: 0)
    if let index {
      let (piece, offset) = sequence.piece(at: index)
      let location = Location(piece: piece, offset: offset)
      guard bunches.hasRight(slot(at: location)) else { return .after(id(at: location)) }
      next =
        rest(at: location) > 1
        ? Location(piece: piece, offset: offset + 1)
        : Location(piece: sequence.piece(after: piece), offset: 0)
    }
    return next.piece == 0 ? .start : .before(id(at: next))
  }

  /// Returns the identities that have been deleted, in as few ranges as possible.
  func deletedRanges() -> [ElementRange] {
    var ranges: [ElementRange] = []
    index.forEach { number in
      let piece = sequence[number]
      guard piece.state == .deleted else { return }
      ranges.append(id(at: Location(piece: number, offset: 0)), count: Int(piece.count))
    }
    return ranges
  }

  /// Returns the number of positions in the bunch from the one given on.
  func bunchRest(at location: Location) -> Int {
    let slot = slot(at: location)
    return Int(bunches[slot.bunch].count - slot.offset)
  }

  /// Checks that there are elements with the identities.
  func checkElements(_ range: ElementRange) throws(PositionsError) {
    guard range.isWellFormed else { throw .invalidRange(range) }
    var done = 0
    while done < range.count {
      let id = range.first.advanced(by: done)
      guard let location = location(of: id) else { throw .missing(id) }
      guard kind(at: location) == .elements else { throw .wrongKind(id) }
      done += bunchRest(at: location)
    }
  }

  func slot(at location: Location) -> Slot {
    let piece = sequence[location.piece]
    return Slot(bunch: piece.bunch, offset: piece.offset + location.offset)
  }
}
