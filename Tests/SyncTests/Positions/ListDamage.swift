import SignalsSync

extension ListState<Int> {
  /// Changes one thing in the state.
  mutating func damage(using random: inout some RandomNumberGenerator) {
    let id = anyID(using: &random)
    let bunch = bunches.indices.randomElement(using: &random)
    let move = moves.indices.randomElement(using: &random)
    let range = deleted.indices.randomElement(using: &random)
    switch (Int.random(in: 0..<12, using: &random), bunch, move, range) {
    case (0, let bunch?, _, _): bunches[bunch].ids = ElementRange.any(id, using: &random)
    case (1, let bunch?, _, _): bunches[bunch].place = .any(id, using: &random)
    case (2, let bunch?, _, _):
      bunches[bunch].kind = Bool.random(using: &random) ? .elements : .positions
    case (3, let bunch?, _, _): bunches.remove(at: bunch)
    case (4, let bunch?, _, _): bunches.append(bunches[bunch])
    case (5, let bunch?, _, _): bunches[bunch].place = .after(id)
    case (6, _, let move?, _): moves[move].element = id
    case (7, _, let move?, _): moves[move].position = id
    case (8, _, let move?, _): moves.append(moves[move])
    case (9, _, _, let range?): deleted[range] = .any(id, using: &random)
    case (10, _, _, let range?): deleted.remove(at: range)
    default:
      deleted.append(.any(id, using: &random))
      deleted.sort { $0.first < $1.first }
    }
  }

  /// Returns an identity that is in the state or next to one that is, or any.
  func anyID(using random: inout some RandomNumberGenerator) -> ElementID {
    guard let bunch = bunches.randomElement(using: &random),
      Int.random(in: 0..<20, using: &random) > 0
    else {
      return ElementID(replica: .random(in: 0...2), counter: Bool.random(using: &random) ? .max : 0)
    }
    var id = bunch.ids.first
    id.counter &+= UInt64(Int.random(in: 0...max(0, bunch.ids.count), using: &random))
    if Int.random(in: 0..<20, using: &random) == 0 { id.counter &-= 1 }
    return id
  }
}

extension ElementRange {
  static func any(_ id: ElementID, using random: inout some RandomNumberGenerator) -> Self {
    let odd = [0, -1, Int.max, Int.min, Int(Int32.max)].randomElement(using: &random) ?? 0
    let usual = Int.random(in: 1...4, using: &random)
    return Self(first: id, count: Int.random(in: 0..<8, using: &random) == 0 ? odd : usual)
  }
}

extension ListPlace {
  static func any(_ id: ElementID, using random: inout some RandomNumberGenerator) -> Self {
    [.start, .after(id), .before(id)].randomElement(using: &random) ?? .start
  }
}

extension ListOperation<Int> {
  static func any(
    in state: ListState<Int>, using random: inout some RandomNumberGenerator
  ) -> Self {
    let (id, other) = (state.anyID(using: &random), state.anyID(using: &random))
    let new = ElementID(replica: 30, counter: .random(in: 0..<20, using: &random))
    let fresh = Bool.random(using: &random) ? new : other
    let place = ListPlace.any(id, using: &random)
    return switch Int.random(in: 0..<3, using: &random) {
    case 0: .insert(.any(fresh, using: &random), at: place)
    case 1: .delete(.any(id, using: &random))
    default: .move(other, to: fresh, at: place, stamp: .random(in: 0...400, using: &random))
    }
  }
}
