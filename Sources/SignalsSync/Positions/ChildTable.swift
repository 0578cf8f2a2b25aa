/// The bunches that were inserted beside each position, in the order of their identities.
///
/// The state is `table` and `lists`. Most positions have no more than one bunch on a side, which
/// is in the table itself. Where there are several, the table holds the complement of the
/// number of a list.
struct ChildTable: Sendable {
  private var table: [UInt64: Int32] = [:]
  private var lists: [[UInt32]] = []

  /// Returns the bunch that comes first on one side of a position.
  func first(beside slot: Slot, _ side: ListSide) -> UInt32? {
    guard let entry = table[Self.key(slot, side)] else { return nil }
    return entry >= 0 ? UInt32(entry) : lists[Int(~entry)].first
  }

  /// Returns the bunch that comes last on one side of a position.
  func last(beside slot: Slot, _ side: ListSide) -> UInt32? {
    guard let entry = table[Self.key(slot, side)] else { return nil }
    return entry >= 0 ? UInt32(entry) : lists[Int(~entry)].last
  }

  /// Returns the first positions of the bunches between which one with the identity belongs.
  func siblings(
    of id: ElementID, beside slot: Slot, _ side: ListSide, in bunches: [Bunch]
  ) -> (previous: Slot?, next: Slot?) {
    guard let entry = table[Self.key(slot, side)] else { return (nil, nil) }
    if entry >= 0 {
      let only = Slot(bunch: UInt32(entry), offset: 0)
      return bunches[Int(entry)].first < id ? (only, nil) : (nil, only)
    }
    let list = lists[Int(~entry)]
    let place = list.partitionPoint { bunches[Int($0)].first < id }
    return (
      place == 0 ? nil : Slot(bunch: list[place - 1], offset: 0),
      place == list.count ? nil : Slot(bunch: list[place], offset: 0)
    )
  }

  /// Inserts a bunch where its identity belongs.
  mutating func insert(
    _ bunch: UInt32, beside slot: Slot, _ side: ListSide, in bunches: [Bunch]
  ) {
    let key = Self.key(slot, side)
    let id = bunches[Int(bunch)].first
    guard let entry = table[key] else {
      table[key] = Int32(bunch)
      return
    }
    if entry >= 0 {
      let other = UInt32(entry)
      table[key] = ~Int32(lists.count)
      lists.append(bunches[Int(other)].first < id ? [other, bunch] : [bunch, other])
    } else {
      let place = lists[Int(~entry)].partitionPoint { bunches[Int($0)].first < id }
      lists[Int(~entry)].insert(bunch, at: place)
    }
  }

  private static func key(_ slot: Slot, _ side: ListSide) -> UInt64 {
    UInt64(slot.bunch) << 32 | UInt64(slot.offset) << 1 | UInt64(side.rawValue)
  }
}
