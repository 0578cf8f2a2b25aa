// The address of a screen, as text that a browser, a file or a link can have.
//
// A part of an address is any text. In the address it is percent-encoded, so that the slashes of an
// address are those between its parts.

/// The address of a screen within an app, such as `/packages/vim`.
///
/// A value in a literal becomes one part, whatever characters it has:
///
/// ```swift
/// let address: ScreenAddress = "/packages/\(package.name)"
/// address.parts                     // ["packages", "g++/arm"], for a package named g++/arm
/// address.part(after: "packages")   // "g++/arm"
/// "\(address)"                      // "/packages/g%2B%2B%2Farm"
/// ```
public struct ScreenAddress: Hashable, Sendable, LosslessStringConvertible {
  /// The parts between the slashes, as they were before encoding; empty for the first screen, `/`.
  public let parts: [String]
  /// The address, with a `/` before each part, and `/` for no part.
  public let description: String

  /// The address of the first screen, `/`.
  public static let first = ScreenAddress(parts: [])

  /// Creates the address with given parts.
  ///
  /// - Parameter parts: The parts. Empty ones are left out, because no address can have them.
  public init(parts: [String]) {
    self.parts = parts.filter { !$0.isEmpty }
    description = "/" + self.parts.map(Self.encode).joined(separator: "/")
  }

  /// Reads an address that was written as text.
  ///
  /// - Parameter description: The text. A query or a fragment isn't part of the address.
  /// - Returns: `nil` if the text doesn't begin with a slash, or isn't percent-encoded UTF-8.
  public init?(_ description: String) {
    guard description.utf8.first == UInt8(ascii: "/") else { return nil }
    let path = description.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    var parts: [String] = []
    for part in path.split(separator: UInt8(ascii: "/")) {
      guard let decoded = Self.decode(part) else { return nil }
      parts.append(decoded)
    }
    self.init(parts: parts)
  }

  /// Returns the part after a first part: the name of what a screen shows.
  ///
  /// - Parameter first: The first part of the address.
  /// - Returns: The second part; `nil` if the address begins otherwise, or has no second part.
  public func part(after first: String) -> String? {
    parts.count > 1 && parts[0] == first ? parts[1] : nil
  }

  /// Whether two addresses have equal parts, however their characters are encoded.
  public static func == (one: ScreenAddress, other: ScreenAddress) -> Bool {
    one.parts == other.parts
  }

  /// Hashes the parts.
  public func hash(into hasher: inout Hasher) { hasher.combine(parts) }

  // MARK: - Encoding

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func encode(_ part: String) -> String {
    // Browsers resolve the parts `.` and `..`, so dots are encoded where they are all of a part.
    let hasOnlyDots = part.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
    var text = ""
    for byte in part.utf8 {
      if isPlain(byte) || byte == UInt8(ascii: ".") && !hasOnlyDots {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        text += byte < 16 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return text
  }

  private static func decode(_ part: some Collection<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var rest = part[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
  }
}

extension ScreenAddress: ExpressibleByStringInterpolation {
  /// The text of a literal with values in it.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    /// Creates an empty text.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Adds the literal part of an address.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Adds a value as one part.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      text += ScreenAddress.encode(value.description)
    }
  }

  /// Creates an address from a literal.
  ///
  /// Traps if the literal doesn't begin with a slash, or isn't percent-encoded UTF-8.
  public init(stringLiteral literal: String) { self = ScreenAddress.reading(literal) }

  /// Creates an address from a literal with values in it.
  ///
  /// Traps if the literal doesn't begin with a slash, or isn't percent-encoded UTF-8.
  public init(stringInterpolation literal: StringInterpolation) {
    self = ScreenAddress.reading(literal.text)
  }

  private static func reading(_ text: String) -> ScreenAddress {
    guard let address = ScreenAddress(text) else {
      trap(
        """
        \(text.debugDescription) is no address: it begins with /, as in "/books/\\(number)", and two \
        hexadecimal digits follow each %
        """)
    }
    return address
  }
}
