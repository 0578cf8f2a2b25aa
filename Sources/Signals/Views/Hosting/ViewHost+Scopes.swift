// The scopes of a host: which are invalid, and what happens when they leave the screen.

extension ViewHost {
  func nextScopeID() -> ScopeID {
    lastScope += 1
    return ScopeID(number: lastScope)
  }

  func remember(_ scope: Scope) { scopes[scope.id] = scope }

  func note(_ scope: Scope, bindsKeys: Bool) {
    if bindsKeys { keyScopes.insert(scope.id) } else { keyScopes.remove(scope.id) }
  }

  func note(_ scope: Scope, holdsCovers: Bool) {
    if holdsCovers {
      contents.covers.insert(scope.id)
    } else {
      contents.covers.remove(scope.id)
    }
  }

  func nextPass() -> UInt64 {
    lastPass += 1
    return lastPass
  }

  /// Notes that a dependency of a scope's body may have changed.
  func invalidate(_ scope: Scope) {
    invalid.append(scope)
    observer.enqueue()
  }

  /// Notes that a row, or a scope in one, has to be evaluated when it is requested.
  func expect(_ scope: Scope) {
    if isMakingFrame { hasNews = true }
    guard !scope.isPending else { return }
    scope.isPending = true
    pending.insert(scope.id)
  }

  /// Notes that a `ForEach` has dropped rows that its frame doesn't need.
  func didRelease(_ rows: ForEachVersion, of list: Scope) { contents.setRows(rows, of: list.id) }

  // MARK: - The end of scopes

  /// Takes scopes and all their descendants off the screen.
  func unmount(_ leaving: [Scope]) {
    let all = Scope.unmount(leaving)
    for scope in all { forget(scope) }
    unmountedScopes += all
  }

  /// Ends lifecycle nodes whose modifiers have left the screen.
  func end(_ nodes: [LifecycleNode]) { endedNodes += nodes }

  /// Releases everything that has left the screen; called when no evaluation of the host is under
  /// way.
  func releaseUnmounted() {
    while !unmountedScopes.isEmpty || !endedNodes.isEmpty {
      let (scopes, nodes) = (unmountedScopes, endedNodes)
      (unmountedScopes, endedNodes) = ([], [])
      for node in nodes { lifecycle.end(node) }
      for scope in scopes { scope.release(lifecycle) }
    }
  }

  private func forget(_ scope: Scope) {
    scopes[scope.id] = nil
    if !keyScopes.isEmpty { keyScopes.remove(scope.id) }
    if scope.isPending { pending.remove(scope.id) }
    contents.forget(scope.id)
    if !contents.covers.isEmpty { contents.covers.remove(scope.id) }
    oversizedLists.remove(scope.id)
    renderedVersions.forget(scope)
  }
}
