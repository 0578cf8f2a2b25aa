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
  /// The most bytes of a message, unless an encoder has another limit.
  package static let defaultLimit = 1 << 24
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
  /// - Throws: ``WireError/tooLarge(count:limit:)`` if the message has too many bytes. The encoder is
  ///   unchanged then: smaller messages can follow.
  package mutating func encode(_ message: WireMessage) throws(WireError) -> [UInt8] {
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

  private mutating func encode(_ place: WirePlace, to writer: inout ByteWriter) {
    encode(partition: place.partition, to: &writer)
    writer.writeVarint(place.position)
  }

  private mutating func encode(partition: String, to writer: inout ByteWriter) {
    let count = partition.utf8.count
    if count > PartitionTable.nameLimit {
      trap("\(count) bytes: a partition's name has at most 1,024")
    }
    let position = partitions.names.position(of: partition)
    writer.writeVarint(UInt64(position.map { $0 + 1 } ?? 0))
    if position == nil { writer.writeText(partition) }
    partitions.makeCurrent(partition, at: position)
  }

  private mutating func encode(_ content: WireChangeSets, to writer: inout ByteWriter) {
    var flags: UInt8 = 0
    var prefix = ByteWriter()
    if content.partition != partitions.current {
      flags |= ChangeSetFlags.partition
      encode(partition: content.partition, to: &prefix)
    }
    if content.position != partitions.expectedPosition {
      flags |= ChangeSetFlags.position
      prefix.write(content.position == nil ? 0 : 1)
      if let position = content.position { prefix.writeVarint(position) }
    }
    partitions.expect(content.position.map { $0 &+ UInt64(content.sets.count) })
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
