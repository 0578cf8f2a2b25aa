internal import Signals

/// Writes the messages of one direction of a connection.
///
/// Its state is what the ``WireDecoder`` at the other end knows from the messages before. So all
/// messages must arrive, in their order; and a new connection begins with a new encoder.
///
/// ```swift
/// var encoder = WireEncoder()
/// var decoder = WireDecoder()
/// decoder.append(try encoder.encode(.hello(WireHello(replica: replica))))
/// while let message = try decoder.next() { … }
/// ```
package struct WireEncoder: Sendable {
  /// The most bytes of a message, unless an encoder has another limit: the largest change set fits,
  /// with its partition and position.
  package static let defaultLimit = SharedChangeSet.sizeLimit + 2 * LogLimits.nameSize
  /// The most bytes that a limit can be.
  package static let greatestLimit = 1 << 27

  private var changeSets = ChangeSetEncoder()
  private var partitions = PartitionTable()
  private let limit: Int

  /// Creates the encoder of a connection.
  ///
  /// - Parameter limit: The most bytes of a message, which the decoder must accept.
  package init(limit: Int = defaultLimit) {
    if limit > Self.greatestLimit { trap("\(limit) bytes: a message has at most 128 MiB") }
    self.limit = limit
  }

  /// Returns the bytes of a message, preceded by their number.
  ///
  /// - Throws: ``WireError/tooLarge(count:limit:)`` if the message has too many bytes,
  ///   ``WireError/tooManyOperations(limit:)``, which a single change set never has, or
  ///   ``WireError/partitionTooLong(count:limit:)``. The encoder is unchanged then: smaller messages
  ///   can follow.
  package mutating func encode(_ message: WireMessage) throws(WireError) -> [UInt8] {
    try Self.check(message)
    var writer = ByteWriter(capacity: 32)
    // Most messages have one byte of length; the others are moved by what theirs needs more.
    writer.write(0)
    changeSets.tables.begin()
    partitions.begin()
    encode(message, to: &writer)
    let count = writer.count - 1
    guard count <= limit else {
      changeSets.tables.rollBack()
      partitions.rollBack()
      throw .tooLarge(count: UInt64(count), limit: limit)
    }
    changeSets.tables.commit()
    writer.finishLength(count)
    return writer.bytes
  }

  private mutating func encode(_ message: WireMessage, to writer: inout ByteWriter) {
    switch message {
    case .changeSets(let content): encode(content, to: &writer)
    case .hello(let hello):
      writer.write(WireKind.hello.rawValue)
      writer.writeFixed(WireKind.signature)
      writer.writeVarint(UInt64(hello.versions.lowerBound))
      writer.writeVarint(UInt64(hello.versions.upperBound))
      writer.writeFixed(hello.replica.rawValue)
      writer.write(hello.log == nil ? 0 : 1)
      if let log = hello.log { writer.writeFixed(log.rawValue) }
    case .acknowledgment(let place):
      writer.write(WireKind.acknowledgment.rawValue)
      encode(place, to: &writer)
    case .snapshotPiece(let piece):
      writer.write(WireKind.snapshotPiece.rawValue)
      encode(piece.place, to: &writer)
      writer.writeVarint(piece.offset)
      writer.writeVarint(piece.total)
      writer.write(contentsOf: piece.bytes)
    case .stateHash(let place, let hash):
      writer.write(WireKind.stateHash.rawValue)
      encode(place, to: &writer)
      writer.writeFixed(hash)
    case .presence(let bytes):
      writer.write(WireKind.presence.rawValue)
      writer.write(contentsOf: bytes)
    }
  }

  /// Checks the names and counts that are limited.
  private static func check(_ message: WireMessage) throws(WireError) {
    let partition: Partition
    switch message {
    case .changeSets(let content):
      partition = content.partition
      let count = content.sets.reduce(0) {
        $0 + $1.operations.count + WireMessage.operationsOfSet
      }
      guard count <= WireMessage.operationLimit else {
        throw .tooManyOperations(limit: WireMessage.operationLimit)
      }
    case .acknowledgment(let place), .stateHash(let place, _): partition = place.partition
    case .snapshotPiece(let piece): partition = piece.place.partition
    case .hello, .presence: return
    }
    let count = partition.name.utf8.count
    guard count <= LogLimits.nameSize else {
      throw .partitionTooLong(count: count, limit: LogLimits.nameSize)
    }
  }

  private mutating func encode(_ place: WirePlace, to writer: inout ByteWriter) {
    encode(place.partition, to: &writer)
    writer.writeVarint(place.head.position.rawValue)
    writer.writeFixed(place.head.chain)
  }

  private mutating func encode(_ partition: Partition, to writer: inout ByteWriter) {
    let position = partitions.partitions.position(of: partition)
    writer.writeVarint(UInt64(position.map { $0 + 1 } ?? 0))
    if position == nil { writer.writeText(partition.name) }
    partitions.makeCurrent(partition, at: position)
  }

  private mutating func encode(_ content: WireChangeSets, to writer: inout ByteWriter) {
    var flags: UInt8 = 0
    var prefix = ByteWriter()
    if content.partition.tableKey != partitions.current.tableKey {
      flags |= ChangeSetFlags.partition
      encode(content.partition, to: &prefix)
    }
    if content.position != partitions.expectedPosition {
      flags |= ChangeSetFlags.position
      prefix.write(content.position == nil ? 0 : 1)
      if let position = content.position { prefix.writeVarint(position.rawValue) }
    }
    partitions.expect(content.position?.advanced(by: content.sets.count))
    var isFirst = true
    for set in content.sets {
      changeSets.encode(
        set, to: &writer, flags: isFirst ? flags : 0, prefix: isFirst ? prefix.bytes : [])
      isFirst = false
    }
  }
}

extension ByteWriter {
  /// Writes a length before all bytes but the first, which is reserved for it.
  fileprivate mutating func finishLength(_ count: Int) {
    if count < 0x80 {
      replace(at: 0, with: UInt8(count))
    } else {
      var length = ByteWriter(capacity: self.count + 10)
      length.writeVarint(UInt64(count))
      length.write(contentsOf: bytes[1...])
      self = length
    }
  }
}
