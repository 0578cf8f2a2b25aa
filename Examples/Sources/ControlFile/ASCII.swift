/// The bytes that a control file gives a meaning to, and the classes of bytes it knows.
///
/// All of them are ASCII, which never occurs inside a multi-byte UTF-8 sequence: a file can be cut
/// at these bytes first and repaired to valid UTF-8 afterwards, with the same outcome.
enum ASCII {
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let space = UInt8(ascii: " ")
  static let hash = UInt8(ascii: "#")
  static let colon = UInt8(ascii: ":")

  /// Whether `byte` is ASCII white space: a space or one of tab, LF, VT, FF and CR.
  @inline(__always)
  static func isWhite(_ byte: UInt8) -> Bool {
    byte == space || byte &- tab < 5
  }

  /// Whether `byte` begins a continuation line.
  @inline(__always)
  static func isBlank(_ byte: UInt8) -> Bool {
    byte == space || byte == tab
  }

  /// Whether `byte` may stand in a field name: printing ASCII except space and colon.
  @inline(__always)
  static func isNameByte(_ byte: UInt8) -> Bool {
    byte > space && byte < 0x7F && byte != colon
  }

  /// Folds an upper-case ASCII letter to lower case and leaves every other byte alone.
  @inline(__always)
  static func fold(_ byte: UInt8) -> UInt8 {
    byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
  }
}
