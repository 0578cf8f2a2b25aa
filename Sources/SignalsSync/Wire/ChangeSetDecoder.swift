internal import Signals

/// Reads what a ``ChangeSetEncoder`` has written.
///
/// Only what an encoder writes is accepted: a change set that was decoded from an entry of a log has
/// the same bytes when it is encoded again. So all that know the change sets of a log know its chain.
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
  private var unlisted: [ExactText: UInt32] = [:]
  private var names: [String] = []
  private var nameBytes = 0
  private var links: [ObjectID] = []
  /// The operations that the message may still have.
  private var operationsLeft = 0

  /// Begins a message, or an entry of a log.
  mutating func begin() {
    tables.begin()
    operationsLeft = WireMessage.operationLimit
  }

  /// Reads a change set.
  ///
  /// - Parameters:
  ///   - reader: Stands behind the set's first byte, and what the message had announced in it.
  ///   - flags: The first byte, without the flags of the message.
  mutating func decode(from reader: inout ByteReader, flags: UInt8) throws -> SharedChangeSet {
    let header = try decodeHeader(from: &reader, flags: flags)
    setNumber += 1
    names = []
    nameBytes = 0
    if !unlisted.isEmpty { unlisted.removeAll() }
    if !links.isEmpty { links.removeAll() }
    var operations: [Operation] = []
    operations.reserveCapacity(min(header.count, Self.reserved))
    for _ in 0..<header.count {
      operations.append(try decodeOperation(from: &reader))
    }
    let bytes = try decodeValues(of: &operations, from: &reader)
    try SharedChangeSet.checkSize(
      operations: operations.count, links: links.count, names: (names.count, nameBytes),
      values: bytes.count, seen: header.seen.count)
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
    var start = reader.offset
    if flags & ChangeSetFlags.replica != 0 {
      let (replica, position) = try decodeReplica(from: &reader)
      guard replica != tables.current.replica else {
        throw WireError.invalid(.flags, offset: start)
      }
      tables.makeCurrent(replica, at: position)
    }
    start = reader.offset
    if flags & ChangeSetFlags.sequence != 0 {
      let skipped = UInt64(bitPattern: try reader.readSignedVarint())
      guard skipped != 0 else { throw WireError.invalid(.flags, offset: start) }
      tables.current.sequence &+= skipped
    }
    tables.current.sequence &+= 1
    guard tables.current.sequence != 0 else { throw WireError.invalid(.sequence, offset: start) }
    try decodeTime(from: &reader, flags: flags)
    var seen: [Stamp] = []
    if flags & ChangeSetFlags.seen != 0 { seen = try decodeSeen(from: &reader) }
    start = reader.offset
    let count = flags & ChangeSetFlags.count != 0 ? try reader.readCount() : 1
    guard count != 1 || flags & ChangeSetFlags.count == 0 else {
      throw WireError.invalid(.flags, offset: start)
    }
    operationsLeft -= count + WireMessage.operationsOfSet
    guard operationsLeft >= 0 else {
      throw WireError.tooManyOperations(limit: WireMessage.operationLimit)
    }
    return (seen, count)
  }

  private mutating func decodeTime(from reader: inout ByteReader, flags: UInt8) throws {
    let start = reader.offset
    let last = tables.current.time
    let milliseconds = try milliseconds(last.milliseconds, from: &reader, sign: 1)
    let expected = last.expectedCounter(milliseconds: milliseconds)
    var counter = expected
    if flags & ChangeSetFlags.counter != 0 {
      let start = reader.offset
      counter = try Self.counter(from: &reader)
      guard counter != expected else { throw WireError.invalid(.flags, offset: start) }
    }
    let time = HybridTime(milliseconds: milliseconds, counter: counter)
    guard SharedChangeSet.isValid(time) else { throw WireError.invalid(.time, offset: start) }
    tables.current.time = time
  }

  private mutating func decodeSeen(from reader: inout ByteReader) throws -> [Stamp] {
    let first = reader.offset
    // The replica's position, the milliseconds and the counter have at least a byte each.
    let count = try reader.readCount(ofSize: 3)
    guard count > 0 else { throw WireError.invalid(.flags, offset: first) }
    let (author, now) = (tables.current.replica, tables.current.time)
    var seen: [Stamp] = []
    for _ in 0..<count {
      let start = reader.offset
      let (replica, _) = try decodeReplica(from: &reader)
      let milliseconds = try milliseconds(now.milliseconds, from: &reader, sign: -1)
      let counter = try Self.counter(from: &reader)
      let time = HybridTime(milliseconds: milliseconds, counter: counter)
      let stamp = Stamp(time: time, replica: replica)
      guard SharedChangeSet.isValid(stamp, seenBy: author, at: now, after: seen.last?.replica)
      else { throw WireError.invalid(.seen, offset: start) }
      seen.append(stamp)
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
      let predicted = tables.predictedName
      name = try decodeName(from: &reader)
      guard predicted < 0 || tables.current.name != predicted else {
        throw WireError.invalid(.operation, offset: start)
      }
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
      let start = reader.offset
      let isOther = mode == OperationHeader.otherCreator
      if isOther {
        let (creator, position) = try decodeCreator(from: &reader)
        guard creator != tables.current.creator else {
          throw WireError.invalid(.operation, offset: start)
        }
        tables.makeCurrent(creator: creator, at: position)
      }
      let change = UInt64(bitPattern: try reader.readSignedVarint())
      guard isOther || change > 1 else { throw WireError.invalid(.operation, offset: start) }
      tables.current.counter &+= change
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
    if let index = unlisted[ExactText(name)] { return index }
    unlisted[ExactText(name)] = UInt32(names.count)
    append(name: name)
    return UInt32(names.count - 1)
  }

  /// The index in the set of a listed name, which is added to the set's names if it is new.
  @inline(__always)
  private mutating func index(ofListed position: Int) -> UInt32 {
    while indexes.count <= position { indexes.append((0, 0)) }
    if indexes[position].set != setNumber {
      indexes[position] = (setNumber, UInt32(names.count))
      append(name: tables.names.elements[position])
    }
    return indexes[position].index
  }

  private mutating func append(name: String) {
    names.append(name)
    nameBytes += name.utf8.count
  }

  // MARK: - Values

  /// Reads the values, which follow the operations.
  private mutating func decodeValues(
    of operations: inout [Operation], from reader: inout ByteReader
  ) throws -> [UInt8] {
    if !links.isEmpty { return try decodeValuesAndLinks(of: &operations, from: &reader) }
    let start = reader.offset
    for index in operations.indices {
      let value = try skipValue(of: operations[index].kind, in: &reader)
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
      } else {
        let value = try skipValue(of: operations[index].kind, in: &reader)
        values.write(contentsOf: reader.bytes[value])
      }
      operations[index].value = start..<values.count
    }
    return values.bytes
  }

  /// - Returns: The range of the value; empty if the kind has none.
  @inline(__always)
  private func skipValue(
    of kind: Operation.Kind, in reader: inout ByteReader
  ) throws -> Range<Int> {
    guard kind.hasValue else { return reader.offset..<reader.offset }
    let value = try ValueCoding.skip(&reader)
    // A link is part of its operation.
    if kind == .set, reader.bytes[value.lowerBound] == ValueTag.object {
      throw WireError.value(.notCanonical(offset: value.lowerBound))
    }
    return value
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
