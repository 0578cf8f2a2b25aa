// The rows of one `ForEach`, in a separate scope that depends on the data.
//
// State: `read`, the data that the last evaluation read and that aren't shown yet; `shown`, the
// version on screen; `source` and `environment`, by and in which the existing rows were last made;
// `hasChanged`, whether rows were inserted or removed when the data were last shown; `written`, the
// rows whose values got other ids by their own bindings since then; `limit`, see
// ViewHost+RowRelease.swift; `named`, set once a row was requested by its name.
//
// Order of events: the scope is evaluated, which reads the data. It is resolved, which unmounts the
// rows that were removed and marks the rows whose value changed. Renderers request rows, which are
// mounted then.

/// The rows of one `ForEach`.
///
/// The list and its scope retain each other until the scope leaves the screen.
final class ForEachList {
  private let scope: Scope
  private var read: (any ForEachData)?
  private(set) var shown: ForEachVersion
  private var source: ForEachSource
  private var environment: EnvironmentValues
  private(set) var hasChanged = false
  private var written: [WrittenRow] = []
  /// With more rows than this, the next drawing checks which of them can be released.
  private var limit = ForEachList.least

  private static let least = 256
  /// The positions of the rows by their names, and the data to which the positions refer.
  private var named: (data: any ForEachData, positions: [String: Int])?

  init(_ scope: Scope, source: ForEachSource, data: any ForEachData) {
    self.scope = scope
    self.source = source
    environment = scope.environment
    read = data
    shown = ForEachVersion(data, scopes: ForEachScopes())
  }

  /// Whether the list is on screen, so that rows can be created.
  var isMounted: Bool { scope.isMounted }

  func didRead(_ data: any ForEachData) { read = data }

  /// Shows the data that were read, and returns the rows to visit next.
  func show(by source: ForEachSource) -> [Scope] {
    hasChanged = false
    let hasNewSource = source !== self.source
    self.source = source
    if let data = read.take() { replace(with: data) }
    if hasNewSource { markForEvaluation() }
    return adopt()
  }

  // MARK: - Data

  private func replace(with data: any ForEachData) {
    let old = shown
    guard data !== old.data else { return }
    if data.follow(old.data, written: written.filter(\.scope.isMounted)) {
      scope.host.hasRenamedRows = true
    }
    written = []
    let edits = data.edits(since: old.data)
    hasChanged = edits.contains { edit in
      edit.oldRange.count != edit.newRange.count
        || zip(edit.oldRange, edit.newRange).contains { old.data.id(at: $0) != data.id(at: $1) }
    }
    var scopes = old.scopes
    let removed = scopes.count == 0 ? [] : removedRows(from: old, to: data, edits)
    let leaving = removed.compactMap { scopes.remove($0) }
    shown = ForEachVersion(data, scopes: scopes)
    scope.host.unmount(leaving)
    if data.editsIdentifyRows, old.data.editsIdentifyRows {
      shown.keepElements(of: old, edits: edits, scope: row(at:))
    }
    guard data.mayDiffer else { return }
    scopes.forEach { id, row in
      guard case .row(let value) = row.content,
        let new = data.newValue(of: id, replacing: value, in: scope.host.fields)
      else { return }
      row.content = .row(new)
      markForEvaluation(row)
    }
  }

  /// Returns the rows that have scopes and aren't in the new data.
  ///
  /// - Complexity: O(edited rows), or less if few rows were ever requested.
  private func removedRows(
    from old: ForEachVersion, to data: any ForEachData, _ edits: [TreeEdit]
  ) -> [ForEachRowID] {
    let removed = edits.reduce(0) { $0 + $1.oldRange.count }
    let inserted = edits.reduce(0) { $0 + $1.newRange.count }
    if removed == 0 { return [] }
    if data.count + old.scopes.count < removed + inserted || !data.editsIdentifyRows
      || !old.data.editsIdentifyRows
    {
      let present = Set((0..<data.count).lazy.map(data.id(at:)))
      var absent: [ForEachRowID] = []
      old.scopes.forEach { row, _ in if !present.contains(row) { absent.append(row) } }
      return absent
    }
    let came = Set(edits.lazy.flatMap(\.newRange).map(data.id(at:)))
    return edits.lazy.flatMap(\.oldRange).map(old.data.id(at:)).filter {
      !came.contains($0) && old.scopes[$0] != nil
    }
  }

  /// Notes that the value of a row was given another id by the row's own binding.
  func note(_ row: Scope, wasGiven id: AnyHashable) {
    guard let present = shown.scopes.row(of: row) else { return }
    written.removeAll { $0.scope === row }
    written.append(WrittenRow(scope: row, row: present, id: id))
  }

  /// Marks all existing rows for evaluation, because closures can't be compared.
  private func markForEvaluation() {
    shown.scopes.forEach { markForEvaluation($1) }
  }

  private func markForEvaluation(_ row: Scope) {
    row.trace?.note([.named(row.parent?.name ?? "the rows")])
    row.isEvaluated = false
    scope.host.expect(row)
  }

  /// Passes a changed environment on to the rows, and returns the rows to visit next.
  private func adopt() -> [Scope] {
    guard !environment.isSame(as: scope.environment) else { return [] }
    environment = scope.environment
    var toVisit: [Scope] = []
    shown.scopes.forEach { _, row in
      row.adopt(environment)
      if row.isEvaluated { toVisit.append(row) }
    }
    return toVisit
  }

  // MARK: - Rows

  /// Returns the scope of a row, which is created if it wasn't requested before.
  func row(at position: Int) -> Scope {
    let id = shown.data.id(at: position)
    if let known = shown.scopes[id] {
      known.mark = scope.host.drawingNumber
      return known
    }
    let value = shown.data.value(at: position)
    let row = Scope(
      scope.host, parent: scope, content: .row(value), environment: scope.environment)
    row.mark = scope.host.drawingNumber
    shown.insert(row, for: id)
    if shown.scopes.count > limit { scope.host.oversizedLists.insert(scope.id) }
    return row
  }

  /// Returns the row with a name, which is created if it wasn't requested before.
  ///
  /// - Returns: The row; `nil` if no row has the name, or several have it.
  /// - Complexity: O(rows) if the data have changed since the last call, else O(log n).
  func row(named name: String) -> Scope? {
    if named?.data !== shown.data {
      var positions: [String: Int] = [:]
      for position in 0..<shown.data.count {
        let name = shown.data.name(at: position)
        // A name that two rows share identifies neither.
        positions[name] = positions[name] == nil ? position : -1
      }
      named = (shown.data, positions)
    }
    guard let position = named?.positions[name], position >= 0 else { return nil }
    return row(at: position)
  }

  /// Drops the rows that weren't requested since a drawing, if they can be created again without
  /// loss.
  ///
  /// A frame that was replaced keeps them, with their elements.
  func release(shownSince drawing: UInt64, except focused: Set<ScopeID>) {
    var scopes = shown.scopes
    var leaving: [Scope] = []
    shown.scopes.forEach { id, row in
      guard row.mark < drawing, !focused.contains(row.id), row.canBeMadeAgain,
        let released = scopes.remove(id)
      else { return }
      leaving.append(released)
    }
    limit = max(ForEachList.least, 2 * scopes.count)
    if leaving.isEmpty { return }
    shown = ForEachVersion(shown.data, scopes: scopes)
    scope.host.didRelease(shown, of: scope)
    scope.host.unmount(leaving)
  }

  /// The elements of all rows; rows that don't exist yet are created.
  var elements: [Element] { shown.elements(row(at:)) }

  /// The rows that were requested, in no particular order.
  var knownRows: [Scope] {
    var known: [Scope] = []
    shown.scopes.forEach { known.append($1) }
    return known
  }

  /// The elements of the rows that were requested, in order.
  ///
  /// - Complexity: O(rows) up to the last requested row.
  var knownElements: [Element] {
    if let all = shown.all { return all }
    var known: [Element] = []
    for position in 0..<shown.data.count {
      if known.count == shown.scopes.count { break }
      if let row = shown.scope(at: position) { known.append(Element(.scope(row.id))) }
    }
    return known
  }

  /// Returns the elements of the given rows that have been requested, in order.
  ///
  /// - Complexity: O(requested rows) if it returns at most one element; otherwise O(rows) up to the
  ///   last requested row.
  func knownElements(among wanted: Set<ScopeID>) -> [Element] {
    let known = knownRows.filter { wanted.contains($0.id) }
    if known.count <= 1 { return known.map { Element(.scope($0.id)) } }
    return knownElements.filter { element in
      if case .scope(let row) = element.storage { wanted.contains(row) } else { false }
    }
  }
}
