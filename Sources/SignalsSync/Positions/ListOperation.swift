/// The place of a run in the tree of positions: on one side of a position that was there before.
///
/// The position may be one that isn't visible anymore. That is why two replicas that hold
/// different elements agree on the place.
package enum ListPlace: Hashable, Sendable {
  /// The start of the list, when the replica that inserts knows no position at all.
  case start
  case after(ElementID)
  case before(ElementID)

  /// The position beside which the place is, or nil at the start.
  var origin: ElementID? {
    switch self {
    case .start: nil
    case .after(let id), .before(let id): id
    }
  }
}

extension ListPlace {
  /// The side of the position on which the place is.
  var side: ListSide {
    if case .before = self { .before } else { .after }
  }
}

/// One edit of a shared list, as a value that is sent to the other replicas.
///
/// Operations commute: replicas that have applied the same operations hold equal lists, in
/// whatever order they came, and however often. An operation can only be applied after those that
/// made the elements that it names; see ``PositionsError/missing(_:)``.
package enum ListOperation<MoveStamp: Comparable & Sendable>: Sendable {
  /// Inserts new elements, which stay together when others insert at the same place.
  case insert(ElementRange, at: ListPlace)
  /// Deletes elements permanently.
  case delete(ElementRange)
  /// Moves an element to a new position, unless a move with a later stamp has been applied.
  case move(ElementID, to: ElementID, at: ListPlace, stamp: MoveStamp)
}

extension ListOperation {
  /// The most elements that one operation inserts.
  ///
  /// More don't fit into a change set, where each takes at least two bytes. Since an operation is
  /// refused for its own count, all replicas refuse the same ones, in whatever order they come.
  package static var mostInserted: Int { 1 << 23 }
}

extension ListOperation: Equatable where MoveStamp: Equatable {}
extension ListOperation: Hashable where MoveStamp: Hashable {}
