/// How a cell looks, besides what stands in it.
package struct Style: Hashable, Sendable {
  /// What a terminal can do to a character.
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

  /// What the terminal does by itself.
  package static let plain = Style()
  package static let bold = Style(.bold)
  package static let dim = Style(.dim)
  package static let reversed = Style(.reversed)

  /// This style, where another says nothing.
  package func with(_ other: Style) -> Style {
    Style(
      foreground: other.foreground == .standard ? foreground : other.foreground,
      background: other.background == .standard ? background : other.background,
      attributes.union(other.attributes))
  }

  /// Whether a blank of this style looks as one that was erased.
  var isInvisible: Bool {
    background == .standard && attributes.isDisjoint(with: [.reversed, .underlined])
  }
}
