/// A part of the data with a separate log, such as one conversation.
///
/// A partition is known by its name, which usually states a property and its value:
///
/// ```swift
/// let partition: Partition = "conversation=42"
/// ```
public struct Partition: Hashable, Sendable, Codable {
  /// The name.
  public let name: String

  /// Creates the partition of a name.
  public init(_ name: String) { self.name = name }

  /// Decodes the name, as a string.
  public init(from decoder: any Decoder) throws {
    name = try decoder.singleValueContainer().decode(String.self)
  }

  /// Encodes the name, as a string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

extension Partition: ExpressibleByStringLiteral {
  /// Creates the partition of a name.
  public init(stringLiteral name: String) { self.init(name) }
}

extension Partition: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}
