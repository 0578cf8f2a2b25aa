internal import Signals

/// Reads what a ``ChangeSetEncoder`` has written.
///
/// The functions throw any of the errors of which ``WireError`` is the sum. After an error the tables
/// must be rolled back.
struct ChangeSetDecoder: Sendable {
  var tables = CodingTables()
  /// For each listed name its index in the set that is being read, and in which set that was.
  private var indexes: [(set: UInt64, index: UInt32)] = []
  /// The number of the set that is being read.
  private var setNumber: UInt64 = 0
  /// The set's names that aren't listed, because the table is full.
  private var unlisted: [String: UInt32] = [:]
  private var names: [String] = []
  private var links: [ObjectID] = []

  /// Reads a change set.
  ///
  /// - Parameters:
  ///   - reader: Stands behind the set's first byte, and what the message had announced in it.
  ///   - flags: The first byte, without the flags of the message.
  mutating func decode(from reader: inout ByteReader, flags: UInt8) throws -> SharedChangeSet {
    let header = try decodeHeader(from: &reader, flags: flags)
    setNumber += 1
    names = []
    if !unlisted.isEmpty { unlisted.removeAll() }
    if !links.isEmpty { links.removeAll() }
    var operations: [Operation] = []
    operations.reserveCapacity(min(header.count, Self.reserved))
    for _ in 0..<header.count {
      operations.append(try decodeOperation(from: &reader))
    }
    let bytes = try decodeValues(of: &operations, from: &reader)
    return SharedChangeSet(
      replica: tables.current.replica, sequence: tables.current.sequence,
      time: tables.current.time, seen: header.seen, names: names, operations: operations,
      bytes: bytes)
  }

  /// Up to how many operations memory is reserved for before they are read: an announced number
  /// isn't trusted with more than this.
  private static let reserved = 1 << 12

  // MARK: - Header

  private mutating func decodeHeader(
    from reader: inout ByteReader, flags: UInt8
  ) throws -> (seen: [Stamp], count: Int) {
    if flags & ChangeSetFlags.replica != 0 {
      let (replica, position) = try decodeReplica(from: &reader)
      tables.makeCurrent(replica, at: position)
    }
    let skipped =
      flags & ChangeSetFlags.sequence != 0
      ? UInt64(bitPattern: try reader.readSignedVarint()) : 0
    tables.current.sequence = tables.current.sequence &+ 1 &+ skipped
    try decodeTime(from: &reader, flags: flags)
    var seen: [Stamp] = []
    if flags & ChangeSetFlags.seen != 0 {
      seen = try decodeSeen(from: &reader)
    }
    let count = flags & ChangeSetFlags.count != 0 ? try reader.readCount() : 1
    return (seen, count)
  }

  private mutating func decodeTime(from reader: inout ByteReader, flags: UInt8) throws {
    let last = tables.current.time
    let milliseconds = try milliseconds(last.milliseconds, from: &reader, sign: 1)
    var counter = last.expectedCounter(milliseconds: milliseconds)
    if flags & ChangeSetFlags.counter != 0 { counter = try Self.counter(from: &reader) }
    tables.current.time = HybridTime(milliseconds: milliseconds, counter: counter)
  }

  private mutating func decodeSeen(from reader: inout ByteReader) throws -> [Stamp] {
    // The replica's position, the milliseconds and the counter have at least a byte each.
    let count = try reader.readCount(ofSize: 3)
    let now = tables.current.time.milliseconds
    var seen: [Stamp] = []
    for _ in 0..<count {
      let start = reader.offset
      let (replica, _) = try decodeReplica(from: &reader)
      if let last = seen.last, replica <= last.replica {
        throw WireError.invalid(.seen, offset: start)
      }
      let milliseconds = try milliseconds(now, from: &reader, sign: -1)
      let counter = try Self.counter(from: &reader)
      let time = HybridTime(milliseconds: milliseconds, counter: counter)
      seen.append(Stamp(time: time, replica: replica))
    }
    return seen
  }

  private func milliseconds(
    _ base: UInt64, from reader: inout ByteReader, sign: Int64
  ) throws -> UInt64 {
    let start = reader.offset
    let (change, isTooGreat) = try reader.readSignedVarint().multipliedReportingOverflow(by: sign)
    let (result, isBeyond) = Int64(base).addingReportingOverflow(change)
    guard !isTooGreat, !isBeyond, 0..<(1 << 48) ~= result else {
      throw WireError.invalid(.time, offset: start)
    }
    return UInt64(result)
  }

  private static func counter(from reader: inout ByteReader) throws -> UInt16 {
    let start = reader.offset
    guard let counter = UInt16(exactly: try reader.readVarint()) else {
      throw WireError.invalid(.time, offset: start)
    }
    return counter
  }

  private mutating func decodeReplica(
    from reader: inout ByteReader
  ) throws -> (ReplicaID, position: Int?) {
    let start = reader.offset
    if let position = try reader.readPosition(in: .replicas, count: tables.replicas.count) {
      return (tables.replicas.elements[position], position)
    }
    let replica = ReplicaID(rawValue: try reader.readFixed64())
    guard tables.replicas.position(of: replica) == nil else {
      throw WireError.listedTwice(.replicas, offset: start)
    }
    return (replica, tables.list(replica))
  }

  // MARK: - Operations

  @inline(__always)
  private mutating func decodeOperation(from reader: inout ByteReader) throws -> Operation {
    let start = reader.offset
    let header = try reader.read()
    let isLink = header & OperationHeader.kindMask == OperationHeader.link
    let kind =
      isLink ? .set : Operation.Kind(rawValue: header & OperationHeader.kindMask)
    guard let kind, header & OperationHeader.unused == 0 else {
      throw WireError.invalid(.operation, offset: start)
    }
    let object = try decodeObject(from: &reader, mode: header & OperationHeader.objectMask)
    let name: UInt32
    if header & OperationHeader.name == 0 {
      let position = tables.predictedName
      guard position >= 0 else { throw WireError.invalid(.operation, offset: start) }
      name = index(ofListed: position)
      tables.note(namePosition: position)
    } else {
      name = try decodeName(from: &reader)
    }
    if isLink { links.append(try decodeLink(from: &reader)) }
    // For now the value's count says whether it is a link; where it is follows the operations.
    return Operation(kind: kind, object: object, name: name, value: 0..<(isLink ? 1 : 0))
  }

  @inline(__always)
  private mutating func decodeObject(
    from reader: inout ByteReader, mode: UInt8
  ) throws -> ObjectID {
    switch mode {
    case OperationHeader.sameObject: break
    case OperationHeader.nextObject: tables.current.counter &+= 1
    default:
      if mode == OperationHeader.otherCreator {
        let (creator, position) = try decodeCreator(from: &reader)
        tables.makeCurrent(creator: creator, at: position)
      }
      tables.current.counter &+= UInt64(bitPattern: try reader.readSignedVarint())
    }
    return ObjectID(replica: tables.current.creator, counter: tables.current.counter)
  }

  private mutating func decodeCreator(
    from reader: inout ByteReader
  ) throws -> (UInt64, position: Int?) {
    let start = reader.offset
    if let position = try reader.readPosition(in: .creators, count: tables.creators.count) {
      return (tables.creators.elements[position], position)
    }
    let creator = try reader.readFixed64()
    guard tables.creators.position(of: creator) == nil else {
      throw WireError.listedTwice(.creators, offset: start)
    }
    return (creator, tables.list(creator: creator))
  }

  private mutating func decodeLink(from reader: inout ByteReader) throws -> ObjectID {
    let (creator, position) = try decodeCreator(from: &reader)
    let change = UInt64(bitPattern: try reader.readSignedVarint())
    return ObjectID(replica: creator, counter: tables.counter(at: position) &+ change)
  }

  private mutating func decodeName(from reader: inout ByteReader) throws -> UInt32 {
    let start = reader.offset
    if let position = try reader.readPosition(in: .names, count: tables.names.count) {
      tables.note(namePosition: position)
      return index(ofListed: position)
    }
    let name = try reader.readText()
    guard tables.names.position(of: name) == nil else {
      throw WireError.listedTwice(.names, offset: start)
    }
    let position = tables.list(name: name)
    tables.note(namePosition: position ?? -1)
    if let position { return index(ofListed: position) }
    if let index = unlisted[name] { return index }
    unlisted[name] = UInt32(names.count)
    names.append(name)
    return UInt32(names.count - 1)
  }

  /// The index in the set of a listed name, which is added to the set's names if it is new.
  @inline(__always)
  private mutating func index(ofListed position: Int) -> UInt32 {
    while indexes.count <= position { indexes.append((0, 0)) }
    if indexes[position].set != setNumber {
      indexes[position] = (setNumber, UInt32(names.count))
      names.append(tables.names.elements[position])
    }
    return indexes[position].index
  }

  // MARK: - Values

  /// Reads the values, which follow the operations.
  private mutating func decodeValues(
    of operations: inout [Operation], from reader: inout ByteReader
  ) throws -> [UInt8] {
    if !links.isEmpty { return try decodeValuesAndLinks(of: &operations, from: &reader) }
    let start = reader.offset
    for index in operations.indices {
      let value =
        operations[index].kind.hasValue
        ? try ValueCoding.skip(&reader) : reader.offset..<reader.offset
      operations[index].value = value.lowerBound - start..<value.upperBound - start
    }
    return Array(reader.bytes[start..<reader.offset])
  }

  private mutating func decodeValuesAndLinks(
    of operations: inout [Operation], from reader: inout ByteReader
  ) throws -> [UInt8] {
    var values = ByteWriter()
    var nextLink = 0
    for index in operations.indices {
      let start = values.count
      if operations[index].valueCount > 0 {
        links[nextLink].write(to: &values, depth: 0)
        nextLink += 1
      } else if operations[index].kind.hasValue {
        values.write(contentsOf: reader.bytes[try ValueCoding.skip(&reader)])
      }
      operations[index].value = start..<values.count
    }
    return values.bytes
  }
}

extension ByteReader {
  /// Reads the position of an element in a table.
  ///
  /// - Returns: The position; nil if the element isn't listed and follows.
  mutating func readPosition(in table: WireError.Table, count: Int) throws -> Int? {
    let start = offset
    let number = try readVarint()
    guard number <= UInt64(count) else {
      throw WireError.unknownPosition(number - 1, table: table, offset: start)
    }
    return number == 0 ? nil : Int(number) - 1
  }
}
