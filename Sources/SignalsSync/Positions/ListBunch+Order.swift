extension [ListBunch] {
  /// Returns the numbers of the bunches in an order in which each comes after the one beside
  /// which it is placed.
  ///
  /// - Throws: ``PositionsError``, if there is no such order, or the bunches are not sorted.
  func insertionOrder() throws(PositionsError) -> [Int] {
    try checkOrder()
    var order: [Int] = []
    order.reserveCapacity(count)
    var isPlaced = [Bool](repeating: false, count: count)
    var path: [Int] = []
    for start in indices {
      var next: Int? = start
      while let bunch = next, !isPlaced[bunch] {
        // A path that is longer than there are bunches goes round.
        guard path.count < count else { throw .cycle(self[start].ids.first) }
        path.append(bunch)
        next = try origin(of: self[bunch])
      }
      while let bunch = path.popLast() {
        isPlaced[bunch] = true
        order.append(bunch)
      }
    }
    return order
  }

  /// Checks that identities ascend, and that no bunch could be part of the one before it.
  private func checkOrder() throws(PositionsError) {
    var previous: ListBunch?
    for bunch in self {
      guard bunch.ids.isWellFormed else { throw .invalidRange(bunch.ids) }
      if let previous {
        guard previous.ids.first < bunch.ids.first else { throw .notCanonical(bunch.ids.first) }
        let last = previous.ids.last
        guard last < bunch.ids.first else { throw .alreadyUsed(bunch.ids.first) }
        if bunch.place == .after(last), bunch.kind == previous.kind,
          bunch.ids.first == last.advanced(by: 1)
        {
          throw .notCanonical(bunch.ids.first)
        }
      }
      previous = bunch
    }
  }

  /// Returns the number of the bunch beside a position of which another is placed.
  private func origin(of bunch: ListBunch) throws(PositionsError) -> Int? {
    guard let id = bunch.place.origin else { return nil }
    let number = partitionPoint { $0.ids.first <= id } - 1
    guard number >= 0, id <= self[number].ids.last else { throw .missing(id) }
    return number
  }
}
