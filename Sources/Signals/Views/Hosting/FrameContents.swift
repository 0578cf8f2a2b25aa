/// The elements of the scopes of one frame; rows are added only while the frame is on screen.
///
/// State: `entries`, sorted by the ids of the scopes; consecutive frames share the unchanged ones.
/// No entry has a scope after `last`. `changed`, the scopes that look different than in the
/// previous frame, except those created since then, which start at `firstNew`.
final class FrameContents {
  private var entries: Tree<Entry>
  private var last = ScopeID(number: 0)
  /// The scopes that contain covers; see Cover.swift.
  var covers: Set<ScopeID> = []
  /// Whether rows have other names than in the previous frame.
  var hasRenamedRows = false
  private var changed: Set<ScopeID> = []
  private let firstNew: ScopeID

  private struct Entry {
    let scope: ScopeID
    let elements: [Element]
    let rows: ForEachVersion?
  }

  init() {
    entries = Tree()
    firstNew = ScopeID(number: 0)
  }

  /// Creates the initial contents of the next frame, in O(1).
  ///
  /// The scopes made for it start at `firstNew`.
  init(after other: FrameContents, firstNew: ScopeID) {
    entries = other.entries
    last = other.last
    covers = other.covers
    self.firstNew = firstNew
  }

  /// Notes that a scope looks different than in the previous frame.
  func note(_ scope: ScopeID) { if scope < firstNew { changed.insert(scope) } }

  /// Removes a scope that has left the screen.
  func forget(_ scope: ScopeID) {
    changed.remove(scope)
    self[scope] = nil
  }

  /// Whether a scope is new or looks different than in the previous frame.
  func hasChanged(_ scope: ScopeID) -> Bool {
    scope < firstNew ? changed.contains(scope) : position(of: scope) != nil
  }

  /// All scopes that are new or look different, in the order of their ids.
  var allChanged: [ScopeID] {
    let start = entries.lowerBound { $0.scope < firstNew }
    return changed.sorted() + (start..<entries.count).map { entries[$0].scope }
  }

  /// The elements of a scope, in O(log n); for a `ForEach`, the rows that were requested.
  subscript(scope: ScopeID) -> [Element]? {
    get {
      guard let position = position(of: scope) else { return nil }
      let entry = entries[position]
      return entry.rows.map { rows in rows.elements(rows.scope(at:)) } ?? entry.elements
    }
    set {
      if let newValue {
        put(Entry(scope: scope, elements: newValue, rows: nil))
      } else if let position = position(of: scope) {
        let old = entries[position]
        entries.remove(at: position)
        withExtendedLifetime(old) {}
      }
    }
  }

  /// The rows of a `ForEach` scope, in O(log n).
  func rows(of scope: ScopeID) -> ForEachVersion? {
    position(of: scope).flatMap { entries[$0].rows }
  }

  /// Sets the rows of a `ForEach` scope, in O(log n).
  func setRows(_ rows: ForEachVersion, of scope: ScopeID) {
    put(Entry(scope: scope, elements: [], rows: rows))
  }

  private func put(_ entry: Entry) {
    if last < entry.scope {
      last = entry.scope
      return entries.append(entry)
    }
    let position = entries.lowerBound { $0.scope < entry.scope }
    if position < entries.count, entries[position].scope == entry.scope {
      // Released only once the tree is consistent again, because elements hold the user's objects.
      let old = entries[position]
      entries.replace(at: position, with: entry)
      withExtendedLifetime(old) {}
    } else {
      entries.insert(entry, at: position)
    }
  }

  private func position(of scope: ScopeID) -> Int? {
    let position = entries.lowerBound { $0.scope < scope }
    return position < entries.count && entries[position].scope == scope ? position : nil
  }
}
