// The file of a replica: the facts and the pending commits.
//
// Order of events: each commit, and each group of facts, is appended as one entry while the store
// seals it. When the file is opened, the facts of each partition are applied, then the changes of
// objects that aren't shared, and then the submissions that no fact answers. When the entries have
// become larger than the checkpoint, they are replaced by the present state. Partitions with pending
// commits keep their states and facts as they are in the file, since the store shows the commits.
//
// Each time the file is opened, the replica becomes a new author, so that the number of a submission
// that was sent and didn't reach the file isn't used again: its fact is one of another author.
//
// Format of an entry: the version, then records, each with a byte for its kind (`Kind`):
// - author: 8 bytes;
// - state: a partition, the number of facts, their hash, and the length and the bytes of the state;
//   the submissions that are still pending follow;
// - facts: a partition, their number, and the length and the bytes of each one;
// - submission: a partition, the author, and the submission as in a message;
// - refused: a partition of which no earlier submission is pending;
// - local: the changes of objects that aren't shared.
// The names in changes are valid in all later records, until a checkpoint replaces them.

internal import Signals

/// Writes and reads the file of a ``Replica``.
final class ReplicaFile {
  private static let version: UInt8 = 3

  private enum Kind: UInt8 {
    case author, state, facts, submission, local, refused
  }

  /// A partition in the file.
  struct Confirmed {
    var state: [UInt8]?
    /// The number of facts in the state, and their hash.
    var head = LogHead.start
    var facts: [[UInt8]] = []
  }

  /// The contents of a file.
  struct Contents {
    var authors: [UInt64] = []
    var partitions: [Partition: Confirmed] = [:]
    var submissions: [(partition: Partition, submission: ReceivedSubmission)] = []
    var local: [[SharedChange]] = []
    fileprivate var names = ChangeReader()
  }

  let keeper: StoreFileKeeper
  private let path: String
  private let smallestTail: Int
  private var names = ChangeWriter()
  /// The sizes of the checkpoint and of the entries after it, in bytes.
  private var sizes = (checkpoint: 0, tail: 0)
  /// Whether the file lacks a commit with a value that couldn't be encoded.
  private var hasRefused = false
  /// The number of bytes in the entries before which no attempt to replace them is made.
  private var nextAttempt = 0

  /// Opens a file, which is created if it is missing.
  init(
    at path: String, interval: Duration, smallestTail: Int, files: any FileSystem
  ) throws(StoreFileError) {
    (self.path, self.smallestTail) = (path, smallestTail)
    keeper = try StoreFileKeeper(
      at: path, interval: interval, smallestTail: .max, limits: SizeLimits(), files: files)
  }

  // MARK: - Reading

  /// Reads the contents.
  func contents() throws(StoreFileError) -> Contents {
    let contents = try read { isCheckpoint, size in
      sizes = isCheckpoint ? (size, 0) : (sizes.checkpoint, sizes.tail + size)
    }
    names = ChangeWriter(after: contents.names)
    return contents
  }

  /// Reads the contents, and passes the size of each entry, and whether it is the checkpoint.
  private func read(_ didRead: (Bool, Int) -> Void = { _, _ in }) throws(StoreFileError) -> Contents
  {
    var contents = Contents()
    try keeper.forEachEntry { entry, head throws(StoreFileError) in
      do {
        var reader = ByteReader(entry.bytes)
        let version = try reader.read()
        // Version 2 has no records of refusals.
        if version != Self.version, version != 2 {
          throw StoreFileError.otherFormat(path: path, version: Int(version))
        }
        while !reader.isAtEnd { try contents.readRecord(&reader) }
      } catch let error as StoreFileError {
        throw error
      } catch {
        throw .damaged(path: path, reason: "\(error), in entry \(entry.position)")
      }
      didRead(entry.position == head.position, entry.bytes.count)
    }
    return contents
  }

  // MARK: - Writing

  /// Appends the author of the following submissions.
  func append(author: UInt64) {
    var writer = Self.begin(.author)
    writer.writeFixed(author)
    accept(writer)
  }

  /// Appends a commit of the app.
  func append(_ submissions: [Submission], local: [ObjectChange]) {
    if submissions.isEmpty, local.isEmpty { return }
    var writer = Self.begin()
    for submission in submissions { Self.write(submission, &names, to: &writer) }
    do throws(StoreFileError) { try write(local, to: &writer) } catch {
      // The file lacks the commit until it is replaced.
      keeper.problems.note(error, .value)
      hasRefused = true
    }
    if writer.count > 1 { accept(writer) }
  }

  private static func write(
    _ submission: Submission, _ names: inout ChangeWriter, to writer: inout ByteWriter
  ) {
    writer.write(Kind.submission.rawValue)
    writer.writeText(submission.partition.name)
    writer.writeFixed(submission.author)
    names.write(submission, to: &writer)
  }

  private func write(_ local: [ObjectChange], to writer: inout ByteWriter) throws(StoreFileError) {
    if local.isEmpty { return }
    let start = writer.count
    writer.write(Kind.local.rawValue)
    do throws(StoreFileError) {
      try names.write(ChangeSet(local, origin: nil), to: &writer)
    } catch {
      writer.truncate(to: start)
      throw error
    }
  }

  /// Appends the state of a partition, which replaces its facts and commits so far, and the commits
  /// that are still pending.
  func append(
    _ state: [UInt8], at head: LogHead, of partition: Partition, pending: [Submission]
  ) {
    var writer = Self.begin()
    Self.write(state, at: head, of: partition, to: &writer)
    for submission in pending { Self.write(submission, &names, to: &writer) }
    accept(writer)
  }

  private static func write(
    _ state: [UInt8], at head: LogHead, of partition: Partition, to writer: inout ByteWriter
  ) {
    writer.write(Kind.state.rawValue)
    writer.writeText(partition.name)
    writer.writeVarint(head.position.rawValue)
    writer.writeFixed(head.chain)
    writer.writeVarint(UInt64(state.count))
    writer.write(contentsOf: state)
  }

  /// Appends facts of a partition.
  func append(_ facts: [[UInt8]], of partition: Partition) {
    if facts.isEmpty { return }
    var writer = Self.begin()
    Self.write(facts, of: partition, to: &writer)
    accept(writer)
  }

  private static func write(
    _ facts: [[UInt8]], of partition: Partition, to writer: inout ByteWriter
  ) {
    writer.write(Kind.facts.rawValue)
    writer.writeText(partition.name)
    writer.writeVarint(UInt64(facts.count))
    for fact in facts {
      writer.writeVarint(UInt64(fact.count))
      writer.write(contentsOf: fact)
    }
  }

  /// Appends that no submission of a partition is pending.
  func appendRefusal(of partition: Partition) {
    var writer = Self.begin(.refused)
    writer.writeText(partition.name)
    accept(writer)
  }

  private static func begin(_ kind: Kind? = nil) -> ByteWriter {
    var writer = ByteWriter()
    writer.write(version)
    if let kind { writer.write(kind.rawValue) }
    return writer
  }

  private func accept(_ entry: ByteWriter) {
    sizes.tail += entry.count
    _ = keeper.accept(entry.bytes)
  }

  // MARK: - Checkpoints

  /// The number of bytes after the checkpoint, which grows with each entry.
  var tail: Int { sizes.tail }

  /// Whether the file has all facts.
  var hasFacts: Bool { !keeper.isBehind }

  /// Whether the entries are to be replaced by the present state.
  ///
  /// - Parameter isRetrying: Whether an attempt that failed is repeated at once.
  func isDue(retrying isRetrying: Bool) -> Bool {
    (isRetrying || sizes.tail >= nextAttempt) && keeper.canReplace
      && (isLong || hasRefused || !hasFacts)
  }

  /// Whether the entries have become larger than the checkpoint.
  var isLong: Bool { sizes.tail > max(smallestTail, sizes.checkpoint) }

  /// Replaces the entries by the present state of a replica.
  ///
  /// Encoding a value may commit. Then nothing is replaced.
  ///
  /// - Parameters:
  ///   - tail: The `tail` from before the states were encoded.
  ///   - authors: The authors whose commits belong to the replica, the present one last.
  ///   - states: The states of the partitions without pending commits.
  ///   - local: The objects that aren't shared.
  ///   - pending: The pending commits. The states and facts of their partitions stay as they are in the file.
  func replace(
    since tail: Int, authors: [UInt64],
    states: [(name: Partition, head: LogHead, state: [UInt8])], local: [Object], of store: Store,
    pending: [Submission]
  ) throws(StoreFileError) {
    // If it fails, the next attempt is made after as many bytes again.
    nextAttempt = 2 * sizes.tail
    var (writer, objects, new) = (Self.begin(), ByteWriter(), ChangeWriter())
    // First, since a value that can't be encoded ends the attempt.
    try new.write(inserted: local, of: store, to: &objects)
    for author in authors {
      writer.write(Kind.author.rawValue)
      writer.writeFixed(author)
    }
    for (name, head, state) in states { Self.write(state, at: head, of: name, to: &writer) }
    if !pending.isEmpty {
      let kept = Set(pending.map(\.partition))
      for (name, confirmed) in try read().partitions where kept.contains(name) {
        if let state = confirmed.state {
          Self.write(state, at: confirmed.head, of: name, to: &writer)
        }
        if !confirmed.facts.isEmpty { Self.write(confirmed.facts, of: name, to: &writer) }
      }
    }
    writer.write(Kind.local.rawValue)
    writer.write(contentsOf: objects.bytes)
    for submission in pending { Self.write(submission, &new, to: &writer) }
    guard tail == sizes.tail, keeper.replace(by: writer.bytes) else { return }
    keeper.problems.note(nil, .value)
    names = new
    (sizes, nextAttempt, hasRefused) = ((writer.count, 0), 0, false)
  }
}

extension ReplicaFile.Contents {
  fileprivate mutating func readRecord(_ reader: inout ByteReader) throws {
    let start = reader.offset
    switch ReplicaFile.Kind(rawValue: try reader.read()) {
    case .author: authors.append(try reader.readFixed64())
    case .state:
      let partition = Partition(try reader.readText())
      let position = LogPosition(rawValue: try reader.readVarint())
      let head = LogHead(position: position, chain: try reader.readFixed64())
      let state = Array(try reader.readSlice(count: reader.readCount()))
      partitions[partition] = ReplicaFile.Confirmed(state: state, head: head)
      // Those that are still pending follow.
      submissions.removeAll { $0.partition == partition }
    case .facts:
      let partition = Partition(try reader.readText())
      for _ in 0..<(try reader.readCount()) {
        partitions[partition, default: ReplicaFile.Confirmed()].facts.append(
          Array(try reader.readSlice(count: reader.readCount())))
      }
    case .submission:
      let partition = Partition(try reader.readText())
      let author = try reader.readFixed64()
      submissions.append((partition, try names.readSubmission(of: author, &reader)))
    case .local: local.append(try names.read(&reader).changes)
    case .refused:
      let partition = Partition(try reader.readText())
      submissions.removeAll { $0.partition == partition }
    case nil: throw SyncMessageError(reason: "there is no record at byte \(start)")
    }
  }
}
