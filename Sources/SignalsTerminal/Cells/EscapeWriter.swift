/// Writes text, cursor moves and styles for a terminal, and skips those already in effect.
///
/// State: `bytes`, the output; `cursor` and `style`, the current position and style of the
/// terminal, nil while unknown.
package struct EscapeWriter {
  package private(set) var bytes: [UInt8] = []
  private let capabilities: TerminalCapabilities
  private var cursor: (x: Int, y: Int)?
  private var style: Style?

  package init(_ capabilities: TerminalCapabilities) { self.capabilities = capabilities }

  var isUTF8: Bool { capabilities.isUTF8 }

  package mutating func text(_ text: some StringProtocol) { bytes.append(contentsOf: text.utf8) }

  /// Writes a command after which the cursor's position is unknown.
  package mutating func command(_ text: StaticString) {
    text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    cursor = nil
  }

  /// Asks the terminal to put a text on the clipboard.
  ///
  /// The text is sent as Base64, so that nothing in it is read as a command.
  mutating func clipboard(_ text: String) {
    self.text("\u{1B}]52;c;")
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(3))
      rest = rest.dropFirst(3)
      let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
      for place in 0..<4 {
        bytes.append(
          place <= part.count ? digits[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
      }
    }
    self.text("\u{7}")
  }

  private mutating func number(_ number: Int) {
    if number >= 10 { self.number(number / 10) }
    bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
  }

  private mutating func begin() {
    bytes.append(0x1B)
    bytes.append(UInt8(ascii: "["))
  }

  // MARK: - Places

  /// Moves the cursor to a cell.
  package mutating func move(x: Int, y: Int) {
    if let cursor, cursor.y == y {
      if cursor.x == x { return }
      if cursor.x < x {
        begin()
        if x - cursor.x > 1 { number(x - cursor.x) }
        bytes.append(UInt8(ascii: "C"))
        self.cursor = (x, y)
        return
      }
    }
    begin()
    if x > 0 || y > 0 { number(y + 1) }
    if x > 0 {
      bytes.append(UInt8(ascii: ";"))
      number(x + 1)
    }
    bytes.append(UInt8(ascii: "H"))
    cursor = (x, y)
  }

  /// Writes the character of a cell at the cursor.
  ///
  /// Terminals don't agree on the width of every cluster, so the cursor's position is unknown after
  /// a character of several scalars.
  mutating func put(_ glyph: Glyph, width: Int, in lineWidth: Int, pool: GlyphPool) {
    if !capabilities.isUTF8, width == 2 {
      // A wide character is replaced by a question mark and a blank.
      text("? ")
      cursor = cursor.map { ($0.x + 2, $0.y) }
    } else if let scalar = glyph.scalar {
      put(scalar)
      cursor = cursor.map { ($0.x + width, $0.y) }
    } else {
      let text = pool.text(of: glyph)
      if capabilities.isUTF8 { self.text(text) } else { bytes.append(UInt8(ascii: "?")) }
      cursor = nil
    }
    // After the last column the cursor stays there or waits to wrap, depending on the terminal.
    if let cursor, cursor.x >= lineWidth { self.cursor = nil }
  }

  /// Writes blanks at the cursor, after which its position is unknown.
  mutating func putBlanks(_ count: Int) {
    for _ in 0..<count { bytes.append(UInt8(ascii: " ")) }
    cursor = nil
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    if scalar.isASCII {
      bytes.append(UInt8(truncatingIfNeeded: scalar.value))
    } else if capabilities.isUTF8 {
      if let encoded = UTF8.encode(scalar) { bytes.append(contentsOf: encoded) }
    } else {
      bytes.append(ASCIIDrawing.byte(for: scalar))
    }
  }

  /// Erases the line from the cursor to its end.
  mutating func eraseLine() {
    set(.plain)
    begin()
    bytes.append(UInt8(ascii: "K"))
  }

  /// Moves the rows of a range up, or down if `distance` is negative.
  mutating func scroll(_ rows: Range<Int>, by distance: Int) {
    set(.plain)
    begin()
    number(rows.lowerBound + 1)
    bytes.append(UInt8(ascii: ";"))
    number(rows.upperBound)
    bytes.append(UInt8(ascii: "r"))
    begin()
    if abs(distance) > 1 { number(abs(distance)) }
    bytes.append(distance > 0 ? UInt8(ascii: "S") : UInt8(ascii: "T"))
    command("\u{1B}[r")
  }

  // MARK: - Styles

  /// Switches to a style.
  ///
  /// An attribute or color can only be switched off by a reset, after which the new style is set
  /// from scratch.
  package mutating func set(_ new: Style) {
    let new = Style(
      foreground: new.foreground.nearest(in: capabilities.colors),
      background: new.background.nearest(in: capabilities.colors), new.attributes)
    if style == new { return }
    var codes: [Int] = []
    var old = style ?? .plain
    if style == nil || !new.attributes.isSuperset(of: old.attributes)
      || (new.foreground == .standard && old.foreground != .standard)
      || (new.background == .standard && old.background != .standard)
    {
      codes.append(0)
      old = .plain
    }
    for (attribute, code) in EscapeWriter.codes
    where new.attributes.contains(attribute) && !old.attributes.contains(attribute) {
      codes.append(code)
    }
    if new.foreground != old.foreground { codes += EscapeWriter.codes(of: new.foreground, 30) }
    if new.background != old.background { codes += EscapeWriter.codes(of: new.background, 40) }
    style = new
    begin()
    // No code means the same as 0.
    if codes != [0] {
      for place in codes.indices {
        if place > 0 { bytes.append(UInt8(ascii: ";")) }
        number(codes[place])
      }
    }
    bytes.append(UInt8(ascii: "m"))
  }

  private static let codes: [(Style.Attributes, Int)] = [
    (.bold, 1), (.dim, 2), (.italic, 3), (.underlined, 4), (.reversed, 7),
  ]

  private static func codes(of color: Color, _ base: Int) -> [Int] {
    switch color.parts {
    case .standard: [base + 9]
    case .palette(let number) where number < 8: [base + Int(number)]
    case .palette(let number) where number < 16: [base + 60 + Int(number) - 8]
    case .palette(let number): [base + 8, 5, Int(number)]
    case .rgb(let red, let green, let blue): [base + 8, 2, Int(red), Int(green), Int(blue)]
    }
  }
}

/// The ASCII replacements of drawing characters, for terminals without Unicode.
enum ASCIIDrawing {
  static func byte(for scalar: Unicode.Scalar) -> UInt8 {
    switch scalar {
    case "─", "━", "░", "╌": UInt8(ascii: "-")
    case "│", "┃", "▐", "█": scalar == "█" ? UInt8(ascii: "#") : UInt8(ascii: "|")
    case "▲": UInt8(ascii: "^")
    case "▼", "▾": UInt8(ascii: "v")
    case "‹": UInt8(ascii: "<")
    case "›", "▸": UInt8(ascii: ">")
    case "…": UInt8(ascii: ".")
    case "┌", "┐", "└", "┘": UInt8(ascii: "+")
    default: UInt8(ascii: "?")
    }
  }
}
