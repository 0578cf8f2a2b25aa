// A partition whose objects are in the store of the server.
//
// The log has a snapshot, and the facts since the snapshot before it: a replica that lacks earlier
// facts gets the state. Replicas that were away for less get the facts.

internal import Signals

/// A partition whose objects are in the store of the server.
final class OpenPartition {
  /// A property of an object.
  struct Place: Hashable {
    let object: ObjectID
    let property: String
  }

  /// The last write of a property.
  struct Stamp {
    let position: UInt64
    let time: UInt64
    let author: UInt64
  }

  /// A place in the log from which its facts can be read.
  struct Mark {
    var head = LogHead.start
    /// The latest time of the facts before.
    var time: UInt64 = 0
    /// The names in the facts before.
    var names = ChangeWriter()
  }

  /// What a new fact has replaced.
  private struct Replaced {
    let count: UInt64
    let time: UInt64
    let names: ChangeWriter
    let author: (id: UInt64, last: PartitionAnswers.Author?)
    var stamps: [(place: Place, last: Stamp?)] = []
  }

  let name: Partition
  /// The number by which messages name the partition.
  let number: UInt64
  /// The sessions that have joined it, by their connections.
  var readers: [ObjectIdentifier: SyncReader] = [:]
  /// The number of its last use in `SyncServer.useCount`, if it is in `SyncServer.unread`.
  var lastUse: UInt64?
  /// The reason why the log can't be reached, and the sessions that wait for it.
  var suspension: Suspension?
  /// The number of suspensions since the last append.
  var failureCount = 0
  /// The readers of other partitions whose rights depend on the objects.
  var dependents: [SyncReader] = []
  /// The encoded objects, until the next fact.
  var state: [UInt8]?
  /// The users that are present.
  var users = PartitionUsers()
  /// The message with all users, until others are present; encoded once for all that join.
  var usersMessage: [UInt8]?
  /// The end of the log.
  var head = LogHead.start
  /// The names in the facts.
  var names = ChangeWriter()
  /// Notes that they have done so, as long as it is there.
  var following: LogFollowing?
  /// What facts have replaced that may be taken back.
  private var replaced: [Replaced] = []
  /// The facts that aren't appended yet, each after all facts of earlier rounds in any partition.
  private(set) var new: [(bytes: [UInt8], round: Int)] = []
  /// The place of the first fact that the log has.
  private(set) var oldest = LogHead.start
  /// The place of the snapshot.
  private(set) var snapshot = Mark()
  /// The number of bytes after the snapshot, and that at which it is replaced.
  var tail = (size: 0, limit: 0)
  private(set) var answers = PartitionAnswers()
  private var stamps: [Place: Stamp] = [:]
  /// The number of facts before which no stamp is known, and their latest time.
  private var unknown: (end: UInt64, time: UInt64) = (0, 0)
  /// The hash of all facts before each one from the oldest on, and before the next one.
  private var chains: [UInt64] = [0]
  /// The number of facts, with the new ones.
  private(set) var count: UInt64 = 0
  /// The latest time of a fact.
  private var time: UInt64 = 0

  init(_ name: Partition, number: UInt64) { (self.name, self.number) = (name, number) }

  /// The round of the last new fact.
  var lastRound: Int { new.last?.round ?? 0 }

  /// Adds a new fact, in a round or in that of the fact before if it is later.
  func addNew(_ fact: [UInt8], in round: Int) { new.append((fact, max(round, lastRound))) }

  /// Takes the first new facts of a round, which together have at most a number of bytes, or the first
  /// one.
  func takeNew(in round: Int, atMost limit: Int) -> [[UInt8]] {
    var (size, count) = (0, 0)
    while count < new.count, new[count].round == round,
      count == 0 || size + new[count].bytes.count <= limit
    {
      size += new[count].bytes.count
      count += 1
    }
    defer { new.removeFirst(count) }
    return new[..<count].map(\.bytes)
  }

  /// Takes all new facts.
  func takeNew() -> [[UInt8]] {
    defer { new = [] }
    return new.map(\.bytes)
  }

  /// Notes facts that the log has now.
  func addChains(of facts: [[UInt8]]) {
    for fact in facts {
      let position = oldest.position.advanced(by: chains.count - 1)
      let last = LogHead(position: position, chain: chains[chains.count - 1])
      chains.append(last.after(fact).chain)
      tail.size += fact.count
    }
  }

  /// Returns the hash of all facts before a position that the log has.
  func chain(at position: UInt64) -> UInt64 { chains[Int(position - oldest.position.rawValue)] }

  /// Notes the next fact.
  ///
  /// - Parameters:
  ///   - fact: The fact.
  ///   - changes: The changes.
  ///   - former: The names before it, if it may be taken back.
  func note(_ fact: Fact, _ changes: ChangeSet, after former: ChangeWriter? = nil) {
    if let former {
      let author = (fact.author, answers.authors[fact.author])
      replaced.append(Replaced(count: count, time: time, names: former, author: author))
    }
    answers.note(fact, at: count)
    func set(_ stamp: Stamp?, of property: String, in object: ObjectID) {
      let place = Place(object: object, property: property)
      if former != nil { replaced[replaced.count - 1].stamps.append((place, stamps[place])) }
      stamps[place] = stamp
    }
    for change in changes.changes {
      if change.kind == .modified {
        let stamp = Stamp(position: count, time: fact.time, author: fact.author)
        for property in change.properties { set(stamp, of: property.name, in: change.id) }
      } else if !stamps.isEmpty {
        // The change of an object that has arrived lacks its properties.
        for property in Schema.shared(of: change.type).encodedProperties {
          set(nil, of: property.name, in: change.id)
        }
      }
    }
    count += 1
    time = max(time, fact.time)
  }

  /// Notes that the log has the facts before the head.
  func didAppend() { replaced.removeAll { $0.count < head.position.rawValue } }

  /// Takes back the facts that the log lacks, but not their changes in the store.
  func takeBackNew() {
    new = []
    while let last = replaced.popLast(), last.count >= head.position.rawValue {
      (count, time, names) = (last.count, last.time, last.names)
      for (place, stamp) in last.stamps.reversed() { stamps[place] = stamp }
      answers.takeBack(from: count, author: last.author.id, to: last.author.last)
    }
    replaced = []
  }

  /// Lets the readers that have lost the right get no later fact than the last one.
  func endReadersAtLast() {
    for reader in readers.values {
      if let end = reader.end, end.facts > count { reader.end?.facts = count }
    }
  }

  /// Returns the last write of a property since a number of facts, or one of the server itself if the
  /// facts were gone when the log was read.
  func stamp(of property: String, in object: ObjectID, since base: UInt64) -> Stamp? {
    if let stamp = stamps[Place(object: object, property: property)] {
      return stamp.position >= base ? stamp : nil
    }
    return base < unknown.end
      ? Stamp(position: unknown.end, time: unknown.time, author: 0) : nil
  }

  // MARK: - Snapshots

  /// Returns a snapshot of the log with a state, which `PartitionTable` describes.
  ///
  /// Format: the version; the place of the first fact that the log has after the snapshot, with the
  /// hash, time and names of the facts before; the latest time; the answers; the state.
  func snapshot(with state: [UInt8]) throws(StoreFileError) -> LogSnapshot {
    var writer = ByteWriter()
    writer.write(Self.version)
    writer.writeVarint(snapshot.head.position.rawValue)
    writer.writeFixed(snapshot.head.chain)
    writer.writeVarint(snapshot.time)
    snapshot.names.writeNames(to: &writer)
    writer.writeVarint(time)
    try answers.write(to: &writer)
    writer.write(contentsOf: state)
    return LogSnapshot(head: head, bytes: writer.bytes)
  }

  /// Begins with a snapshot.
  ///
  /// - Returns: The names in the facts from the oldest one on, and the state.
  func begin(with log: LogSnapshot) throws -> (names: ChangeReader, state: ByteReader) {
    var reader = ByteReader(log.bytes)
    let version = try reader.read()
    if version != Self.version {
      throw SyncMessageError(reason: "a snapshot has version \(version)")
    }
    let position = LogPosition(rawValue: try reader.readVarint())
    oldest = LogHead(position: position, chain: try reader.readFixed64())
    (chains, count) = ([oldest.chain], position.rawValue)
    unknown = (count, try reader.readVarint())
    let names = try ChangeReader(namesFrom: &reader)
    snapshot.head = log.head
    snapshot.time = try reader.readVarint()
    tail.limit = max(tail.limit, log.bytes.count)
    return (names, reader)
  }

  /// Resumes at the place of the snapshot that it began with.
  func resume(with answers: PartitionAnswers, _ names: ChangeReader) {
    self.answers = answers
    (time, snapshot.names, tail.size) = (snapshot.time, ChangeWriter(after: names), 0)
  }

  /// Begins at the place of its snapshot, because the log has no facts before.
  func beginLater(at start: LogHead) {
    (oldest, chains, count) = (start, [start.chain], start.position.rawValue)
    (answers, stamps) = (PartitionAnswers(), [:])
    unknown = (count, snapshot.time)
  }

  /// Notes that the log has no facts before a position any more.
  ///
  /// There are no new facts.
  func didTruncate(before position: LogPosition) {
    let count = oldest.position.distance(to: position)
    if count <= 0 || count >= chains.count { return }
    chains.removeFirst(count)
    oldest = LogHead(position: position, chain: chains[0])
    if snapshot.head.position < position { snapshot = Mark(head: head, time: time, names: names) }
  }

  /// Notes that the log has a snapshot at its end, and no facts before the former one.
  func didReplaceSnapshot(size: Int, smallest: Int) {
    chains.removeFirst(oldest.position.distance(to: snapshot.head.position))
    oldest = snapshot.head
    snapshot = Mark(head: head, time: time, names: names)
    tail = (0, max(size, smallest))
  }

  private static let version: UInt8 = 1
}
