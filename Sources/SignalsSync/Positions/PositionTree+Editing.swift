extension PositionTree {
  /// Inserts positions, with identities that are not there, and returns where the first of them is.
  ///
  /// - Throws: ``PositionsError``. Nothing has changed then.
  mutating func insert(
    _ range: ElementRange, _ kind: ListBunch.Kind, at place: ListPlace,
    showing state: SlotSequence.SlotState
  ) throws(PositionsError) -> Location {
    guard range.count <= Self.mostSlots - slotCount else { throw .tooLong }
    let side = place.side
    let known = try originLocation(of: place)
    let origin = known.map { slot(at: $0) } ?? .start
    let neighbor = bunches.neighbor(of: range.first, beside: origin, side)
    slotCount += range.count
    let new = addSlots(range, kind, beside: origin, side)
    let piece = SlotSequence.Piece(
      bunch: new.bunch, offset: new.offset, count: UInt32(range.count), state: state)
    let previous = makeRoom(neighbor, beside: origin, at: known)
    if previous != 0, sequence[previous].continues(in: piece) {
      let location = Location(piece: previous, offset: sequence[previous].count)
      sequence.extend(previous, by: piece.count)
      return location
    }
    let number = sequence.insert(piece, after: previous)
    index.insert(number, for: range.first)
    return Location(piece: number, offset: 0)
  }

  /// Sets what some positions of one piece show.
  mutating func set(_ state: SlotSequence.SlotState, at location: Location, count: Int) {
    var piece = location.piece
    if location.offset > 0 { piece = split(piece, at: location.offset) }
    if count < sequence[piece].count { _ = split(piece, at: UInt32(count)) }
    sequence.set(state, of: piece)
    joinNext(to: piece)
    joinNext(to: sequence.piece(before: piece))
  }

  /// Returns where the position is beside which a place is, or nil at the start.
  private func originLocation(of place: ListPlace) throws(PositionsError) -> Location? {
    guard let id = place.origin else { return nil }
    guard let location = location(of: id) else { throw .missing(id) }
    return location
  }

  /// Adds positions to the tree: to the bunch that they go on from, or as a bunch of their own.
  private mutating func addSlots(
    _ range: ElementRange, _ kind: ListBunch.Kind, beside origin: Slot, _ side: ListSide
  ) -> Slot {
    let count = UInt32(range.count)
    if side == .after, origin != .start, bunches[origin.bunch].kind == kind,
      bunches.id(of: origin).advanced(by: 1) == range.first
    {
      bunches.extend(origin.bunch, by: count)
      return Slot(bunch: origin.bunch, offset: origin.offset + 1)
    }
    let bunch = Bunch(first: range.first, count: count, origin: origin, side: side, kind: kind)
    return Slot(bunch: bunches.append(bunch), offset: 0)
  }

  /// Splits the piece in the middle of which something is inserted, and returns the piece that
  /// will be before it.
  private mutating func makeRoom(
    _ neighbor: Bunches.Neighbor, beside origin: Slot, at known: Location?
  ) -> UInt32 {
    func find(_ slot: Slot) -> Location {
      if slot == origin, let known { return known }
      return knownLocation(of: bunches.id(of: slot))
    }
    switch neighbor {
    case .after(.start):
      return 0
    case .after(let slot):
      let location = find(slot)
      if rest(at: location) > 1 { _ = split(location.piece, at: location.offset + 1) }
      return location.piece
    case .before(let slot):
      let location = find(slot)
      if location.offset == 0 { return sequence.piece(before: location.piece) }
      _ = split(location.piece, at: location.offset)
      return location.piece
    }
  }

  private mutating func split(_ piece: UInt32, at offset: UInt32) -> UInt32 {
    let tail = sequence.split(piece, at: offset)
    index.insert(tail, for: id(at: Location(piece: tail, offset: 0)))
    return tail
  }

  /// Makes one piece of two if the second goes on where the first ends.
  private mutating func joinNext(to piece: UInt32) {
    guard piece != 0 else { return }
    let next = sequence.piece(after: piece)
    guard next != 0, sequence[piece].continues(in: sequence[next]) else { return }
    index.remove(id(at: Location(piece: next, offset: 0)))
    sequence.join(next, to: piece)
  }
}
