// Queries about a screen that only tests and replays make.

extension ViewHost {
  /// The stores that views on screen use: the host's own first, then others in order of appearance.
  ///
  /// - Complexity: O(scopes).
  package var storesOnScreen: [Store] {
    var stores = [store]
    for scope in scopes.values.filter(\.isMounted).sorted(by: { $0.id < $1.id }) {
      guard let other = scope.environment.store, !stores.contains(where: { $0 === other }) else {
        continue
      }
      stores.append(other)
    }
    return stores
  }
}

/// What a scope shows, as far as it has been evaluated.
package enum EvaluatedContent {
  /// The elements of a view or row.
  case elements([Element])
  /// The number of rows of a `ForEach`, and those that renderers have asked for and that are up to
  /// date, in order.
  case rows(count: Int, evaluated: [(position: Int, scope: ScopeID)])
}

extension ViewHost {
  /// Returns what a scope shows, without evaluating anything or counting as a request of rows.
  ///
  /// - Returns: The content; nil if the scope waits to be evaluated or isn't on screen.
  /// - Complexity: O(1). For a `ForEach`, O(rows) up to the last row that was asked for.
  package func evaluatedContent(of id: ScopeID) -> EvaluatedContent? {
    guard let scope = scopes[id], scope.isEvaluated else { return nil }
    guard let rows = scope.rows?.shown else { return .elements(scope.elements) }
    var evaluated: [(position: Int, scope: ScopeID)] = []
    var known = rows.scopes.count
    var position = 0
    while known > 0, position < rows.data.count {
      if let row = rows.scope(at: position) {
        known -= 1
        if row.isEvaluated { evaluated.append((position, row.id)) }
      }
      position += 1
    }
    return .rows(count: rows.data.count, evaluated: evaluated)
  }
}

extension Element {
  /// The key that the preceding content is bound to, if this element is a key binding.
  package var boundKey: (key: KeyPress, isEnabled: Bool)? {
    keyBinding.map { ($0.key, $0.isEnabled) }
  }
}
