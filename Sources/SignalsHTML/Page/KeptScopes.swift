// What was drawn of the scopes of a screen, kept for the next drawing of a page with a script.
//
// State: `entries`, by scope; `rows`, the shown rows of each `ForEach`; `paths` of scopes; `targets`,
// what the names on this page and earlier ones refer to; `stale`, the scopes that changed in frames
// since the last drawing, other than those that it saw, `seen`.
//
// Order of events: `replace(_:)` notes what changed in a frame that is replaced. A drawing begins
// with `begin(_:)`, which removes the entries of what has changed, and of what that is in. It takes
// the entries that are left, and draws and puts the others.
//
// Invariant: where a scope has an entry, the scope that it was drawn in has one too, or is drawn
// again.

import Signals

/// The place of a scope, which its drawing depends on.
struct ScopeContext: Equatable {
  /// The kept scope around it.
  let parent: ScopeID?
  let flow: PageWriter.Flow
  let level: Int
  let depth: Int
  /// The list whose rows it is one of, if they can be moved.
  var list: String?
  var isFirst = false
  var isLast = false
  /// The alignments of the columns of the table whose row it is.
  var columns: [ElementAlignment?] = []
}

/// What a drawing has found on the way.
struct PageFindings {
  /// The names of the text fields.
  var fields: [String] = []
  /// Whether an element is busy.
  var isBusy = false

  /// Adds what was found after this.
  mutating func add(_ later: PageFindings) {
    if !later.fields.isEmpty { fields += later.fields }
    isBusy = isBusy || later.isBusy
  }
}

/// The drawings of scopes that are kept.
final class KeptScopes {
  /// A drawing of a scope.
  final class Drawing {
    let context: ScopeContext
    let nodes: [PageNode]
    let found: PageFindings

    init(_ nodes: [PageNode], in context: ScopeContext, finding found: PageFindings) {
      (self.context, self.nodes, self.found) = (context, nodes, found)
    }
  }

  private enum Entry {
    case drawing(Drawing)
    /// A scope that isn't drawn by itself, in another.
    case part(of: ScopeID?)

    var parent: ScopeID? {
      switch self {
      case .drawing(let drawing): drawing.context.parent
      case .part(let parent): parent
      }
    }
  }

  private var entries: [ScopeID: Entry] = [:]
  var rows: [ScopeID: [ScopeID]] = [:]
  private var paths: [ScopeID: ScopePath] = [:]
  var targets: [String: PageTarget] = [:]
  private var stale: Set<ScopeID> = []
  private var seen: Set<ScopeID> = []
  /// The numbers of entries and names after the last drawing of everything.
  private var usual = (entries: 0, names: 0)

  /// Notes what changed in a frame that is replaced.
  func replace(_ frame: Frame) {
    if frame.hasRenamedRows { return removeAll() }
    // Of a frame that was replaced, nothing is evaluated.
    for scope in frame.changed where !seen.contains(scope) { stale.insert(scope) }
    seen = []
  }

  /// Forgets every drawing; pages have their names until the next one.
  func removeAll() {
    (entries, rows, paths) = ([:], [:], [:])
    (stale, seen) = ([], [])
  }

  /// Removes what looks different in a frame.
  ///
  /// - Returns: Whether nothing is left, so that the whole frame is drawn.
  func begin(_ frame: Frame) -> Bool {
    seen = Set(frame.changed)
    // Scopes that have left the screen aren't told from those that are only out of sight.
    if frame.hasRenamedRows || entries.count > 2 * usual.entries + 200
      || targets.count > 2 * usual.names + 1000
    {
      removeAll()
    }
    stale.forEach { remove($0) }
    seen.forEach { remove($0) }
    stale = []
    guard entries.isEmpty else { return false }
    (rows, targets) = ([:], [:])
    return true
  }

  /// Ends the drawing of everything.
  func endAll() { usual = (entries.count, targets.count) }

  private func remove(_ scope: ScopeID) {
    if !rows.isEmpty { rows[scope] = nil }
    var next: ScopeID? = scope
    while let scope = next, let entry = entries.removeValue(forKey: scope) { next = entry.parent }
  }

  /// Returns what was drawn of a scope, if it would be drawn alike.
  func drawing(of scope: ScopeID, in context: ScopeContext) -> Drawing? {
    guard case .drawing(let drawing)? = entries[scope], drawing.context == context else {
      return nil
    }
    return drawing
  }

  func put(_ drawing: Drawing, of scope: ScopeID) { entries[scope] = .drawing(drawing) }

  /// Returns the path of a scope, which has the same one until rows are renamed.
  func path(of scope: ScopeID, in frame: Frame) -> ScopePath? {
    if let path = paths[scope] { return path }
    let path = frame.path(of: scope)
    paths[scope] = path
    return path
  }

  /// Notes that a scope was drawn in the course of another.
  func put(_ scope: ScopeID, in parent: ScopeID?) { entries[scope] = .part(of: parent) }
}
