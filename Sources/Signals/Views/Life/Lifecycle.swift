// What a body says of the life of what it holds. What is kept for it is in LifePart.swift, when it runs in
// LifeQueue.swift.

extension ElementContent {
  /// Runs an intent once, when this content has appeared.
  ///
  /// - It runs after the frame in which the content first stands was handed to the renderer, once for its
  ///   identity: not when bodies run again, and not when rows move.
  /// - It is one transaction; what it writes is the next frame, one for all that appeared together.
  /// - Parents come before what they hold, then the order of the body. Effects and observers run after the last.
  /// - What it reads is no dependency.
  /// - What it throws undoes its transaction and reaches the nearest ``onError(_:)`` around it, else
  ///   ``ViewHost/onError``.
  ///
  /// A row of a ``ForEach`` appears when it is first made: for a renderer, or for a search by id. It has not
  /// disappeared when it is scrolled away. Of a row that is made between two frames the intent runs before the
  /// renderer gets the row, unless that asks within a ``batch(_:)``.
  ///
  /// ```swift
  /// Text(book.title).onAppear { book.views += 1 }
  /// ```
  public func onAppear(_ intent: @escaping () throws -> Void) -> Element {
    Element(.life(AppearModifier(intent: intent), [element]))
  }

  /// Runs an intent once, when this content has disappeared.
  ///
  /// - It runs after the frame in which the content first is missing was handed to the renderer, before anything
  ///   that appeared in that frame, and when the host goes.
  /// - What appeared last comes first. Content whose ``onAppear(_:)`` did not run yet never appeared.
  /// - It is the intent that the last body gave, and one transaction, with errors as in ``onAppear(_:)``; an
  ///   ``onError(_:)`` that goes in the same frame does not get them.
  public func onDisappear(_ intent: @escaping () throws -> Void) -> Element {
    Element(.life(DisappearModifier(intent: intent), [element]))
  }

  /// Runs an intent when a value differs from what the body said before.
  ///
  /// - `value` is evaluated with the body, and so a dependency of it.
  /// - The intent runs after the frame that shows the new value, once a frame, with the value of the frame before
  ///   and the new one. A value that came and went between two frames is no change.
  /// - `initial` lets it run when the content appears too, with that value as both.
  /// - Order, transaction and errors are as in ``onAppear(_:)``.
  ///
  /// ```swift
  /// TextField("Search", text: $query).onChange(of: query) { old, new in page = 0 }
  /// ```
  public func onChange<Value: Equatable>(
    of value: Value, initial: Bool = false, _ intent: @escaping (Value, Value) throws -> Void
  ) -> Element {
    Element(.life(ChangeModifier(value: value, isInitial: initial, intent: intent), [element]))
  }

  /// Runs an intent likewise that asks for no values.
  public func onChange<Value: Equatable>(
    of value: Value, initial: Bool = false, _ intent: @escaping () throws -> Void
  ) -> Element {
    onChange(of: value, initial: initial) { _, _ in try intent() }
  }
}

private struct AppearModifier: LifeModifier {
  let intent: () throws -> Void

  func makePart(in scope: Scope) -> AppearPart { AppearPart(intent) }
  func update(_ part: AppearPart) -> Bool { false }
}

private final class AppearPart: LifePart {
  private var intent: (() throws -> Void)?

  init(_ intent: @escaping () throws -> Void) { self.intent = intent }

  override func run(on host: ViewHost, isFirst: Bool) throws { try intent.take()?() }
}

private struct DisappearModifier: LifeModifier {
  let intent: () throws -> Void

  func makePart(in scope: Scope) -> DisappearPart { DisappearPart(intent) }

  func update(_ part: DisappearPart) -> Bool {
    let replaced = part.intent
    part.intent = intent
    withExtendedLifetime(replaced) {}
    return false
  }
}

private final class DisappearPart: LifePart {
  var intent: () throws -> Void

  init(_ intent: @escaping () throws -> Void) { self.intent = intent }

  override func end() -> (() throws -> Void)? { intent }
}

private struct ChangeModifier<Value: Equatable>: LifeModifier {
  let value: Value
  let isInitial: Bool
  let intent: (Value, Value) throws -> Void

  func makePart(in scope: Scope) -> ChangePart<Value> {
    ChangePart(value, isInitial: isInitial, intent)
  }

  func update(_ part: ChangePart<Value>) -> Bool {
    let replaced = (part.intent, part.value)
    part.intent = intent
    part.value = value
    withExtendedLifetime(replaced) {}
    return part.known != value
  }
}

/// State: `known` is the value that the intent knows of, `value` the present one.
private final class ChangePart<Value: Equatable>: LifePart {
  var known: Value
  var value: Value
  var intent: (Value, Value) throws -> Void
  private let isInitial: Bool

  init(_ value: Value, isInitial: Bool, _ intent: @escaping (Value, Value) throws -> Void) {
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
