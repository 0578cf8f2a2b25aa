/// What a screen shows at one moment: a persistent tree of elements, cut at the scopes.
///
/// Start at the elements of ``root``; where an element is a scope, go on with its elements. Consecutive
/// frames share everything but what changed, which ``changed`` names: a renderer can keep what it drew
/// for every other scope.
public struct Frame {
  /// The scope of the whole screen.
  public let root: ScopeID
  /// The scopes that are new or were evaluated again since the frame before.
  public let changed: Set<ScopeID>
  let contents: Tree<FrameEntry>
  weak var host: ViewHost?

  /// The elements of a scope. O(log n), and the row's body where it is asked for the first time.
  ///
  /// A scope that this frame does not show has none.
  public func elements(of scope: ScopeID) -> [Element] {
    if changed.contains(scope), let elements = host?.elements(of: scope) { return elements }
    let position = contents.lowerBound { $0.scope < scope }
    if position < contents.count, contents[position].scope == scope {
      return contents[position].elements
    }
    return host?.elements(of: scope) ?? []
  }

  /// Calls `body` with every element drawn, in order, parents before what they hold.
  public func forEach(_ body: (DrawnElement) throws -> Void) rethrows {
    try forEach(in: elements(of: root), body)
  }

  private func forEach(
    in elements: [Element], _ body: (DrawnElement) throws -> Void
  ) rethrows {
    for element in elements {
      switch element.content {
      case .drawn(let drawn):
        try body(drawn)
        try forEach(in: drawn.children, body)
      case .scope(let scope): try forEach(in: self.elements(of: scope), body)
      case nil: break
      }
    }
  }
}

/// The elements of one scope in a frame.
struct FrameEntry {
  let scope: ScopeID
  let elements: [Element]
}

/// Draws frames: a terminal, HTML, a test, somebody else's toolkit.
public protocol Renderer: AnyObject {
  /// Shows a frame; `old` is the one that this renderer was given before, if any.
  ///
  /// It is called once a frame, and may ask the new one for rows that were not evaluated yet.
  func commit(_ new: Frame, replacing old: Frame?)
}
