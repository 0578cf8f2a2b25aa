internal import Signals

/// Reads the messages of one direction of a connection, from bytes that arrive in any pieces.
///
/// The state is the bytes that aren't read yet, the tables, and whether a hello was read. The bytes
/// aren't trusted: a message that isn't valid throws, and leaves the tables and the bytes as they
/// were. The connection should be closed then, since later messages may build on the lost one.
package struct WireDecoder: Sendable {
  private var changeSets = ChangeSetDecoder()
  private var partitions = PartitionTable()
  private var buffer: [UInt8] = []
  private var start = 0
  private let limit: Int
  /// The first message, once it was read.
  package private(set) var hello: WireHello?

  /// Creates the decoder of a connection.
  ///
  /// - Parameter limit: The most bytes of a message.
  package init(limit: Int = WireEncoder.defaultLimit) {
    if limit > WireEncoder.greatestLimit { trap("\(limit) bytes: a message has at most 128 MiB") }
    self.limit = limit
  }

  /// Appends bytes that have arrived.
  package mutating func append(_ bytes: [UInt8]) {
    if start == buffer.count {
      buffer = bytes
      start = 0
      return
    }
    if start > buffer.count / 2 {
      buffer.removeSubrange(..<start)
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// Returns the next message, if all its bytes have arrived.
  ///
  /// - Throws: ``WireError``; as soon as the length has arrived, if that is too great.
  package mutating func next() throws(WireError) -> WireMessage? {
    var reader = ByteReader(buffer, in: start..<buffer.count)
    let length: UInt64
    do throws(ByteError) {
      length = try reader.readVarint()
    } catch {
      if case .endOfBytes = error { return nil }
      throw .damaged(error)
    }
    guard length <= UInt64(limit) else { throw .tooLarge(count: length, limit: limit) }
    guard reader.remaining >= Int(length) else { return nil }
    let end = reader.offset + Int(length)
    let message = try decode(buffer, in: reader.offset..<end)
    start = end
    return message
  }

  /// Reads a whole message without its length, for connections that keep messages apart.
  ///
  /// - Throws: ``WireError``; the tables are unchanged then.
  package mutating func decode(_ bytes: [UInt8]) throws(WireError) -> WireMessage {
    guard bytes.count <= limit else {
      throw .tooLarge(count: UInt64(bytes.count), limit: limit)
    }
    return try decode(bytes, in: 0..<bytes.count)
  }

  private mutating func decode(
    _ bytes: [UInt8], in range: Range<Int>
  ) throws(WireError) -> WireMessage {
    var reader = ByteReader(bytes, in: range)
    changeSets.begin()
    partitions.begin()
    do {
      let message = try decodeMessage(from: &reader)
      guard reader.isAtEnd else { throw WireError.trailingBytes(offset: reader.offset) }
      changeSets.tables.commit()
      if case .hello(let hello) = message { self.hello = hello }
      return message
    } catch {
      changeSets.tables.rollBack()
      partitions.rollBack()
      throw WireError(error)
    }
  }

  private mutating func decodeMessage(from reader: inout ByteReader) throws -> WireMessage {
    let first = try reader.read()
    let kind = WireKind(rawValue: first)
    guard (kind == .hello) == (hello == nil) else { throw WireError.misplacedHello }
    if first & ChangeSetFlags.always != 0 { return try decodeChangeSets(from: &reader, first) }
    switch kind {
    case .hello: return .hello(try Self.decodeHello(from: &reader))
    case .acknowledgment: return .acknowledgment(try decodePlace(from: &reader))
    case .snapshotPiece: return .snapshotPiece(try decodePiece(from: &reader))
    case .stateHash:
      return .stateHash(try decodePlace(from: &reader), try reader.readFixed64())
    case .presence: return .presence(try reader.readBytes(count: reader.remaining))
    case nil: throw WireError.unknownKind(first)
    }
  }

  /// Reads what all versions of a hello have; what a later version adds is passed over.
  private static func decodeHello(from reader: inout ByteReader) throws -> WireHello {
    let start = reader.offset
    guard try reader.readFixed32() == WireKind.signature else {
      throw WireError.invalid(.signature, offset: start)
    }
    guard let lowest = UInt32(exactly: try reader.readVarint()),
      let highest = UInt32(exactly: try reader.readVarint()), lowest <= highest
    else { throw WireError.invalid(.versions, offset: start) }
    let replica = ReplicaID(rawValue: try reader.readFixed64())
    let log = try decodeLog(from: &reader)
    try reader.skip(reader.remaining)
    return WireHello(replica: replica, log: log, versions: lowest...highest)
  }

  private static func decodeLog(from reader: inout ByteReader) throws -> LogIdentity? {
    let start = reader.offset
    switch try reader.read() {
    case 0: return nil
    case 1: return LogIdentity(rawValue: try reader.readFixed64())
    default: throw WireError.invalid(.log, offset: start)
    }
  }

  private mutating func decodePlace(from reader: inout ByteReader) throws -> WirePlace {
    try decodePartition(from: &reader)
    let position = LogPosition(rawValue: try reader.readVarint())
    let head = LogHead(position: position, chain: try reader.readFixed64())
    return WirePlace(partition: partitions.current, head: head)
  }

  private mutating func decodePartition(from reader: inout ByteReader) throws {
    let start = reader.offset
    let table = partitions.partitions
    if let position = try reader.readPosition(in: .partitions, count: table.count) {
      partitions.makeCurrent(table.elements[position], at: position)
      return
    }
    let partition = Partition(try reader.readText())
    let count = partition.name.utf8.count
    guard count <= LogLimits.nameSize else {
      throw WireError.partitionTooLong(count: count, limit: LogLimits.nameSize)
    }
    guard table.position(of: partition) == nil else {
      throw WireError.listedTwice(.partitions, offset: start)
    }
    partitions.makeCurrent(partition, at: nil)
  }

  private mutating func decodePiece(from reader: inout ByteReader) throws -> WireSnapshotPiece {
    let place = try decodePlace(from: &reader)
    let start = reader.offset
    let offset = try reader.readVarint()
    let total = try reader.readVarint()
    let bytes = try reader.readBytes(count: reader.remaining)
    guard offset <= total, UInt64(bytes.count) <= total - offset else {
      throw WireError.invalid(.piece, offset: start)
    }
    return WireSnapshotPiece(place: place, offset: offset, total: total, bytes: bytes)
  }

  private mutating func decodeChangeSets(
    from reader: inout ByteReader, _ first: UInt8
  ) throws -> WireMessage {
    if first & ChangeSetFlags.partition != 0 { try decodePartition(from: &reader) }
    var position = partitions.expectedPosition
    if first & ChangeSetFlags.position != 0 { position = try decodePosition(from: &reader) }
    var sets = [try changeSets.decode(from: &reader, flags: first)]
    while !reader.isAtEnd {
      let start = reader.offset
      let flags = try reader.read()
      guard flags & ChangeSetFlags.ofMessage == ChangeSetFlags.always else {
        throw WireError.invalid(.flags, offset: start)
      }
      sets.append(try changeSets.decode(from: &reader, flags: flags))
    }
    partitions.expect(position?.advanced(by: sets.count))
    return .changeSets(
      WireChangeSets(partition: partitions.current, position: position, sets: sets))
  }

  private func decodePosition(from reader: inout ByteReader) throws -> LogPosition? {
    let start = reader.offset
    switch try reader.read() {
    case 0: return nil
    case 1: return LogPosition(rawValue: try reader.readVarint())
    default: throw WireError.invalid(.position, offset: start)
    }
  }
}
