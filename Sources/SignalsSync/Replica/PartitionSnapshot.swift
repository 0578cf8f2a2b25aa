// What the entries of a partition's log add up to, as change sets: those operations that still count.
// So a replica that begins with a snapshot merges it as it merges entries.

internal import Signals

/// The change sets that a partition's log amounts to at a position.
struct PartitionSnapshot: Sendable {
  /// The first byte of each snapshot.
  static let version: UInt8 = 1

  /// For each replica, the number of its first set that isn't included.
  var next: [ReplicaID: UInt64] = [:]
  /// The sets, each with the operations that count; those of one replica in its order.
  var sets: [SharedChangeSet] = []

  /// Encodes the snapshot; sets share their tables of names and ids.
  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.version)
    writer.writeVarint(UInt64(next.count))
    for (replica, sequence) in next.sorted(by: { $0.key < $1.key }) {
      writer.writeFixed(replica.rawValue)
      writer.writeVarint(sequence)
    }
    writer.writeVarint(UInt64(sets.count))
    var encoder = ChangeSetEncoder()
    for set in sets {
      encoder.tables.begin()
      encoder.encode(set, to: &writer)
      encoder.tables.commit()
    }
    return writer.bytes
  }

  init() {}

  /// Decodes a snapshot.
  ///
  /// - Throws: ``WireError`` if the bytes aren't a snapshot.
  init(_ bytes: [UInt8]) throws(WireError) {
    var reader = ByteReader(bytes)
    do {
      let version = try reader.read()
      guard version == Self.version else { throw WireError.unknownKind(version) }
      for _ in 0..<(try reader.readCount(ofSize: 9)) {
        let replica = ReplicaID(rawValue: try reader.readFixed64())
        next[replica] = try reader.readVarint()
      }
      var decoder = ChangeSetDecoder()
      for _ in 0..<(try reader.readCount(ofSize: 3)) {
        decoder.begin()
        let flags = try reader.read()
        guard flags & ChangeSetFlags.ofMessage == ChangeSetFlags.always else {
          throw WireError.invalid(.flags, offset: reader.offset - 1)
        }
        sets.append(try decoder.decode(from: &reader, flags: flags))
        decoder.tables.commit()
      }
      guard reader.isAtEnd else { throw WireError.trailingBytes(offset: reader.offset) }
    } catch {
      throw WireError(error)
    }
  }
}

extension SharedChangeSet {
  /// Returns the set with some of its operations only; nil if none is left.
  func filtered(_ isIncluded: (Operation) -> Bool) -> SharedChangeSet? {
    var (names, kept, values) = (IndexTable<String>(), [Operation](), [UInt8]())
    for operation in operations where isIncluded(operation) {
      let name = name(of: operation)
      let index = names.position(of: name) ?? names.count
      if index == names.count { names.append(name) }
      let start = values.count
      values += valueBytes(of: operation)
      kept.append(
        Operation(
          kind: operation.kind, object: operation.object, name: UInt32(index),
          value: start..<values.count))
    }
    if kept.isEmpty { return nil }
    return SharedChangeSet(
      replica: replica, sequence: sequence, time: time, seen: seen, names: names.elements,
      operations: kept, bytes: values)
  }

  /// Returns the same changes with another number among those of their author.
  func renumbered(_ sequence: UInt64) -> SharedChangeSet {
    SharedChangeSet(
      replica: replica, sequence: sequence, time: time, seen: seen, names: names,
      operations: operations, bytes: bytes)
  }

  /// Whether an operation is on one of some objects, or makes a link or list refer to one.
  func depends(on objects: Set<ObjectID>) -> Bool {
    operations.contains { operation in
      if objects.contains(operation.object) { return true }
      switch operation.kind {
      case .set where bytes[operation.value.lowerBound] == ValueTag.object:
        guard let target: ObjectID? = try? value(of: operation) else { return false }
        return target.map(objects.contains) ?? false
      case .list:
        guard let coded: [UInt8] = try? value(of: operation),
          let edits = try? ListEditCoding.decode(coded, stamp: stamp)
        else { return false }
        return edits.contains { $0.targets.contains(where: objects.contains) }
      default: return false
      }
    }
  }
}
