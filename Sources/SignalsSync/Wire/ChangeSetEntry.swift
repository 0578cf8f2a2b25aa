/// The coding of change sets for a log: each entry can be read alone.
///
/// Each entry begins with empty tables, which cost some 40 bytes for its replica, time, object and
/// names. In return entries are read from any position, removed from the log's beginning, and sent to
/// others as they are; with tables for a block of entries, each would depend on those before it.
/// Change sets that are appended together share an entry, and so its tables.
///
/// The state is the memory of the tables, which is used again for each entry.
package struct ChangeSetEntryCoder: Sendable {
  /// The first byte of each entry.
  package static let version: UInt8 = 1

  private var encoder = ChangeSetEncoder()
  private var decoder = ChangeSetDecoder()

  /// Creates a coder.
  package init() {}

  /// Returns the bytes of an entry.
  ///
  /// - Throws: ``WireError/tooLarge(count:limit:)`` if it has more than
  ///   ``WireEncoder/greatestLimit`` bytes.
  package mutating func encode(_ sets: [SharedChangeSet]) throws(WireError) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.version)
    encoder.tables.removeAll()
    for set in sets { encoder.encode(set, to: &writer) }
    try Self.check(count: writer.count)
    return writer.bytes
  }

  /// Returns the change sets of an entry.
  ///
  /// - Throws: ``WireError`` if the bytes aren't an entry.
  package mutating func decode(_ bytes: [UInt8]) throws(WireError) -> [SharedChangeSet] {
    try Self.check(count: bytes.count)
    decoder.tables.removeAll()
    var reader = ByteReader(bytes)
    do {
      let version = try reader.read()
      guard version == Self.version else { throw WireError.unknownKind(version) }
      var sets: [SharedChangeSet] = []
      while !reader.isAtEnd {
        let start = reader.offset
        let flags = try reader.read()
        guard flags & ChangeSetFlags.ofMessage == ChangeSetFlags.always else {
          throw WireError.invalid(.flags, offset: start)
        }
        sets.append(try decoder.decode(from: &reader, flags: flags))
      }
      return sets
    } catch {
      throw WireError(error)
    }
  }

  /// With links as short as they can be, more bytes could have more than 4 GiB of values.
  private static func check(count: Int) throws(WireError) {
    guard count <= WireEncoder.greatestLimit else {
      throw .tooLarge(count: UInt64(count), limit: WireEncoder.greatestLimit)
    }
  }
}
