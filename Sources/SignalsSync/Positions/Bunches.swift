/// A position, as the number of its bunch and its number in the bunch.
struct Slot: Hashable, Sendable {
  var bunch: UInt32
  var offset: UInt32

  /// The start of the list, on whose right everything is.
  static let start = Slot(bunch: .max, offset: 0)
}

/// The side of a position on which another was inserted.
package enum ListSide: UInt8, Sendable {
  case after, before
}

/// A run of positions with identities that follow each other, each inserted after the one before.
struct Bunch: Sendable {
  let first: ElementID
  var count: UInt32
  /// The position beside which the first was inserted.
  let origin: Slot
  let side: ListSide
  let kind: ListBunch.Kind
}

/// The bunches of a list, and which of them were inserted beside which position.
///
/// The bunches are a tree, after Weidner and Kleppmann's Fugue: a bunch inserted before a
/// position comes before it, one inserted after a position comes after it, each with all
/// that was inserted beside it in turn. Bunches on the same side of a position come in the order
/// of their identities. So the order of the list follows from the tree alone.
///
/// The state is `bunches`, which only grows, and its inverse, `children` and `forks`.
struct Bunches: Sendable {
  private(set) var bunches: [Bunch] = []
  /// The bunches beside a position.
  private var children = ChildTable()
  /// For each bunch, the offsets, ascending, of the positions that have both a next one in the
  /// bunch and, after that, a bunch on the same side.
  private var forks: [UInt32: [UInt32]] = [:]

  subscript(bunch: UInt32) -> Bunch { bunches[Int(bunch)] }

  /// Returns the identity of a position.
  func id(of slot: Slot) -> ElementID {
    bunches[Int(slot.bunch)].first.advanced(by: Int(slot.offset))
  }

  /// Returns whether anything was inserted after a position.
  func hasRight(_ slot: Slot) -> Bool {
    next(in: slot) != nil || children.last(beside: slot, .after) != nil
  }

  /// Adds a bunch, and returns its number.
  mutating func append(_ bunch: Bunch) -> UInt32 {
    let number = UInt32(bunches.count)
    bunches.append(bunch)
    children.insert(number, beside: bunch.origin, bunch.side, in: bunches)
    if bunch.side == .after, let next = next(in: bunch.origin), id(of: next) < bunch.first {
      addFork(at: bunch.origin)
    }
    return number
  }

  /// Makes a bunch longer.
  mutating func extend(_ number: UInt32, by count: UInt32) {
    let last = Slot(bunch: number, offset: bunches[Int(number)].count - 1)
    bunches[Int(number)].count += count
    if let other = children.last(beside: last, .after),
      id(of: last).advanced(by: 1) < bunches[Int(other)].first
    {
      addFork(at: last)
    }
  }

  private mutating func addFork(at slot: Slot) {
    let place = forks[slot.bunch]?.partitionPoint { $0 < slot.offset } ?? 0
    if let offsets = forks[slot.bunch], place < offsets.count, offsets[place] == slot.offset {
      return
    }
    forks[slot.bunch, default: []].insert(slot.offset, at: place)
  }

  /// Returns the position in the same bunch that was inserted after the one given.
  private func next(in slot: Slot) -> Slot? {
    guard slot != .start, slot.offset + 1 < bunches[Int(slot.bunch)].count else { return nil }
    return Slot(bunch: slot.bunch, offset: slot.offset + 1)
  }
}

extension Bunches {
  // MARK: - The order

  /// The neighbor of a new position in the order.
  enum Neighbor {
    case after(Slot)
    case before(Slot)
  }

  /// Returns where a new position comes in the order of all positions.
  ///
  /// - Complexity: O(log *n*), and where others were inserted at the same place, the length of the
  ///   shorter of two paths: that to the end of those before it, that to the start of those after.
  func neighbor(of id: ElementID, beside origin: Slot, _ side: ListSide) -> Neighbor {
    var (previous, next) = children.siblings(of: id, beside: origin, side, in: bunches)
    if side == .after, let inBunch = self.next(in: origin) {
      let other = self.id(of: inBunch)
      if other < id {
        if previous.map({ self.id(of: $0) < other }) ?? true { previous = inBunch }
      } else if next.map({ other < self.id(of: $0) }) ?? true {
        next = inBunch
      }
    }
    switch side {
    case .after where previous == nil: return .after(origin)
    case .before where next == nil: return .before(origin)
    default: return gap(between: previous, and: next)
    }
  }

  /// Returns the end of all that is beside one position or the start of all beside another,
  /// whichever is found first: these are the two sides of the same place.
  private func gap(between previous: Slot?, and next: Slot?) -> Neighbor {
    var (previous, next) = (previous, next)
    while true {
      if let slot = previous {
        let end = endOfRun(slot)
        guard let child = children.last(beside: end, .after) else { return .after(end) }
        previous = Slot(bunch: child, offset: 0)
      }
      if let slot = next {
        guard let child = children.first(beside: slot, .before) else { return .before(slot) }
        next = Slot(bunch: child, offset: 0)
      }
    }
  }

  /// Returns the first position from the one given on after which the bunch is not what comes
  /// last: a fork, or its end.
  private func endOfRun(_ slot: Slot) -> Slot {
    if let offsets = forks[slot.bunch] {
      let place = offsets.partitionPoint { $0 < slot.offset }
      if place < offsets.count { return Slot(bunch: slot.bunch, offset: offsets[place]) }
    }
    return Slot(bunch: slot.bunch, offset: bunches[Int(slot.bunch)].count - 1)
  }
}
