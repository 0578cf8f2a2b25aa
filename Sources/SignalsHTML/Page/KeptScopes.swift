// The drawings of the scopes of a screen, kept for the next drawing of a page with a script.
//
// State: `entries`, by scope; `rows`, the shown rows of each `ForEach`; `paths` of scopes; `targets`,
// of the names on this page and earlier ones; `cover`, the content that the page shows in place of the
// rest, if it `hasCover`, and its scope, `covered`; `stale`, the scopes that changed in frames since
// the last drawing, other than those that it saw, `seen`; `waiting`, the drawings of scopes that have
// changed.
//
// Order of events: `replace(_:)` notes what changed in a frame that is replaced. A drawing begins
// with `begin(_:)`, which takes the entries of changed scopes. Then each of them is drawn again,
// outer ones first, and put into copies of the drawings around it, inner ones first; see
// `PageWriter.drawScreen()`.
//
// Invariant: where a scope on the page has an entry, or its drawing waits, the scope that it was drawn
// in has one too, or waits, and has its group at the entry's `place`.

import Signals

/// The place of a scope and its role there, which its drawing depends on.
struct ScopeContext: Equatable {
  enum Kind {
    /// The whole screen.
    case screen
    /// Elements one after the other.
    case elements
    /// A row, as elements one after the other.
    case row
    /// A row, as an item of a list.
    case item
    /// A row of a table.
    case tableRow

    var isRow: Bool { self != .screen && self != .elements }
  }

  let kind: Kind
  /// The kept scope around it.
  let parent: ScopeID?
  let flow: PageWriter.Flow
  let level: Int
  let depth: Int
  /// Whether it is in the title of the screen.
  let isInTitle: Bool
  /// The list whose rows it is one of, if they can be moved.
  var list: String?
  var isFirst = false
  var isLast = false
  /// The alignments of the columns of the table whose row it is.
  var columns: [ElementAlignment?] = []

  /// The depth among the kept scopes: rows are deeper than their `ForEach`.
  var rank: Int { 2 * depth + (kind.isRow ? 1 : 0) }
}

/// What a drawing has found on the way.
struct PageFindings: Equatable {
  /// The names of the text fields.
  var fields: [String] = []
  /// Whether an element is busy.
  var isBusy = false
  /// The title of the screen, as `Frame.title` has it.
  var title: String?

  /// Adds findings that follow.
  mutating func add(_ later: PageFindings) {
    if !later.fields.isEmpty { fields += later.fields }
    isBusy = isBusy || later.isBusy
    title = title ?? later.title
  }
}

/// The drawings of scopes that are kept.
final class KeptScopes {
  /// A drawing of a scope.
  final class Drawing {
    let context: ScopeContext
    let found: PageFindings
    /// The group of its elements, with the present ones of the scopes in it.
    var group: PageNode
    /// The places on the way from the group of the scope around it to this one.
    var place: [Int]

    init(_ group: PageNode, at place: [Int], in context: ScopeContext, finding found: PageFindings)
    {
      (self.group, self.place) = (group, place)
      (self.context, self.found) = (context, found)
    }
  }

  private enum Entry {
    case drawing(Drawing)
    /// A scope that isn't drawn by itself, in another.
    case part(of: ScopeID?)
  }

  private var entries: [ScopeID: Entry] = [:]
  var rows: [ScopeID: [ScopeID]] = [:]
  private var paths: [ScopeID: ScopePath] = [:]
  var targets: [String: PageTarget] = [:]
  private weak var cover: DrawnElement?
  private var hasCover = false
  /// The scope of the cover, unless it is the screen's: its other content isn't on the page.
  private var covered: ScopeID?
  private var waiting: [ScopeID: Drawing] = [:]
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
    (stale, seen, waiting) = ([], [], [:])
  }

  /// Takes the drawings of what looks different in a frame.
  ///
  /// - Returns: Whether nothing is left, so that the whole frame is drawn.
  func begin(_ frame: Frame) -> Bool {
    // Scopes that have left the screen aren't told from those that are only out of sight.
    if frame.hasRenamedRows || entries.count > 2 * usual.entries + 200
      || targets.count > 2 * usual.names + 1000
    {
      removeAll()
    }
    seen = Set(frame.changed)
    stale.forEach { take($0) }
    seen.forEach { take($0) }
    stale = []
    guard entries.isEmpty else { return false }
    (rows, targets) = ([:], [:])
    return true
  }

  /// Takes the drawing that a scope is in.
  private func take(_ scope: ScopeID) {
    if !rows.isEmpty { rows[scope] = nil }
    var next: ScopeID? = scope
    while let scope = next, let entry = entries.removeValue(forKey: scope) {
      switch entry {
      case .drawing(let drawing):
        waiting[scope] = drawing
        return
      case .part(let parent): next = parent
      }
    }
  }

  /// Removes the drawing of a scope.
  func remove(_ scope: ScopeID) { entries[scope] = nil }

  /// Removes the drawing of a scope, and all that contain it.
  func removeAround(_ scope: ScopeID) {
    var next: ScopeID? = scope
    while let scope = next {
      switch entries.removeValue(forKey: scope) {
      case .drawing(let drawing)?: next = drawing.context.parent
      case .part(let parent)?: next = parent
      case nil: next = waiting[scope]?.context.parent
      }
    }
  }

  /// Whether the page shows this content in place of the rest.
  func shows(_ other: Cover?) -> Bool {
    hasCover == (other != nil) && cover === other?.element
  }

  /// Notes which content the page shows in place of the rest, if any.
  func show(_ new: Cover?, in root: ScopeID) {
    (cover, hasCover) = (new?.element, new != nil)
    covered = new?.scope == root ? nil : new?.scope
  }

  /// Returns the drawings that were taken and not made again, outer ones first.
  func takeWaiting() -> [(scope: ScopeID, drawing: Drawing)] {
    let taken = waiting.sorted { $0.value.context.rank < $1.value.context.rank }
    waiting = [:]
    return taken.map { ($0.key, $0.value) }
  }

  /// Returns the drawing around another.
  ///
  /// - Returns: It is direct if the other's place is below its group, so that the other can be
  ///   replaced there.
  func around(_ inner: Drawing) -> (scope: ScopeID, drawing: Drawing, isDirect: Bool)? {
    guard var scope = inner.context.parent else { return nil }
    var isDirect = true
    while case .part(let parent?)? = entries[scope] { (scope, isDirect) = (parent, false) }
    return drawing(of: scope).map { (scope, $0, isDirect) }
  }

  /// Whether a drawing that was taken may be on the page, and wasn't made again.
  ///
  /// If it isn't on the page, the drawings that contain it are removed.
  ///
  /// - Parameter made: The scopes on the page whose drawings were made again, and aren't in those around
  ///   them yet.
  func isOnPage(_ drawing: Drawing, of scope: ScopeID, whenMade made: Set<ScopeID>) -> Bool {
    if entries[scope] != nil { return false }
    var inner = drawing
    var containing: [ScopeID] = []
    while inner.context.parent != nil {
      guard inner.context.parent != covered, let outer = around(inner),
        !outer.isDirect || outer.drawing.group.has(inner.group, at: inner.place)
      else {
        containing.forEach { entries[$0] = nil }
        return false
      }
      if made.contains(outer.scope) { return true }
      containing.append(outer.scope)
      inner = outer.drawing
    }
    return true
  }

  /// Ends the drawing of everything.
  func endAll() { usual = (entries.count, targets.count) }

  /// Returns the drawing of a scope.
  func drawing(of scope: ScopeID) -> Drawing? {
    if case .drawing(let drawing)? = entries[scope] { drawing } else { nil }
  }

  func put(_ drawing: Drawing, of scope: ScopeID) {
    entries[scope] = .drawing(drawing)
    // A row is new in this frame only now that it was requested.
    seen.insert(scope)
  }

  /// Returns the path of a scope, which has the same one until rows are renamed.
  func path(of scope: ScopeID, in frame: Frame) -> ScopePath? {
    if let path = paths[scope] { return path }
    let path = frame.path(of: scope)
    paths[scope] = path
    return path
  }

  /// Notes that a scope was drawn in the course of another.
  func put(_ scope: ScopeID, in parent: ScopeID?) {
    entries[scope] = .part(of: parent)
    seen.insert(scope)
  }
}
