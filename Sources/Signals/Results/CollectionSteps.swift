// A change as edits one after the other, for what is kept beside a live collection and can't be replaced as a whole.

extension CollectionChange {
  /// One edit of a list; its positions are those that the list has when its turn comes.
  public enum Step {
    /// The member at a position goes.
    case remove(at: Int)
    /// A member comes, and is at the position afterwards.
    case insert(Member, at: Int)
    /// The member at `from` is taken out, and put in so that it is at `to` afterwards.
    case move(from: Int, to: Int)
    /// The member at a position is another than it was.
    case modify(at: Int)
  }

  /// The same change as edits to be made one after the other.
  ///
  /// `deletions`, `insertions` and `moves` are positions in whole versions, old and new. A list of widgets takes one
  /// edit after the other, and each shifts what stands behind it: these positions take that into account.
  ///
  /// - Removals come first, then insertions and moves, then modifications: a member that moved and was modified is
  ///   in both.
  /// - There are no more of them than positions in the change.
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
  /// - Complexity: O(*c* log *c*) for a change of *c* positions, whatever the size of the collection.
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

/// The members that move, until their turns come.
///
/// Members that stay keep their order, so that a place is a gap between two of them. In a gap those that have arrived
/// stand before those that wait for their move.
///
/// State: `waiting` counts those that wait, as a binary indexed tree by their order; `arrived` has the gap of each that
/// has arrived, ascending.
private struct Movers {
  private let old: [Int]
  private let gaps: [Int]
  private var waiting: [Int]
  private var arrived: [Int] = []

  init(_ old: [Int], deletions: [Int]) {
    self.old = old
    gaps = old.enumerated().map { index, position in
      position - index - deletions.partitioningIndex { $0 >= position }
    }
    waiting = (0...old.count).map { $0 & -$0 }
  }

  /// Takes out the one that was at a position in the old version.
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

  /// Puts one in that is at a position in the new version; all before it have arrived.
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
