// Putting all rows of a query into order anew, when what their comparisons read has changed.
//
// The rows stand in an order by which no comparison finds them any more. So they are gone over; and so are older
// versions that recorders of changes have kept, in which rows are found by comparisons otherwise.

extension Query {
  /// The rows as comparisons order them now; `updates`, which have those that were tested again, get the others
  /// that have another place among those that stay, and know where the rows stood.
  ///
  /// O(n log n).
  func rowsInOrderAnew(_ updates: inout [RowUpdate]) -> [QueryRow] {
    orderings += 1
    var indexes: [Object: Int] = [:]
    for (index, update) in updates.enumerated() { indexes[update.object] = index }
    var entries: [(row: QueryRow, position: Int)] = []
    entries.reserveCapacity(tree.count + updates.count)
    for (position, row) in tree.enumerated() {
      if let index = indexes[row.object] {
        updates[index].oldPosition = position
      } else {
        // Its keys may have been replaced by others that were equal to them.
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

/// A version of the rows of a query, in which rows can be found whatever became of the order since.
///
/// State: `positions`, once the rows had to be gone over.
struct FoundRows {
  let tree: Tree<QueryRow>
  private let ordering: Int
  private var positions: [Object: Int]?

  /// Keeps the version that the query has now, as its comparisons ordered it then.
  init(_ query: Query) {
    tree = query.tree
    ordering = query.treeOrdering
  }

  /// Where a row of the version stands.
  ///
  /// O(log n), or O(n) once if the order was made anew since.
  mutating func position(of row: QueryRow, in query: Query) -> Int {
    if ordering == query.orderings {
      return query.comparing(by: query.order) {
        tree.lowerBound { query.order.isBefore($0, row) }
      }
    }
    let positions =
      self.positions
      ?? Dictionary(
        uniqueKeysWithValues: tree.enumerated().map { ($1.object, $0) })
    self.positions = positions
    return positions[row.object] ?? tree.count
  }
}
