/// A version of the list of sections in which sections can be found even if their order has changed
/// since.
///
/// State: `positions`, made by a pass over all sections when the order has changed.
struct SearchableSections {
  private let sections: Tree<SectionSortKey>
  private let ordering: Int
  private var positions: [Int: Int]?

  /// Keeps the current version of the list, in the order of the current key comparisons.
  init(_ list: SectionList) {
    sections = list.sections
    ordering = list.ordering
  }

  /// The position of a section in this version.
  mutating func position(of sortKey: SectionSortKey, in list: SectionList) -> Int {
    if ordering == list.query.orderings { return list.position(of: sortKey, in: sections) }
    let positions =
      self.positions
      ?? Dictionary(
        uniqueKeysWithValues: sections.enumerated().map { ($1.group, $0) })
    self.positions = positions
    return positions[sortKey.group] ?? sections.count
  }
}
