internal import Signals

/// Writes change sets, each with what the reader knows from those before it.
///
/// Between ``CodingTables/begin()`` and ``CodingTables/commit()`` nothing can fail.
struct ChangeSetEncoder: Sendable {
  var tables = CodingTables()
  /// For each name of the set, its position among the listed names; negative before its first use.
  private var positions: [Int] = []

  /// Appends a change set.
  ///
  /// - Parameters:
  ///   - set: The change set.
  ///   - writer: Where its bytes are appended.
  ///   - flags: Flags that the message adds to the first byte.
  ///   - prefix: What these announce.
  mutating func encode(
    _ set: SharedChangeSet, to writer: inout ByteWriter, flags: UInt8 = 0, prefix: [UInt8] = []
  ) {
    encodeHeader(of: set, to: &writer, flags: flags, prefix: prefix)
    positions.removeAll(keepingCapacity: true)
    for _ in set.names { positions.append(-1) }
    var links = false
    for operation in set.operations {
      if encode(operation, of: set, to: &writer) { links = true }
    }
    guard links else {
      writer.write(contentsOf: set.bytes)
      return
    }
    for operation in set.operations where link(in: operation, of: set) == nil {
      writer.write(contentsOf: set.bytes[operation.value])
    }
  }

  private mutating func encodeHeader(
    of set: SharedChangeSet, to writer: inout ByteWriter, flags: UInt8, prefix: [UInt8]
  ) {
    let start = writer.count
    var flags = flags | ChangeSetFlags.always
    writer.write(0)
    writer.write(contentsOf: prefix)
    if set.replica != tables.current.replica {
      flags |= ChangeSetFlags.replica
      let position = encode(set.replica, to: &writer)
      tables.makeCurrent(set.replica, at: position)
    }
    let skipped = set.sequence &- (tables.current.sequence &+ 1)
    if skipped != 0 {
      flags |= ChangeSetFlags.sequence
      writer.writeSignedVarint(Int64(bitPattern: skipped))
    }
    tables.current.sequence = set.sequence
    let last = tables.current.time
    let milliseconds = set.time.milliseconds
    writer.writeSignedVarint(Int64(milliseconds) - Int64(last.milliseconds))
    if set.time.counter != last.expectedCounter(milliseconds: milliseconds) {
      flags |= ChangeSetFlags.counter
      writer.writeVarint(UInt64(set.time.counter))
    }
    tables.current.time = set.time
    if !set.seen.isEmpty {
      flags |= ChangeSetFlags.seen
      writer.writeVarint(UInt64(set.seen.count))
      for stamp in set.seen { encode(seen: stamp, at: milliseconds, to: &writer) }
    }
    if set.operations.count != 1 {
      flags |= ChangeSetFlags.count
      writer.writeVarint(UInt64(set.operations.count))
    }
    writer.replace(at: start, with: flags)
  }

  private mutating func encode(
    seen stamp: Stamp, at milliseconds: UInt64, to writer: inout ByteWriter
  ) {
    _ = encode(stamp.replica, to: &writer)
    writer.writeSignedVarint(Int64(milliseconds) - Int64(stamp.time.milliseconds))
    writer.writeVarint(UInt64(stamp.time.counter))
  }

  private mutating func encode(_ replica: ReplicaID, to writer: inout ByteWriter) -> Int? {
    if let position = tables.replicas.position(of: replica) {
      writer.writeVarint(UInt64(position) + 1)
      return position
    }
    writer.writeVarint(0)
    writer.writeFixed(replica.rawValue)
    return tables.list(replica)
  }

  // MARK: - Operations

  /// - Returns: Whether the value is a link, which is part of the operation then.
  @inline(__always)
  private mutating func encode(
    _ operation: Operation, of set: SharedChangeSet, to writer: inout ByteWriter
  ) -> Bool {
    let link = link(in: operation, of: set)
    var header = link == nil ? operation.kind.rawValue : OperationHeader.link
    let start = writer.count
    writer.write(0)
    header |= encode(operation.object, to: &writer)
    let local = Int(operation.name)
    if positions[local] < 0 {
      positions[local] = tables.names.position(of: set.names[local]) ?? -1
    }
    var position = positions[local]
    if position < 0 || position != tables.predictedName {
      header |= OperationHeader.name
      writer.writeVarint(UInt64(position + 1))
      if position < 0 {
        let name = set.names[local]
        writer.writeText(name)
        position = tables.list(name: name) ?? -1
        positions[local] = position
      }
    }
    tables.note(namePosition: position)
    writer.replace(at: start, with: header)
    if let link { encode(link: link, to: &writer) }
    return link != nil
  }

  /// - Returns: How the object is given.
  @inline(__always)
  private mutating func encode(_ object: ObjectID, to writer: inout ByteWriter) -> UInt8 {
    var mode = OperationHeader.otherObject
    if object.replica != tables.current.creator {
      mode = OperationHeader.otherCreator
      let position = encode(creator: object.replica, to: &writer)
      tables.makeCurrent(creator: object.replica, at: position)
    } else if object.counter == tables.current.counter {
      return OperationHeader.sameObject
    } else if object.counter == tables.current.counter &+ 1 {
      tables.current.counter = object.counter
      return OperationHeader.nextObject
    }
    writer.writeSignedVarint(Int64(bitPattern: object.counter &- tables.current.counter))
    tables.current.counter = object.counter
    return mode
  }

  private mutating func encode(creator: UInt64, to writer: inout ByteWriter) -> Int? {
    if let position = tables.creators.position(of: creator) {
      writer.writeVarint(UInt64(position) + 1)
      return position
    }
    writer.writeVarint(0)
    writer.writeFixed(creator)
    return tables.list(creator: creator)
  }

  /// The object that a property is set to, if the value is that and nothing else.
  @inline(__always)
  private func link(in operation: Operation, of set: SharedChangeSet) -> ObjectID? {
    guard operation.kind == .set, operation.valueCount > 0,
      set.bytes[Int(operation.valueOffset)] == ValueTag.object
    else { return nil }
    return try? set.value(of: operation, as: ObjectID.self)
  }

  private mutating func encode(link: ObjectID, to writer: inout ByteWriter) {
    let position = encode(creator: link.replica, to: &writer)
    writer.writeSignedVarint(Int64(bitPattern: link.counter &- tables.counter(at: position)))
  }
}
