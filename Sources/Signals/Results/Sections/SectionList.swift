// The sections formed by the groups of a query.
//
// State: `places`, the sort position of each section; `sections`, the places in order, a persistent
// version; `ordering`, the query's ordering count for which `sections` is sorted (Query.swift),
// because key comparisons can change too; `observers`, the consumers of exact changes. `readers`
// tracks the readers (SectionReaders.swift), and `aggregates` holds the aggregates of sections
// (SectionAggregate.swift).

/// The sort position of a section among others, by its key or by its first row.
struct SectionPlace {
  let group: Int
  let key: SortKey
  let sequence: UInt64
}

/// The rows of one section, as a range in one version of all rows.
struct SectionSpan {
  let rows: Tree<QueryRow>
  let range: Range<Int>

  /// The rows of the section as a separate tree; O(log n).
  var tree: Tree<QueryRow> {
    var part = rows
    _ = part.split(at: range.upperBound)
    return part.split(at: range.lowerBound)
  }
}

/// Live sections, independent of the types of their keys and rows.
final class SectionList: RowFollower {
  let grouping: Grouping
  private let order: RowOrder
  private let place: (QueryRow) -> SectionPlace
  private(set) var places: [Int: SectionPlace] = [:]
  private(set) var sections = Tree<SectionPlace>()
  private(set) var ordering = 0
  private var observers: [SectionsConsumer] = []
  private(set) lazy var readers = SectionReaders(self)
  var aggregates: [AggregateKey: any AnySectionAggregate] = [:]

  var query: Query { grouping.query }

  var description: String { "the sections of \(query.description)" }

  init(_ grouping: Grouping, _ order: RowOrder, _ place: @escaping (QueryRow) -> SectionPlace) {
    self.grouping = grouping
    self.order = order
    self.place = place
    query.follow(self)
    grouping.known = { [unowned self] groups in known(groups) }
  }

  deinit { query.unfollow(self) }

  /// Returns the empty groups whose numbers readers, observers or aggregates still refer to.
  private func known(_ groups: Set<Int>) -> Set<Int> {
    if readers.areWaiting || observers.contains(where: { $0.recorder != nil }) { return groups }
    return groups.filter { group in
      readers.read(group) || aggregates.contains { $0.value.isRead(group) }
    }
  }

  // MARK: - Reading

  /// Brings the sections up to date and returns them.
  ///
  /// The read depends on which sections exist and on their order.
  func read() -> Tree<SectionPlace> {
    readers.refresh()
    if unsafe Node.reader != nil { readers.trackList() }
    return sections
  }

  /// The rows of a section; the read depends on these rows and their order.
  func rows(of number: () -> Int?) -> SectionSpan {
    readers.refresh()
    guard let group = number(), places[group] != nil else {
      // The section may be inserted later.
      if unsafe Node.reader != nil { readers.trackList() }
      return SectionSpan(rows: Tree(), range: 0..<0)
    }
    if unsafe Node.reader != nil { readers.trackRows(of: group) }
    return span(of: group)
  }

  /// The rows and the sections as of the last read.
  var version: LiveVersion { LiveVersion(rows: query.tree, sections: sections) }

  /// The current rows of a section.
  func span(of group: Int) -> SectionSpan {
    SectionSpan(rows: query.tree, range: grouping.range(of: group, in: query.tree))
  }

  /// The position of a section.
  func position(of group: Int) -> Int? {
    places[group].map { position(of: $0, in: sections) }
  }

  /// The position of a section in a version that has the current order.
  func position(of place: SectionPlace, in sections: Tree<SectionPlace>) -> Int {
    query.comparing(by: order) { sections.lowerBound { isBefore($0, place) } }
  }

  private func isBefore(_ lhs: SectionPlace, _ rhs: SectionPlace) -> Bool {
    order.isBefore(lhs.key, lhs.sequence, rhs.key, rhs.sequence)
  }

  // MARK: - Observers

  func add(_ observer: SectionsConsumer) { observers.append(observer) }

  func remove(_ observer: SectionsConsumer) { observers.removeAll { $0 === observer } }

  // MARK: - Following

  // Observers aren't counted here: the query has them as consumers.
  var isFollowed: Bool {
    readers.areAny || aggregates.contains { $0.value.isFollowed }
  }

  func rowsMayChange() { readers.announce() }

  func rowsWillChange(_ updates: [RowUpdate]) {
    readers.rowsWillChange(updates)
    for observer in observers {
      let recorder = observer.recorder ?? SectionsRecorder(self)
      observer.recorder = recorder
      recorder.note(updates)
    }
  }

  func rowsDidChange(_ updates: [RowUpdate]) {
    if ordering != query.treeOrdering { return orderAnew() }
    var arriving: [SectionPlace] = []
    for change in grouping.changes {
      let old = places[change.group]
      let new = change.new.map(place)
      if let old, let new, stand(old, where: new) { continue }
      readers.placeWillChange(change.group, old)
      for observer in observers { observer.recorder?.note(change.group, old) }
      if let old { sections.remove(at: position(of: old, in: sections)) }
      places[change.group] = new
      if let new { arriving.append(new) }
    }
    // Two sections may exchange their places, so all old places are removed before the new ones are
    // inserted.
    for place in arriving {
      sections.insert(place, at: position(of: place, in: sections))
    }
  }

  private func stand(_ old: SectionPlace, where new: SectionPlace) -> Bool {
    query.comparing(by: order) { !isBefore(old, new) && !isBefore(new, old) }
  }

  /// Sorts all sections again, after a value that their key comparisons read has changed.
  private func orderAnew() {
    for group in Set(places.keys).union(grouping.changes.lazy.map(\.group)) {
      readers.placeWillChange(group, places[group])
      for observer in observers { observer.recorder?.note(group, places[group]) }
    }
    putInOrder()
  }

  private func putInOrder() {
    places = grouping.firsts.mapValues(place)
    sections = Tree(query.comparing(by: order) { places.values.sorted(by: isBefore) })
    ordering = query.treeOrdering
  }

  func rowsWereMadeAnew() {
    readers.rowsWereMadeAnew()
    putInOrder()
  }
}
