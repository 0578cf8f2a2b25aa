/// Finds the positions of rows and sections in two versions, and caches them.
struct SectionPositions {
  private struct Spot {
    let index: Int
    let start: Int
  }

  private let list: SectionList
  private var oldRows: SearchableVersion<QueryRow>
  private var oldSections: SearchableVersion<SectionSortKey>
  private let oldSortKeys: [Int: SectionSortKey?]
  private var old: [Int: Spot] = [:]
  private var new: [Int: Spot] = [:]

  init(
    _ list: SectionList, oldRows: SearchableVersion<QueryRow>,
    oldSections: SearchableVersion<SectionSortKey>, oldSortKeys: [Int: SectionSortKey?]
  ) {
    self.list = list
    self.oldRows = oldRows
    self.oldSections = oldSections
    self.oldSortKeys = oldSortKeys
  }

  mutating func oldIndex(of group: Int) -> Int { oldSpot(of: group).index }
  mutating func newIndex(of group: Int) -> Int { newSpot(of: group).index }

  mutating func oldPath(of row: QueryRow) -> RowPath {
    let spot = oldSpot(of: row.group)
    let position = oldRows.position(of: row, in: list.query)
    return RowPath(section: spot.index, row: position - spot.start)
  }

  mutating func newPath(of row: QueryRow) -> RowPath {
    let spot = newSpot(of: row.group)
    return RowPath(section: spot.index, row: list.query.position(of: row) - spot.start)
  }

  private mutating func oldSpot(of group: Int) -> Spot {
    if let known = old[group] { return known }
    // An untouched section still has its old place.
    let sortKey = oldSortKeys[group] ?? list.sortKeys[group]
    let spot = Spot(
      index: sortKey.map { oldSections.position(of: $0, in: list) } ?? 0,
      start: list.grouping.start(of: group, in: oldRows.tree))
    old[group] = spot
    return spot
  }

  private mutating func newSpot(of group: Int) -> Spot {
    if let known = new[group] { return known }
    let spot = Spot(
      index: list.position(of: group) ?? 0,
      start: list.grouping.start(of: group, in: list.query.tree))
    new[group] = spot
    return spot
  }
}
