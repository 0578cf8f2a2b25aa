/// Where a change came from: a name that observers can tell their own changes by.
public struct Origin: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name given to the origin.
  public let name: String

  /// Creates an origin.
  public init(_ name: String) { self.name = name }

  /// Creates an origin from a literal.
  public init(stringLiteral name: String) { self.name = name }

  /// How messages show it.
  public var description: String { name }
}
