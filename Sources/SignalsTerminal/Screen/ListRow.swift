// Finding rows again that have moved in their list.
//
// A row keeps its scope when it moves, and a `ForEach` may have a million rows. Looking at a row
// creates it, so only the rows near the old position are looked at. Further away, a row is found by
// the change from the rows of the frame in which it had that position.

import Signals

/// A row that contains a place in a list.
struct ListRow {
  let scope: ScopeID
  /// The scope of its `ForEach`.
  let owner: ScopeID
  /// The number of steps of the place before the row's position.
  let depth: Int
  /// The row's position.
  let position: Int
  /// The rows of the frame in which the row had this position; nil if they were forgotten.
  var rows: FrameRows?
}

extension [ListRow] {
  /// Forgets the frame of the rows.
  mutating func forgetFrames() { for index in indices { self[index].rows = nil } }
}

extension FrameRows {
  /// Returns the position of a row that may have been at another one in an earlier frame.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - isPushed: Whether a row that was moved far away itself is left out, so that only one whose
  ///     position was changed by others is returned.
  /// - Returns: The position; `nil` if the row is gone.
  /// - Complexity: O(1) for a row that is near its old position, otherwise O(changed rows) for
  ///   rows of ``Results`` or of a ``List``, and O(rows) for others.
  func position(of row: ListRow, ifPushed isPushed: Bool = false) -> Int? {
    for distance in 0...64 {
      for position in Set([row.position - distance, row.position + distance])
      where indices.contains(position) && self[position] == row.scope {
        return position
      }
    }
    guard let old = row.rows, indices.isEmpty == false else { return nil }
    let change = change(from: old)
    if isPushed, change.moves.contains(where: { $0.old == row.position }) { return nil }
    guard let position = change.position(of: row.position), indices.contains(position),
      self[position] == row.scope
    else { return nil }
    return position
  }
}

extension CollectionChange {
  /// Returns the new position of a member; nil if it was removed.
  ///
  /// - Complexity: O(*n* log *n*) for *n* changed members.
  fileprivate func position(of old: Int) -> Int? {
    if let move = moves.first(where: { $0.old == old }) { return move.new }
    if deletions.contains(old) { return nil }
    var position = old - deletions.count { $0 < old } - moves.count { $0.old < old }
    for arrived in (insertions + moves.map(\.new)).sorted() {
      if arrived > position { break }
      position += 1
    }
    return position
  }
}
