/// The value that an element shows in addition to its text.
public enum ElementValue: Hashable, Sendable {
  /// No value.
  case none
  /// The contents of a text field.
  case text(String)
  /// The contents of a field for a password.
  ///
  /// A renderer shows how long it is, at most. Logs of intents don't contain it.
  case secret(String)
  /// The state of a toggle.
  case flag(Bool)
  /// A fraction of a whole, from 0 to 1.
  case fraction(Double)
  /// The selected one of several options.
  case choice(ElementOption, of: [ElementOption])
  /// The address to which a link leads, or of an image.
  case address(String)
}

extension ElementValue {
  /// The text that the user edits, even if it isn't shown.
  package var editedText: String? {
    switch self {
    case .text(let text), .secret(let text): text
    case .none, .flag, .fraction, .choice, .address: nil
    }
  }

  /// Whether the value isn't shown.
  package var isSecret: Bool { if case .secret = self { true } else { false } }

  /// Returns a dot for each character of a secret.
  package static func masked(_ secret: String) -> String {
    String(repeating: "•", count: secret.count)
  }
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
  /// Shows the screen with an address, when the element is tapped; see ``Navigation``.
  case open(ScreenAddress)
}
