/// What a screen shows at one moment: a persistent tree of elements, cut at the scopes.
///
/// Start at the elements of ``root``; where an element is a scope, go on with its elements. Consecutive
/// frames share everything but what changed, which ``changed`` names: a renderer can keep what it drew
/// for every other scope that it drew last time.
public struct Frame {
  /// The scope of the whole screen.
  public let root: ScopeID
  /// The elements whose values stand although the user has entered others: what the user sees has to be set back.
  ///
  /// A value that was entered may be refused, or become another one: by a binding that clamps it, an intent that throws,
  /// an element that can't be used. The element then looks as it did before, and its scope need not be in ``changed``.
  public let reasserted: Set<ElementID>
  /// The element that has the focus: that of ``ViewHost/focus``.
  ///
  /// A frame is made also for a change of the focus alone, with nothing in ``changed``.
  public let focus: ElementID?
  let contents: FrameContents
  weak var host: ViewHost?

  /// The scopes that are new or look different than in the frame before.
  public var changed: ChangedScopes { ChangedScopes(frame: self) }

  /// The elements of a scope, and the row's body where it is asked for the first time.
  ///
  /// A scope that this frame does not show has none. A frame that was replaced answers from what was
  /// asked of it, or evaluated before it: nothing runs any more. O(log n) for a replaced frame, else O(1).
  public func elements(of scope: ScopeID) -> [Element] {
    if isOnScreen, let host { return host.elements(of: scope) }
    return contents[scope] ?? []
  }

  /// The rows of a scope that is a ``ForEach``, nil for any other scope.
  ///
  /// Good for renderers that scroll: a row is only made when it is asked for by its position, where
  /// ``elements(of:)`` makes all. O(log n).
  public func rows(of scope: ScopeID) -> FrameRows? {
    if isOnScreen, let list = host?.rows(of: scope) {
      return FrameRows(version: list.shown, list: list, frame: self)
    }
    return contents.rows(of: scope).map { FrameRows(version: $0, list: nil, frame: self) }
  }

  /// Whether a scope is on screen now, or a row that was not let go of.
  package func isPresent(_ scope: ScopeID) -> Bool { host?.scopes[scope] != nil }

  /// Whether no other has replaced it, so that what it is asked for can still be made.
  var isOnScreen: Bool { host.map { $0.contents === contents } ?? false }

  /// Calls `body` with every element of ``front``, in order, parents before what they hold.
  public func forEach(_ body: (DrawnElement) throws -> Void) rethrows {
    try forEachInScope { element, _ in try body(element) }
  }

  /// Calls `body` likewise, also with the scope that the element stands in.
  func forEachInScope(_ body: (DrawnElement, ScopeID) throws -> Void) rethrows {
    let cover = cover
    try forEach(front, in: cover?.scope ?? root, elements(of:), body)
  }

  /// Calls `body` with the elements that were drawn already, of rows those that somebody has asked for.
  ///
  /// `inOrder` costs O(rows) instead of O(rows that were asked for).
  func forEachEvaluated(inOrder: Bool = false, _ body: (DrawnElement, ScopeID) -> Void) {
    let elements = { (scope: ScopeID) in
      host?.evaluatedElements(of: scope, inOrder: inOrder) ?? []
    }
    let cover = cover
    forEach(cover?.element.children ?? elements(root), in: cover?.scope ?? root, elements, body)
  }

  /// Whether an element with an id stands in content that is hidden or covered.
  func hides(_ id: String) -> Bool {
    let cover = cover?.element
    var waiting = host?.evaluatedElements(of: root).map { ($0, cover != nil) } ?? []
    while let (element, isHidden) = waiting.popLast() {
      switch element.storage {
      case .drawn(let drawn):
        if isHidden, drawn.id == id { return true }
        waiting += drawn.children.map { ($0, isHidden && drawn !== cover) }
      case .scope(let scope):
        waiting += host?.evaluatedElements(of: scope).map { ($0, isHidden) } ?? []
      case .hidden(_, let elements): waiting += elements.map { ($0, true) }
      default: break
      }
    }
    return false
  }

  private func forEach(
    _ elements: [Element], in scope: ScopeID, _ elementsOf: (ScopeID) -> [Element],
    _ body: (DrawnElement, ScopeID) throws -> Void
  ) rethrows {
    // However deep without nesting.
    var waiting = elements.reversed().map { ($0, scope) }
    while let (element, scope) = waiting.popLast() {
      switch element.content {
      case .drawn(let drawn):
        try body(drawn, scope)
        waiting += drawn.children.reversed().map { ($0, scope) }
      case .scope(let child): waiting += elementsOf(child).reversed().map { ($0, child) }
      case nil: break
      }
    }
  }
}

/// The elements of the scopes of one frame: rows are added while it is on screen, nothing after that.
///
/// State: `entries`, in the order of the scopes' ids; consecutive frames share what is the same. No
/// entry is of a scope after `last`. `changed` are the scopes that look different than in the frame before, without
/// those that were made since: they come from `firstNew` on.
final class FrameContents {
  private var entries: Tree<Entry>
  private var last = ScopeID(number: 0)
  /// The scopes that hold covers; see Covers.swift.
  var covers: Set<ScopeID> = []
  private var changed: Set<ScopeID> = []
  private let firstNew: ScopeID

  private struct Entry {
    let scope: ScopeID
    let elements: [Element]
    let rows: RowVersion?
  }

  init() {
    entries = Tree()
    firstNew = ScopeID(number: 0)
  }

  /// What the next frame begins with, in O(1); scopes from `firstNew` on are made for it.
  init(after other: FrameContents, firstNew: ScopeID) {
    entries = other.entries
    last = other.last
    covers = other.covers
    self.firstNew = firstNew
  }

  /// Notes that a scope looks different than in the frame before.
  func note(_ scope: ScopeID) { if scope < firstNew { changed.insert(scope) } }

  /// Forgets a scope that has left the screen.
  func forget(_ scope: ScopeID) {
    changed.remove(scope)
    self[scope] = nil
  }

  /// Whether a scope is new or looks different than in the frame before.
  func hasChanged(_ scope: ScopeID) -> Bool {
    scope < firstNew ? changed.contains(scope) : position(of: scope) != nil
  }

  /// All that are new or look different, in the order of their ids.
  var allChanged: [ScopeID] {
    let start = entries.lowerBound { $0.scope < firstNew }
    return changed.sorted() + (start..<entries.count).map { entries[$0].scope }
  }

  /// The elements of a scope, in O(log n); of a `ForEach` those of the rows that were asked for.
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

  /// The rows of a scope that is a `ForEach`, in O(log n).
  func rows(of scope: ScopeID) -> RowVersion? { position(of: scope).flatMap { entries[$0].rows } }

  /// Puts the rows of a `ForEach` in their place, in O(log n).
  func setRows(_ rows: RowVersion, of scope: ScopeID) {
    put(Entry(scope: scope, elements: [], rows: rows))
  }

  private func put(_ entry: Entry) {
    if last < entry.scope {
      last = entry.scope
      return entries.append(entry)
    }
    let position = entries.lowerBound { $0.scope < entry.scope }
    if position < entries.count, entries[position].scope == entry.scope {
      // Released when the tree is whole again: elements hold what is the user's.
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

/// Draws frames: a terminal, HTML, a test, somebody else's toolkit.
public protocol Renderer: AnyObject {
  /// Shows a frame; `old` is the one that this renderer was given before, if any.
  ///
  /// It is called once a frame, and may ask the new one for rows that were not evaluated yet. A renderer that asks
  /// for rows between two frames does so in a ``batch(_:)``: what they run when they appear may make another frame,
  /// which is handed over when the batch ends.
  func commit(_ new: Frame, replacing old: Frame?)
}
