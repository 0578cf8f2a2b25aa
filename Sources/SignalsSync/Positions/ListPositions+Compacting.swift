internal import Signals

extension ListPositions {
  /// Forgets deleted elements, and the positions and moves that the order no longer needs.
  ///
  /// Elements keep their identities and their order. The identities that are forgotten can no
  /// longer be named: an operation that does is refused as ``PositionsError/missing(_:)``, and
  /// one that inserts or deletes forgotten elements is not recognized. So compact where a log has
  /// a common order: all replicas at the same operation, and when all that come later are made
  /// by replicas that have compacted too. Replicas that have not must make theirs again.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of runs.
  package mutating func compact() {
    var compacted = PositionTree()
    var place = ListPlace.start
    for range in elements(in: 0..<count) {
      do {
        _ = try compacted.insert(range, .elements, at: place, showing: .visible)
      } catch {
        trap("an element is in a shared list twice: \(error)")
      }
      place = .after(range.last)
    }
    tree = compacted
    moves = [:]
    movedElements = [:]
  }
}
