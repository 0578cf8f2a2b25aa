/// Finds the positions of rows and sections in two versions, and caches them.
struct SectionSpots {
  private struct Spot {
    let index: Int
    let start: Int
  }

  private let list: SectionList
  private var oldRows: FoundRows
  private var oldSections: FoundSections
  private let oldPlaces: [Int: SectionPlace?]
  private var old: [Int: Spot] = [:]
  private var new: [Int: Spot] = [:]

  init(
    _ list: SectionList, _ oldRows: FoundRows, _ oldSections: FoundSections,
    _ oldPlaces: [Int: SectionPlace?]
  ) {
    self.list = list
    self.oldRows = oldRows
    self.oldSections = oldSections
    self.oldPlaces = oldPlaces
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
    let place = oldPlaces[group] ?? list.places[group]
    let spot = Spot(
      index: place.map { oldSections.position(of: $0, in: list) } ?? 0,
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

/// A version of the list of sections in which sections can be found even if their order has changed
/// since.
///
/// State: `positions`, made by a pass over all sections when the order has changed.
struct FoundSections {
  private let sections: Tree<SectionPlace>
  private let ordering: Int
  private var positions: [Int: Int]?

  /// Keeps the current version of the list, in the order of the current key comparisons.
  init(_ list: SectionList) {
    sections = list.sections
    ordering = list.ordering
  }

  /// The position of a section in this version.
  mutating func position(of place: SectionPlace, in list: SectionList) -> Int {
    if ordering == list.query.orderings { return list.position(of: place, in: sections) }
    let positions =
      self.positions
      ?? Dictionary(
        uniqueKeysWithValues: sections.enumerated().map { ($1.group, $0) })
    self.positions = positions
    return positions[place.group] ?? sections.count
  }
}
