/// A version of the rows of a query in which rows can be found even if their order has changed
/// since.
///
/// State: `positions`, made by a pass over all rows when the order has changed.
struct SearchableRows {
  let tree: Tree<QueryRow>
  private let ordering: Int
  private var positions: [Object: Int]?

  /// Keeps the current version of the query, in the order of the current comparisons.
  init(_ query: Query) {
    tree = query.tree
    ordering = query.treeOrdering
  }

  /// The position of a row in this version.
  ///
  /// - Complexity: O(log *n*). If the rows have been sorted again since, O(*n*) for the first call.
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
