// The rows of a `ForEach` in the frames between two changes of its data.
//
// State: `scopes`, those of the rows that were requested while this version was on screen, or taken
// over from the previous version; `all`, the elements of all rows, once all were requested or taken
// over; `isAskedForAll`, whether all rows were requested of this version.

/// One version of the rows of a `ForEach`, with the scopes of the rows that were requested.
final class ForEachVersion {
  let data: any ForEachData
  private(set) var scopes: ForEachScopes
  private(set) var all: [Element]?
  private var isAskedForAll = false

  init(_ data: any ForEachData, scopes: ForEachScopes) {
    self.data = data
    self.scopes = scopes
  }

  /// Keeps the elements of the previous version, with the edits applied, if all were requested of
  /// it.
  func keepElements(of old: ForEachVersion, edits: [TreeEdit], scope: (Int) -> Scope) {
    guard old.isAskedForAll, var elements = old.all else { return }
    for edit in edits.reversed() {
      elements.replaceSubrange(
        edit.oldRange, with: edit.newRange.map { Element(.scope(scope($0).id)) })
    }
    all = elements
  }

  /// Returns the scope of the row at a position, if it has one.
  func scope(at position: Int) -> Scope? { scopes[data.id(at: position)] }

  func insert(_ scope: Scope, for id: ForEachRowID) { scopes.insert(scope, for: id) }

  /// Returns the elements of all rows, each with the scope that `scope` returns for its position.
  func elements(_ scope: (Int) -> Scope?) -> [Element] {
    isAskedForAll = true
    if let all { return all }
    let elements = (0..<data.count).compactMap { scope($0).map { Element(.scope($0.id)) } }
    if elements.count == data.count { all = elements }
    return elements
  }
}

/// The scopes of rows, by row; copies share their common parts.
struct ForEachScopes {
  private struct Entry {
    let hash: Int
    let row: ForEachRowID
    let scope: Scope
  }

  private var entries = Tree<Entry>()

  var count: Int { entries.count }

  /// The scope of a row, in O(log n).
  subscript(row: ForEachRowID) -> Scope? {
    position(of: row, row.hashValue).map { entries[$0].scope }
  }

  /// Returns the row of a scope, in O(log n).
  func row(of scope: Scope) -> ForEachRowID? {
    var position = entries.lowerBound { $0.hash < scope.rowHash }
    while position < entries.count, entries[position].hash == scope.rowHash {
      if entries[position].scope === scope { return entries[position].row }
      position += 1
    }
    return nil
  }

  /// Adds the scope of a row that has none yet, in O(log n).
  mutating func insert(_ scope: Scope, for row: ForEachRowID) {
    let hash = row.hashValue
    scope.rowHash = hash
    let position = entries.lowerBound { $0.hash < hash }
    entries.insert(Entry(hash: hash, row: row, scope: scope), at: position)
  }

  /// Removes the scope of a row and returns it, in O(log n).
  mutating func remove(_ row: ForEachRowID) -> Scope? {
    guard let position = position(of: row, row.hashValue) else { return nil }
    let scope = entries[position].scope
    entries.remove(at: position)
    return scope
  }

  /// Calls `body` for each row, in no particular order.
  func forEach(_ body: (ForEachRowID, Scope) -> Void) {
    for entry in entries { body(entry.row, entry.scope) }
  }

  private func position(of row: ForEachRowID, _ hash: Int) -> Int? {
    var position = entries.lowerBound { $0.hash < hash }
    while position < entries.count {
      var place = position
      // Compared in place, because copying an entry counts references.
      let leaf = entries.leaf(holding: &place)
      guard leaf[place].hash == hash else { return nil }
      if leaf[place].row == row { return position }
      position += 1
    }
    return nil
  }
}
