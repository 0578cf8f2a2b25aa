/// What an operation did to the list, for the array of values that the caller keeps.
///
/// The effects of an operation are applied one after the other: the indexes of each are those of
/// the list that the ones before it have left. Indexes count the visible elements.
package enum ListEffect<MoveStamp: Comparable & Sendable>: Equatable, Sendable {
  /// The elements are new, and the first of them is at the index.
  case inserted(ElementRange, at: Int)
  /// The elements at the indexes were removed.
  case removed(Range<Int>)
  /// The element was removed at the first index and inserted at the second.
  ///
  /// `replacing` is the stamp of the move that had placed the element before, or nil. If neither
  /// of the two moves knew of the other, then that move is the loser: the stamps alone don't say.
  case moved(ElementID, from: Int, to: Int, replacing: MoveStamp?)
  /// The move with the stamp has no effect. Either the move with the stamp `to` is later, or the
  /// element has been deleted and `to` is nil.
  case moveLost(ElementID, stamp: MoveStamp, to: MoveStamp?)
}
