// The scopes of the rows of one `ForEach`.
//
// State: `source`, what the body built last; `rows`, its rows in order, each scope with the id of its
// row; `mark`, the pass in which the body that holds the rows was last seen to build them.

/// The scopes of the rows of one `ForEach`.
final class RowList {
  struct Row {
    let id: RowID
    let scope: Scope
  }

  /// Where the `ForEach` stands in the body.
  let path: [Step]
  private var source: RowSource?
  private(set) var rows: [Row] = []
  var mark: UInt64 = 0

  init(path: [Step]) { self.path = path }

  /// Takes over what a body built, or the environment alone if that is what it built before.
  func show(_ new: RowSource, in parent: Scope, _ environment: EnvironmentValues) {
    if new === source {
      for row in rows { row.scope.adopt(environment) }
    } else {
      source = new
      replaceRows(with: new.rows, in: parent, environment)
    }
  }

  /// Rows are found again by id, and those that are gone are unmounted.
  ///
  /// What lies before and after all changes of the order is found without hashing.
  private func replaceRows(
    with new: [RowSource.Row], in parent: Scope, _ environment: EnvironmentValues
  ) {
    let old = rows
    let shorter = min(old.count, new.count)
    var before = 0
    while before < shorter, old[before].id == new[before].id { before += 1 }
    var after = 0
    while after < shorter - before,
      old[old.count - 1 - after].id == new[new.count - 1 - after].id
    {
      after += 1
    }
    var others: [RowID: Scope] = [:]
    for index in before..<(old.count - after) { others[old[index].id] = old[index].scope }
    rows = new.indices.map { index in
      let row = new[index]
      let known: Scope? =
        if index < before {
          old[index].scope
        } else if index >= new.count - after {
          old[index + old.count - new.count].scope
        } else {
          others.removeValue(forKey: row.id)
        }
      return Row(id: row.id, scope: place(row, known, parent, environment))
    }
    for scope in others.values { scope.unmount(parent.host.forget) }
  }

  private func place(
    _ row: RowSource.Row, _ known: Scope?, _ parent: Scope, _ environment: EnvironmentValues
  ) -> Scope {
    guard let known else {
      let scope = Scope(
        parent.host, parent: parent, content: .closure(row.content), environment: environment)
      parent.host.expect(scope)
      return scope
    }
    // Nobody can tell whether two closures do the same.
    known.content = .closure(row.content)
    known.adopt(environment)
    known.trace?.note([.named(parent.name)])
    known.isEvaluated = false
    parent.host.expect(known)
    return known
  }
}
