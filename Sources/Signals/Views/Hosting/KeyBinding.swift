extension ElementContent {
  /// Runs an intent when a key is pressed while this content is on screen.
  ///
  /// - If several intents are bound to one key, the innermost runs; among siblings, the first.
  /// - Disabled content passes the key on. Hidden and covered content has no keys, and neither does
  ///   a row that no renderer has requested.
  /// - The intent is one transaction. Its errors are handled as those of a ``Button``.
  ///
  /// ```swift
  /// BookScreen(book: book).onKey("d") { try store.delete(book) }
  /// ```
  ///
  /// - Parameters:
  ///   - key: The key, with its modifiers.
  ///   - intent: The intent that the key runs.
  /// - Returns: This content with the key.
  public func onKey(_ key: KeyPress, action intent: @escaping () throws -> Void) -> Element {
    bound(to: key, .synchronous(intent))
  }

  /// Runs an async intent when a key is pressed while this content is on screen.
  ///
  /// The rules are those of the synchronous `onKey(_:action:)`, except that each write between two
  /// awaits is a separate commit. Run the intent with ``ViewHost/performAsync(_:with:)`` or
  /// ``ViewHost/start(_:with:)``. While it runs, ``ViewHost/busyIntents`` contains the name
  /// `key d`, for the key `d`.
  ///
  /// - Parameters:
  ///   - key: The key, with its modifiers.
  ///   - overlap: The effect of the key while an earlier run is under way.
  ///   - intent: The intent that the key runs, on the actor of the host if it has one.
  /// - Returns: This content with the key.
  @_disfavoredOverload
  public func onKey(
    _ key: KeyPress, overlap: IntentOverlap = .allowed,
    action intent: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> Element {
    bound(to: key, .asynchronous(intent, overlap: overlap))
  }

  private func bound(to key: KeyPress, _ action: IntentAction) -> Element {
    // The binding follows its content, so a search in order finds the innermost binding first.
    Element(.group([element, Element(.key(KeyBinding(key: key, action: action)))]))
  }
}

/// The action of a key in one place on screen.
struct KeyBinding {
  let key: KeyPress
  let action: IntentAction
  var isEnabled = true
  /// Whether a press is refused, because an earlier run is under way.
  var isRefused = false
  var handler: ErrorHandler?
  /// The scope that binds the key; nil before the binding is on screen.
  var scope: ScopeID?

  /// Returns the same binding with the error handler and the enabled state of an environment.
  func inheriting(from environment: EnvironmentValues, in scope: Scope) -> KeyBinding {
    let isRefused =
      action.overlap == .refused
      && scope.host.intents.isUnderWay(ElementLocation(scope: scope.id, name: placeName))
    return KeyBinding(
      key: key, action: action, isEnabled: environment.isEnabled, isRefused: isRefused,
      handler: environment.errorHandler, scope: scope.id)
  }
}

extension Frame {
  /// The keys that are bound on screen and enabled, each once, in the order of the screen.
  ///
  /// Rows that the renderer requests may bind more keys, so read this after everything visible has
  /// been drawn.
  ///
  /// - Complexity: O(elements of the scopes that bind keys and of the scopes around them). For a
  ///   frame that was replaced, O(elements).
  public var keys: [KeyPress] {
    var keys: [KeyPress] = []
    forEachKey { binding in
      if binding.isEnabled, !binding.isRefused, !keys.contains(binding.key) {
        keys.append(binding.key)
      }
    }
    return keys
  }

  /// Returns the scope of the innermost enabled content that a key is bound to.
  ///
  /// - Complexity: That of ``keys``.
  package func scope(binding key: KeyPress) -> ScopeID? {
    bindings(of: key).first(where: \.isEnabled)?.scope
  }

  /// Returns the content that a key is bound to, inner content before outer.
  ///
  /// - Complexity: That of ``keys``.
  func bindings(of key: KeyPress) -> [KeyBinding] {
    var bindings: [KeyBinding] = []
    forEachKey { if $0.key == key { bindings.append($0) } }
    return bindings
  }

  /// Calls `body` with the keys that are bound on screen, inner ones before outer ones.
  ///
  /// In a frame on screen, only the scopes that bind a key and the scopes around them are visited.
  ///
  /// - Complexity: O(elements of the visited scopes), plus O(rows) for a `ForEach` in which several
  ///   rows bind keys.
  private func forEachKey(_ body: (KeyBinding) -> Void) {
    let present = isOnScreen ? host : nil
    let holders = present.map { $0.withAncestors($0.keyScopes) } ?? []
    // A stack: the next element to visit is the last.
    let cover = cover
    let elements = { (scope: ScopeID) -> [Element] in
      guard let present else { return (contents[scope] ?? []).reversed() }
      guard holders.contains(scope) else { return [] }
      return present.evaluatedElements(of: scope, among: holders).reversed()
    }
    var waiting = cover?.element.children.reversed() ?? elements(root)
    while let element = waiting.popLast() {
      switch element.storage {
      case .drawn(let drawn): waiting += drawn.children.reversed()
      case .scope(let scope): waiting += elements(scope)
      default: if let binding = element.keyBinding { body(binding) }
      }
    }
    // Outside of everything else.
    if cover == nil, let binding = present?.addressState.backBinding(in: root) { body(binding) }
  }
}

extension ViewHost {
  /// Returns the elements of a scope that was evaluated; for a `ForEach`, only the wanted rows, in
  /// order.
  func evaluatedElements(of id: ScopeID, among wanted: Set<ScopeID>) -> [Element] {
    guard let scope = scopes[id], scope.isEvaluated else { return [] }
    return scope.rows?.knownElements(among: wanted) ?? scope.elements
  }

  /// The keys that are bound on screen and enabled, each once, in the order of the screen.
  ///
  /// Keys bound below a cover aren't included.
  public var keys: [KeyPress] { frame.keys }

  /// Returns the innermost enabled content that a key is bound to.
  ///
  /// - Throws: ``HostError/noKey(_:keys:)`` if the key isn't bound, and
  ///   ``HostError/disabledKey(_:)`` if everything bound to it is disabled.
  func usableBinding(of key: KeyPress) throws -> KeyBinding {
    let bindings = frame.bindings(of: key)
    guard !bindings.isEmpty else { throw HostError.noKey(key, keys: keys) }
    guard let binding = bindings.first(where: \.isEnabled) else {
      throw HostError.disabledKey(key)
    }
    return binding
  }
}

extension KeyBinding {
  /// The name of the key's intent in messages and events.
  var name: String { "key \(key)" }

  /// The name of the key in the scope that binds it, which no element has.
  var placeName: String { "/\(key)" }

  /// Returns the intent for an input.
  ///
  /// - Throws: ``HostError/wrongInput(_:kind:_:)`` if the input isn't a press of the key.
  func action(for input: ElementInput) throws -> IntentAction {
    guard input == .tap || input == .key(key) else {
      throw HostError.wrongInput(key.name, kind: ElementKind("key"), input)
    }
    return action
  }
}
