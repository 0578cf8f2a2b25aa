/// A text that is equal, hashed and ordered by its Unicode scalars.
///
/// `String` takes canonically equivalent texts for one: a precomposed "é" equals "e" followed by a
/// combining acute, and ordering follows the normalized forms. A package database does not
/// normalize: names that differ in a scalar are two packages. Comparing UTF-8 bytes gives exactly
/// the order of scalars.
public struct ScalarText: Hashable, Sendable {
  /// The text itself.
  public let string: String

  /// Wraps `string`.
  public init(_ string: String) {
    self.string = string
  }

  /// Returns whether both texts consist of the same scalars.
  public static func == (a: ScalarText, b: ScalarText) -> Bool {
    a.string.withUTF8Bytes { a in
      b.string.withUTF8Bytes { b in a.count == b.count && a.compare(b) == 0 }
    }
  }

  /// Feeds the UTF-8 bytes of the text to `hasher`.
  public func hash(into hasher: inout Hasher) {
    string.withUTF8Bytes { bytes in
      unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
    // No UTF-8 contains this byte: it keeps adjacent texts apart.
    hasher.combine(0xFF as UInt8)
  }
}

extension ScalarText: Comparable {
  /// Returns whether `a` comes before `b` in the order of Unicode scalars.
  public static func < (a: ScalarText, b: ScalarText) -> Bool {
    a.string.withUTF8Bytes { a in
      b.string.withUTF8Bytes { b in
        let order = a.compare(b)
        return order != 0 ? order < 0 : a.count < b.count
      }
    }
  }
}

extension ScalarText: ExpressibleByStringLiteral, CustomStringConvertible, Codable {
  /// Wraps a literal.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// The text itself.
  public var description: String { string }

  /// Decodes the text from a single string.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the text as a single string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(string)
  }
}
