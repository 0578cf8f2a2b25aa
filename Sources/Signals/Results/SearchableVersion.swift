/// A version of the rows of a query, or of the sections formed by them, in which elements can be
/// found even if their order has changed since.
///
/// State: `positions`, made by a pass over all elements when the order has changed.
struct SearchableVersion<Element: Identifiable> {
  let tree: Tree<Element>
  /// The query's ordering count for which `tree` is sorted (Query.swift).
  private let ordering: Int
  private var positions: [Element.ID: Int]?

  init(_ tree: Tree<Element>, ordering: Int) {
    self.tree = tree
    self.ordering = ordering
  }

  /// The position of an element in this version.
  ///
  /// - Parameters:
  ///   - element: An element of this version.
  ///   - query: The query that has the rows.
  ///   - search: Finds the element by comparisons; called if the order hasn't changed.
  /// - Complexity: O(log *n*). If the order has changed, O(*n*) for the first call.
  mutating func position(
    of element: Element, in query: Query, bySearching search: (Tree<Element>) -> Int
  ) -> Int {
    if ordering == query.orderings { return search(tree) }
    let positions =
      self.positions ?? Dictionary(uniqueKeysWithValues: tree.enumerated().map { ($1.id, $0) })
    self.positions = positions
    return positions[element.id] ?? tree.count
  }
}

extension SearchableVersion<QueryRow> {
  /// The position of a row in this version of the rows of a query.
  mutating func position(of row: QueryRow, in query: Query) -> Int {
    position(of: row, in: query) { query.position(of: row, in: $0) }
  }
}

extension SearchableVersion<SectionSortKey> {
  /// The position of a section in this version of a list of sections.
  mutating func position(of sortKey: SectionSortKey, in list: SectionList) -> Int {
    position(of: sortKey, in: list.query) { list.position(of: sortKey, in: $0) }
  }
}
