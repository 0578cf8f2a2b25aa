// Sorts all rows of a query again, after a dependency of their comparisons has changed.
//
// Comparisons can't find rows that are in the old order. So all rows are visited, and also the rows
// of older versions that change recorders have kept, in which rows are otherwise found by
// comparisons.

extension Query {
  /// Returns the rows in the order that comparisons have now.
  ///
  /// `updates` has the rows that were tested again. The rows that changed their place among the
  /// remaining ones are added to it, and every update gets its old position.
  ///
  /// - Complexity: O(*n* log *n*).
  func resortedRows(_ updates: inout [RowUpdate]) -> [QueryRow] {
    orderings += 1
    var indexes: [Object: Int] = [:]
    for (index, update) in updates.enumerated() { indexes[update.object] = index }
    var entries: [(row: QueryRow, position: Int)] = []
    entries.reserveCapacity(tree.count + updates.count)
    for (position, row) in tree.enumerated() {
      if let index = indexes[row.object] {
        updates[index].oldPosition = position
      } else {
        // Its keys may have been replaced by equal ones.
        entries.append((table.row(of: row.object) ?? row, position))
      }
    }
    for case let row? in updates.map(\.new) { entries.append((row, -1)) }
    puttingInOrder { entries.sort { order.isBefore($0.row, $1.row) } }
    let staying = entries.lazy.filter { $0.position >= 0 }
    let unmoved = Set(staying.map(\.position).longestIncreasingSubsequence())
    for entry in staying where !unmoved.contains(entry.position) {
      updates.append(RowUpdate(entry.row, from: entry.position))
    }
    return entries.map(\.row)
  }
}
