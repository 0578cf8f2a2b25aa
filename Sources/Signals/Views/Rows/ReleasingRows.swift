// Rows that a renderer has scrolled past, and that nobody would miss.
//
// State: `ViewHost.drawing`, how often a renderer has said that it has drawn; each row has in its `mark` when it was last
// asked for. `ViewHost.crowded` are the `ForEach`es that have more rows than they were left with, and `RowList.limit`
// how many those are.

extension Frame {
  /// Lets go of the rows that were not asked for since this was last called.
  ///
  /// For renderers that scroll, and ask for every row that they show each time they draw: what a screen keeps is then
  /// what it shows, however far the user has scrolled. To ask for a row is to get it from ``FrameRows``, by its position.
  /// A row stays if that could be told from its being made again: because a view in it has state, its projection has
  /// stored properties of its own, something runs when it disappears, an intent of it is under way, or the focus is in
  /// it. A row that went is made again, under another ``ScopeID`` and the same ``ScopePath``, when it is asked for.
  ///
  /// What the closure of a row makes itself, as an object that it hands to a view, is made again with the row, as
  /// whenever the row is evaluated: what is to last is a view's ``StateObject``. A key that a row binds goes with it.
  ///
  /// Some hundred rows are kept in any case, so that going back a little costs nothing. Amortised O(1) for each row
  /// that was made.
  public func releaseRows() {
    if isOnScreen { host?.releaseRows() }
  }
}

extension ViewHost {
  fileprivate func releaseRows() {
    drawing += 1
    if crowded.isEmpty || focusState.isUnsettled { return }
    let lists = crowded
    crowded = []
    let focused = withAncestors(focusState.seenScope.map { [$0] } ?? [])
    // What a row was made from may be the user's, and write when it goes.
    Node.withoutReader {
      batch {
        for list in lists { scopes[list]?.rows?.release(shownSince: drawing - 1, except: focused) }
        releaseGone()
      }
    }
  }
}

extension Scope {
  /// Whether nothing would be lost if this were dropped and made again: what it shows depends on the graph alone.
  var canBeMadeAgain: Bool {
    // What is busy is shown so until it has ended.
    guard lives.isEmpty, !hasEffects, host.intents.busyElements(of: id) == nil,
      slots.values.allSatisfy({ $0 is any RemadeSlot })
    else {
      return false
    }
    if case .row(let value) = content, let projection = value as? any LiveProjection,
      ProjectedProperty.keepsMore(type(of: projection))
    {
      return false
    }
    return views.allSatisfy { $0.scope.canBeMadeAgain }
      && (rows?.knownRows.allSatisfy(\.canBeMadeAgain) ?? true)
  }
}

/// A slot that has nothing of its own: made again it is as it was.
protocol RemadeSlot: AnyObject {}

extension ObservedQuery: RemadeSlot {}
