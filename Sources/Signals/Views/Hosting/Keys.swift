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
  public func onKey(_ key: KeyPress, action intent: @escaping () throws -> Void) -> Element {
    bound(to: key, .intent(intent))
  }

  /// Runs an async intent when a key is pressed while this content is on screen.
  ///
  /// The rules are those of the synchronous `onKey(_:action:)`, except that each write between two
  /// awaits is a separate commit. Run the intent with ``ViewHost/pressAsync(_:)`` or
  /// ``ViewHost/start(pressing:)``. While it runs, ``ViewHost/busyIntents`` contains the name
  /// `key d`, for the key `d`.
  @_disfavoredOverload
  public func onKey(
    _ key: KeyPress, action intent: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> Element {
    bound(to: key, .async(intent))
  }

  private func bound(to key: KeyPress, _ action: KeyBinding.Action) -> Element {
    // The binding follows its content, so a search in order finds the innermost binding first.
    Element(.group([element, Element(.key(KeyBinding(key: key, action: action)))]))
  }
}

/// The action of a key in one place on screen.
struct KeyBinding {
  enum Action {
    case intent(() throws -> Void)
    case async(AsyncIntent)
  }

  let key: KeyPress
  let action: Action
  var isEnabled = true
  var handler: ErrorHandler?

  /// Returns the same binding with the error handler and the enabled state of an environment.
  func standing(in environment: EnvironmentValues) -> KeyBinding {
    KeyBinding(
      key: key, action: action, isEnabled: environment.isEnabled, handler: environment.errorHandler)
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
    forEachKey { if $0.isEnabled, !keys.contains($0.key) { keys.append($0.key) } }
    return keys
  }

  /// Calls `body` with the keys that are bound on screen, inner ones before outer ones.
  ///
  /// In a frame on screen, only the scopes that bind a key and the scopes around them are visited.
  ///
  /// - Complexity: O(elements of the visited scopes), plus O(rows) for a `ForEach` in which several
  ///   rows bind keys.
  fileprivate func forEachKey(_ body: (KeyBinding) -> Void) {
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

  /// Runs the intent that a key is bound to on screen; see `onKey(_:action:)`.
  ///
  /// - Throws: ``HostError/noKey(_:keys:)`` if the key isn't bound, ``HostError/disabledKey(_:)``
  ///   if everything bound to it is disabled, ``HostError/asyncKey(_:)`` if the intent may suspend,
  ///   or else the error of the intent.
  public func press(_ key: KeyPress) throws {
    let binding = try usableBinding(of: key)
    guard case .intent(let intent) = binding.action else { throw HostError.asyncKey(key) }
    try perform(intent, handler: binding.handler, event: binding.event)
  }

  /// Runs the intent that a key is bound to, which may be async, and waits for it.
  ///
  /// It runs under the rules of ``performAsync(_:with:)-(String,_)``.
  ///
  /// - Throws: The errors of `performAsync(_:with:)` for the intent, and those of ``press(_:)`` for
  ///   the key.
  public nonisolated(nonsending) func pressAsync(_ key: KeyPress) async throws {
    let binding = try usableBinding(of: key)
    guard let found = binding.asyncIntent else { return try press(key) }
    try await perform(found)
  }

  /// Starts the intent that a key is bound to, without waiting for it if it is async.
  ///
  /// It runs under the rules of ``start(_:with:)-(String,_)``.
  ///
  /// - Throws: The errors of `start(_:with:)` for the intent, and those of ``press(_:)`` for the key.
  public func start(pressing key: KeyPress) throws {
    let binding = try usableBinding(of: key)
    guard let found = binding.asyncIntent else { return try press(key) }
    try start(found)
  }

  private func usableBinding(of key: KeyPress) throws -> KeyBinding {
    var bindings: [KeyBinding] = []
    frame.forEachKey { if $0.key == key { bindings.append($0) } }
    guard !bindings.isEmpty else { throw HostError.noKey(key, keys: keys) }
    guard let binding = bindings.first(where: \.isEnabled) else {
      throw HostError.disabledKey(key)
    }
    return binding
  }
}

extension KeyBinding {
  fileprivate var event: IntentEvent { IntentEvent(name: "key \(key)", input: .key(key)) }

  fileprivate var asyncIntent: FoundIntent? {
    guard case .async(let intent) = action else { return nil }
    return FoundIntent(id: "key \(key)", intent: intent, handler: handler, event: event)
  }
}
