// Releasing rows that a renderer has scrolled past, and that can be created again without loss.
//
// State: `ViewHost.drawingNumber`, the number of drawings that renderers have reported; the `mark`
// of each row is the drawing that last requested it. `ViewHost.oversizedLists`, the `ForEach`es with
// more rows than `ForEachList.limit`, which depends on the number of rows that the last release
// kept.

extension Frame {
  /// Releases the rows that weren't requested since the last call.
  ///
  /// Call it in a renderer that scrolls, and that requests every row that it shows each time it
  /// draws. Then the host keeps only the rows on screen, however far the user has scrolled. A row
  /// is requested by getting it from ``FrameRows`` by its position.
  ///
  /// A row is kept if creating it again could make a difference:
  /// - a view in it has state,
  /// - its projection declares stored properties that aren't projected,
  /// - it has a lifecycle modifier, such as ``ElementContent/onAppear(_:)``,
  /// - its body created effects,
  /// - an intent of it is under way, or
  /// - the focus is in it.
  ///
  /// When a released row is requested, it is created again with another ``ScopeID`` and the same
  /// ``ScopePath``. Objects that the row's closure creates, for example to pass them to a view, are
  /// created again with the row, as they are whenever the row is evaluated. To keep an object, make
  /// it a ``StateObject`` of a view. Keys that a row binds are released with it.
  ///
  /// A few hundred rows are always kept, so that scrolling back a little costs nothing.
  ///
  /// - Complexity: Amortized O(1) for each row that was created.
  public func releaseRows() {
    if isOnScreen { host?.releaseRows() }
  }
}

extension ViewHost {
  fileprivate func releaseRows() {
    drawingNumber += 1
    if oversizedLists.isEmpty || focusState.isUnsettled { return }
    let lists = oversizedLists
    oversizedLists = []
    let focused = withAncestors(focusState.seenScope.map { [$0] } ?? [])
    // Releasing the value that a row was created from may run user code that writes.
    Node.withoutReader {
      batch {
        for list in lists {
          scopes[list]?.rows?.release(shownSince: drawingNumber - 1, except: focused)
        }
        releaseUnmounted()
      }
    }
  }
}

extension Scope {
  /// Whether this scope can be dropped and created again without loss, because its content depends
  /// on the graph alone.
  var canBeMadeAgain: Bool {
    // A busy element is shown as busy until its intent has ended.
    guard lifecycleNodes.isEmpty, !hasEffects, host.intents.busyElements(of: id) == nil,
      slots.values.allSatisfy({ $0 is any StatelessViewSlot })
    else {
      return false
    }
    if case .row(let value) = content, let projection = value as? any AnyProjection,
      ProjectedProperty.keepsMore(type(of: projection))
    {
      return false
    }
    return views.allSatisfy { $0.item.canBeMadeAgain }
      && (rows?.knownRows.allSatisfy(\.canBeMadeAgain) ?? true)
  }
}

/// A slot without state, which is the same when it is created again.
protocol StatelessViewSlot: AnyObject {}

extension ObservedResultsStorage: StatelessViewSlot {}
