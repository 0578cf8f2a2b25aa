package import Signals

/// A color by its parts, from 0 to 1.
package struct ScrumColor: Codable, Hashable, Sendable {
  package var red: Double
  package var green: Double
  package var blue: Double

  /// Creates a color of its parts.
  package init(red: Double, green: Double, blue: Double) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }

  package static let orange = ScrumColor(red: 1, green: 0.5, blue: 0)
  package static let teal = ScrumColor(red: 0, green: 0.5, blue: 0.5)
  package static let violet = ScrumColor(red: 0.5, green: 0, blue: 1)
  package static let yellow = ScrumColor(red: 1, green: 1, blue: 0)

  /// What a scrum has before somebody chooses.
  package static let standard = yellow
  /// What a form offers.
  package static let palette = [orange, teal, violet, yellow]

  /// How a person reads it: a name, or the parts in percent.
  package var name: String {
    switch self {
    case .orange: "Orange"
    case .teal: "Teal"
    case .violet: "Violet"
    case .yellow: "Yellow"
    default: "\(percent(red)) red, \(percent(green)) green, \(percent(blue)) blue"
    }
  }

  private func percent(_ part: Double) -> String { "\(Int((part * 100).rounded()))%" }
}

/// The color of a scrum as it is stored: part of it, and gone with it.
package final class ColorComponents: EmbeddedObject {
  @Field package var red = 0.0
  @Field package var green = 0.0
  @Field package var blue = 0.0

  /// The parts as one value.
  package var color: ScrumColor {
    get { ScrumColor(red: red, green: green, blue: blue) }
    set { (red, green, blue) = (newValue.red, newValue.green, newValue.blue) }
  }
}
