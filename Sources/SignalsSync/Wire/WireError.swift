internal import Signals

/// Why a message, or a change set of a log, can't be read or written.
package enum WireError: Error, Equatable, Sendable {
  /// The bytes end too early, or have an invalid number, count or text.
  case damaged(ByteError)
  /// The bytes of a value aren't valid.
  case value(ValueCodingError)
  /// A change set is larger than it can be.
  case size(ChangeSetSizeError)
  /// A message, or an entry of a log, has more bytes than the limit.
  case tooLarge(count: UInt64, limit: Int)
  /// The change sets of a message have too many operations; several messages must be made of them.
  case tooManyOperations(limit: Int)
  /// The name of a partition has more bytes than the limit.
  case partitionTooLong(count: Int, limit: Int)
  /// There is no message, or no version of an entry, that begins with this byte.
  case unknownKind(UInt8)
  /// A table has no element at this position.
  case unknownPosition(UInt64, table: Table, offset: Int)
  /// An element that a table has already is listed once more.
  case listedTwice(Table, offset: Int)
  /// A part of a message can't be as it is.
  case invalid(Part, offset: Int)
  /// Bytes follow the message.
  case trailingBytes(offset: Int)
  /// The first message isn't a hello, or a later one is.
  case misplacedHello
  /// There is no version of the protocol that both ends know.
  case noCommonVersion(own: ClosedRange<UInt32>, peer: ClosedRange<UInt32>)

  /// A table of a connection.
  package enum Table: Sendable { case replicas, creators, names, partitions }

  /// A part of a message.
  package enum Part: Sendable {
    case flags, operation, sequence, time, seen, position, piece, versions, signature, log
  }

  /// The wire's error for one thrown while reading.
  init(_ error: any Error) {
    switch error {
    case let error as WireError: self = error
    case let error as ByteError: self = .damaged(error)
    case let error as ValueCodingError: self = .value(error)
    case let error as ChangeSetSizeError: self = .size(error)
    default: trap("an error of an unexpected type: \(error)")
    }
  }
}

extension WireError: CustomStringConvertible {
  /// The reason and the offset.
  package var description: String {
    switch self {
    case .damaged(let error): "\(error)"
    case .value(let error): "\(error)"
    case .size(let error): "\(error)"
    case .tooLarge(let count, let limit): "a message of \(count) bytes; the limit is \(limit)"
    case .tooManyOperations(let limit): "a message with more than \(limit) operations"
    case .partitionTooLong(let count, let limit):
      "the name of a partition with \(count) bytes; the limit is \(limit)"
    case .unknownKind(let kind): "no message begins with \(kind)"
    case .unknownPosition(let position, let table, let offset):
      "the table of \(table) has no position \(position), at offset \(offset)"
    case .listedTwice(let table, let offset):
      "listed twice in the table of \(table), at offset \(offset)"
    case .invalid(let part, let offset): "invalid \(part) at offset \(offset)"
    case .trailingBytes(let offset): "bytes after the message, at offset \(offset)"
    case .misplacedHello: "the first message, and no other, must be a hello"
    case .noCommonVersion(let own, let peer):
      "no common version: here \(own.lowerBound) to \(own.upperBound), "
        + "there \(peer.lowerBound) to \(peer.upperBound)"
    }
  }
}
