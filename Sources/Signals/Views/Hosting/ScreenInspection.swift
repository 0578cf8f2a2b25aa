// Queries about a screen that only tests make.

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

extension Element {
  /// The key that the preceding content is bound to, if this element is a key binding.
  package var boundKey: (key: KeyPress, isEnabled: Bool)? {
    keyBinding.map { ($0.key, $0.isEnabled) }
  }
}

/// The way in which an intent is called.
package enum IntentWay {
  /// By `perform`.
  case synchronously
  /// By `performAsync`.
  case awaited
  /// By `start`.
  case started
}

extension ViewHost {
  /// Throws if an element that was found can't take an input, without running its intent.
  ///
  /// After this check, an error thrown by running the intent is the intent's own.
  package func checkOnScreen(
    _ element: DrawnElement, takes input: ElementInput, called way: IntentWay = .synchronously
  ) throws {
    try check(foundElement(element).element, takes: input, called: way)
  }

  /// Throws if an element on screen can't take an input, without running its intent.
  func check(
    _ element: DrawnElement, takes input: ElementInput, called way: IntentWay
  ) throws {
    let id = element.id ?? element.name
    guard element.isEnabled else { throw HostError.disabled(id) }
    guard case .asyncTap = element.action, input == .tap else {
      _ = try intent(of: element, named: id, for: input)
      return
    }
    switch way {
    case .synchronously: throw HostError.asyncIntent(id)
    case .awaited: if isolation == nil, !intents.isEmpty { throw HostError.busy(id) }
    case .started:
      if isolation == nil, intentObserver?.holdsAsyncIntents != true {
        throw HostError.needsActor("the intent of \"\(id)\"")
      }
    }
  }
}
