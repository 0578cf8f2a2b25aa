// The rows of one `ForEach`, in a scope of their own that depends on the data.
//
// State: `read`, what the last evaluation read and is not shown yet; `shown`, the version on screen;
// `source` and `environment`, what the rows that have scopes were last made by and stand in; `hasChanged`,
// whether rows came or went when it was last shown; `limit`: see ReleasingRows.swift; `named`, once somebody has asked
// for a row by its name.
//
// Order of events: the scope is evaluated, which reads the data; it is resolved, which unmounts the rows that
// are gone and marks those whose value changed; renderers ask for rows, which are mounted then.

/// The rows of one `ForEach`.
///
/// It and its scope keep each other until the scope leaves the screen.
final class RowList {
  private let scope: Scope
  private var read: (any RowData)?
  private(set) var shown: RowVersion
  private var source: RowSource
  private var environment: EnvironmentValues
  private(set) var hasChanged = false
  /// With more rows than these it is looked whether some can go.
  private var limit = RowList.least

  private static let least = 256
  /// Where rows stand by their names, and in which data.
  private var named: (data: any RowData, positions: [String: Int])?

  init(_ scope: Scope, _ source: RowSource, _ data: any RowData) {
    self.scope = scope
    self.source = source
    environment = scope.environment
    read = data
    shown = RowVersion(data, RowScopes())
  }

  /// Whether it is on screen, so that rows can be made.
  var isMounted: Bool { scope.isMounted }

  func didRead(_ data: any RowData) { read = data }

  /// Shows what was read; the answer are the rows to look at next.
  func show(by source: RowSource) -> [Scope] {
    hasChanged = false
    let isMadeAnew = source !== self.source
    self.source = source
    if let data = read.take() { replace(with: data) }
    if isMadeAnew { makeAnew() }
    return adopt()
  }

  // MARK: - Data

  private func replace(with data: any RowData) {
    let old = shown
    let edits = data === old.data ? .everything(0, data.count) : data.edits(since: old.data)
    guard data !== old.data else { return }
    hasChanged = edits.contains { edit in
      edit.oldRange.count != edit.newRange.count
        || zip(edit.oldRange, edit.newRange).contains { old.data.id(at: $0) != data.id(at: $1) }
    }
    var scopes = old.scopes
    let gone = scopes.count == 0 ? [] : gone(from: old, to: data, edits)
    let leaving = gone.compactMap { scopes.remove($0) }
    shown = RowVersion(data, scopes)
    scope.host.unmount(leaving)
    if data.areEditsOfRows, old.data.areEditsOfRows {
      shown.keepElements(of: old, edits, row(at:))
    }
    guard data.mayDiffer else { return }
    scopes.forEach { id, row in
      guard case .row(let value) = row.content,
        let new = data.newValue(of: id, replacing: value, in: scope.host.fields)
      else { return }
      row.content = .row(new)
      makeAnew(row)
    }
  }

  /// The rows with scopes that the new data don't have any more.
  ///
  /// Costs what was edited, or less if few rows were ever asked for.
  private func gone(
    from old: RowVersion, to data: any RowData, _ edits: [TreeEdit]
  ) -> [RowID] {
    let removed = edits.reduce(0) { $0 + $1.oldRange.count }
    let inserted = edits.reduce(0) { $0 + $1.newRange.count }
    if removed == 0 { return [] }
    if data.count + old.scopes.count < removed + inserted || !data.areEditsOfRows
      || !old.data.areEditsOfRows
    {
      let present = Set((0..<data.count).lazy.map(data.id(at:)))
      var gone: [RowID] = []
      old.scopes.forEach { row, _ in if !present.contains(row) { gone.append(row) } }
      return gone
    }
    let came = Set(edits.lazy.flatMap(\.newRange).map(data.id(at:)))
    return edits.lazy.flatMap(\.oldRange).map(old.data.id(at:)).filter {
      !came.contains($0) && old.scopes[$0] != nil
    }
  }

  /// Nobody can tell whether two closures do the same.
  private func makeAnew() {
    shown.scopes.forEach { makeAnew($1) }
  }

  private func makeAnew(_ row: Scope) {
    row.trace?.note([.named(row.parent?.name ?? "the rows")])
    row.isEvaluated = false
    scope.host.expect(row)
  }

  /// Hands a changed environment on.
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

  /// The scope of a row, made if nobody has asked for it before.
  func row(at position: Int) -> Scope {
    let id = shown.data.id(at: position)
    if let known = shown.scopes[id] {
      known.mark = scope.host.drawing
      return known
    }
    let value = shown.data.value(at: position)
    let row = Scope(
      scope.host, parent: scope, content: .row(value), environment: scope.environment)
    row.mark = scope.host.drawing
    shown.insert(row, for: id)
    if shown.scopes.count > limit { scope.host.crowded.insert(scope.id) }
    return row
  }

  /// The row of a name, made if nobody has asked for it before; nil if there is none, or more than one.
  ///
  /// O(rows) when the data have changed since it was last asked, else O(log n).
  func row(named name: String) -> Scope? {
    if named?.data !== shown.data {
      var positions: [String: Int] = [:]
      for position in 0..<shown.data.count {
        let name = shown.data.name(at: position)
        // Of two that have one name neither is meant.
        positions[name] = positions[name] == nil ? position : -1
      }
      named = (shown.data, positions)
    }
    guard let position = named?.positions[name], position >= 0 else { return nil }
    return row(at: position)
  }

  /// Drops the rows that were asked for before a drawing and not since, if nobody would miss them.
  ///
  /// A frame that was replaced keeps them, with what they were.
  func release(shownSince drawing: UInt64, except focused: Set<ScopeID>) {
    var scopes = shown.scopes
    var leaving: [Scope] = []
    shown.scopes.forEach { id, row in
      guard row.mark < drawing, !focused.contains(row.id), row.canBeMadeAgain,
        let gone = scopes.remove(id)
      else { return }
      leaving.append(gone)
    }
    limit = max(RowList.least, 2 * scopes.count)
    if leaving.isEmpty { return }
    shown = RowVersion(shown.data, scopes)
    scope.host.didRelease(shown, of: scope)
    scope.host.unmount(leaving)
  }

  /// All rows, all made.
  var elements: [Element] { shown.elements(row(at:)) }

  /// The rows that somebody has asked for, in no particular order.
  var knownRows: [Scope] {
    var known: [Scope] = []
    shown.scopes.forEach { known.append($1) }
    return known
  }

  /// The same in the order of the rows; O(rows), up to the last one of them.
  var knownElements: [Element] {
    if let all = shown.all { return all }
    var known: [Element] = []
    for position in 0..<shown.data.count {
      if known.count == shown.scopes.count { break }
      if let row = shown.scope(at: position) { known.append(Element(.scope(row.id))) }
    }
    return known
  }

  /// Those of some rows, in the order of the rows; O(rows that were asked for), and O(rows) if there are several.
  func knownElements(among wanted: Set<ScopeID>) -> [Element] {
    let known = knownRows.filter { wanted.contains($0.id) }
    if known.count <= 1 { return known.map { Element(.scope($0.id)) } }
    return knownElements.filter { element in
      if case .scope(let row) = element.storage { wanted.contains(row) } else { false }
    }
  }
}
