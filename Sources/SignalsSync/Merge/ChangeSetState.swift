// Change sets in the merge state: those that wait for earlier ones, and those that nothing has taken.
// They have no size limit, unlike those of the room Wire.

internal import Signals

extension StateWriter {
  mutating func write(_ set: SharedChangeSet) {
    write(set.stamp)
    number(set.sequence)
    all(set.seen) { $0.write($1) }
    all(set.names) { $0.writer.writeText($1) }
    all(set.operations) { coding, operation in
      coding.writer.write(operation.kind.rawValue)
      coding.writer.writeFixed(operation.object.replica)
      coding.number(operation.object.counter)
      coding.number(UInt64(operation.name))
      coding.number(UInt64(operation.value.count))
    }
    bytes(set.bytes)
  }
}

extension StateReader {
  mutating func changeSet() throws(MergeStateError) -> SharedChangeSet {
    let (stamp, sequence) = (try stamp(), try number())
    var (seen, names, operations) = ([Stamp](), [String](), [Operation]())
    for _ in 0..<(try count(16)) { seen.append(try self.stamp()) }
    for _ in 0..<(try count()) { names.append(try text()) }
    var end = 0
    for _ in 0..<(try count(12)) {
      guard let kind = Operation.Kind(rawValue: try byte()) else {
        throw .invalidReference(offset: reader.offset)
      }
      let replica = try fixed()
      let object = ObjectID(replica: replica, counter: try number())
      let name = UInt32(try reference(names.count))
      let start = end
      end += try reference(Int(UInt32.max) - end)
      operations.append(Operation(kind: kind, object: object, name: name, value: start..<end))
    }
    let values = try bytes()
    guard end == values.count, Self.areValid(operations, values) else {
      throw .invalidChangeSet(offset: reader.offset)
    }
    return SharedChangeSet(
      replica: stamp.replica, sequence: sequence, time: stamp.time, seen: seen, names: names,
      operations: operations, bytes: values)
  }

  /// Whether each operation has exactly one value, if its kind has one.
  private static func areValid(_ operations: [Operation], _ bytes: [UInt8]) -> Bool {
    var reader = ByteReader(bytes)
    return operations.allSatisfy { operation in
      if operation.kind.hasValue {
        do { try ValueCoding.skip(&reader) } catch { return false }
      }
      return reader.offset == operation.value.upperBound
    }
  }
}
