// The sections formed by the groups of a query.
//
// State: `sortKeys`, the sort position of each section; `sections`, the sort keys in order, a
// persistent version; `ordering`, the query's ordering count for which `sections` is sorted
// (Query.swift), because key comparisons can change too; `recorders`, those of the consumers of
// exact changes. `dependents` tracks the readers (SectionDependents.swift), and `aggregates` holds the
// aggregates of sections (LiveAggregate.swift).

/// The sort position of a section among others, by its key or by its first row.
struct SectionSortKey: Identifiable {
  let group: Int
  let key: SortKey
  let sequence: UInt64

  var id: Int { group }
}

/// Live sections, independent of the types of their keys and rows.
final class SectionList: QueryObserver {
  let grouping: Grouping
  private let order: RowOrder
  private let sortKey: (QueryRow) -> SectionSortKey
  private(set) var sortKeys: [Int: SectionSortKey] = [:]
  private(set) var sections = Tree<SectionSortKey>()
  private(set) var ordering = 0
  private var recorders: [SectionsRecorder] = []
  private(set) lazy var dependents = SectionDependents(self)
  var aggregates: [AggregateKey: any AnyAggregate] = [:]

  var query: Query { grouping.query }

  var description: String { "the sections of \(query.description)" }

  init(
    _ grouping: Grouping, order: RowOrder, sortKey: @escaping (QueryRow) -> SectionSortKey
  ) {
    self.grouping = grouping
    self.order = order
    self.sortKey = sortKey
    query.addObserver(self)
    grouping.known = { [unowned self] groups in known(groups) }
  }

  deinit { query.removeObserver(self) }

  /// Returns the empty groups whose numbers readers, observers or aggregates still refer to.
  private func known(_ groups: Set<Int>) -> Set<Int> {
    if dependents.areWaiting || recorders.contains(where: \.hasChanges) { return groups }
    return groups.filter { group in
      dependents.read(group) || aggregates.contains { $0.value.isRead(group) }
    }
  }

  // MARK: - Reading

  /// Brings the sections up to date and returns them.
  ///
  /// The read depends on which sections exist and on their order.
  func read() -> Tree<SectionSortKey> {
    dependents.refresh()
    if Node.hasReader { dependents.trackList() }
    return sections
  }

  /// The rows of a section; the read depends on these rows and their order.
  func rows(of number: () -> Int?) -> RowSlice<Object> {
    dependents.refresh()
    guard let group = number(), sortKeys[group] != nil else {
      // The section may be inserted later.
      if Node.hasReader { dependents.trackList() }
      return RowSlice(Tree(), in: 0..<0)
    }
    if Node.hasReader { dependents.trackRows(of: group) }
    return slice(of: group)
  }

  /// The rows and the sections as of the last read.
  var version: LiveVersion { LiveVersion(rows: query.tree, sections: sections) }

  /// The current rows of a section.
  func slice(of group: Int) -> RowSlice<Object> {
    RowSlice(query.tree, in: grouping.range(of: group, in: query.tree))
  }

  /// The position of a section.
  func position(of group: Int) -> Int? {
    sortKeys[group].map { position(of: $0, in: sections) }
  }

  /// The position of a section in a version that has the current order.
  func position(of sortKey: SectionSortKey, in sections: Tree<SectionSortKey>) -> Int {
    query.comparing(by: order) { sections.lowerBound { isBefore($0, sortKey) } }
  }

  private func isBefore(_ lhs: SectionSortKey, _ rhs: SectionSortKey) -> Bool {
    order.isBefore(lhs.key, lhs.sequence, rhs.key, rhs.sequence)
  }

  // MARK: - Recorders

  func add(_ recorder: SectionsRecorder) { recorders.append(recorder) }

  func remove(_ recorder: SectionsRecorder) { recorders.removeAll { $0 === recorder } }

  // MARK: - Following

  // Observers aren't counted here: the query has them as consumers.
  var isObserved: Bool {
    dependents.areAny || aggregates.contains { $0.value.isObserved }
  }

  func rowsMayChange() { dependents.announce() }

  func rowsWillChange(_ updates: [RowUpdate]) {
    dependents.rowsWillChange(updates)
    for recorder in recorders { recorder.note(updates, in: self) }
  }

  func rowsDidChange(_ updates: [RowUpdate]) {
    if ordering != query.treeOrdering { return reorderAll() }
    var arriving: [SectionSortKey] = []
    for change in grouping.changes {
      let old = sortKeys[change.group]
      let new = change.new.map(sortKey)
      if let old, let new, isSamePlace(old, as: new) { continue }
      noteChange(from: old, of: change.group)
      if let old { sections.remove(at: position(of: old, in: sections)) }
      sortKeys[change.group] = new
      if let new { arriving.append(new) }
    }
    // Two sections may exchange their places, so all old places are removed before the new ones are
    // inserted.
    for sortKey in arriving {
      sections.insert(sortKey, at: position(of: sortKey, in: sections))
    }
  }

  /// Notes the place of a section before it changes.
  private func noteChange(from old: SectionSortKey?, of group: Int) {
    dependents.placeWillChange(from: old, of: group)
    for recorder in recorders { recorder.note(old, of: group) }
  }

  private func isSamePlace(_ old: SectionSortKey, as new: SectionSortKey) -> Bool {
    query.comparing(by: order) { !isBefore(old, new) && !isBefore(new, old) }
  }

  /// Sorts all sections again, after a value that their key comparisons read has changed.
  private func reorderAll() {
    for group in Set(sortKeys.keys).union(grouping.changes.lazy.map(\.group)) {
      noteChange(from: sortKeys[group], of: group)
    }
    putInOrder()
  }

  private func putInOrder() {
    sortKeys = grouping.firsts.mapValues(sortKey)
    sections = Tree(query.comparing(by: order) { sortKeys.values.sorted(by: isBefore) })
    ordering = query.treeOrdering
  }

  func rowsWereRebuilt() {
    dependents.rowsWereRebuilt()
    putInOrder()
  }
}
