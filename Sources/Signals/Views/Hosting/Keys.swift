/// A key that the user presses, by its name: `"q"`, `"f1"`, or ``return``.
///
/// Renderers decide which of their own keys have which name.
public struct KeyPress: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name of the key.
  public let name: String

  /// Creates a key of a name.
  public init(_ name: String) { self.name = name }

  /// Creates a key from a literal.
  public init(stringLiteral name: String) { self.name = name }

  /// The name of the key.
  public var description: String { name }

  /// The key that ends a line.
  public static let `return` = KeyPress("return")
  /// The key that leaves.
  public static let escape = KeyPress("escape")
  /// The key that deletes backwards.
  public static let delete = KeyPress("delete")
  /// The arrow that points up.
  public static let up = KeyPress("up")
  /// The arrow that points down.
  public static let down = KeyPress("down")
  /// The arrow that points left.
  public static let left = KeyPress("left")
  /// The arrow that points right.
  public static let right = KeyPress("right")
}

extension KeyPress: Codable {
  /// Decodes a name.
  ///
  /// Throws what the decoder does.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the name.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

extension ElementContent {
  /// Runs an intent when a key is pressed while this content is on screen.
  ///
  /// - Of several that are bound to one key the innermost runs, and of those beside each other the first.
  /// - Disabled content passes the key on; hidden and covered content has no keys, nor has a row that no renderer has asked
  ///   for.
  /// - It is one transaction, with errors as those of a ``Button``.
  ///
  /// ```swift
  /// BookScreen(book: book).onKey("d") { try store.delete(book) }
  /// ```
  public func onKey(_ key: KeyPress, _ intent: @escaping () throws -> Void) -> Element {
    bound(to: key, .intent(intent))
  }

  /// Runs an async intent likewise; each write between two awaits is a commit of its own.
  ///
  /// It is pressed by ``ViewHost/pressAsync(_:)`` or ``ViewHost/start(pressing:)``, and busy by the name `key d`.
  @_disfavoredOverload
  public func onKey(
    _ key: KeyPress, _ intent: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> Element {
    bound(to: key, .async(intent))
  }

  private func bound(to key: KeyPress, _ action: KeyBinding.Action) -> Element {
    // It follows what it is bound for, so that whoever looks in order meets the innermost first.
    Element(.group([element, Element(.key(KeyBinding(key: key, action: action)))]))
  }
}

/// What a key does, in a place.
struct KeyBinding {
  enum Action {
    case intent(() throws -> Void)
    case async(AsyncIntent)
  }

  let key: KeyPress
  let action: Action
  var isEnabled = true
  var handler: ErrorHandler?

  /// The same where an environment says who gets its errors and whether it can be used.
  func standing(in environment: EnvironmentValues) -> KeyBinding {
    KeyBinding(
      key: key, action: action, isEnabled: environment.isEnabled, handler: environment.errorHandler)
  }
}

extension Frame {
  /// The keys that are bound on screen and can be used, each once, in the order of the screen.
  ///
  /// Rows that the renderer asks for may bind more: ask when all that is to be seen is drawn.
  ///
  /// - Complexity: O(elements of the scopes that bind keys, and of those around them); of a frame that was replaced
  ///   O(elements).
  public var keys: [KeyPress] {
    var keys: [KeyPress] = []
    forEachKey { if $0.isEnabled, !keys.contains($0.key) { keys.append($0.key) } }
    return keys
  }

  /// Calls `body` with the keys that are bound on screen, inner ones before outer ones.
  ///
  /// Only scopes that bind a key, and those around them, are looked at: O(elements of these), and O(rows) of a `ForEach`
  /// of which several rows bind keys.
  fileprivate func forEachKey(_ body: (KeyBinding) -> Void) {
    let present = isOnScreen ? host : nil
    let holders = present.map { $0.withAncestors($0.keyScopes) } ?? []
    // What is to be looked at next comes last.
    let cover = cover
    let elements = { (scope: ScopeID) -> [Element] in
      guard let present else { return (contents[scope] ?? []).reversed() }
      guard holders.contains(scope) else { return [] }
      return present.evaluatedElements(of: scope, among: holders).reversed()
    }
    var waiting = cover?.element.children.reversed() ?? elements(root)
    while let element = waiting.popLast() {
      switch element.storage {
      case .key(let binding): body(binding)
      case .drawn(let drawn): waiting += drawn.children.reversed()
      case .scope(let scope): waiting += elements(scope)
      default: break
      }
    }
  }
}

extension ViewHost {
  /// The elements of a scope that was evaluated; of a `ForEach` those of some rows, in order.
  func evaluatedElements(of id: ScopeID, among wanted: Set<ScopeID>) -> [Element] {
    guard let scope = scopes[id], scope.isEvaluated else { return [] }
    return scope.rows?.knownElements(among: wanted) ?? scope.elements
  }

  /// The keys that are bound on screen and can be used, each once, in the order of the screen; below a cover none is.
  public var keys: [KeyPress] { frame.keys }

  /// Runs the intent that a key is bound to on screen; see `onKey(_:_:)`.
  ///
  /// Throws ``HostError/noKey(_:keys:)`` if it is bound nowhere, ``HostError/disabledKey(_:)`` if nowhere where it can
  /// be used, ``HostError/asyncKey(_:)`` if the intent may suspend, and what the intent throws.
  public func press(_ key: KeyPress) throws {
    let binding = try usableBinding(of: key)
    guard case .intent(let intent) = binding.action else { throw HostError.asyncKey(key) }
    try perform(intent, binding.handler, binding.call)
  }

  /// Runs the intent that a key is bound to, which may be async, and waits for it.
  ///
  /// It runs, and throws, as what ``performAsync(_:_:)-(String,_)`` runs, and throws besides as ``press(_:)`` does.
  public nonisolated(nonsending) func pressAsync(_ key: KeyPress) async throws {
    let binding = try usableBinding(of: key)
    guard let found = binding.asyncIntent else { return try press(key) }
    try await perform(found)
  }

  /// Starts the intent that a key is bound to, and doesn't wait for it if it is async.
  ///
  /// It runs, and throws, as what ``start(_:_:)-(String,_)`` starts, and throws besides as ``press(_:)`` does.
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
  fileprivate var call: IntentCall { IntentCall(.intent, "key \(key)", input: .key(key)) }

  fileprivate var asyncIntent: FoundIntent? {
    guard case .async(let intent) = action else { return nil }
    return FoundIntent(id: "key \(key)", intent: intent, handler: handler, call: call)
  }
}
