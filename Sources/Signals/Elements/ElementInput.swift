/// An action of the user on an element.
public enum ElementInput: Sendable, Equatable {
  /// Taps the element.
  case tap
  /// Replaces the element's text.
  case text(String)
  /// Sets the element's on/off state.
  case flag(Bool)
  /// Chooses one of the element's options, by ``ElementOption/id``.
  case choice(String)
  /// Submits the text typed into the element.
  case submit
  /// Moves rows of the element, given by their offsets on screen, to before the row at another
  /// offset.
  case move([Int], toOffset: Int)
  /// Presses a key, which the host handles rather than an element; see
  /// ``ElementReference/key(_:)``.
  case key(KeyPress)
}
