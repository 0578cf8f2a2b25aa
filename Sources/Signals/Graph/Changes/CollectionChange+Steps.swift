// A change as a sequence of edits, for targets that are kept in parallel to a live collection and
// can't be replaced as a whole.

extension CollectionChange {
  /// One edit of a list, with positions at the time when the edit is applied.
  public enum Step {
    /// Remove the member at a position.
    case remove(at: Int)
    /// Insert a member, which is then at the position.
    case insert(Member, at: Int)
    /// Remove the member at `from` and insert it so that it is at `to` afterwards.
    case move(from: Int, to: Int)
    /// Update the member at a position, which was modified.
    case modify(at: Int)
  }

  /// The same change as a sequence of edits.
  ///
  /// `deletions`, `insertions` and `moves` are positions in the complete old and new versions. A
  /// list of widgets takes one edit at a time, and each edit shifts the elements behind it. The
  /// positions of steps take that into account.
  ///
  /// - Removals come first, then insertions and moves, then modifications. A member that was moved
  ///   and modified has a step of both kinds.
  /// - There are no more steps than positions in the change.
  ///
  /// ```swift
  /// for step in change.steps {
  ///   switch step {
  ///   case .remove(let position): box.remove(at: position)
  ///   case .insert(let book, let position): box.insert(Label(book.title), at: position)
  ///   case .move(let from, let to): box.insert(box.remove(at: from), at: to)
  ///   case .modify(let position): box[position].redraw()
  ///   }
  /// }
  /// ```
  ///
  /// - Complexity: O(*c* log *c*) for a change of *c* positions, whatever the size of the
  ///   collection.
  public var steps: [Step] {
    var steps: [Step] = deletions.reversed().map { .remove(at: $0) }
    var movers = Movers(moves.map(\.old).sorted(), deletions: deletions)
    var arrivals = zip(insertions, inserted).map { (position: $0, member: Optional($1), old: 0) }
    if !moves.isEmpty {
      arrivals += moves.map { (position: $0.new, member: nil, old: $0.old) }
      arrivals.sort { $0.position < $1.position }
    }
    for arrival in arrivals {
      if let member = arrival.member {
        steps.append(.insert(member, at: movers.arrive(at: arrival.position)))
      } else {
        let from = movers.leave(arrival.old)
        let to = movers.arrive(at: arrival.position)
        if from != to { steps.append(.move(from: from, to: to)) }
      }
    }
    return steps + modifications.map { .modify(at: $0.new) }
  }
}

extension CollectionChange.Step: Equatable where Member: Equatable {}
extension CollectionChange.Step: Sendable where Member: Sendable {}

/// The members that still have to move.
///
/// Members that don't move keep their relative order, so a place is a gap between two of them. In a
/// gap, members that have arrived come before members that still wait for their move.
private struct Movers {
  private let old: [Int]
  private let gaps: [Int]
  /// The number of waiting members, as a binary indexed tree in their old order.
  private var waiting: [Int]
  /// The gap of each member that has arrived, ascending.
  private var arrived: [Int] = []

  init(_ old: [Int], deletions: [Int]) {
    self.old = old
    gaps = old.enumerated().map { index, position in
      position - index - deletions.partitioningIndex { $0 >= position }
    }
    waiting = (0...old.count).map { $0 & -$0 }
  }

  /// Removes the member at a position of the old version, and returns its current position.
  mutating func leave(_ position: Int) -> Int {
    let index = old.partitioningIndex { $0 >= position }
    let gap = gaps[index]
    let from = gap + arrived.partitioningIndex { $0 > gap } + waiting(before: index)
    var node = index + 1
    while node < waiting.count {
      waiting[node] -= 1
      node += node & -node
    }
    return from
  }

  /// Inserts a member at a position of the new version, and returns its current position.
  ///
  /// All members before it have arrived.
  mutating func arrive(at position: Int) -> Int {
    let gap = position - arrived.count
    arrived.append(gap)
    return position + waiting(before: gaps.partitioningIndex { $0 >= gap })
  }

  private func waiting(before index: Int) -> Int {
    var (count, node) = (0, index)
    while node > 0 {
      count += waiting[node]
      node -= node & -node
    }
    return count
  }
}
