// Text as a browser has it after it has read a page.

/// Converts text to and from the form that it has in a browser.
enum PageText {
  /// Returns the text as a page shows it: with `\n` for every line end, and without characters that
  /// no page may contain.
  ///
  /// Control characters are replaced by pictures, as `TextRenderer` does.
  static func shown(_ text: String) -> String {
    guard text.utf8.contains(where: mayNeedReplacement) else { return text }
    var shown = String.UnicodeScalarView()
    var last: Unicode.Scalar = "\0"
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 9: shown.append(scalar)
      case 10: if last != "\r" { shown.append("\n") }
      case 13: shown.append("\n")
      case 0..<32: shown.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
      case 127: shown.append("\u{2421}")
      case 128..<160, 0xFFFE, 0xFFFF: shown.append("\u{FFFD}")
      default: shown.append(scalar)
      }
      last = scalar
    }
    return String(shown)
  }

  // U+0080 to U+009F begin with 0xC2, U+FFFE and U+FFFF with 0xEF.
  private static func mayNeedReplacement(_ byte: UInt8) -> Bool {
    byte < 32 && byte != 9 && byte != 10 || byte == 127 || byte == 0xC2 || byte == 0xEF
  }

  /// Whether a text has several lines, which a field of one line would lose.
  static func hasLines(_ text: String) -> Bool { shown(text).utf8.contains(UInt8(ascii: "\n")) }
}

/// The schemes of addresses that a page may contain.
///
/// Others, such as `javascript:`, run code.
enum PageAddress {
  private static let schemes: Set<String> = ["http", "https", "mailto", "tel"]

  /// Whether an address has no scheme, or one that runs no code.
  ///
  /// Browsers ignore spaces and control characters around a scheme and inside of it, so an address
  /// that contains any isn't harmless.
  static func isHarmless(_ address: String) -> Bool {
    guard !address.unicodeScalars.contains(where: { $0.value <= 32 || $0.value == 127 }),
      !address.hasPrefix("//"), !address.utf8.contains(UInt8(ascii: "\\"))
    else { return false }
    let start = address.prefix { !":/?#".contains($0) }
    guard address[start.endIndex...].first == ":" else { return true }
    return schemes.contains(start.lowercased())
  }
}
