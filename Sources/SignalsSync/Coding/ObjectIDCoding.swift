// Object ids in files and messages.
//
// Format: 1, the 8 bytes of the replica and a counter; or, if the replica has a number, this number
// plus 2 and a counter. Replicas are numbered in the order in which they first occur. A link without
// a target is 0.

internal import Signals

/// Writes object ids, and numbers their replicas.
struct ObjectIDWriter {
  private var numbers: [UInt64: UInt64] = [:]
  private var last: (replica: UInt64, number: UInt64)?

  /// Creates a writer that continues what a reader has read.
  init(_ replicas: [UInt64] = []) {
    for (number, replica) in replicas.enumerated() { numbers[replica] = UInt64(number) }
  }

  /// The replicas, by number.
  var replicas: [UInt64] { numbers.sorted { $0.value < $1.value }.map(\.key) }

  mutating func write(_ id: ObjectID, to writer: inout ByteWriter) {
    write(replica: id.replica, to: &writer)
    writer.writeVarint(id.counter)
  }

  mutating func write(target: ObjectID?, to writer: inout ByteWriter) {
    if let target { write(target, to: &writer) } else { writer.writeVarint(0) }
  }

  mutating func write(replica: UInt64, to writer: inout ByteWriter) {
    if let last, last.replica == replica {
      writer.writeVarint(last.number + 2)
    } else if let number = numbers[replica] {
      last = (replica, number)
      writer.writeVarint(number + 2)
    } else {
      _ = number(replica)
      writer.writeVarint(1)
      writer.writeFixed(replica)
    }
  }

  /// Numbers a replica.
  ///
  /// - Returns: Whether it is new.
  mutating func number(_ replica: UInt64) -> Bool {
    if last?.replica == replica || numbers[replica] != nil { return false }
    last = (replica, UInt64(numbers.count))
    numbers[replica] = UInt64(numbers.count)
    return true
  }
}

/// Reads object ids, and numbers their replicas.
struct ObjectIDReader {
  /// The replicas, by number.
  private(set) var replicas: [UInt64] = []
  private var known: Set<UInt64> = []

  /// Numbers a replica unless it has a number.
  mutating func number(_ replica: UInt64) {
    if replicas.last == replica || !known.insert(replica).inserted { return }
    replicas.append(replica)
  }

  /// Reads the id of an object.
  mutating func read(_ reader: inout ByteReader) throws -> ObjectID {
    let start = reader.offset
    guard let id = try readTarget(&reader) else {
      throw FileContentsError(offset: start, reason: "an id is missing")
    }
    return id
  }

  /// Reads the value of a link.
  mutating func readTarget(_ reader: inout ByteReader) throws -> ObjectID? {
    let target = try target(&reader)
    if let target { number(target.replica) }
    return target
  }

  /// Reads the value of a list.
  mutating func readList(_ reader: inout ByteReader) throws -> [ObjectID] {
    let count = try reader.readCount(ofSize: 2)
    var ids: [ObjectID] = []
    ids.reserveCapacity(count)
    // Each id may use the number of a replica that an earlier id has introduced.
    for _ in 0..<count { ids.append(try read(&reader)) }
    return ids
  }

  /// Reads the value of a link, and numbers no replica.
  ///
  /// - Returns: The id of the target, or `nil` if the link is empty.
  /// - Throws: An error if the bytes aren't a link.
  func target(_ reader: inout ByteReader) throws -> ObjectID? {
    try replica(&reader).map { ObjectID(replica: $0, counter: try reader.readVarint()) }
  }

  /// Reads a replica, or `nil` for an empty link.
  func replica(_ reader: inout ByteReader) throws -> UInt64? {
    let start = reader.offset
    switch try reader.readVarint() {
    case 0: return nil
    case 1: return try reader.readFixed64()
    case let number:
      guard number - 2 < UInt64(replicas.count) else {
        throw FileContentsError(
          offset: start, reason: "no earlier entry has introduced the replica \(number - 2)")
      }
      return replicas[Int(number - 2)]
    }
  }
}
