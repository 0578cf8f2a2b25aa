/// A run of positions that were inserted one after the other.
package struct ListBunch: Hashable, Sendable {
  package enum Kind: UInt8, Sendable {
    /// The identities are those of elements, and each position is the first of its element.
    case elements
    /// The positions were made by moves.
    case positions
  }

  package var ids: ElementRange
  /// The place of the first position.
  ///
  /// Each of the others is after the one before it.
  package var place: ListPlace
  package var kind: Kind

  package init(ids: ElementRange, place: ListPlace, kind: Kind) {
    self.ids = ids
    self.place = place
    self.kind = kind
  }
}

/// The position of an element that has been moved.
package struct ListMove<MoveStamp: Comparable & Sendable>: Equatable, Sendable {
  package var element: ElementID
  package var position: ElementID
  package var stamp: MoveStamp

  package init(element: ElementID, position: ElementID, stamp: MoveStamp) {
    self.element = element
    self.position = position
    self.stamp = stamp
  }
}

/// All that a shared list knows, as plain values, to be sent or kept.
///
/// There is one state for a set of operations: replicas that have applied the same ones have equal
/// states. Each part is in ascending order of identities, in as few bunches and ranges as possible.
package struct ListState<MoveStamp: Comparable & Sendable>: Equatable, Sendable {
  package var bunches: [ListBunch] = []
  package var moves: [ListMove<MoveStamp>] = []
  package var deleted: [ElementRange] = []

  package init() {}
}
