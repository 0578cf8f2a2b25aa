// A number made of a value of each row in a section: live, one for each section that somebody asks about.
//
// The values of all sections stand in one query, by the numbers of the sections and then by value: so a row that
// changes costs O(log n), however many sections there are. The list of sections is always brought up to date
// first: it gives the numbers, and forgets them.
//
// State: `folds`, what is kept of the values of each section that was asked about; `triggers`, for who reads its
// aggregate; `before`, the aggregates when the batch began of those that changed while somebody depends on
// them. `isAnnounced` says that nobody has looked since all triggers were marked.

/// The aggregates of sections whatever they are of.
protocol AnySectionAggregate: RowFollower {
  /// Whether somebody depends on the aggregate of a section.
  func isRead(_ group: Int) -> Bool
}

/// The aggregates of one kind and value, of each section.
final class SectionAggregate<Fold: AggregateFold>: AnySectionAggregate {
  private unowned let list: SectionList
  private let query: Query
  private let name: String
  private let fold: Fold
  private var folds: [Int: Fold] = [:]
  private var triggers: [Int: Trigger] = [:]
  private var before: [Int: Fold.Value] = [:]
  private var isAnnounced = false

  private var description: String { "\(name) of one of \(list.description)" }

  init(_ name: String, _ list: SectionList, _ fold: Fold, by descriptor: SortDescriptor) {
    self.name = name
    self.list = list
    self.fold = fold
    query = list.query.reordered(by: [list.grouping.number, descriptor])
    query.follow(self)
  }

  deinit { query.unfollow(self) }

  /// The aggregate of a section as it is now; the read is a dependency on it alone.
  func value(of number: () -> Int?) -> Fold.Value {
    refresh()
    guard let group = number(), list.places[group] != nil else {
      // It may come.
      if unsafe Node.reader != nil { list.readers.trackList() }
      var fold = fold
      return fold.value(of: FoldRows(Tree()))
    }
    if unsafe Node.reader != nil { trigger(of: group).track(keeping: list) }
    return present(group)
  }

  private func refresh() {
    isAnnounced = false
    list.readers.refresh()
    query.refresh()
  }

  private func present(_ group: Int) -> Fold.Value {
    query.comparing(by: query.order) {
      folds[group, default: fold].value(of: FoldRows(query.tree, of: group))
    }
  }

  private func trigger(of group: Int) -> Trigger {
    if let known = triggers[group] { return known }
    if triggers.count >= 64, triggers.count > 2 * list.sections.count {
      triggers = triggers.filter { $0.value.isObserved }
    }
    let trigger = Trigger(
      describe: { [unowned self] in description },
      inspect: { [unowned self] in Inspection(kind: .results, value: description) },
      settle: { [unowned self] in settle(group) })
    triggers[group] = trigger
    return trigger
  }

  private func settle(_ group: Int) -> Bool {
    refresh()
    guard let before = before.removeValue(forKey: group) else { return false }
    let present = present(group)
    return !query.comparing(by: query.order) { fold.isSame(before, present) }
  }

  func isRead(_ group: Int) -> Bool { triggers[group]?.isObserved ?? false }

  // MARK: - Following

  var isFollowed: Bool { triggers.contains { $0.value.isObserved } }

  func rowsMayChange() {
    if isAnnounced { return }
    isAnnounced = true
    for trigger in triggers.values { trigger.mark() }
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

  func rowsWereMadeAnew() {
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
  /// An aggregate of a section, kept for the next read of any section.
  func aggregate<Fold: AggregateFold>(
    _ key: AggregateKey, of number: () -> Int?, by makeDescriptor: () -> SortDescriptor,
    _ makeFold: (Query?) -> Fold
  ) -> Fold.Value {
    if let known = aggregates[key] as? SectionAggregate<Fold> { return known.value(of: number) }
    if aggregates.count >= 32 { aggregates = aggregates.filter { $0.value.isFollowed } }
    let made = SectionAggregate(key.kind.name, self, makeFold(query), by: makeDescriptor())
    aggregates[key] = made
    return made.value(of: number)
  }
}
