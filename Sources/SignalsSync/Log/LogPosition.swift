/// A position in a partition's log: the number of entries before it.
public struct LogPosition: Hashable, Sendable, RawRepresentable {
  /// The number of entries before the position.
  public var rawValue: UInt64

  /// Creates the position that has a number of entries before it.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The position of the first entry.
  public static let start = LogPosition(rawValue: 0)
}

extension LogPosition {
  /// Returns the number of entries from this position to another.
  public func distance(to other: LogPosition) -> Int {
    Int(truncatingIfNeeded: other.rawValue &- rawValue)
  }

  /// Returns the position after a number of further entries.
  public func advanced(by count: Int) -> LogPosition {
    LogPosition(rawValue: rawValue &+ UInt64(bitPattern: Int64(count)))
  }
}

extension LogPosition: Comparable {
  /// Whether a position is before another.
  public static func < (left: LogPosition, right: LogPosition) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension LogPosition: ExpressibleByIntegerLiteral {
  /// Creates the position that has a number of entries before it.
  public init(integerLiteral value: UInt64) { self.init(rawValue: value) }
}

extension LogPosition: CustomStringConvertible {
  /// The number of entries before the position.
  public var description: String { "\(rawValue)" }
}
