// Records the changes of sections since a starting point, for one consumer.
//
// State: `start`, the versions of the rows and of the list of sections at the start, which are O(1)
// copies, or nil if nothing has changed since the consumer last looked; `rows`, the original row of
// each object touched since; `sortKeys`, the original place of each section touched since.

/// Collects the changes since its consumer last looked.
final class SectionsRecorder {
  private typealias Start = (
    rows: SearchableVersion<QueryRow>, sections: SearchableVersion<SectionSortKey>
  )

  private var start: Start?
  private var rows: [Object: QueryRow?] = [:]
  private var sortKeys: [Int: SectionSortKey?] = [:]

  /// Whether something has changed since the consumer last looked.
  var hasChanges: Bool { start != nil }

  private static func start(at list: SectionList) -> Start {
    (
      SearchableVersion(list.query.tree, ordering: list.query.treeOrdering),
      SearchableVersion(list.sections, ordering: list.ordering)
    )
  }

  /// Notes rows that are about to change.
  func note(_ updates: [RowUpdate], in list: SectionList) {
    if start == nil { start = Self.start(at: list) }
    for update in updates where rows[update.object] == nil {
      rows[update.object] = .some(update.old)
    }
  }

  /// Notes the place of a section that is about to change, after `note(_:in:)`.
  func note(_ sortKey: SectionSortKey?, of group: Int) {
    if hasChanges, sortKeys[group] == nil { sortKeys[group] = .some(sortKey) }
  }

  /// Counts all changes as seen.
  func reset() {
    // The rows may own user values, which are released last.
    let seen = (start.take(), exchange(&rows, with: [:]), exchange(&sortKeys, with: [:]))
    withExtendedLifetime(seen) {}
  }

  /// Returns the exact change since the start, and counts it as seen.
  ///
  /// - Parameters:
  ///   - list: The sections.
  ///   - modified: The objects that were modified since the start.
  /// - Returns: The change, with the numbers of groups as keys, and the groups that have different
  ///   rows, or the same rows in a different order.
  /// - Complexity: O(*t* log *n*) for *t* touched and modified rows.
  func takeChange(
    in list: SectionList, modified: Set<Object>
  ) -> (change: SectionsChange<Int, Object>, groups: Set<Int>) {
    let start = start.take() ?? Self.start(at: list)
    let rows = exchange(&rows, with: [:])
    let sortKeys = exchange(&sortKeys, with: [:])
    var positions = SectionPositions(
      list, oldRows: start.rows, oldSections: start.sections, oldSortKeys: sortKeys)
    var deletions: [RowPath] = []
    var arrivals: [RowPath: Object] = [:]
    var moves: [PositionPair<RowPath>] = []
    var modifications: [PositionPair<RowPath>] = []
    var groups: Set<Int> = []
    var touches: [Int: Touches] = [:]
    for (object, old) in rows {
      let new = list.query.table.row(of: object)
      let oldPath = old.map { positions.oldPath(of: $0) }
      let newPath = new.map { positions.newPath(of: $0) }
      if let old, let oldPath { touches[old.group, default: Touches()].old.append(oldPath.row) }
      if let new, let newPath { touches[new.group, default: Touches()].present.append(newPath.row) }
      switch (oldPath, newPath) {
      case (let oldPath?, let newPath?):
        if let old, let new, old.group != new.group {
          moves.append(.init(old: oldPath, new: newPath))
          groups.formUnion([old.group, new.group])
        } else if let new {
          touches[new.group]?.survivors.append(.init(old: oldPath.row, new: newPath.row))
        }
        if modified.contains(object) { modifications.append(.init(old: oldPath, new: newPath)) }
      case (let oldPath?, nil):
        deletions.append(oldPath)
        if let old { groups.insert(old.group) }
      case (nil, let newPath?):
        arrivals[newPath] = object
        if let new { groups.insert(new.group) }
      case (nil, nil): break
      }
    }
    let untouched = touches.mapValues { StablePositions(old: $0.old, present: $0.present) }
    for (group, rows) in untouched {
      guard let survivors = touches[group]?.survivors, !survivors.isEmpty else { continue }
      let section = (old: positions.oldIndex(of: group), new: positions.newIndex(of: group))
      for move in rows.moves(of: survivors) {
        groups.insert(group)
        moves.append(
          .init(
            old: RowPath(section: section.old, row: move.old),
            new: RowPath(section: section.new, row: move.new)))
      }
    }
    var modifiedGroups: Set<Int> = []
    for object in modified {
      guard let row = list.query.table.row(of: object) else { continue }
      modifiedGroups.insert(row.group)
      if rows[object] != nil { continue }
      let new = positions.newPath(of: row)
      let old = untouched[row.group]?.oldPosition(of: new.row) ?? new.row
      modifications.append(
        .init(old: RowPath(section: positions.oldIndex(of: row.group), row: old), new: new))
    }
    let sections = Self.sections(
      in: list, from: sortKeys, &positions, modified: groups.union(modifiedGroups))
    let change = SectionsChange(
      sections: sections, deletions: deletions.sorted(), insertions: arrivals.keys.sorted(),
      moves: moves.sorted { $0.new < $1.new },
      modifications: modifications.sorted { $0.new < $1.new },
      inserted: arrivals.sorted { $0.key < $1.key }.map(\.value))
    return (change, groups)
  }

  /// The changes of the list of sections.
  private static func sections(
    in list: SectionList, from sortKeys: [Int: SectionSortKey?],
    _ positions: inout SectionPositions, modified: Set<Int>
  ) -> CollectionChange<Int> {
    var touched: [Int: Int?] = [:]
    for (group, old) in sortKeys {
      touched[group] = .some(old.map { _ in positions.oldIndex(of: group) })
    }
    return CollectionChange(touched: touched, modified: modified) { group in
      list.sortKeys[group].map { _ in positions.newIndex(of: group) }
    }
  }

  /// The touched rows of one section.
  private struct Touches {
    var old: [Int] = []
    var present: [Int] = []
    var survivors: [PositionPair<Int>] = []
  }
}
