// Who reads sections, and whether what they read has changed.
//
// State: `listTrigger`, for who reads which sections there are, and `triggers`, for who reads the rows of one; for
// them `recorder` has what happened since the last batch was settled, and `changedList` and `changedGroups` what
// was found out of it and not asked for yet. `lateList` and `lateRows` are what those saw that began to read
// when something was recorded already: of them the recorder says nothing, they are compared. `isAnnounced` says
// that nobody has looked since all triggers were marked.

/// The readers of a list of sections.
final class SectionReaders {
  private unowned let list: SectionList
  private var triggers: [Int: Trigger] = [:]
  private var recorder: SectionsRecorder?
  private var changedList = false
  private var changedGroups: Set<Int> = []
  private var lateList: Tree<SectionPlace>?
  private var lateRows: [Int: SectionSpan] = [:]
  private var isAnnounced = false
  private lazy var listTrigger = Trigger(
    describe: { [unowned self] in list.description },
    inspect: { [unowned self] in Inspection(kind: .results, value: list.description) },
    settle: { [unowned self] in settleList() })

  init(_ list: SectionList) { self.list = list }

  // MARK: - Who reads

  var areAny: Bool { listTrigger.isObserved || triggers.contains { $0.value.isObserved } }

  /// Whether somebody will ask what changed.
  var areWaiting: Bool { recorder != nil }

  func read(_ group: Int) -> Bool { triggers[group]?.isObserved ?? false }

  /// Brings the rows up to date for somebody who looks.
  func refresh() {
    isAnnounced = false
    list.query.refresh()
  }

  /// Whoever reads now depends on which sections there are.
  func trackList() {
    if recorder != nil, !listTrigger.isObserved { lateList = list.sections }
    listTrigger.track(keeping: list)
    RowWitness.note(list, list.version)
  }

  /// Whoever reads now depends on the rows of a section.
  func trackRows(of group: Int) {
    let trigger = trigger(of: group)
    if recorder != nil, !trigger.isObserved { lateRows[group] = list.span(of: group) }
    trigger.track(keeping: list)
    RowWitness.note(list, group: group, list.version)
  }

  private func trigger(of group: Int) -> Trigger {
    if let known = triggers[group] { return known }
    if triggers.count >= 64, triggers.count > 2 * list.sections.count {
      triggers = triggers.filter { $0.value.isObserved }
      lateRows = lateRows.filter { triggers[$0.key] != nil }
    }
    let trigger = Trigger(
      describe: { [unowned self] in "one of \(list.description)" },
      inspect: { [unowned self] in
        Inspection(kind: .results, value: "one of \(list.description)")
      },
      settle: { [unowned self] in settle(group) })
    triggers[group] = trigger
    return trigger
  }

  // MARK: - What changes

  /// Rows may be different from now on.
  func announce() {
    if isAnnounced { return }
    isAnnounced = true
    listTrigger.mark()
    for trigger in triggers.values { trigger.mark() }
  }

  func rowsWillChange(_ updates: [RowUpdate]) {
    recorder = areAny ? recorder ?? SectionsRecorder(list) : nil
    recorder?.note(updates)
  }

  func placeWillChange(_ group: Int, _ old: SectionPlace?) { recorder?.note(group, old) }

  func rowsWereMadeAnew() {
    recorder = nil
    lateList = nil
    lateRows = [:]
  }

  // MARK: - Settling

  private func settleList() -> Bool {
    findChanges()
    defer { changedList = false }
    guard let old = lateList.take() else { return changedList }
    return !old.elementsEqual(list.sections) { $0.group == $1.group }
  }

  private func settle(_ group: Int) -> Bool {
    findChanges()
    let isChanged = changedGroups.remove(group) != nil
    guard let old = lateRows.removeValue(forKey: group) else { return isChanged }
    let new = list.span(of: group)
    if old.range.count != new.range.count { return true }
    return zip(old.range, new.range).contains { old.rows[$0].object !== new.rows[$1].object }
  }

  private func findChanges() {
    refresh()
    guard let difference = recorder.take()?.difference(in: list, modified: []) else { return }
    let change = difference.sections
    if !change.deletions.isEmpty || !change.insertions.isEmpty || !change.moves.isEmpty {
      changedList = listTrigger.isObserved
    }
    for group in difference.groups where read(group) { changedGroups.insert(group) }
  }
}
