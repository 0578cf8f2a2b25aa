/// An entry of a partition's log.
public struct LogEntry: Hashable, Sendable {
  /// The entry's position.
  public let position: LogPosition
  /// The content, which the log doesn't interpret.
  public let bytes: [UInt8]

  /// Creates an entry.
  public init(position: LogPosition, bytes: [UInt8]) {
    (self.position, self.bytes) = (position, bytes)
  }
}

/// The end of a partition's log, or an earlier position, with a hash of all entries before it.
///
/// Two logs with equal heads have the same entries. Two logs whose hashes differ at one position
/// have diverged. The hash detects accidents, not forgery.
public struct LogHead: Hashable, Sendable {
  /// The position after the last entry.
  public let position: LogPosition
  /// The running hash of all entries before the position.
  public let chain: UInt64

  /// Creates a head.
  ///
  /// - Parameters:
  ///   - position: The position after the last entry.
  ///   - chain: The running hash of all entries before the position.
  public init(position: LogPosition, chain: UInt64) {
    (self.position, self.chain) = (position, chain)
  }

  /// The head of a log without entries.
  public static let start = LogHead(position: .start, chain: 0)

  /// Returns the head after one more entry.
  public func after(_ entry: [UInt8]) -> LogHead { after(digest: XXHash64.hash(entry.span)) }

  /// Checks that a log with this head can start from a snapshot.
  ///
  /// - Throws: ``ChangeLogError/headMoved(_:to:)`` or
  ///   ``ChangeLogError/notBeyondHead(_:position:head:)``.
  func checkStart(
    of partition: Partition, from snapshot: LogHead, expecting head: LogHead?
  ) throws(ChangeLogError) {
    if let head, head != self { throw .headMoved(partition, to: self) }
    if snapshot.position <= position {
      throw .notBeyondHead(partition, position: snapshot.position, head: self)
    }
  }

  /// Returns the head after one more entry with a hash.
  func after(digest: UInt64) -> LogHead {
    LogHead(position: position.advanced(by: 1), chain: XXHash64.fold(digest, into: chain))
  }
}

extension LogHead: CustomStringConvertible {
  /// The position and the hash.
  public var description: String { "\(position) (\(String(chain, radix: 16)))" }
}

/// The result of all entries before a head, which replaces them.
public struct LogSnapshot: Hashable, Sendable {
  /// The head of the log at the snapshot.
  public let head: LogHead
  /// The content, which the log doesn't interpret.
  public let bytes: [UInt8]

  /// Creates a snapshot.
  ///
  /// - Parameters:
  ///   - head: The head of the log at the snapshot.
  ///   - bytes: The content.
  public init(head: LogHead, bytes: [UInt8]) {
    (self.head, self.bytes) = (head, bytes)
  }
}
