// State, all in one isolation domain: the store has the objects of the open partitions; `partitions`
// has the head of each, and `sessions` its readers. Partitions that no replica has joined are closed
// (SyncServer+Closing.swift).
//
// Order of events: messages of all connections are handled one after the other, since a log may
// suspend. A submission is applied in a transaction (SyncServer+Submissions.swift), and its net
// changes are a fact of each partition. When no message waits, the new facts are appended to the log
// and then sent to the readers, as one message unless they are large.
//
// Invariant: the objects of an open partition are the fold of its log and of its new facts. If facts
// can't be appended, all partitions are forgotten, and opened again when replicas join. Those that a
// shared log can't reach are suspended (SyncServer+Suspending.swift).

public import Signals

/// Decides about the commits of replicas, in the order in which they arrive.
///
/// The server knows the app's classes, applies each submission to its own store, and asks its rules.
/// It runs in any process, also in that of a replica.
///
/// ```swift
/// let server = SyncServer(sharing: classes) {
///   MayRead { user, partition, store in … }
///   MayWrite(Card.self) { change, user in
///     if change.kind == .deleted, user != "anna" { throw Refusal("only anna deletes cards") }
///   }
///   After(Card.self) { change, store in … }
/// }
/// let run = Task { await server.run() }
/// let connection = server.connection(for: "anna")
/// ```
///
/// ## What merges how
///
/// | two sides | result | is told |
/// |---|---|---|
/// | different properties of an object | both | |
/// | one property, written without knowing the other value | the later time | the other side |
/// | a `@Counter`, a `@Latest` | the sum, the maximum | |
/// | a list | both edits; a member that one has removed stays removed | |
/// | the deletion of an object, and an edit | the deletion | the edit |
/// | a primary key that another object has | the submission is refused | its author |
/// | a rule throws | the submission is refused | its author |
public final class SyncServer {
  /// The store with the objects of all open partitions, which only the server and its triggers write.
  ///
  /// A partition is open while a replica has joined it. Others may be open too, and be closed at any
  /// time, which removes their objects from the store, and from nothing else.
  public let store = Store()
  let log: any ChangeLog
  /// The log, if other servers may append to it.
  let sharedLog: (any SharedLog)?
  let rules: SyncRules
  let now: () -> UInt64
  /// The number of bytes after a snapshot below which it isn't replaced.
  let smallestTail: Int
  /// The size of the facts that are appended and sent together, in bytes.
  var groupSize = ChangeWriter.limit
  private(set) var table: PartitionTable
  private let classes: [SharedClass]
  var partitions: [Partition: OpenPartition] = [:]
  /// The names of the open partitions by their numbers, which aren't used again.
  private var partitionNames: [UInt64: Partition] = [:]
  private var lastNumber: UInt64 = 0
  /// The users of the authors in the facts of open partitions.
  private var owners: [UInt64: String] = [:]
  var mergingNames: [ObjectIdentifier: Set<String>] = [:]
  var sessions: [ObjectIdentifier: SyncSession] = [:]
  /// The sessions that lack facts or users, and perhaps some that did.
  var lagging: [ObjectIdentifier: SyncSession] = [:]
  /// The messages that have arrived; `nil` if a connection can take facts again.
  private var inbox: [(session: SyncSession, message: ReplicaMessage?, bytes: Int)] = []
  private var isHandling = false
  /// The partitions with facts that aren't appended yet, in the order of the first one.
  var unpublished: [OpenPartition] = []
  /// The new facts of all partitions in the order of decisions, if the log is shared.
  var newFacts: [NewFact] = []
  /// The number of decisions.
  var decisionCount = 0
  /// The partitions to whose logs other servers may have appended.
  let moved = MovedPartitions()
  /// The suspended partitions about which the log has answered.
  let answered = MovedPartitions()
  /// The sessions that have waited for partitions which can be reached again.
  var resumed: [Suspension.Waiting] = []
  /// The sessions that may have nothing but partitions for which they wait.
  var emptied: [SyncSession] = []
  /// The time after which the log is asked for the head of a suspended partition first.
  var retryInterval: Duration? = .seconds(1)
  /// The partitions in which users are new, have another status, or are gone.
  var changedUsers: Set<Partition> = []
  /// The readers whose rights were evaluated again since the last fact.
  var changedRights: [SyncReader] = []
  /// The number of partitions that remain open though no replica has joined them.
  var unreadLimit = 100
  /// The partitions that had no readers when they were last used, and perhaps have some now.
  var unread: [OpenPartition] = []
  /// The number of them at which some are closed.
  var unreadEnd = 0
  /// The number of such uses.
  var useCount: UInt64 = 0
  let arrivals = WaitQueue()

  /// Creates a server whose log is in memory.
  ///
  /// - Parameters:
  ///   - classes: The shared classes, which replicas list the same.
  ///   - rules: The rules and triggers.
  public convenience init(
    sharing classes: [SharedClass], @SyncRulesBuilder rules: () -> SyncRules = { .none }
  ) {
    self.init(log: InProcessLog(), sharing: classes, rules: rules)
  }

  /// Creates a server whose log is in a file, or continues the log of the file.
  ///
  /// A fact is durable before it is sent.
  ///
  /// - Parameters:
  ///   - path: The path of a directory, which is created if it is missing. The directory that
  ///     contains it must exist.
  ///   - classes: The shared classes, which replicas list the same.
  ///   - rules: The rules and triggers.
  /// - Throws: ``StoreFileError`` if the file can't be opened, for instance because another process
  ///   has opened it.
  public convenience init(
    at path: String, sharing classes: [SharedClass],
    @SyncRulesBuilder rules: () -> SyncRules = { .none }
  ) throws(StoreFileError) {
    let log: FileLog
    do throws(ChangeLogError) { log = try FileLog(at: path) } catch {
      throw StoreFileError(error, at: path)
    }
    self.init(log: log, sharing: classes, rules: rules)
  }

  /// Creates a server whose facts are in a log, and continues the log.
  ///
  /// A fact is sent when the log has it.
  ///
  /// - Parameters:
  ///   - log: The log.
  ///   - classes: The shared classes, which replicas list the same.
  ///   - rules: The rules and triggers.
  public convenience init(
    log: any ChangeLog, sharing classes: [SharedClass],
    @SyncRulesBuilder rules: () -> SyncRules = { .none }
  ) {
    self.init(log: log, sharing: classes, now: WallClock.milliseconds, rules: rules)
  }

  package init(
    log: any ChangeLog, sharing classes: [SharedClass], smallestTail: Int = 1 << 20,
    now: @escaping () -> UInt64,
    @SyncRulesBuilder rules: () -> SyncRules = { .none }
  ) {
    (self.log, self.rules, self.classes, self.now) = (log, rules(), classes, now)
    sharedLog = log as? any SharedLog
    self.smallestTail = smallestTail
    table = PartitionTable(classes)
  }

  deinit {
    for session in sessions.values { session.connection.close() }
    // They retain their partitions, and those for which they wait.
    for partition in partitions.values { partition.readers = [:] }
    for session in sessions.values { session.delayed = [:] }
  }

  /// Returns a connection for a replica in the same isolation domain that acts for a user.
  ///
  /// - Parameter user: The name of the user, whom the app has authenticated.
  /// - Returns: The connection, to be passed to ``Replica/connect(_:)``.
  public func connection(for user: String) -> SyncConnection {
    let connection = SyncConnection(user: user)
    let session = SyncSession(connection)
    sessions[ObjectIdentifier(connection)] = session
    connection.toServer.receive = { [weak self, unowned connection] bytes in
      guard let self, let session = sessions[ObjectIdentifier(connection)] else { return }
      do {
        if session.isEnded { return connection.didHandle(bytes.count, from: \.toServer) }
        enqueue(try session.messages.read(bytes), size: bytes.count, of: session)
      } catch {
        end(session, after: error)
      }
    }
    connection.toReplica.didDrain = { [weak self, unowned session] in
      if session.isEnded { return session.connection.close(session.failure) }
      if !session.behind.isEmpty { self?.enqueue(nil, size: 0, of: session) }
    }
    connection.toServer.didClose = { [weak self, unowned connection] in
      guard let self, let session = sessions.removeValue(forKey: ObjectIdentifier(connection))
      else { return }
      lagging[ObjectIdentifier(connection)] = nil
      endReaders(of: session)
      arrivals.wake()
    }
    return connection
  }

  /// Serves a replica in another process, and returns when the connection has ended.
  ///
  /// The app provides the two byte streams. A replica that reads slowly doesn't hold others up, and
  /// one that sends faster than the server handles is read more slowly.
  ///
  /// ```swift
  /// for await socket in listener.sockets {
  ///   Task { try await server.serve(socket.user, receiving: socket.chunks) { try await socket.send($0) } }
  /// }
  /// ```
  ///
  /// - Call it on the actor of the server, while ``run()`` is running. It traps without an actor.
  /// - If nothing is to be sent, something is sent every 15 seconds. If nothing arrives for 45
  ///   to 60 seconds, the connection is closed.
  ///
  /// - Parameters:
  ///   - user: The name of the user, whom the app has authenticated.
  ///   - chunks: The bytes from the replica, in pieces of any size.
  ///   - clock: The clock that measures the time.
  ///   - isolation: The actor on which the connection is used; leave it to the compiler.
  ///   - send: Sends bytes to the replica. It isn't called again before it has returned. It is
  ///     cancelled when the connection ends.
  /// - Throws: ``SyncConnectionError``, an error of the streams, or `CancellationError`. If the
  ///   replica ends its stream, or the server is closed, nothing is thrown.
  public func serve<Chunks: AsyncSequence>(
    _ user: String, receiving chunks: Chunks, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation,
    sending send: nonisolated(nonsending) @escaping (_ bytes: [UInt8]) async throws -> Void
  ) async throws where Chunks.Element: Sequence<UInt8> {
    try await connection(for: user).carry(
      chunks, to: \.toServer, from: \.toReplica, clock: clock, isolation: isolation,
      sending: send)
  }

  /// Closes all connections, and the log.
  ///
  /// - Throws: ``ChangeLogError`` if the log can't be closed.
  public nonisolated(nonsending) func close() async throws(ChangeLogError) {
    for session in sessions.values { session.connection.close() }
    try await log.close()
  }

  /// Handles messages until the task is cancelled.
  public nonisolated(nonsending) func run() async {
    while !Task.isCancelled {
      let seen = arrivals.count
      await handleMessages()
      await arrivals.wait(after: seen)
    }
  }

  /// Handles the messages that have arrived.
  package nonisolated(nonsending) func handleMessages() async {
    if isHandling { return }
    isHandling = true
    defer { isHandling = false }
    repeat {
      await readMoved()
      let messages = inbox
      inbox = []
      for (session, message, bytes) in messages where !session.connection.isClosed {
        do { if !session.isEnded { try await handle(message, of: session) } } catch {
          end(session, after: error)
        }
        session.connection.didHandle(bytes, from: \.toServer)
      }
      await publish()
      if await closeUnread() { await publish() }
      endEmptied()
    } while !inbox.isEmpty && !Task.isCancelled
  }

  private func enqueue(_ message: ReplicaMessage?, size bytes: Int, of session: SyncSession) {
    inbox.append((session, message, bytes))
    arrivals.wake()
  }

  private nonisolated(nonsending) func handle(
    _ message: ReplicaMessage?, of session: SyncSession
  ) async throws {
    switch message {
    case nil: try await catchUp(session)
    case .hello(let versions, let authors):
      do { _ = try SyncVersion.common(with: versions) } catch {
        // The replica tells its user.
        session.send(.welcome(versions: SyncVersion.all))
        return session.ignoreMessages(after: error)
      }
      try check(authors, of: session)
      session.authors = authors
      session.send(.welcome(versions: SyncVersion.all))
    case .join(let name, let facts, let chain):
      if session.authors.isEmpty { throw SyncMessageError(reason: "a replica hasn't said hello") }
      await appendNewFacts()
      if session.isEnded { return }
      endDelay(of: name, for: session)
      try await join(name, facts: facts, chain: chain, of: session)
    case .leave(let name):
      endDelay(of: name, for: session)
      endReader(of: name, in: session)
    case .status(let number, let status):
      guard let name = partitionNames[number], let reader = session.readers[name] else { return }
      setStatus(status, of: reader)
    case .submit(let number, let submission):
      guard let name = partitionNames[number], let reader = session.readers[name] else { return }
      if reader.end != nil { return reader.hasIgnored = true }
      let partition = try await open(name)
      let (author, sequence) = (submission.key.author, submission.key.number)
      try check([author], of: session)
      let last = partition.answers.authors[author]?.number ?? 0
      if sequence <= last { return }
      guard sequence == last + 1 else {
        // It was sent while the reader waited.
        if reader.mayLack { return }
        throw SyncMessageError(reason: "submission \(sequence) follows \(last)")
      }
      reader.mayLack = false
      try await commit(submission, to: name, of: session)
    }
  }

  /// Throws if an author belongs to another user: its facts would be taken for answers to that user's
  /// submissions.
  private func check(_ authors: [UInt64], of session: SyncSession) throws {
    for author in authors {
      guard let owner = author == 0 ? "the server" : owners[author] else { continue }
      if owner != session.connection.user {
        throw Refusal(description: "author \(author) belongs to \(owner)")
      }
    }
  }

  /// Notes the user of an author, unless it belongs to one already.
  func noteOwner(_ user: String, of author: UInt64) {
    if owners[author] == nil { owners[author] = user }
  }

  // MARK: - Partitions

  /// Lets a session join a partition, or tells its replica why it can't.
  ///
  /// - Parameters:
  ///   - name: The partition.
  ///   - facts: The number of facts that the replica has.
  ///   - chain: Their hash.
  ///   - session: The session.
  ///   - isKnown: Whether the replica has no facts of other servers that this one lacks.
  nonisolated(nonsending) func join(
    _ name: Partition, facts: UInt64, chain: UInt64, of session: SyncSession,
    isKnown: Bool = false
  ) async throws {
    do { try await begin(name, facts: facts, chain: chain, for: session, isKnown) } catch {
      if let error = error as? ChangeLogError, error.mayPass { throw error }
      endReader(of: name, in: session)
      return session.send(.closed(name, reason: "\(error)"))
    }
    try await catchUp(session)
  }

  private nonisolated(nonsending) func begin(
    _ name: Partition, facts: UInt64, chain: UInt64, for session: SyncSession, _ isKnown: Bool
  ) async throws {
    let wasOpen = partitions[name] != nil
    let partition = try await open(name)
    // The replica may know more, of another server, and so may the right to read.
    if wasOpen, sharedLog != nil {
      if partition.suspension == nil, !isKnown {
        guard await readOn([partition]) else { return }
      }
      // Its facts can't be applied, which opening it says.
      if partitions[name] !== partition {
        return try await begin(name, facts: facts, chain: chain, for: session, false)
      }
      if partition.suspension != nil {
        return delay((session, name, facts, chain), until: partition)
      }
    }
    try check(session.authors, of: session)
    let reader = SyncReader(of: partition, in: session)
    watchRight(of: reader)
    if let reason = reader.refusal {
      endReader(of: name, in: session)
      return session.send(
        .closed(
          name, reason: reason,
          answers: try partition.answers.ownAnswers(to: session.authors, from: facts)))
    }
    let head = partition.head.position.rawValue
    if facts > head {
      // The log has been restored to an earlier state.
      throw Refusal(
        description: "the log of \(name) has \(head) facts, fewer than the replica")
    }
    if facts >= partition.oldest.position.rawValue, partition.chain(at: facts) != chain {
      throw Refusal(description: "the \(facts) facts of \(name) aren't those of the replica")
    }
    session.send(.named(name, number: partition.number, facts: head))
    reader.sent = facts
    if facts == head { session.send(.facts(partition.number, from: head, [])) }
    begin(reader)
  }

  /// Ends a session: its replica closes the connection.
  func end(_ session: SyncSession, after error: any Error) {
    endReaders(of: session)
    session.end(error)
  }

  /// Returns a partition with a new number.
  func makePartition(_ name: Partition) -> OpenPartition {
    lastNumber += 1
    return OpenPartition(name, number: lastNumber)
  }

  /// Notes a partition whose objects are in the store.
  func add(_ partition: OpenPartition) {
    (partitions[partition.name], partitionNames[partition.number]) = (partition, partition.name)
  }

  /// Forgets a partition whose objects are no longer in the store.
  func forget(_ partition: OpenPartition) {
    (partitions[partition.name], partitionNames[partition.number]) = (nil, nil)
  }

  /// Runs code that writes to the store.
  ///
  /// - Parameters:
  ///   - known: A partition whose changes aren't needed.
  ///   - body: The code.
  /// - Returns: The net changes of its commits by partition, in which code that runs after a commit
  ///   may have made others.
  func changes(
    except known: Partition? = nil, of body: () throws -> Void
  ) rethrows -> [(partition: Partition, changes: ChangeSet)] {
    var net: [(partition: Partition, changes: ChangeSet)] = []
    let token = store.commitObservers.addSynchronousObserver { [unowned self] commit in
      for part in table.split(&commit, in: store, except: known).parts {
        if let place = net.firstIndex(where: { $0.partition == part.partition }) {
          net[place].changes = net[place].changes.merging(part.changes)
        } else {
          net.append(part)
        }
      }
    }
    defer { token.cancel() }
    try body()
    return net
  }

  /// Forgets all objects after a failure of the log, which is read again when replicas join.
  func reset(after error: any Error) {
    for session in sessions.values { end(session, after: error) }
    (partitions, partitionNames, unpublished, owners) = ([:], [:], [], [:])
    newFacts = []
    (unread, unreadEnd) = ([], 0)
    (resumed, emptied) = ([], [])
    table = PartitionTable(classes)
    let all = Store().snapshot().changes(to: store.snapshot())
    _ = try? store.apply(all.inverted(), undoable: false, onConflict: .theirs)
  }
}
