// Tracks the readers of sections, and finds out whether the values they read have changed.
//
// State: `listSource`, for readers of which sections exist; `sources`, for readers of the rows of
// one section. `recorder` has the changes since the last settled batch, for both of them.
// `changedList` and `changedGroups` are the changes found in it that haven't been asked for yet. A
// source keeps the version seen by readers that began to read after the recorder was opened: the
// recorder doesn't apply to these readers, so the versions are compared. `isAnnounced` is true if
// all sources have been marked since the last read.

/// The readers of a list of sections.
final class SectionDependents {
  private unowned let list: SectionList
  private var sources: [Int: SettlingSource<RowSlice<Object>>] = [:]
  private let recorder = SectionsRecorder()
  private var changedList = false
  private var changedGroups: Set<Int> = []
  private var isAnnounced = false
  private lazy var listSource = SettlingSource<Tree<SectionSortKey>>(
    describe: { [unowned self] in list.description },
    inspect: { [unowned self] in Inspection(kind: .results, value: list.description) },
    refresh: { [unowned self] in findChanges() },
    hasChanged: { [unowned self] in listHasChanged(since: $0) })

  init(_ list: SectionList) { self.list = list }

  // MARK: - Readers

  var areAny: Bool { listSource.isObserved || sources.contains { $0.value.isObserved } }

  /// Whether recorded changes haven't been asked for yet.
  var areWaiting: Bool { recorder.hasChanges }

  func read(_ group: Int) -> Bool { sources[group]?.isObserved ?? false }

  /// Brings the rows up to date for a reader.
  func refresh() {
    isAnnounced = false
    list.query.refresh()
  }

  /// Makes the current reader depend on which sections exist.
  func trackList() {
    if areWaiting, !listSource.isObserved {
      listSource.forget()
      listSource.keep(list.sections)
    }
    listSource.track(keeping: list)
    ReadRecorder.note(list, list.version)
  }

  /// Makes the current reader depend on the rows of a section.
  func trackRows(of group: Int) {
    let source = source(of: group)
    if areWaiting, !source.isObserved {
      source.forget()
      source.keep(list.slice(of: group))
    }
    source.track(keeping: list)
    ReadRecorder.note(list, group: group, list.version)
  }

  private func source(of group: Int) -> SettlingSource<RowSlice<Object>> {
    if let known = sources[group] { return known }
    if sources.count >= 64, sources.count > 2 * list.sections.count {
      sources = sources.filter { $0.value.isObserved }
    }
    let source = SettlingSource<RowSlice<Object>>(
      describe: { [unowned self] in "one of \(list.description)" },
      inspect: { [unowned self] in
        Inspection(kind: .results, value: "one of \(list.description)")
      },
      refresh: { [unowned self] in findChanges() },
      hasChanged: { [unowned self] in rowsHaveChanged(of: group, since: $0) })
    sources[group] = source
    return source
  }

  // MARK: - Changes

  /// Announces that rows may have changed.
  func announce() {
    if isAnnounced { return }
    isAnnounced = true
    listSource.mark()
    for source in sources.values { source.mark() }
  }

  func rowsWillChange(_ updates: [RowUpdate]) {
    if areAny { recorder.note(updates, in: list) } else { recorder.reset() }
  }

  func placeWillChange(from old: SectionSortKey?, of group: Int) { recorder.note(old, of: group) }

  func rowsWereRebuilt() {
    recorder.reset()
    listSource.forget()
    for source in sources.values { source.forget() }
  }

  // MARK: - Settling

  private func listHasChanged(since old: Tree<SectionSortKey>?) -> Bool {
    defer { changedList = false }
    guard let old else { return changedList }
    return !old.elementsEqual(list.sections) { $0.group == $1.group }
  }

  private func rowsHaveChanged(of group: Int, since old: RowSlice<Object>?) -> Bool {
    let isChanged = changedGroups.remove(group) != nil
    guard let old else { return isChanged }
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
      changedList = listSource.isObserved
    }
    for group in groups where read(group) { changedGroups.insert(group) }
  }
}
