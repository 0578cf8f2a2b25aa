// Sending facts and users to the replicas that have joined a partition.
//
// Order of events: new facts are sent to all readers in one message. A reader whose connection is
// full gets nothing; the partition is in the set of those in which the session is behind. When the
// connection takes messages again, the facts that it lacks are read from the log, some at a time.
// A reader that has just joined is behind too. A right that was lost ends the reading once the facts
// before were sent.
//
// Invariant: a reader has been sent the first `sent` facts, and no others, in order.

internal import Signals

extension SyncServer {
  /// Sends new facts to the readers that have all earlier ones.
  func send(
    _ facts: [[UInt8]], from position: UInt64, in name: Partition, _ number: UInt64
  ) {
    let message = ServerMessage.facts(number, from: position, facts).bytes
    for session in sessions.values {
      guard let reader = session.readers[name] else { continue }
      let fits =
        message.count + session.connection.toReplica.backlog <= session.connection.fullBacklog
      if fits, reader.sent == position, reader.end == nil {
        session.readers[name]?.sent += UInt64(facts.count)
        session.connection.send(message, to: \.toReplica)
      } else {
        session.behind.insert(name)
      }
    }
  }

  /// Sends the facts that a session lacks, as long as its connection takes them.
  nonisolated(nonsending) func catchUp(_ session: SyncSession) async throws {
    for name in session.behind.sorted(by: Partition.precedes) {
      while let reader = session.readers[name], let partition = partitions[name] {
        let end = min(reader.end?.facts ?? .max, partition.head.position.rawValue)
        if reader.sent >= end { break }
        if session.connection.isFull { return }
        let entries = try await log.entries(
          of: name, from: LogPosition(rawValue: reader.sent),
          limit: min(8_192, Int(clamping: end - reader.sent)))
        // Few messages, because a replica makes its pending commits again for each.
        var size = 0
        let facts = entries.prefix { entry in
          defer { size += entry.bytes.count }
          return size == 0 || size + entry.bytes.count <= session.connection.fullBacklog
        }
        if facts.isEmpty { throw Refusal(description: "the log of \(name) lacks facts") }
        session.send(.facts(partition.number, from: reader.sent, facts.map(\.bytes)))
        session.readers[name]?.sent += UInt64(facts.count)
      }
      if let reader = session.readers[name], let end = reader.end {
        // The facts that the user may read aren't in the log yet.
        if reader.sent < end.facts, partitions[name] != nil { continue }
        setReader(nil, of: name, in: session)
        session.send(.closed(name, reason: end.reason))
      } else if session.readers[name]?.knowsUsers == false, let partition = partitions[name] {
        session.readers[name]?.knowsUsers = true
        session.send(.users(partition.number, isAll: true, present: partition.users.all, gone: []))
      }
      session.behind.remove(name)
    }
  }

  /// Ends the reading of partitions by users who have lost the right by the next fact.
  func checkReaders() {
    if rules.reads.isEmpty { return }
    for session in sessions.values {
      for (name, reader) in session.readers where reader.end == nil {
        guard let reason = reader.right.value, let partition = partitions[name] else { continue }
        session.readers[name]?.end = (partition.count, reason)
        session.behind.insert(name)
      }
    }
  }

  /// Begins or ends the reading of a partition, in which the user is present meanwhile.
  func setReader(
    _ reader: SyncSession.Reader?, of name: Partition, in session: SyncSession
  ) {
    if reader != nil, session.connection.isClosed { return }
    let wasReader = session.readers[name] != nil
    session.readers[name] = reader
    if reader != nil {
      setStatus("", in: name, of: session)
    } else if wasReader, let partition = partitions[name] {
      partition.users.remove(ObjectIdentifier(session.connection), of: session.connection.user)
      changedUsers.insert(name)
    }
  }

  func setStatus(_ status: String, in name: Partition, of session: SyncSession) {
    let connection = session.connection
    partitions[name]?.users.set(status, of: ObjectIdentifier(connection), user: connection.user)
    changedUsers.insert(name)
  }

  /// Sends the users that are new, have another status, or are gone, to the readers that know the
  /// others.
  func sendUsers() {
    // Code that receives a message may close a connection.
    while let name = changedUsers.popFirst() {
      guard let partition = partitions[name] else { continue }
      let difference = partition.users.takeDifference()
      if difference.present.isEmpty, difference.gone.isEmpty { continue }
      let message = ServerMessage.users(
        partition.number, isAll: false, present: difference.present, gone: difference.gone
      ).bytes
      for session in sessions.values {
        guard let reader = session.readers[name], reader.end == nil else { continue }
        if reader.knowsUsers, !session.connection.isFull {
          session.connection.send(message, to: \.toReplica)
        } else {
          session.readers[name]?.knowsUsers = false
          session.behind.insert(name)
        }
      }
    }
  }
}

/// One connection, as the server knows it.
final class SyncSession {
  let connection: SyncConnection
  var messages = ReplicaMessageReader()
  var authors: [UInt64] = []
  /// The joined partitions.
  var readers: [Partition: Reader] = [:]
  /// The joined partitions of which not all facts were sent.
  var behind: Set<Partition> = []

  /// A joined partition.
  struct Reader {
    /// The reason why the user may not read the partition, evaluated again after each change of what
    /// the rules have read.
    let right: Computed<String?>
    /// The number of facts that were sent.
    var sent: UInt64
    /// Whether all users were sent that are present.
    var knowsUsers = false
    /// The number of facts that the user may read, once the right is lost.
    var end: (facts: UInt64, reason: String)?
  }

  /// Whether no message is handled further.
  private(set) var isEnded = false
  /// The reason.
  private(set) var failure: (any Error)?

  init(_ connection: SyncConnection) { self.connection = connection }

  /// Lets the replica close the connection.
  ///
  /// It connects again, and receives what the log has.
  func end(_ error: any Error) {
    if isEnded { return }
    ignoreMessages(after: error)
    send(.ended(reason: "\(error)"))
  }

  /// Ends the session: the connection is closed when all messages to the replica were sent.
  func ignoreMessages(after error: any Error) { (isEnded, failure, behind) = (true, error, []) }

  func send(_ message: ServerMessage) { connection.send(message.bytes, to: \.toReplica) }
}
