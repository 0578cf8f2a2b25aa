// The lifecycle modifiers of content. Their state is in LifecycleNode.swift; the order in which
// they run is in LifecycleQueue.swift.

extension ElementContent {
  /// Runs an intent once, when this content has appeared.
  ///
  /// - It runs once for the content's identity, after the renderer was given the first frame that
  ///   contains it. It doesn't run again when bodies run again or rows move.
  /// - It is one transaction. The writes of all intents that run after a frame are in one next
  ///   frame.
  /// - Parents run before their children, then in the order of the body. Effects and observers run
  ///   after the last intent.
  /// - Its reads aren't dependencies.
  /// - An error undoes its transaction and goes to the nearest ``onError(_:)`` around it, or else
  ///   to ``ViewHost/onError``.
  ///
  /// A row of a ``ForEach`` appears when it is first made: for a renderer, or for a search by id.
  /// It doesn't disappear when it is scrolled away. If a row is made between two frames, the intent
  /// runs before the renderer gets the row, unless the renderer requests it within a ``batch(_:)``.
  ///
  /// ```swift
  /// Text(book.title).onAppear { book.views += 1 }
  /// ```
  ///
  /// - Returns: This content with the intent.
  public func onAppear(_ intent: @escaping () throws -> Void) -> Element {
    Element(.lifecycle(AppearModifier(intent: intent), [element]))
  }

  /// Runs an intent once, when this content has disappeared.
  ///
  /// - It runs after the renderer was given the first frame without the content, before any intents
  ///   of content that appeared in that frame. It also runs when the host is released.
  /// - Intents run in the reverse order of appearance. Content whose ``onAppear(_:)`` hasn't run
  ///   yet never appeared.
  /// - It is the intent of the last body, and one transaction, with errors as in ``onAppear(_:)``.
  ///   An ``onError(_:)`` that disappears in the same frame doesn't get them.
  ///
  /// - Returns: This content with the intent.
  public func onDisappear(_ intent: @escaping () throws -> Void) -> Element {
    Element(.lifecycle(DisappearModifier(intent: intent), [element]))
  }

  /// Runs an intent with the old and the new value when a value has changed between two frames.
  ///
  /// - `value` is evaluated with the body, so the body depends on the values it reads.
  /// - The intent runs after the frame that shows the new value, once per frame, with the values of
  ///   the previous frame and of this one. A value that changes and changes back between two frames
  ///   isn't a change.
  /// - Order, transaction and errors are as in ``onAppear(_:)``.
  ///
  /// ```swift
  /// TextField("Search", text: $query).onChange(of: query) { old, new in page = 0 }
  /// ```
  ///
  /// - Parameters:
  ///   - value: The value to compare.
  ///   - initial: Whether the intent also runs when the content appears, with that value as both.
  ///   - intent: The code to run with the old and the new value.
  /// - Returns: This content with the intent.
  public func onChange<Value: Equatable>(
    of value: Value, initial: Bool = false, _ intent: @escaping (Value, Value) throws -> Void
  ) -> Element {
    Element(.lifecycle(ChangeModifier(value: value, isInitial: initial, intent: intent), [element]))
  }

  /// Runs an intent when a value has changed between two frames, without passing it the values.
  ///
  /// The rules are those of the `onChange(of:initial:_:)` whose intent takes the values.
  ///
  /// - Parameters:
  ///   - value: The value to compare.
  ///   - initial: Whether the intent also runs when the content appears.
  ///   - intent: The code to run.
  /// - Returns: This content with the intent.
  public func onChange<Value: Equatable>(
    of value: Value, initial: Bool = false, _ intent: @escaping () throws -> Void
  ) -> Element {
    onChange(of: value, initial: initial) { _, _ in try intent() }
  }
}

private struct AppearModifier: LifecycleModifier {
  let intent: () throws -> Void

  func makeNode(in scope: Scope) -> AppearNode { AppearNode(intent) }
  func update(_ node: AppearNode) -> Bool { false }
}

private final class AppearNode: LifecycleNode {
  private var intent: (() throws -> Void)?

  init(_ intent: @escaping () throws -> Void) { self.intent = intent }

  override func run(on host: ViewHost, isFirst: Bool) throws { try intent.take()?() }
}

private struct DisappearModifier: LifecycleModifier {
  let intent: () throws -> Void

  func makeNode(in scope: Scope) -> DisappearNode { DisappearNode(intent) }

  func update(_ node: DisappearNode) -> Bool {
    let replaced = node.intent
    node.intent = intent
    withExtendedLifetime(replaced) {}
    return false
  }
}

private final class DisappearNode: LifecycleNode {
  var intent: () throws -> Void

  init(_ intent: @escaping () throws -> Void) { self.intent = intent }

  override func end() -> (() throws -> Void)? { intent }
}

private struct ChangeModifier<Value: Equatable>: LifecycleModifier {
  let value: Value
  let isInitial: Bool
  let intent: (Value, Value) throws -> Void

  func makeNode(in scope: Scope) -> ChangeNode<Value> {
    ChangeNode(value, isInitial: isInitial, intent: intent)
  }

  func update(_ node: ChangeNode<Value>) -> Bool {
    let replaced = (node.intent, node.value)
    node.intent = intent
    node.value = value
    withExtendedLifetime(replaced) {}
    return node.known != value
  }
}

/// State: `known`, the last value that the intent knows; `value`, the current one.
private final class ChangeNode<Value: Equatable>: LifecycleNode {
  var known: Value
  var value: Value
  var intent: (Value, Value) throws -> Void
  private let isInitial: Bool

  init(_ value: Value, isInitial: Bool, intent: @escaping (Value, Value) throws -> Void) {
    known = value
    self.value = value
    self.isInitial = isInitial
    self.intent = intent
  }

  override func run(on host: ViewHost, isFirst: Bool) throws {
    let old = known
    known = value
    if isFirst ? isInitial : old != value { try intent(isFirst ? value : old, value) }
  }
}
