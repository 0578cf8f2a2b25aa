/// A key that the user presses, identified by its name: `"q"`, `"f1"`, or ``return``.
///
/// Renderers decide which of their own keys has which name.
public struct KeyPress: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name of the key.
  public let name: String

  /// Creates a key with a name.
  public init(_ name: String) { self.name = name }

  /// Creates a key from a string literal with its name.
  public init(stringLiteral name: String) { self.name = name }

  /// The name of the key, as text.
  public var description: String { name }

  /// The key that ends a line.
  public static let `return` = KeyPress("return")
  /// The key that cancels or leaves.
  public static let escape = KeyPress("escape")
  /// The key that deletes backward.
  public static let delete = KeyPress("delete")
  /// The up arrow key.
  public static let up = KeyPress("up")
  /// The down arrow key.
  public static let down = KeyPress("down")
  /// The left arrow key.
  public static let left = KeyPress("left")
  /// The right arrow key.
  public static let right = KeyPress("right")
}

extension KeyPress: Codable {
  /// Decodes a key from its name.
  ///
  /// - Throws: The errors of the decoder.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the key as its name.
  ///
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}
