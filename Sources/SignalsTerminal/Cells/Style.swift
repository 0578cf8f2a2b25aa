/// The colors and attributes of a cell.
package struct Style: Hashable, Sendable {
  /// The ways in which a terminal can draw a character.
  package struct Attributes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let bold = Attributes(rawValue: 1)
    package static let dim = Attributes(rawValue: 2)
    package static let italic = Attributes(rawValue: 4)
    package static let underlined = Attributes(rawValue: 8)
    package static let reversed = Attributes(rawValue: 16)
  }

  package var foreground: Color
  package var background: Color
  package var attributes: Attributes

  package init(
    foreground: Color = .standard, background: Color = .standard, _ attributes: Attributes = []
  ) {
    self.foreground = foreground
    self.background = background
    self.attributes = attributes
  }

  /// The terminal's default style.
  package static let plain = Style()
  package static let bold = Style(.bold)
  package static let dim = Style(.dim)
  package static let reversed = Style(.reversed)

  /// Returns this style overridden by another one: its attributes are added, and its colors are
  /// used unless they are the default color.
  package func with(_ other: Style) -> Style {
    Style(
      foreground: other.foreground == .standard ? foreground : other.foreground,
      background: other.background == .standard ? background : other.background,
      attributes.union(other.attributes))
  }

  /// Whether a blank in this style looks like an erased cell.
  var isInvisible: Bool {
    background == .standard && attributes.isDisjoint(with: [.reversed, .underlined])
  }
}
