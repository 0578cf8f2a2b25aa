/// A name for the source of a change, by which observers can recognize their own changes.
public struct Origin: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name of the source.
  public let name: String

  /// Creates an origin.
  ///
  /// - Parameter name: The name, by which origins are compared.
  public init(_ name: String) { self.name = name }

  /// Creates an origin from a literal.
  ///
  /// - Parameter name: The name, by which origins are compared.
  public init(stringLiteral name: String) { self.name = name }

  /// The name, as messages show it.
  public var description: String { name }
}
