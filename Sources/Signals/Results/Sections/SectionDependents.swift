// Tracks the readers of sections, and finds out whether the values they read have changed.
//
// State: `listInvalidation`, for readers of which sections exist; `invalidations`, for readers of
// the rows of one section. `recorder` has the changes since the last settled batch, for both of them.
// `changedList` and `changedGroups` are the changes found in it that haven't been asked for yet.
// `lateList` and `lateRows` are the versions seen by readers that began to read after the recorder
// was opened: the recorder doesn't apply to these readers, so the versions are compared.
// `isAnnounced` is true if all invalidation sources have been marked since the last read.

/// The readers of a list of sections.
final class SectionDependents {
  private unowned let list: SectionList
  private var invalidations: [Int: InvalidationSource] = [:]
  private let recorder = SectionsRecorder()
  private var changedList = false
  private var changedGroups: Set<Int> = []
  private var lateList: Tree<SectionSortKey>?
  private var lateRows: [Int: RowSlice<Object>] = [:]
  private var isAnnounced = false
  private lazy var listInvalidation = InvalidationSource(
    describe: { [unowned self] in list.description },
    inspect: { [unowned self] in Inspection(kind: .results, value: list.description) },
    settle: { [unowned self] in settleList() })

  init(_ list: SectionList) { self.list = list }

  // MARK: - Readers

  var areAny: Bool { listInvalidation.isObserved || invalidations.contains { $0.value.isObserved } }

  /// Whether recorded changes haven't been asked for yet.
  var areWaiting: Bool { recorder.hasChanges }

  func read(_ group: Int) -> Bool { invalidations[group]?.isObserved ?? false }

  /// Brings the rows up to date for a reader.
  func refresh() {
    isAnnounced = false
    list.query.refresh()
  }

  /// Makes the current reader depend on which sections exist.
  func trackList() {
    if areWaiting, !listInvalidation.isObserved { lateList = list.sections }
    listInvalidation.track(keeping: list)
    ReadRecorder.note(list, list.version)
  }

  /// Makes the current reader depend on the rows of a section.
  func trackRows(of group: Int) {
    let invalidation = invalidation(of: group)
    if areWaiting, !invalidation.isObserved { lateRows[group] = list.slice(of: group) }
    invalidation.track(keeping: list)
    ReadRecorder.note(list, group: group, list.version)
  }

  private func invalidation(of group: Int) -> InvalidationSource {
    if let known = invalidations[group] { return known }
    if invalidations.count >= 64, invalidations.count > 2 * list.sections.count {
      invalidations = invalidations.filter { $0.value.isObserved }
      lateRows = lateRows.filter { invalidations[$0.key] != nil }
    }
    let invalidation = InvalidationSource(
      describe: { [unowned self] in "one of \(list.description)" },
      inspect: { [unowned self] in
        Inspection(kind: .results, value: "one of \(list.description)")
      },
      settle: { [unowned self] in settle(group) })
    invalidations[group] = invalidation
    return invalidation
  }

  // MARK: - Changes

  /// Announces that rows may have changed.
  func announce() {
    if isAnnounced { return }
    isAnnounced = true
    listInvalidation.mark()
    for invalidation in invalidations.values { invalidation.mark() }
  }

  func rowsWillChange(_ updates: [RowUpdate]) {
    if areAny { recorder.note(updates, in: list) } else { recorder.reset() }
  }

  func placeWillChange(from old: SectionSortKey?, of group: Int) { recorder.note(old, of: group) }

  func rowsWereRebuilt() {
    recorder.reset()
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
    let new = list.slice(of: group)
    if old.range.count != new.range.count { return true }
    return zip(old.range, new.range).contains { old.rows[$0].object !== new.rows[$1].object }
  }

  private func findChanges() {
    refresh()
    guard recorder.hasChanges else { return }
    let (difference, groups) = recorder.takeChange(in: list, modified: [])
    let change = difference.sections
    if !change.deletions.isEmpty || !change.insertions.isEmpty || !change.moves.isEmpty {
      changedList = listInvalidation.isObserved
    }
    for group in groups where read(group) { changedGroups.insert(group) }
  }
}
