/// The coding of change sets for a log: an entry has one change set, and can be read alone.
///
/// Each entry begins with empty tables, which cost some 40 bytes for its replica, time, object and
/// names. In return entries are read from any position, removed from the log's beginning, and sent to
/// others as they are; with tables for a block of entries, each would depend on those before it.
///
/// A change set has one coded form, and others are refused. So a replica that receives the change sets
/// of a log on a connection, where they take fewer bytes, knows the bytes of the entries:
///
/// ```swift
/// for set in message.sets { head = head.after(coder.encode(set)) }
/// ```
///
/// The state is the memory of the tables, which is used again for each entry.
package struct ChangeSetEntryCoder: Sendable {
  /// The first byte of each entry.
  package static let version: UInt8 = 1

  private var encoder = ChangeSetEncoder()
  private var decoder = ChangeSetDecoder()

  /// Creates a coder.
  package init() {}

  /// Returns the bytes of a set's entry, at most ``SharedChangeSet/sizeLimit``.
  package mutating func encode(_ set: SharedChangeSet) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.version)
    encoder.tables.removeAll()
    encoder.encode(set, to: &writer)
    return writer.bytes
  }

  /// Returns the change set of an entry.
  ///
  /// - Throws: ``WireError`` if the bytes aren't an entry as ``encode(_:)`` returns it.
  package mutating func decode(_ bytes: [UInt8]) throws(WireError) -> SharedChangeSet {
    guard bytes.count <= SharedChangeSet.sizeLimit else {
      throw .tooLarge(count: UInt64(bytes.count), limit: SharedChangeSet.sizeLimit)
    }
    decoder.tables.removeAll()
    decoder.begin()
    var reader = ByteReader(bytes)
    do {
      let version = try reader.read()
      guard version == Self.version else { throw WireError.unknownKind(version) }
      let flags = try reader.read()
      guard flags & ChangeSetFlags.ofMessage == ChangeSetFlags.always else {
        throw WireError.invalid(.flags, offset: 1)
      }
      let set = try decoder.decode(from: &reader, flags: flags)
      guard reader.isAtEnd else { throw WireError.trailingBytes(offset: reader.offset) }
      return set
    } catch {
      throw WireError(error)
    }
  }
}
