import Signals

/// The appearance of element styles on a terminal.
enum Theme {
  static func style(_ style: ElementStyle) -> Style {
    switch style {
    case .emphasized: .bold
    case .secondary: .dim
    case .title: Style(foreground: .cyan, .bold)
    case .accent: Style(foreground: .cyan)
    case .positive: Style(foreground: .green)
    case .warning: Style(foreground: .yellow)
    case .negative: Style(foreground: .red)
    case .status: .reversed
    default: .plain
    }
  }

  static func color(_ color: ElementColor) -> Color {
    func byte(_ part: Double) -> UInt8 { part > 0 ? UInt8((min(part, 1) * 255).rounded()) : 0 }
    return .rgb(byte(color.red), byte(color.green), byte(color.blue))
  }

  static let focused = Style.reversed
  static let selected = Style.reversed
  static let disabled = Style.dim
  static let error = Style(foreground: .red)
  static let header = Style([.bold, .underlined])
  static let bar = Style(foreground: .green)
}
