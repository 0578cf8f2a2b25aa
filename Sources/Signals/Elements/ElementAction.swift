/// The value that an element shows in addition to its text.
public enum ElementValue: Hashable, Sendable {
  /// No value.
  case none
  /// The contents of a text field.
  case text(String)
  /// The state of a toggle.
  case flag(Bool)
  /// A fraction of a whole, from 0 to 1.
  case fraction(Double)
  /// The selected one of several options.
  case choice(ElementOption, of: [ElementOption])
}

/// An intent that may suspend and that runs in its caller's isolation.
///
/// Don't pass a closure with a capture list: Swift 6.3 runs `{ [weak model] in … }` off its
/// caller's actor, unless the closure is in code of an actor. Write `weak let model = model` before
/// the closure instead.
public typealias AsyncIntent = nonisolated(nonsending) () async throws -> Void

/// The intent that an element runs when it is used.
public enum ElementAction {
  /// No intent.
  case none
  /// Runs when the element is tapped.
  case tap(() throws -> Void)
  /// Runs when the element is tapped; may suspend.
  case asyncTap(AsyncIntent, overlap: IntentOverlap = .allowed)
  /// Runs with the text typed into the element.
  case text((String) throws -> Void)
  /// Runs with the new state.
  case flag((Bool) throws -> Void)
  /// Runs with the id of the chosen option.
  case choice((String) throws -> Void)
}
