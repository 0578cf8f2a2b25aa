/// A screen at one moment, as a persistent tree of elements divided into scopes.
///
/// Start at the elements of ``root``. Where an element is a scope, continue with the elements of
/// that scope. Consecutive frames share everything except the scopes in ``changed``: a renderer can
/// keep what it drew for every other scope that it drew last time.
public struct Frame {
  /// The scope of the whole screen.
  public let root: ScopeID
  /// The elements whose values haven't become the ones that the user entered, and have to be shown
  /// again.
  ///
  /// A value that was entered may be refused or changed: by a binding that clamps it, by an intent
  /// that throws, or because the element can't be used. The element then looks as it did before, so
  /// its scope need not be in ``changed``.
  public let reasserted: Set<ElementID>
  /// The element that has the focus, as ``ViewHost/focus`` had it when the frame was made.
  ///
  /// A change of the focus alone also makes a frame, with nothing in ``changed``.
  public let focus: ElementID?
  let contents: FrameContents
  weak var host: ViewHost?

  /// The scopes that are new or look different than in the previous frame.
  public var changed: ChangedScopes { ChangedScopes(frame: self) }

  /// Returns the elements of a scope, evaluating a row's body if it is requested for the first
  /// time.
  ///
  /// A frame that was replaced runs nothing. It returns the elements that were requested from it,
  /// or evaluated before it.
  ///
  /// - Returns: The elements; an empty array if this frame doesn't show the scope.
  /// - Complexity: O(1), or O(log *n*) for a frame that was replaced.
  public func elements(of scope: ScopeID) -> [Element] {
    if isOnScreen, let host { return host.elements(of: scope) }
    return contents[scope] ?? []
  }

  /// Returns the rows of a ``ForEach`` scope.
  ///
  /// Use it in renderers that scroll: a row is only made when it is requested by its position,
  /// whereas ``elements(of:)`` makes all of them.
  ///
  /// - Returns: The rows; `nil` if the scope isn't a ``ForEach``.
  /// - Complexity: O(log *n*).
  public func rows(of scope: ScopeID) -> FrameRows? {
    if isOnScreen, let list = host?.rows(of: scope) {
      return FrameRows(version: list.shown, list: list, frame: self)
    }
    return contents.rows(of: scope).map { FrameRows(version: $0, list: nil, frame: self) }
  }

  /// Returns whether a scope is on screen now, or is a row that hasn't been released.
  package func isPresent(_ scope: ScopeID) -> Bool { host?.scopes[scope] != nil }

  /// Whether rows have other names than in the previous frame, although they may look the same.
  package var hasRenamedRows: Bool {
    contents.hasRenamedRows || isOnScreen && host?.hasRenamedRows == true
  }

  /// Whether no other frame has replaced this one, so that rows requested from it can still be
  /// made.
  var isOnScreen: Bool { host.map { $0.contents === contents } ?? false }

  /// Calls `body` with every element of ``front``, in order, parents before their children.
  public func forEach(_ body: (DrawnElement) throws -> Void) rethrows {
    try forEachInScope { element, _ in try body(element) }
  }

  /// Calls `body` with every element of ``front`` and the element's scope, parents before children.
  func forEachInScope(_ body: (DrawnElement, ScopeID) throws -> Void) rethrows {
    let cover = cover
    try forEach(front, in: cover?.scope ?? root, elementsOf: elements(of:), body: body)
  }

  /// Calls `body` with every element that was already evaluated, and its scope.
  ///
  /// Rows are included only if they were requested, in no particular order unless `inOrder` is
  /// true.
  ///
  /// - Complexity: O(elements and requested rows). O(elements and rows) if `inOrder` is true.
  func forEachEvaluated(inOrder: Bool = false, _ body: (DrawnElement, ScopeID) -> Void) {
    let elements = { (scope: ScopeID) in
      host?.evaluatedElements(of: scope, inOrder: inOrder) ?? []
    }
    let cover = cover
    forEach(
      cover?.element.children ?? elements(root), in: cover?.scope ?? root, elementsOf: elements,
      body: body)
  }

  /// Whether an element with an id is in content that is hidden or covered.
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
    _ elements: [Element], in scope: ScopeID, elementsOf: (ScopeID) -> [Element],
    body: (DrawnElement, ScopeID) throws -> Void
  ) rethrows {
    // Iterative, so that deep content doesn't use up the stack.
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
