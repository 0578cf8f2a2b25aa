// Records the changes of sections since a starting point.
//
// State: `oldRows` and `oldSections`, the versions of the rows and of the list of sections at the
// start, which are O(1) copies; `rows`, the original row of each object touched since; `sortKeys`,
// the original place of each section touched since.

/// Collects the changes since a consumer last looked.
final class SectionsRecorder {
  private let oldRows: SearchableRows
  private let oldSections: SearchableSections
  private var rows: [Object: QueryRow?] = [:]
  private var sortKeys: [Int: SectionSortKey?] = [:]

  init(_ list: SectionList) {
    oldRows = SearchableRows(list.query)
    oldSections = SearchableSections(list)
  }

  func note(_ updates: [RowUpdate]) {
    for update in updates where rows[update.object] == nil {
      rows[update.object] = .some(update.old)
    }
  }

  func note(_ group: Int, _ sortKey: SectionSortKey?) {
    if sortKeys[group] == nil { sortKeys[group] = .some(sortKey) }
  }

  /// The exact change since the start.
  ///
  /// - Complexity: O(*t* log *n*) for *t* touched and modified rows.
  func difference(in list: SectionList, modified: Set<Object>) -> SectionsDifference {
    var result = SectionsDifference()
    var touches: [Int: Touches] = [:]
    var positions = SectionPositions(list, oldRows, oldSections, sortKeys)
    for (object, old) in rows {
      let new = list.query.table.row(of: object)
      let oldPath = old.map { positions.oldPath(of: $0) }
      let newPath = new.map { positions.newPath(of: $0) }
      if let old, let oldPath { touches[old.group, default: Touches()].old.append(oldPath.row) }
      if let new, let newPath { touches[new.group, default: Touches()].present.append(newPath.row) }
      switch (oldPath, newPath) {
      case (let oldPath?, let newPath?):
        if let old, let new, old.group != new.group {
          result.moves.append(PositionPair(old: oldPath, new: newPath))
          result.groups.formUnion([old.group, new.group])
        } else if let new {
          touches[new.group]?.survivors.append(.init(old: oldPath.row, new: newPath.row))
        }
        if modified.contains(object) {
          result.modifications.append(PositionPair(old: oldPath, new: newPath))
        }
      case (let oldPath?, nil):
        result.deletions.append(oldPath)
        if let old { result.groups.insert(old.group) }
      case (nil, let newPath?):
        result.arrivals.append((newPath, object))
        if let new { result.groups.insert(new.group) }
      case (nil, nil): break
      }
    }
    var untouched: [Int: StablePositions] = [:]
    for (group, touched) in touches {
      let rows = StablePositions(old: touched.old, present: touched.present)
      untouched[group] = rows
      if touched.survivors.isEmpty { continue }
      let spot = (old: positions.oldIndex(of: group), new: positions.newIndex(of: group))
      for move in rows.moves(of: touched.survivors) {
        result.groups.insert(group)
        result.moves.append(
          PositionPair(
            old: RowPath(section: spot.old, row: move.old),
            new: RowPath(section: spot.new, row: move.new)))
      }
    }
    var modifiedGroups: Set<Int> = []
    for object in modified {
      guard let row = list.query.table.row(of: object) else { continue }
      modifiedGroups.insert(row.group)
      if rows[object] != nil { continue }
      let new = positions.newPath(of: row)
      let old = untouched[row.group]?.oldPosition(of: new.row) ?? new.row
      result.modifications.append(
        PositionPair(old: RowPath(section: positions.oldIndex(of: row.group), row: old), new: new))
    }
    result.sort()
    result.sections = sections(in: list, &positions, modified: result.groups.union(modifiedGroups))
    return result
  }

  /// The changes of the list of sections.
  private func sections(
    in list: SectionList, _ positions: inout SectionPositions, modified: Set<Int>
  ) -> CollectionChange<Int> {
    var deletions: [Int] = []
    var arrivals: [(position: Int, group: Int)] = []
    var survivors: [PositionPair<Int>] = []
    for (group, old) in sortKeys {
      switch (old, list.sortKeys[group]) {
      case (.some, .some):
        survivors.append(
          .init(old: positions.oldIndex(of: group), new: positions.newIndex(of: group)))
      case (.some, nil): deletions.append(positions.oldIndex(of: group))
      case (nil, .some): arrivals.append((positions.newIndex(of: group), group))
      case (nil, nil): break
      }
    }
    arrivals.sort { $0.position < $1.position }
    let untouched = StablePositions(
      old: deletions + survivors.map(\.old),
      present: arrivals.map(\.position) + survivors.map(\.new))
    var modifications: [PositionPair<Int>] = []
    for group in modified where list.sortKeys[group] != nil {
      if let old = sortKeys[group], old == nil { continue }
      modifications.append(
        .init(old: positions.oldIndex(of: group), new: positions.newIndex(of: group)))
    }
    return CollectionChange(
      deletions: deletions.sorted(), insertions: arrivals.map(\.position),
      moves: untouched.moves(of: survivors).map { .init(old: $0.old, new: $0.new) },
      modifications: modifications.sorted { $0.new < $1.new }, inserted: arrivals.map(\.group))
  }

  /// The touched rows of one section.
  private struct Touches {
    var old: [Int] = []
    var present: [Int] = []
    var survivors: [PositionPair<Int>] = []
  }
}
