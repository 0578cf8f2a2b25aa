/// A part of the data with a separate log, such as one conversation.
///
/// A partition is identified by its name, which usually states a property and its value:
///
/// ```swift
/// let partition: Partition = "conversation=42"
/// ```
///
/// Two names are equal if their UTF-8 is equal. Names that differ only in the composition of
/// characters are different partitions.
public struct Partition: Hashable, Sendable {
  /// The name.
  public let name: String

  /// Creates the partition of a name.
  public init(_ name: String) { self.name = name }
}

extension Partition {
  /// Whether the UTF-8 of two names is equal, as the names of files have to be.
  public static func == (left: Partition, right: Partition) -> Bool {
    left.name.utf8.count == right.name.utf8.count
      && left.name.utf8.elementsEqual(right.name.utf8)
  }

  /// Hashes the UTF-8 of the name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name.utf8.count)
    unsafe name.utf8.span.bytes.withUnsafeBytes { bytes in
      unsafe hasher.combine(bytes: bytes)
    }
  }

  /// Returns whether the UTF-8 of a name precedes the UTF-8 of another.
  static func precedes(_ left: Partition, _ right: Partition) -> Bool {
    left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
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
