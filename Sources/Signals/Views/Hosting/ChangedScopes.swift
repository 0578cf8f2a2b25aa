/// The scopes of a frame that are new or look different than in the frame before.
///
/// A scope looks different if a renderer could draw its own elements differently: their kinds, texts, values, looks,
/// errors, ids, whether they can be used, what input they take, or which scopes stand between them. What a scope
/// that stands in it looks like is that scope's own. Elements that look the same may have other actions: use the
/// elements of the frame that is on screen.
///
/// Rows are evaluated when they are asked for, and to ask whether one has changed is to ask for it: ``contains(_:)``
/// evaluates it where that has to be, and whatever it stands in. So a renderer that scrolls asks for the rows that it
/// shows alone. A row that it does not ask for stays as it is until it does, and then is compared with what it was.
/// A frame that was replaced evaluates nothing, and answers from what was asked of it.
///
/// ```swift
/// if !frame.changed.contains(scope), let known = pieces[scope] { return known }
/// ```
public struct ChangedScopes: Sequence {
  let frame: Frame

  /// Whether a scope is new or looks different than in the frame before.
  ///
  /// - Complexity: O(log n), and where rows wait to be evaluated O(depth of the scope).
  public func contains(_ scope: ScopeID) -> Bool {
    if frame.isOnScreen { frame.host?.settle(scope) }
    return frame.contents.hasChanged(scope)
  }

  /// All of them, in the order of their ids.
  ///
  /// It evaluates every row that was asked for before, and has to be evaluated again.
  ///
  /// - Complexity: O(n log n) for n scopes that changed.
  public func makeIterator() -> IndexingIterator<[ScopeID]> { all.makeIterator() }

  /// How many there are; evaluates as ``makeIterator()`` does.
  public var count: Int { all.count }

  /// Whether nothing is new or looks different; evaluates as ``makeIterator()`` does.
  public var isEmpty: Bool { all.isEmpty }

  private var all: [ScopeID] {
    if frame.isOnScreen { frame.host?.settleAll() }
    return frame.contents.allChanged
  }
}
