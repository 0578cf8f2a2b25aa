// The messages between a replica and a server.
//
// Order of events: a replica introduces itself, and joins partitions. The server answers with the
// state of a partition or with the facts that the replica lacks, and sends each later fact. A replica
// submits its commits in order, one number after the other in each partition. It submits them again
// after each reconnection, until a fact has the number: the server ignores a number that it knows.

internal import Signals

/// A commit of a replica, to be decided by the server.
struct Submission: Codable, Sendable {
  let partition: Partition
  /// The number of the submission among those of its author in the partition, from 1 on.
  let number: UInt64
  /// The number of facts that the replica had applied.
  let base: UInt64
  /// The time of the commit, in milliseconds since 1970.
  let time: UInt64
  let changes: ChangeSet
}

/// An entry of a partition's log: a commit, or the refusal of a submission.
struct Fact: Codable, Sendable {
  /// A value that lost a conflict.
  struct Loss: Codable, Sendable {
    /// The replica that wrote the value.
    let author: UInt64
    let object: ObjectID
    let property: String
  }

  /// The replica that submitted the commit, or 0 for a commit of the server itself.
  let author: UInt64
  let number: UInt64
  let time: UInt64
  /// The net changes in the partition.
  let changes: ChangeSet
  var losses: [Loss] = []
  /// The reason of the refusal.
  var refusal: String?
}

/// A message of a replica.
enum ReplicaMessage: Codable, Sendable {
  case hello(author: UInt64)
  /// Joins a partition of which the replica has a number of facts.
  case join(Partition, facts: UInt64)
  case leave(Partition)
  case submit(Submission)
}

/// A message of a server.
enum ServerMessage: Codable, Sendable {
  /// The objects of a partition, as insertions, at a number of facts.
  case state(Partition, at: UInt64, ChangeSet)
  /// The facts from a position on, as the log has them.
  case facts(Partition, from: UInt64, [[UInt8]])
  /// The replica may not read the partition, or no longer.
  case closed(Partition, reason: String)
}

/// The bytes of a message aren't those of a message of this version.
struct SyncMessageError: Error, CustomStringConvertible {
  let reason: String

  var description: String { "a message can't be read: \(reason)" }
}

/// The encoding of messages and facts: a version, and a value.
enum SyncCoding {
  static let version: UInt8 = 1

  static func encode(_ message: some Encodable) throws -> [UInt8] {
    var writer = ByteWriter()
    writer.write(version)
    try ValueCoding.encode(message, to: &writer)
    return writer.bytes
  }

  static func decode<Message: Decodable>(_: Message.Type, from bytes: [UInt8]) throws -> Message {
    guard let first = bytes.first else { throw SyncMessageError(reason: "it is empty") }
    guard first == version else { throw SyncMessageError(reason: "it has version \(first)") }
    var reader = ByteReader(bytes, in: 1..<bytes.count)
    do { return try ValueCoding.decode(Message.self, from: &reader) } catch {
      throw SyncMessageError(reason: "\(error)")
    }
  }
}

extension Partition: Codable {
  package init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}
