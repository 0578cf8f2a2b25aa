// Aggregates of sections: a value computed from the rows of one section, for each section that is
// read.
//
// The values of all sections are in one query, sorted by the number of the section and then by
// value. So a changed row costs O(log n), however many sections there are. The list of sections is
// always brought up to date first, because it assigns the numbers and releases them.
//
// State: `folds`, the incremental state for each section that was read; `invalidations`, which
// track the readers of each section's aggregate; `before`, the aggregates at the start of the batch
// of the sections that changed while they had dependents; `isAnnounced`, whether all invalidation
// sources have been marked since the last read.

/// The type-erased aggregates of sections.
protocol AnySectionAggregate: QueryObserver {
  /// Whether the aggregate of a section has dependents.
  func isRead(_ group: Int) -> Bool
}

/// One kind of aggregate of one property, for each section.
final class SectionAggregate<Fold: AggregateFold>: AnySectionAggregate {
  private unowned let list: SectionList
  private let query: Query
  private let name: String
  private let fold: Fold
  private var folds: [Int: Fold] = [:]
  private var invalidations: [Int: InvalidationSource] = [:]
  private var before: [Int: Fold.Value] = [:]
  private var isAnnounced = false

  private var description: String { "\(name) of one of \(list.description)" }

  init(_ name: String, _ list: SectionList, _ fold: Fold, by descriptor: SortDescriptor) {
    self.name = name
    self.list = list
    self.fold = fold
    query = list.query.reordered(by: [list.grouping.number, descriptor])
    query.addObserver(self)
  }

  deinit { query.removeObserver(self) }

  /// The current aggregate of a section; the read depends on that value only.
  func value(of number: () -> Int?) -> Fold.Value {
    refresh()
    guard let group = number(), list.sortKeys[group] != nil else {
      // The section may be inserted later.
      if Node.hasReader { list.dependents.trackList() }
      var fold = fold
      return fold.value(of: FoldRows(Tree()))
    }
    if Node.hasReader { invalidation(of: group).track(keeping: list) }
    return present(group)
  }

  private func refresh() {
    isAnnounced = false
    list.dependents.refresh()
    query.refresh()
  }

  private func present(_ group: Int) -> Fold.Value {
    query.comparing(by: query.order) {
      folds[group, default: fold].value(of: FoldRows(query.tree, of: group))
    }
  }

  private func invalidation(of group: Int) -> InvalidationSource {
    if let known = invalidations[group] { return known }
    if invalidations.count >= 64, invalidations.count > 2 * list.sections.count {
      invalidations = invalidations.filter { $0.value.isObserved }
    }
    let invalidation = InvalidationSource(
      describe: { [unowned self] in description },
      inspect: { [unowned self] in Inspection(kind: .results, value: description) },
      settle: { [unowned self] in settle(group) })
    invalidations[group] = invalidation
    return invalidation
  }

  private func settle(_ group: Int) -> Bool {
    refresh()
    guard let before = before.removeValue(forKey: group) else { return false }
    let present = present(group)
    return !query.comparing(by: query.order) { fold.isSame(before, present) }
  }

  func isRead(_ group: Int) -> Bool { invalidations[group]?.isObserved ?? false }

  // MARK: - Following

  var isObserved: Bool { invalidations.contains { $0.value.isObserved } }

  func rowsMayChange() {
    if isAnnounced { return }
    isAnnounced = true
    for invalidation in invalidations.values { invalidation.mark() }
  }

  func rowsWillChange(_ updates: [RowUpdate]) {
    for group in groups(of: updates) where before[group] == nil && isRead(group) {
      before[group] = present(group)
    }
  }

  func rowsDidChange(_ updates: [RowUpdate]) {
    for update in updates {
      if let old = update.old { folds[old.group]?.remove(old.keyInGroup) }
      if let new = update.new { folds[new.group]?.add(new.keyInGroup) }
    }
    for group in groups(of: updates) where folds[group] != nil && !hasRows(group) {
      folds[group] = nil
    }
  }

  func rowsWereRebuilt() {
    before = [:]
    folds = [:]
  }

  private func groups(of updates: [RowUpdate]) -> Set<Int> {
    var groups: Set<Int> = []
    for update in updates {
      if let old = update.old { groups.insert(old.group) }
      if let new = update.new { groups.insert(new.group) }
    }
    return groups
  }

  private func hasRows(_ group: Int) -> Bool { !FoldRows(query.tree, of: group).range.isEmpty }
}

extension SectionList {
  /// Returns the value of an aggregate of a section, which is kept for the next read of any
  /// section.
  func aggregate<Fold: AggregateFold>(
    _ key: AggregateKey, of number: () -> Int?, by makeDescriptor: () -> SortDescriptor,
    _ makeFold: (Query?) -> Fold
  ) -> Fold.Value {
    if let known = aggregates[key] as? SectionAggregate<Fold> { return known.value(of: number) }
    if aggregates.count >= 32 { aggregates = aggregates.filter { $0.value.isObserved } }
    let made = SectionAggregate(key.kind.name, self, makeFold(query), by: makeDescriptor())
    aggregates[key] = made
    return made.value(of: number)
  }
}
