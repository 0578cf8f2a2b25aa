/// The number of cells that characters take.
///
/// - ASCII and most other characters take one cell. Characters that Unicode classifies as wide,
///   such as those of East Asian scripts and emoji, take two.
/// - A cluster of several scalars, such as a letter with accents or a family emoji, is as wide as
///   its widest scalar. The variation selector for emoji makes it two cells wide.
/// - Characters without a shape (zero-width spaces and joiners, standalone marks, directional
///   controls) take none and aren't drawn.
package enum CharacterWidth {
  /// Returns the number of cells of a character: 0, 1 or 2.
  package static func of(_ character: Character) -> Int {
    if let byte = character.utf8.first, byte < 0x80, character.utf8.count == 1 {
      return byte < 0x20 || byte == 0x7F ? 0 : 1
    }
    var width = 0
    var base: Unicode.Scalar?
    for scalar in character.unicodeScalars {
      if scalar == "\u{FE0F}", base?.properties.isEmoji == true { return 2 }
      if base == nil { base = scalar }
      width = max(width, of(scalar))
    }
    // A flag consists of two letters.
    if isFlag(character) {
      return character.unicodeScalars.count > 1 ? 2 : 1
    }
    return width
  }

  /// Returns the number of cells that a single-line text takes when drawn.
  ///
  /// Counting stops once it exceeds `limit`.
  package static func of(_ text: some StringProtocol, limit: Int = .max) -> Int {
    if let count = ASCII.count(text) { return count }
    var width = 0
    for character in text {
      width += ofShown(character)
      if width > limit { break }
    }
    return width
  }

  /// Returns the number of cells of the character that is drawn for another.
  package static func ofShown(_ character: Character) -> Int { of(shown(character)) }

  /// The maximum number of bytes of a cluster that are drawn.
  ///
  /// No real character has more.
  private static let clusterLimit = 128

  /// Returns the character to draw for another.
  ///
  /// Control characters, which could send any command to a terminal, are replaced.
  ///
  /// A tab or a line end becomes a blank. A letter with too many accents is cut.
  package static func shown(_ character: Character) -> Character {
    if let byte = character.utf8.first, byte < 0x80, character.utf8.count == 1 {
      if byte >= 0x20 { return byte == 0x7F ? "\u{FFFD}" : character }
      return byte == 0x09 || byte == 0x0A || byte == 0x0D ? " " : "\u{FFFD}"
    }
    if character == "\r\n" { return " " }
    let shown = character.utf8.count <= clusterLimit ? character : beginning(of: character)
    let isControl = shown.unicodeScalars.contains { $0.properties.generalCategory == .control }
    return isControl ? "\u{FFFD}" : shown
  }

  private static func beginning(of cluster: Character) -> Character {
    var scalars = String.UnicodeScalarView()
    var bytes = 0
    for scalar in cluster.unicodeScalars {
      bytes += UTF8.width(scalar)
      if bytes > clusterLimit { break }
      scalars.append(scalar)
    }
    return String(scalars).first ?? "\u{FFFD}"
  }

  /// Whether the character is a flag, or one of the letters that form a flag in pairs.
  static func isFlag(_ character: Character) -> Bool {
    character.unicodeScalars.first.map { (0x1F1E6...0x1F1FF).contains($0.value) } ?? false
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return value == 0xAD ? 0 : 1 }
    // Korean vowels and final consonants share the cell of the letter before them.
    if (0x1160...0x11FF).contains(value) { return 0 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .lineSeparator, .paragraphSeparator: return 0
    default: return isWide(value) ? 2 : 1
    }
  }

  private static func isWide(_ value: UInt32) -> Bool {
    guard value >= 0x1100 else { return false }
    var (low, high) = (0, wide.count)
    while low < high {
      let middle = (low + high) / 2
      if wide[middle].1 < value { low = middle + 1 } else { high = middle }
    }
    return low < wide.count && wide[low].0 <= value
  }

  /// The ranges that Unicode 15.1 classifies as wide or fullwidth, merged across unassigned code
  /// points.
  private static let wide: [(UInt32, UInt32)] = [
    (0x1100, 0x115F), (0x231A, 0x231B), (0x2329, 0x232A), (0x23E9, 0x23EC), (0x23F0, 0x23F0),
    (0x23F3, 0x23F3), (0x25FD, 0x25FE), (0x2614, 0x2615), (0x2648, 0x2653), (0x267F, 0x267F),
    (0x2693, 0x2693), (0x26A1, 0x26A1), (0x26AA, 0x26AB), (0x26BD, 0x26BE), (0x26C4, 0x26C5),
    (0x26CE, 0x26CE), (0x26D4, 0x26D4), (0x26EA, 0x26EA), (0x26F2, 0x26F3), (0x26F5, 0x26F5),
    (0x26FA, 0x26FA), (0x26FD, 0x26FD), (0x2705, 0x2705), (0x270A, 0x270B), (0x2728, 0x2728),
    (0x274C, 0x274C), (0x274E, 0x274E), (0x2753, 0x2755), (0x2757, 0x2757), (0x2795, 0x2797),
    (0x27B0, 0x27B0), (0x27BF, 0x27BF), (0x2B1B, 0x2B1C), (0x2B50, 0x2B50), (0x2B55, 0x2B55),
    (0x2E80, 0x303E), (0x3041, 0x3247), (0x3250, 0x4DBF), (0x4E00, 0xA4C6), (0xA960, 0xA97C),
    (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFE10, 0xFE19), (0xFE30, 0xFE6B), (0xFF01, 0xFF60),
    (0xFFE0, 0xFFE6), (0x16FE0, 0x1B2FB), (0x1F004, 0x1F004), (0x1F0CF, 0x1F0CF),
    (0x1F18E, 0x1F18E), (0x1F191, 0x1F19A), (0x1F200, 0x1F320), (0x1F32D, 0x1F335),
    (0x1F337, 0x1F37C), (0x1F37E, 0x1F393), (0x1F3A0, 0x1F3CA), (0x1F3CF, 0x1F3D3),
    (0x1F3E0, 0x1F3F0), (0x1F3F4, 0x1F3F4), (0x1F3F8, 0x1F43E), (0x1F440, 0x1F440),
    (0x1F442, 0x1F4FC), (0x1F4FF, 0x1F53D), (0x1F54B, 0x1F54E), (0x1F550, 0x1F567),
    (0x1F57A, 0x1F57A), (0x1F595, 0x1F596), (0x1F5A4, 0x1F5A4), (0x1F5FB, 0x1F64F),
    (0x1F680, 0x1F6C5), (0x1F6CC, 0x1F6CC), (0x1F6D0, 0x1F6D2), (0x1F6D5, 0x1F6DF),
    (0x1F6EB, 0x1F6EC), (0x1F6F4, 0x1F6FC), (0x1F7E0, 0x1F7F0), (0x1F90C, 0x1F93A),
    (0x1F93C, 0x1F945), (0x1F947, 0x1F9FF), (0x1FA70, 0x1FAF8), (0x20000, 0x3FFFD),
  ]
}
