/// The reason why an operation or a state of a shared list is refused.
///
/// A refused operation changes nothing.
package enum PositionsError: Error, Hashable, Sendable {
  /// The operation names an element or a position that has not come yet.
  ///
  /// The caller keeps the operation, and applies it after the one that makes the missing elements.
  case missing(ElementID)
  /// The identity names a position that a move made, where an element is needed, or the reverse.
  case wrongKind(ElementID)
  /// The identity is in use for something else.
  case alreadyUsed(ElementID)
  /// The run is empty, longer than counters or a list can be, or more than one operation inserts.
  case invalidRange(ElementRange)
  /// The list would have more positions, the hidden ones included, than it can.
  ///
  /// That takes 2^31 positions, and so more than 4 GiB of change sets of one list.
  case tooLong
  /// The bunch is placed, by way of other bunches, beside itself.
  case cycle(ElementID)
  /// The parts of the state are not in ascending order, or are split where they need not be.
  case notCanonical(ElementID)
  /// The element has a position although it was deleted.
  case positionOfDeleted(ElementID)
  /// The position is that of two elements.
  case positionOfTwo(ElementID)
}
