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
  func send(_ facts: [[UInt8]], from position: UInt64, in partition: OpenPartition) {
    let message = ServerMessage.facts(partition.number, from: position, facts).bytes
    // Code that receives a message may close other connections.
    for reader in partition.readers.values where isReading(reader) {
      let connection = reader.session.connection
      let fits = message.count + connection.toReplica.backlog <= connection.fullBacklog
      if fits, reader.sent == position, reader.end == nil {
        reader.sent += UInt64(facts.count)
        connection.send(message, to: \.toReplica)
      } else {
        fallBehind(reader)
      }
    }
  }

  /// Notes that a reader lacks facts or users.
  private func fallBehind(_ reader: SyncReader) {
    reader.session.behind.insert(reader.partition.name)
    lagging[reader.connection] = reader.session
  }

  /// Sends missing facts and users to the sessions whose connections take them.
  nonisolated(nonsending) func catchUpSessions() async {
    for (connection, session) in lagging where !session.connection.isFull {
      do { try await catchUp(session) } catch { end(session, after: error) }
      if session.behind.isEmpty { lagging[connection] = nil }
    }
  }

  /// Sends the facts that a session lacks, as long as its connection takes them.
  nonisolated(nonsending) func catchUp(_ session: SyncSession) async throws {
    partitions: for name in session.behind.sorted(by: Partition.precedes) {
      // Code that receives a message may end the reading.
      while let reader = session.readers[name] {
        let partition = reader.partition
        if reader.end != nil, reader.refusal == nil {
          // The user may read it again, and the replica has to send ignored submissions again.
          if reader.hasIgnored {
            throw Refusal(description: "the right to read was lost for a while")
          }
          reader.end = nil
          // It wasn't sent differences meanwhile.
          reader.knowsUsers = false
        }
        let end = min(reader.end?.facts ?? .max, partition.head.position.rawValue)
        if reader.sent >= end { break }
        if session.connection.isFull { return }
        if reader.end == nil, reader.sent == 0 || reader.sent < partition.oldest.position.rawValue {
          // The objects have changes that aren't facts yet.
          if reader.state == nil, !partition.new.isEmpty { continue partitions }
          try sendState(to: reader)
          continue
        }
        // The user may not read the state.
        if reader.sent < partition.oldest.position.rawValue { break }
        let entries: [LogEntry]
        do throws(ChangeLogError) {
          entries = try await log.entries(
            of: name, from: LogPosition(rawValue: reader.sent),
            limit: min(8_192, Int(clamping: end - reader.sent)))
        } catch {
          if sharedLog != nil, error.mayPass {
            // The append of new facts, which others belong to, fails as well.
            if !partition.new.isEmpty { continue partitions }
            do { try suspend([(partition, error)]) } catch { return reset(after: error) }
            continue partitions
          }
          // Another server has truncated the log. The reader gets the state.
          guard sharedLog != nil, case .truncated(_, let oldest) = error else { throw error }
          if oldest > partition.head.position {
            // The server is late, too.
            moved.insert(name)
            arrivals.wake()
            continue partitions
          }
          if !partition.new.isEmpty { continue partitions }
          partition.didTruncate(before: oldest)
          continue
        }
        // Few messages, because a replica makes its pending commits again for each.
        var size = 0
        let facts = entries.prefix { entry in
          defer { size += entry.bytes.count }
          return size == 0 || size + entry.bytes.count <= session.connection.fullBacklog
        }
        if facts.isEmpty { throw Refusal(description: "the log of \(name) lacks facts") }
        session.send(.facts(partition.number, from: reader.sent, facts.map(\.bytes)))
        reader.sent += UInt64(facts.count)
      }
      if let reader = session.readers[name], let end = reader.end {
        // The facts that the user may read aren't in the log yet.
        if reader.partition.head.position.rawValue < end.facts { continue }
        endReader(of: name, in: session)
        session.send(
          .closed(
            name, reason: end.reason,
            answers: try reader.partition.answers.ownAnswers(
              to: session.authors, from: reader.sent)))
      } else if let reader = session.readers[name], !reader.knowsUsers {
        reader.knowsUsers = true
        session.connection.send(allUsers(in: reader.partition), to: \.toReplica)
      }
      session.behind.remove(name)
    }
  }

  /// Sends the next part of the state of a partition.
  ///
  /// The first part begins with the answers in the facts that the state replaces.
  private func sendState(to reader: SyncReader) throws {
    let partition = reader.partition
    var answers = ByteWriter()
    if reader.state == nil {
      try partition.answers.answers(to: reader.session.authors, from: reader.sent)
        .write(to: &answers)
    }
    var state = try reader.state ?? (partition.head, 0, self.state(of: partition)[...])
    let part = state.rest.prefix(max(1 << 12, reader.session.connection.fullBacklog / 4))
    state.rest = state.rest.dropFirst(part.count)
    if reader.state == nil { state.size = answers.count + state.rest.endIndex }
    let isLast = state.rest.isEmpty
    if isLast { reader.sent = state.head.position.rawValue }
    reader.state = isLast ? nil : state
    reader.session.send(
      .state(partition.number, at: state.head, size: state.size, answers.bytes + part))
  }

  /// Returns the encoded objects of a partition without new facts, which are encoded once for all.
  func state(of partition: OpenPartition) throws(StoreFileError) -> [UInt8] {
    if let known = partition.state { return known }
    let state = try table.state(of: partition.name, in: store, partition.names)
    partition.state = state
    return state
  }

  // MARK: - Rights

  /// Evaluates whether a user may read a partition, now and after each change of what the rules have
  /// read.
  func watchRight(of reader: SyncReader) {
    if rules.reads.isEmpty { return }
    let (name, user) = (reader.partition.name, reader.session.connection.user)
    reader.right = Effect { [unowned self, unowned reader] in
      reader.refusal = nil
      do { try rules.checkRead(of: name, by: user, in: store) } catch {
        reader.refusal = "\(error)"
      }
      changedRights.append(reader)
    }
  }

  /// Ends the reading of partitions by users who have lost the right by the next fact, or by the last one of
  /// a partition.
  func endLostRights(by partition: OpenPartition? = nil) {
    let readers = changedRights
    changedRights = []
    for reader in readers where isReading(reader) && reader.end == nil {
      guard let reason = reader.refusal else { continue }
      reader.end = (reader.partition.count - (reader.partition === partition ? 1 : 0), reason)
      fallBehind(reader)
    }
  }

  // MARK: - Readers

  /// Whether the reading hasn't ended, so that its session lives.
  func isReading(_ reader: SyncReader) -> Bool {
    reader.partition.readers[reader.connection] === reader
  }

  /// Begins the reading of a partition, in which the user is present meanwhile.
  func begin(_ reader: SyncReader) {
    let session = reader.session
    if session.connection.isClosed { return }
    session.readers[reader.partition.name] = reader
    reader.partition.readers[reader.connection] = reader
    fallBehind(reader)
    setStatus("", of: reader)
  }

  /// Ends the reading of a partition.
  func endReader(of name: Partition, in session: SyncSession) {
    if let reader = session.readers.removeValue(forKey: name) {
      reader.partition.readers[reader.connection] = nil
      reader.partition.users.remove(reader.connection, of: session.connection.user)
      changedUsers.insert(name)
      noteUse(of: reader.partition)
      if session.readers.isEmpty, !session.delayed.isEmpty { emptied.append(session) }
    }
  }

  func endReaders(of session: SyncSession) {
    for name in Array(session.readers.keys) { endReader(of: name, in: session) }
    for name in Array(session.delayed.keys) { endDelay(of: name, for: session) }
  }

  func setStatus(_ status: String, of reader: SyncReader) {
    let user = reader.session.connection.user
    reader.partition.users.set(status, of: reader.connection, user: user)
    changedUsers.insert(reader.partition.name)
  }

  /// Returns the message with all users that are present in a partition.
  private func allUsers(in partition: OpenPartition) -> [UInt8] {
    if let known = partition.usersMessage { return known }
    let users = partition.users.all
    let message = ServerMessage.users(partition.number, isAll: true, present: users, gone: [])
    let bytes = message.bytes
    partition.usersMessage = bytes
    return bytes
  }

  /// Sends the users that are new, have another status, or are gone, to the readers that know the
  /// others.
  func sendUsers() {
    // Code that receives a message may close a connection.
    while let name = changedUsers.popFirst() {
      guard let partition = partitions[name] else { continue }
      let difference = partition.users.takeDifference()
      if difference.present.isEmpty, difference.gone.isEmpty { continue }
      partition.usersMessage = nil
      let message = ServerMessage.users(
        partition.number, isAll: false, present: difference.present, gone: difference.gone
      ).bytes
      for reader in partition.readers.values where isReading(reader) && reader.end == nil {
        if reader.knowsUsers, !reader.session.connection.isFull {
          reader.session.connection.send(message, to: \.toReplica)
        } else {
          reader.knowsUsers = false
          fallBehind(reader)
        }
      }
    }
  }
}

/// A partition that a connection has joined.
final class SyncReader {
  unowned let session: SyncSession
  let connection: ObjectIdentifier
  let partition: OpenPartition
  /// The number of facts that were sent.
  var sent: UInt64 = 0
  /// The state that is being sent, its size with the answers, and its bytes that weren't sent.
  var state: (head: LogHead, size: Int, rest: ArraySlice<UInt8>)?
  /// Whether all users were sent that are present.
  var knowsUsers = false
  /// The reason why the user may not read the partition.
  var refusal: String?
  /// Evaluates it.
  var right: Effect?
  /// Whether its replica may have sent submissions without earlier ones, which it sends again.
  var mayLack = false
  /// Whether submissions were ignored because the right was lost.
  var hasIgnored = false
  /// The number of facts that the user may read, once the right is lost.
  var end: (facts: UInt64, reason: String)?

  init(of partition: OpenPartition, in session: SyncSession) {
    (self.partition, self.session) = (partition, session)
    connection = ObjectIdentifier(session.connection)
  }
}

/// One connection, as the server knows it.
final class SyncSession {
  let connection: SyncConnection
  var messages = ReplicaMessageReader()
  var authors: [UInt64] = []
  /// The joined partitions.
  var readers: [Partition: SyncReader] = [:]
  /// The joined partitions of which not all facts were sent.
  var behind: Set<Partition> = []
  /// The partitions that it is to join later.
  var delayed: [Partition: Suspension] = [:]

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
    send(.ended(reason: (error as? ChangeLogError)?.reasonForUsers ?? "\(error)"))
  }

  /// Ends the session: the connection is closed when all messages to the replica were sent.
  func ignoreMessages(after error: any Error) { (isEnded, failure, behind) = (true, error, []) }

  func send(_ message: ServerMessage) { connection.send(message.bytes, to: \.toReplica) }
}
