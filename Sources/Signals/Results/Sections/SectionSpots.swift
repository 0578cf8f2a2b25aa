/// Where rows and sections stand in two versions; what was found once is kept.
struct SectionSpots {
  private struct Spot {
    let index: Int
    let start: Int
  }

  private let list: SectionList
  private let oldRows: Tree<QueryRow>
  private let oldSections: Tree<SectionPlace>
  private let oldPlaces: [Int: SectionPlace?]
  private var old: [Int: Spot] = [:]
  private var new: [Int: Spot] = [:]

  init(
    _ list: SectionList, _ oldRows: Tree<QueryRow>, _ oldSections: Tree<SectionPlace>,
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
    let position = oldRows.lowerBound { list.query.order.isBefore($0, row) }
    return RowPath(section: spot.index, row: position - spot.start)
  }

  mutating func newPath(of row: QueryRow) -> RowPath {
    let spot = newSpot(of: row.group)
    return RowPath(section: spot.index, row: list.query.position(of: row) - spot.start)
  }

  private mutating func oldSpot(of group: Int) -> Spot {
    if let known = old[group] { return known }
    // An untouched section has the place that it had.
    let place = oldPlaces[group] ?? list.places[group]
    let spot = Spot(
      index: place.map { place in oldSections.lowerBound { list.isBefore($0, place) } } ?? 0,
      start: list.grouping.start(of: group, in: oldRows))
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
