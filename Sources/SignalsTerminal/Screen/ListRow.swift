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

  /// Returns the row at its position in a later frame.
  func moved(to position: Int, in rows: FrameRows) -> ListRow {
    ListRow(scope: scope, owner: owner, depth: depth, position: position, rows: rows)
  }
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
    if indices.contains(row.position), self[row.position] == row.scope { return row.position }
    for distance in 1...64 {
      for position in [row.position - distance, row.position + distance]
      where indices.contains(position) && self[position] == row.scope {
        return position
      }
    }
    guard let old = row.rows else { return nil }
    // The change that leads back lists the rows that are gone as inserted, and those of a frame that
    // was replaced aren't created.
    let change = old.change(from: self)
    if isPushed, change.moves.contains(where: { $0.new == row.position }) { return nil }
    guard let position = change.source(of: row.position), indices.contains(position),
      self[position] == row.scope
    else { return nil }
    return position
  }
}

extension CollectionChange {
  /// Returns the position in the old version of a member of the new one; nil if it was inserted.
  ///
  /// - Complexity: O(*n* log *n*) for *n* changed members.
  fileprivate func source(of new: Int) -> Int? {
    if let move = moves.first(where: { $0.new == new }) { return move.old }
    if insertions.contains(new) { return nil }
    var position = new - insertions.count { $0 < new } - moves.count { $0.new < new }
    for left in (deletions + moves.map(\.old)).sorted() {
      if left > position { break }
      position += 1
    }
    return position
  }
}
