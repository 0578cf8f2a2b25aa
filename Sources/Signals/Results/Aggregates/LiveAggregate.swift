// A value computed from all rows of a query, or from the rows of each section that is read. Its
// readers depend on that value only.
//
// The values are in a separate query with the same filters and the value as its sort key. That
// query tracks what the values were read from and which rows have a different value. The aggregate
// follows it. The values of all sections are in one query, sorted by the number of the section and
// then by value, so a changed row costs O(log n), however many sections there are. The list of
// sections is always brought up to date first, because it assigns the numbers and releases them.
//
// State: `whole`, the state of all rows, or `parts`, the state of each section that was read;
// `isAnnounced`, whether all sources have been marked since the last read.

/// A type-erased aggregate.
protocol AnyAggregate: QueryObserver {
  /// Whether the aggregate must be computed from all rows again, because too much has changed since
  /// the last read.
  var isOutdated: Bool { get }

  /// Whether the aggregate of a section has dependents.
  func isRead(_ group: Int) -> Bool
}

/// One kind of aggregate of one property, over the rows of a query or of each section.
final class LiveAggregate<Fold: AggregateFold>: AnyAggregate {
  /// The state of an aggregate over all rows or over the rows of one section.
  private struct Part {
    var fold: Fold
    var source: SettlingSource<Fold.Value>?

    var isObserved: Bool { source?.isObserved ?? false }
  }

  private unowned let list: SectionList?
  private let query: Query
  private let name: String
  /// The state of an aggregate over no rows.
  private let empty: Fold
  private var whole: Part
  private var parts: [Int: Part] = [:]
  private var isAnnounced = false

  private var description: String {
    list.map { "\(name) of one of \($0.description)" } ?? "\(name) of \(query.description)"
  }

  /// Creates an aggregate.
  ///
  /// - Parameters:
  ///   - query: The rows, sorted by value; those of a list, by section and then by value.
  ///   - list: The list that owns the aggregate, if it is one over each of its sections.
  init(_ name: String, of query: Query, in list: SectionList? = nil, by fold: Fold) {
    self.name = name
    self.query = query
    self.list = list
    empty = fold
    whole = Part(fold: fold)
    query.addObserver(self)
  }

  deinit { query.removeObserver(self) }

  /// The current value over all rows; the read depends on the value only.
  func value() -> Fold.Value {
    refresh()
    if Node.hasReader { source(of: nil).track(keeping: self) }
    return present(nil)
  }

  /// The current value of a section of a list; the read depends on that value only.
  func value(ofSection number: () -> Int?, in list: SectionList) -> Fold.Value {
    refresh()
    guard let group = number(), list.sortKeys[group] != nil else {
      // The section may be inserted later.
      if Node.reader != nil { list.dependents.trackList() }
      var fold = empty
      return fold.value(of: FoldRows(Tree()))
    }
    if Node.reader != nil { source(of: group).track(keeping: list) }
    return present(group)
  }

  /// The state of a section, or of all rows.
  private subscript(group: Int?) -> Part {
    _read {
      if let group { yield parts[group, default: Part(fold: empty)] } else { yield whole }
    }
    _modify {
      if let group { yield &parts[group, default: Part(fold: empty)] } else { yield &whole }
    }
  }

  private func refresh() {
    isAnnounced = false
    list?.dependents.refresh()
    query.refresh()
  }

  private func present(_ group: Int?) -> Fold.Value {
    query.comparing(by: query.order) {
      guard let group else { return whole.fold.value(of: FoldRows(query.tree)) }
      let rows = FoldRows(query.tree, of: group)
      return parts[group, default: Part(fold: empty)].fold.value(of: rows)
    }
  }

  private func source(of group: Int?) -> SettlingSource<Fold.Value> {
    if let known = self[group].source { return known }
    if let list, parts.count >= 64, parts.count > 2 * list.sections.count {
      let all = parts
      parts = parts.filter { $0.value.isObserved || $0.value.source?.isKept == true }
      withExtendedLifetime(all) {}
    }
    let source = SettlingSource<Fold.Value>(
      describe: { [unowned self] in description },
      inspect: { [unowned self] in Inspection(kind: .results, value: description) },
      refresh: { [unowned self] in refresh() },
      hasChanged: { [unowned self] before in
        guard let before else { return false }
        let present = present(group)
        return !query.comparing(by: query.order) { empty.isSame(before, as: present) }
      })
    self[group].source = source
    return source
  }

  // MARK: - Following

  var isOutdated: Bool { query.state == .outdated }

  var isObserved: Bool { whole.isObserved || parts.contains { $0.value.isObserved } }

  func isRead(_ group: Int) -> Bool { parts[group]?.isObserved ?? false }

  func rowsMayChange() {
    if isAnnounced { return }
    isAnnounced = true
    whole.source?.mark()
    for part in parts.values { part.source?.mark() }
  }

  func rowsWillChange(_ updates: [RowUpdate]) {
    if whole.isObserved { whole.source?.keep(present(nil)) }
    guard list != nil else { return }
    for group in groups(of: updates) where isRead(group) {
      parts[group]?.source?.keep(present(group))
    }
  }

  func rowsDidChange(_ updates: [RowUpdate]) {
    guard list != nil else {
      for update in updates {
        if let old = update.old { whole.fold.remove(old.key) }
        if let new = update.new { whole.fold.add(new.key) }
      }
      return
    }
    for update in updates {
      if let old = update.old { parts[old.group]?.fold.remove(old.keyInGroup) }
      if let new = update.new { parts[new.group]?.fold.add(new.keyInGroup) }
    }
    for group in groups(of: updates) where FoldRows(query.tree, of: group).range.isEmpty {
      parts[group]?.fold.reset()
      guard let part = parts[group], part.source?.isKept != true, !part.isObserved
      else { continue }
      let ended = parts.removeValue(forKey: group)
      withExtendedLifetime(ended) {}
    }
  }

  func rowsWereRebuilt() {
    whole.source?.forget()
    whole.fold.reset()
    let all = parts
    parts = parts.compactMapValues { part in
      part.source?.forget()
      return part.isObserved ? Part(fold: empty, source: part.source) : nil
    }
    withExtendedLifetime(all) {}
  }

  private func groups(of updates: [RowUpdate]) -> Set<Int> {
    var groups: Set<Int> = []
    for update in updates {
      if let old = update.old { groups.insert(old.group) }
      if let new = update.new { groups.insert(new.group) }
    }
    return groups
  }
}
