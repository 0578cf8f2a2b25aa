/// The number of colors that a terminal can show.
public enum ColorDepth: Int, Sendable, Comparable {
  /// No colors, only bold, dim and reversed text.
  case none
  /// The 16 named colors that every color terminal has.
  case sixteen
  /// A palette of 256 colors.
  case palette
  /// Any 24-bit color.
  case trueColor

  /// Orders by the number of colors.
  public static func < (lhs: ColorDepth, rhs: ColorDepth) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// A requested color.
///
/// A terminal with fewer colors shows the nearest one that it has.
package struct Color: Hashable, Sendable {
  /// The value 0 is the terminal's default color.
  ///
  /// Otherwise the highest byte is the kind, and the other bytes are the number.
  private let bits: UInt32

  private init(bits: UInt32) { self.bits = bits }

  /// The terminal's default color.
  package static let standard = Color(bits: 0)

  /// Returns one of the 256 colors of the palette.
  ///
  /// The first 16 are the named colors.
  package static func palette(_ number: UInt8) -> Color {
    Color(bits: 1 << 24 | UInt32(number))
  }

  /// Returns a 24-bit color.
  package static func rgb(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Color {
    Color(bits: 2 << 24 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue))
  }

  package static let red = palette(1)
  package static let green = palette(2)
  package static let yellow = palette(3)
  package static let blue = palette(4)
  package static let cyan = palette(6)

  /// The bits, to be mixed into a hash.
  var hash: UInt32 { bits }

  /// The components of a color.
  enum Parts: Equatable {
    case standard
    case palette(UInt8)
    case rgb(UInt8, UInt8, UInt8)
  }

  var parts: Parts {
    let low = UInt8(truncatingIfNeeded: bits)
    return switch bits >> 24 {
    case 0: .standard
    case 1: .palette(low)
    default:
      .rgb(UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8), low)
    }
  }

  /// Returns the nearest color that a terminal with a given color depth can show.
  package func nearest(in depth: ColorDepth) -> Color {
    switch (parts, depth) {
    case (.standard, _), (_, .none): .standard
    case (.palette(let number), .sixteen) where number >= 16:
      Palette.nearest(to: Palette.components(of: number), among: 0..<16)
    case (.palette, _), (.rgb, .trueColor): self
    case (.rgb(let red, let green, let blue), .palette):
      // The first 16 look different on each terminal.
      Palette.nearest(to: (Int(red), Int(green), Int(blue)), among: 16..<256)
    case (.rgb(let red, let green, let blue), .sixteen):
      Palette.nearest(to: (Int(red), Int(green), Int(blue)), among: 0..<16)
    }
  }
}

/// The 256 colors of the palette, as defined by xterm.
enum Palette {
  static func components(of number: UInt8) -> (Int, Int, Int) {
    let number = Int(number)
    switch number {
    case 0..<16:
      let low = number >= 8 ? 255 : number == 7 ? 229 : 205
      if number == 8 { return (127, 127, 127) }
      return (number & 1 == 0 ? 0 : low, number & 2 == 0 ? 0 : low, number & 4 == 0 ? 0 : low)
    case 16..<232:
      let steps = [0, 95, 135, 175, 215, 255]
      let place = number - 16
      return (steps[place / 36], steps[place / 6 % 6], steps[place % 6])
    default:
      let gray = 8 + 10 * (number - 232)
      return (gray, gray, gray)
    }
  }

  static func nearest(to color: (Int, Int, Int), among numbers: Range<Int>) -> Color {
    func distance(_ number: Int) -> Int {
      let other = components(of: UInt8(number))
      let (red, green, blue) = (color.0 - other.0, color.1 - other.1, color.2 - other.2)
      return red * red + green * green + blue * blue
    }
    let nearest = numbers.min { distance($0) < distance($1) } ?? 0
    return .palette(UInt8(nearest))
  }
}
