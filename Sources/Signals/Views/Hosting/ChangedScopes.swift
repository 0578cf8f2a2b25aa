/// The scopes of a frame that are new or look different than in the previous frame.
///
/// A scope looks different if a renderer could draw its own elements differently. That covers their
/// kinds, texts, values, looks, errors and ids, whether they can be used, the input they take, and
/// which scopes are between them. Changes inside a nested scope count for that scope only. Elements
/// that look the same may have other actions, so use the elements of the frame that is on screen.
///
/// Rows are evaluated when they are requested, and asking whether a row has changed requests it.
/// ``contains(_:)`` evaluates the row if necessary, and the scopes that it is in. A renderer that
/// scrolls should therefore only ask about the rows that it shows. A row that isn't requested stays
/// as it is until it is, and is then compared with its previous look. A frame that was replaced
/// evaluates nothing, and answers from what was requested of it before.
///
/// ```swift
/// if !frame.changed.contains(scope), let known = pieces[scope] { return known }
/// ```
public struct ChangedScopes: Sequence {
  let frame: Frame

  /// Returns whether a scope is new or looks different than in the previous frame.
  ///
  /// - Returns: Whether a renderer has to draw the scope again.
  /// - Complexity: O(log *n*). If rows wait to be evaluated, also O(depth of the scope).
  public func contains(_ scope: ScopeID) -> Bool {
    if frame.isOnScreen { frame.host?.settle(scope) }
    return frame.contents.hasChanged(scope)
  }

  /// Returns an iterator over the changed scopes, in the order of their ids.
  ///
  /// It first evaluates every row that was requested before and has to be evaluated again.
  ///
  /// - Returns: The iterator, over a fixed list of scopes.
  /// - Complexity: O(*n* log *n*) for *n* scopes that changed.
  public func makeIterator() -> IndexingIterator<[ScopeID]> { all.makeIterator() }

  /// The number of changed scopes; reading it evaluates rows as ``makeIterator()`` does.
  public var count: Int { all.count }

  /// Whether no scope is new or looks different; reading it evaluates rows as ``makeIterator()``
  /// does.
  public var isEmpty: Bool { all.isEmpty }

  private var all: [ScopeID] {
    if frame.isOnScreen { frame.host?.settleAll() }
    return frame.contents.allChanged
  }
}
