// The entries of a partition's log.
//
// Format: the version; the author, as the replica of an id; the number; the user, if the number is 1;
// the time; the changes (ChangeWriter.swift); the number of losses, and for each one its author, the id of the object and
// the name of the property; the reason of a refusal, if there is one.

internal import Signals

/// An entry of a partition's log: a commit, or the refusal of a submission.
struct Fact: Sendable {
  private static let version: UInt8 = 2

  /// A value that lost a conflict.
  struct Loss: Sendable {
    /// The replica that wrote the value.
    let author: UInt64
    let object: ObjectID
    let property: String
  }

  /// The replica that submitted the commit, or 0 for a commit of the server itself.
  let author: UInt64
  let number: UInt64
  let time: UInt64
  /// The user of the author, in its first fact.
  var user: String?
  var losses: [Loss] = []
  /// The reason of the refusal.
  var refusal: String?

  var key: Submission.Key { Submission.Key(author: author, number: number) }

  /// Returns the bytes of the fact.
  ///
  /// - Parameters:
  ///   - changes: The net changes in the partition.
  ///   - names: The names in the facts before this one. After an error they are undefined.
  /// - Throws: ``StoreFileError/valueRefused(_:reason:)`` if a value can't be encoded, and
  ///   ``StoreFileError/tooLarge(size:limit:)``.
  func encoded(
    with changes: ChangeSet, _ names: inout ChangeWriter
  ) throws(StoreFileError) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.version)
    names.write(replica: author, to: &writer)
    writer.writeVarint(number)
    if number == 1 { writer.writeText(user ?? "") }
    writer.writeVarint(time)
    try names.write(changes, to: &writer)
    writer.writeVarint(UInt64(losses.count))
    for loss in losses {
      names.write(replica: loss.author, to: &writer)
      names.write(loss.object, to: &writer)
      writer.writeText(loss.property)
    }
    if let refusal { writer.writeText(refusal) }
    // A message and a log have room for it.
    let limit = 2 * ChangeWriter.limit
    if writer.count > limit { throw .tooLarge(size: writer.count, limit: limit) }
    return writer.bytes
  }

  /// Reads a fact.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - names: The names in the facts before this one. After an error they are undefined.
  ///   - isNew: Returns whether an inserted object is made at once; see ``ChangeReader/read(_:arriving:)``.
  /// - Throws: ``SyncMessageError`` if the bytes aren't a fact.
  static func read(
    _ bytes: [UInt8], _ names: inout ChangeReader,
    arriving isNew: (ObjectID) -> Bool = { _ in false }
  ) throws(SyncMessageError) -> (fact: Fact, changes: [SharedChange]) {
    do {
      var reader = ByteReader(bytes)
      let version = try reader.read()
      guard version == Self.version else {
        throw SyncMessageError(reason: "a fact has version \(version)")
      }
      let (author, number) = (try names.readReplica(&reader), try reader.readVarint())
      let user = number == 1 ? try reader.readText() : nil
      var fact = Fact(author: author, number: number, time: try reader.readVarint(), user: user)
      let changes = try names.read(&reader, arriving: isNew).changes
      for _ in 0..<(try reader.readCount(ofSize: 4)) {
        fact.losses.append(
          Loss(
            author: try names.readReplica(&reader), object: try names.readID(&reader),
            property: try reader.readText()))
      }
      if !reader.isAtEnd { fact.refusal = try reader.readText() }
      guard reader.isAtEnd else { throw SyncMessageError(reason: "a fact is too long") }
      return (fact, changes)
    } catch let error as SyncMessageError {
      throw error
    } catch {
      throw SyncMessageError(reason: "\(error)")
    }
  }
}
