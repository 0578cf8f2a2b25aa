// The messages between a replica and a server.
//
// Order of events: a replica introduces itself with the versions that it speaks. The server chooses
// the latest one that both speak, and welcomes it. The replica joins partitions. The server numbers
// the partition, answers with its state or with the facts that the replica lacks, in parts, and sends
// each later fact. A replica submits its commits in order, one number after the other in each partition. It
// submits them again after each reconnection, until a fact has the number: the server ignores a
// number that it knows.
//
// Format: a byte for the kind of the message, and its values in the order of their declaration. Numbers
// are varints. The first message of each side has the same format in all versions.

internal import Signals

/// A commit of a replica, to be decided by the server.
struct Submission: Sendable {
  /// A submission among all.
  struct Key: Hashable {
    let author: UInt64
    let number: UInt64
  }

  let partition: Partition
  /// The replica, or an earlier one that has used its file.
  let author: UInt64
  /// The number of the submission among those of its author in the partition, from 1 on.
  let number: UInt64
  /// The number of facts that the replica had applied.
  let base: UInt64
  /// The time of the commit, in milliseconds since 1970.
  let time: UInt64
  let changes: ChangeSet
  /// The reason why the changes can't be submitted, which the server refuses then.
  var failure: String?

  var key: Key { Key(author: author, number: number) }
}

/// A submission that was read from a message or a file.
struct ReceivedSubmission {
  let key: Submission.Key
  let base: UInt64
  let time: UInt64
  let changes: [SharedChange]
  /// The name of a class or property that this process lacks.
  let unknown: String?
  let failure: String?
}

/// A message of a replica, as the server reads it.
enum ReplicaMessage {
  /// Names the replica with the versions that it speaks, and the earlier ones whose submissions it
  /// sends.
  case hello(versions: ClosedRange<UInt8>, authors: [UInt64])
  /// Joins a partition of which the replica has facts, with the hash of all of them.
  case join(Partition, facts: UInt64, chain: UInt64)
  case leave(Partition)
  /// Submits a commit to the partition with a number.
  case submit(UInt64, ReceivedSubmission)
  /// Sets the status of the user in the partition with a number.
  case status(UInt64, String)
}

/// Writes the messages of a replica on one connection.
struct ReplicaMessageWriter {
  private var changes = ChangeWriter()
  private let authors: [UInt64]

  init(authors: [UInt64]) { self.authors = authors }

  var hello: [UInt8] {
    var writer = ByteWriter(message: 0)
    writer.write(SyncVersion.all)
    writer.writeVarint(UInt64(authors.count))
    for author in authors { writer.writeFixed(author) }
    return writer.bytes
  }

  static func join(_ partition: Partition, facts: UInt64, chain: UInt64) -> [UInt8] {
    var writer = ByteWriter(message: 1)
    writer.writeText(partition.name)
    writer.writeVarint(facts)
    writer.writeFixed(chain)
    return writer.bytes
  }

  static func leave(_ partition: Partition) -> [UInt8] {
    var writer = ByteWriter(message: 2)
    writer.writeText(partition.name)
    return writer.bytes
  }

  static func status(_ status: String, in partition: UInt64) -> [UInt8] {
    var writer = ByteWriter(message: 4)
    writer.writeVarint(partition)
    writer.writeText(status)
    return writer.bytes
  }

  /// Writes a submission, or the reason why it can't be written.
  mutating func submit(_ submission: Submission, to partition: UInt64) -> [UInt8] {
    var writer = ByteWriter(message: 3)
    let author = authors.firstIndex(of: submission.author) ?? 0
    writer.writeVarint(partition)
    writer.writeVarint(UInt64(author))
    changes.write(submission, to: &writer)
    return writer.bytes
  }
}

extension ChangeWriter {
  /// Writes the number, the base and the time of a submission, and 1 and its changes, or 0 and the
  /// reason why they can't be submitted or encoded.
  mutating func write(_ submission: Submission, to writer: inout ByteWriter) {
    for number in [submission.number, submission.base, submission.time] {
      writer.writeVarint(number)
    }
    var failure = submission.failure
    let start = writer.count
    if failure == nil {
      writer.write(1)
      do throws(StoreFileError) { try write(submission.changes, to: &writer) } catch {
        failure = "\(error)"
      }
    }
    guard let failure else { return }
    writer.truncate(to: start)
    writer.write(0)
    writer.writeText(failure)
  }
}

extension ChangeReader {
  /// Reads a submission of an author.
  mutating func readSubmission(
    of author: UInt64, _ reader: inout ByteReader
  ) throws -> ReceivedSubmission {
    let key = Submission.Key(author: author, number: try reader.readVarint())
    let (base, time) = (try reader.readVarint(), try reader.readVarint())
    let isWritten = try reader.read() != 0
    let failure = isWritten ? nil : try reader.readText()
    let (changes, unknown) = isWritten ? try read(&reader) : ([], nil)
    return ReceivedSubmission(
      key: key, base: base, time: time, changes: changes, unknown: unknown, failure: failure)
  }
}

/// Reads the messages of a replica on one connection.
struct ReplicaMessageReader {
  private var changes = ChangeReader()
  private(set) var authors: [UInt64] = []
  private var hasGreeted = false
  /// The largest number of authors with pending commits in one file.
  private static let authorLimit = 10_000

  /// Reads a message.
  ///
  /// - Throws: An error if the bytes aren't a message. No later message can be read then.
  mutating func read(_ bytes: [UInt8]) throws -> ReplicaMessage {
    try ByteReader.readMessage(bytes) { kind, reader in
      switch kind {
      case 0:
        if hasGreeted { throw SyncMessageError(reason: "it introduces the replica again") }
        hasGreeted = true
        let versions = try reader.readVersions()
        for _ in 0..<(try reader.readCount(ofSize: 8)) { authors.append(try reader.readFixed64()) }
        if authors.count > Self.authorLimit {
          throw SyncMessageError(reason: "there are \(authors.count) authors")
        }
        return .hello(versions: versions, authors: authors)
      case 1:
        return .join(
          Partition(try reader.readText()), facts: try reader.readVarint(),
          chain: try reader.readFixed64())
      case 2: return .leave(Partition(try reader.readText()))
      case 3: return try submission(&reader)
      case 4:
        let (partition, status) = (try reader.readVarint(), try reader.readText())
        if status.utf8.count > Replica.statusLimit {
          throw SyncMessageError(reason: "a status is too long")
        }
        return .status(partition, status)
      default: return nil
      }
    }
  }

  private mutating func submission(_ reader: inout ByteReader) throws -> ReplicaMessage {
    let (partition, author) = (try reader.readVarint(), try reader.readVarint())
    guard author < UInt64(authors.count) else {
      throw SyncMessageError(reason: "there is no author \(author)")
    }
    let submission = try changes.readSubmission(of: authors[Int(author)], &reader)
    let changes = submission.changes
    if Set(changes.lazy.map(\.id)).count < changes.count {
      throw SyncMessageError(reason: "an object is changed twice")
    }
    return .submit(partition, submission)
  }
}

/// The versions of the protocol.
enum SyncVersion {
  /// The versions that this side speaks.
  static let all: ClosedRange<UInt8> = 6...6

  /// Returns the latest version that both sides speak.
  static func common(with others: ClosedRange<UInt8>) throws(SyncConnectionError) -> UInt8 {
    let version = min(all.upperBound, others.upperBound)
    guard all.contains(version), others.contains(version) else {
      throw .versions(
        here: Int(all.lowerBound)...Int(all.upperBound),
        there: Int(others.lowerBound)...Int(others.upperBound))
    }
    return version
  }
}

/// A message of a server.
enum ServerMessage {
  /// The versions that the server speaks; the latest one that both speak is used.
  case welcome(versions: ClosedRange<UInt8>)
  /// The number that the server uses for a partition that the replica joins, and the number of its
  /// facts.
  case named(Partition, number: UInt64, facts: UInt64)
  /// The next bytes of a state, which has a size: the answers to the replica's submissions, the names,
  /// and the objects of a partition as insertions, at a number of facts with the hash of all of them.
  case state(UInt64, at: LogHead, size: Int, [UInt8])
  /// The facts from a position on, as the log has them.
  case facts(UInt64, from: UInt64, [[UInt8]])
  /// The replica may not read the partition, or no longer, or it can't be opened.
  ///
  /// If the user may not read it, the answers to the replica's submissions follow, as
  /// ``PartitionAnswers``, and later submissions are refused.
  case closed(Partition, reason: String, answers: [UInt8] = [])
  /// The replica closes the connection.
  case ended(reason: String)
  /// The users of a partition that are present or have another status, and those that are gone.
  case users(UInt64, isAll: Bool, present: [(user: String, status: String)], gone: [String])
  /// The server can't reach the partition, and joins the replica as soon as it can.
  case delayed(Partition, reason: String)

  var bytes: [UInt8] {
    switch self {
    case .welcome(let versions):
      var writer = ByteWriter(message: 0)
      writer.write(versions)
      return writer.bytes
    case .named(let partition, let number, let facts):
      var writer = ByteWriter(message: 1)
      writer.writeText(partition.name)
      writer.writeVarint(number)
      writer.writeVarint(facts)
      return writer.bytes
    case .state(let number, let head, let size, let bytes):
      var writer = ByteWriter(message: 2)
      writer.writeVarint(number)
      writer.writeVarint(head.position.rawValue)
      writer.writeFixed(head.chain)
      writer.writeVarint(UInt64(size))
      writer.write(contentsOf: bytes)
      return writer.bytes
    case .facts(let number, let position, let facts):
      var writer = ByteWriter(message: 3)
      writer.writeVarint(number)
      writer.writeVarint(position)
      writer.writeVarint(UInt64(facts.count))
      for fact in facts {
        writer.writeVarint(UInt64(fact.count))
        writer.write(contentsOf: fact)
      }
      return writer.bytes
    case .closed(let partition, let reason, let answers):
      var writer = ByteWriter(message: 4)
      writer.writeText(partition.name)
      writer.writeText(reason)
      writer.write(contentsOf: answers)
      return writer.bytes
    case .ended(let reason):
      var writer = ByteWriter(message: 5)
      writer.writeText(reason)
      return writer.bytes
    case .users(let number, let isAll, let present, let gone):
      var writer = ByteWriter(message: 6)
      writer.writeVarint(number)
      writer.write(isAll ? 1 : 0)
      writer.writeVarint(UInt64(present.count))
      for (user, status) in present {
        writer.writeText(user)
        writer.writeText(status)
      }
      writer.writeVarint(UInt64(gone.count))
      for user in gone { writer.writeText(user) }
      return writer.bytes
    case .delayed(let partition, let reason):
      var writer = ByteWriter(message: 7)
      writer.writeText(partition.name)
      writer.writeText(reason)
      return writer.bytes
    }
  }

  /// Reads a message.
  ///
  /// - Throws: An error if the bytes aren't a message.
  init(_ bytes: [UInt8]) throws {
    self = try ByteReader.readMessage(bytes) { kind, reader in
      switch kind {
      case 0: return .welcome(versions: try reader.readVersions())
      case 1:
        return .named(
          Partition(try reader.readText()), number: try reader.readVarint(),
          facts: try reader.readVarint())
      case 2:
        let number = try reader.readVarint()
        let position = LogPosition(rawValue: try reader.readVarint())
        let head = LogHead(position: position, chain: try reader.readFixed64())
        let size = Int(clamping: try reader.readVarint())
        let bytes = Array(try reader.readSlice(count: reader.remaining))
        return .state(number, at: head, size: size, bytes)
      case 3:
        let (number, position) = (try reader.readVarint(), try reader.readVarint())
        var facts: [[UInt8]] = []
        for _ in 0..<(try reader.readCount(ofSize: 2)) {
          facts.append(Array(try reader.readSlice(count: reader.readCount())))
        }
        return .facts(number, from: position, facts)
      case 4:
        let (partition, reason) = (Partition(try reader.readText()), try reader.readText())
        return .closed(
          partition, reason: reason,
          answers: Array(try reader.readSlice(count: reader.remaining)))
      case 5: return .ended(reason: try reader.readText())
      case 6:
        let (number, isAll) = (try reader.readVarint(), try reader.read() != 0)
        var present: [(user: String, status: String)] = []
        for _ in 0..<(try reader.readCount(ofSize: 2)) {
          present.append((try reader.readText(), try reader.readText()))
        }
        var gone: [String] = []
        for _ in 0..<(try reader.readCount(ofSize: 1)) { gone.append(try reader.readText()) }
        return .users(number, isAll: isAll, present: present, gone: gone)
      case 7:
        return .delayed(Partition(try reader.readText()), reason: try reader.readText())
      default: return nil
      }
    }
  }
}

/// The bytes of a message aren't those of a message of this version.
struct SyncMessageError: Error, CustomStringConvertible {
  let reason: String

  var description: String { "a message can't be read: \(reason)" }
}

extension ByteWriter {
  fileprivate init(message kind: UInt8) {
    self.init()
    write(kind)
  }

  fileprivate mutating func write(_ versions: ClosedRange<UInt8>) {
    write(versions.lowerBound)
    write(versions.upperBound)
  }
}

extension ByteReader {
  fileprivate mutating func readVersions() throws -> ClosedRange<UInt8> {
    let (lowest, highest) = (try read(), try read())
    guard lowest <= highest else { throw SyncMessageError(reason: "there are no versions") }
    return lowest...highest
  }

  fileprivate static func readMessage<Message>(
    _ bytes: [UInt8], _ body: (UInt8, inout ByteReader) throws -> Message?
  ) throws -> Message {
    do {
      var reader = ByteReader(bytes)
      let kind = try reader.read()
      guard let message = try body(kind, &reader) else {
        throw SyncMessageError(reason: "it is of the unknown kind \(kind)")
      }
      guard reader.isAtEnd else { throw SyncMessageError(reason: "it is too long") }
      return message
    } catch let error as SyncMessageError {
      throw error
    } catch {
      throw SyncMessageError(reason: "\(error)")
    }
  }
}
