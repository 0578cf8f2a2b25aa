// The sections that the groups of a query make up.
//
// State: `places`, where each section stands, and `sections`, these in order, a persistent version; `observers`,
// who wants exact changes; `listTrigger`, for who reads which sections there are, and `triggers`, for who reads
// the rows of one; for them `recorder` has what happened since the last batch was settled, and `changedList`
// and `changedGroups` what was found out of it and not asked for yet.

/// Where a section stands among others: by its key, or by its first row.
struct SectionPlace {
  let group: Int
  let key: SortKey
  let sequence: UInt64
}

/// Live sections, whatever the types of their keys and rows.
final class SectionList: RowFollower {
  let grouping: Grouping
  private let order: RowOrder
  private let place: (QueryRow) -> SectionPlace
  private(set) var places: [Int: SectionPlace] = [:]
  private(set) var sections = Tree<SectionPlace>()
  private var observers: [SectionsConsumer] = []
  private var triggers: [Int: Trigger] = [:]
  private var recorder: SectionsRecorder?
  private var changedList = false
  private var changedGroups: Set<Int> = []
  private lazy var listTrigger = Trigger(
    describe: { [unowned self] in description },
    inspect: { [unowned self] in Inspection(kind: .results, value: description) },
    settle: { [unowned self] in settleList() })

  var query: Query { grouping.query }

  private var description: String { "the sections of \(query.description)" }

  init(_ grouping: Grouping, _ order: RowOrder, _ place: @escaping (QueryRow) -> SectionPlace) {
    self.grouping = grouping
    self.order = order
    self.place = place
    query.follow(self)
    grouping.isKnown = { [unowned self] group in
      recorder != nil || observers.contains { $0.recorder != nil }
        || triggers[group]?.isObserved ?? false
    }
  }

  deinit { query.unfollow(self) }

  // MARK: - Reading

  /// Brings the sections up to date; the read is a dependency on which there are, and in which order.
  func read() -> Tree<SectionPlace> {
    query.refresh()
    if unsafe Node.reader != nil { listTrigger.track(keeping: self) }
    return sections
  }

  /// The rows of a section; the read is a dependency on these, and on their order.
  func rows(of number: () -> Int?) -> Tree<QueryRow> {
    query.refresh()
    guard let group = number(), places[group] != nil else {
      // It may come.
      if unsafe Node.reader != nil { listTrigger.track(keeping: self) }
      return Tree()
    }
    if unsafe Node.reader != nil { trigger(of: group).track(keeping: self) }
    return grouping.rows(of: group, in: query.tree)
  }

  /// The position of a section.
  func position(of group: Int) -> Int? {
    places[group].map { place in sections.lowerBound { isBefore($0, place) } }
  }

  func isBefore(_ lhs: SectionPlace, _ rhs: SectionPlace) -> Bool {
    order.isBefore(lhs.key, lhs.sequence, rhs.key, rhs.sequence)
  }

  // MARK: - Telling readers

  private func trigger(of group: Int) -> Trigger {
    if let known = triggers[group] { return known }
    if triggers.count >= 64, triggers.count > 2 * sections.count {
      triggers = triggers.filter { $0.value.isObserved }
    }
    let trigger = Trigger(
      describe: { [unowned self] in "one of \(description)" },
      inspect: { [unowned self] in Inspection(kind: .results, value: "one of \(description)") },
      settle: { [unowned self] in settle(group) })
    triggers[group] = trigger
    return trigger
  }

  private func settleList() -> Bool {
    findChanges()
    defer { changedList = false }
    return changedList
  }

  private func settle(_ group: Int) -> Bool {
    findChanges()
    return changedGroups.remove(group) != nil
  }

  private func findChanges() {
    query.refresh()
    guard let difference = recorder.take()?.difference(in: self, modified: []) else { return }
    let change = difference.sections
    if !change.deletions.isEmpty || !change.insertions.isEmpty || !change.moves.isEmpty {
      changedList = listTrigger.isObserved
    }
    for group in difference.groups where triggers[group]?.isObserved ?? false {
      changedGroups.insert(group)
    }
  }

  private var isRead: Bool {
    listTrigger.isObserved || triggers.contains { $0.value.isObserved }
  }

  // MARK: - Observers

  func add(_ observer: SectionsConsumer) { observers.append(observer) }

  func remove(_ observer: SectionsConsumer) { observers.removeAll { $0 === observer } }

  // MARK: - Following

  // Of observers the query knows already.
  var isFollowed: Bool { isRead }

  func rowsMayChange() {
    listTrigger.mark()
    for trigger in triggers.values { trigger.mark() }
  }

  func rowsWillChange(_ updates: [RowUpdate]) {
    recorder = isRead ? recorder ?? SectionsRecorder(self) : nil
    recorder?.note(updates)
    for observer in observers {
      let recorder = observer.recorder ?? SectionsRecorder(self)
      observer.recorder = recorder
      recorder.note(updates)
    }
  }

  func rowsDidChange(_ updates: [RowUpdate]) {
    var arriving: [SectionPlace] = []
    for change in grouping.changes {
      let old = places[change.group]
      let new = change.new.map(place)
      if let old, let new, !isBefore(old, new), !isBefore(new, old) { continue }
      recorder?.note(change.group, old)
      for observer in observers { observer.recorder?.note(change.group, old) }
      if let old { sections.remove(at: sections.lowerBound { isBefore($0, old) }) }
      places[change.group] = new
      if let new { arriving.append(new) }
    }
    // Two sections may exchange their places: all must have left theirs before.
    for place in arriving {
      sections.insert(place, at: sections.lowerBound { isBefore($0, place) })
    }
  }

  func rowsWereMadeAnew() {
    recorder = nil
    places = grouping.firsts.mapValues(place)
    sections = Tree(places.values.sorted(by: isBefore))
  }
}
