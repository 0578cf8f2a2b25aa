// Open partitions that a shared log can't reach, for instance because one of its databases is down.
//
// Order of events: such a partition is suspended. Its new facts are taken back, its objects stay as the log had
// them last, and its readers wait. A commit that changes it through a trigger isn't decided, and its author waits
// too. Each second the log is asked for the head. When it answers, the facts that the log has are read, the changes
// of the server itself are made again, and the readers join again from the facts that they were sent: their
// replicas send again what isn't decided. A session of which no partition is left ends, so that its replica may
// connect to another server.
//
// Invariant: a suspended partition has no new facts and no readers.

internal import Signals

/// The reason why a partition is suspended, and the sessions that wait for it.
final class Suspension {
  /// A session that waits to join a partition, and the facts that its replica has.
  typealias Waiting = (session: SyncSession, name: Partition, facts: UInt64, chain: UInt64)

  let error: ChangeLogError
  var waiting: [Waiting] = []
  /// The changes of the server itself that are to be made again.
  var changes: [ChangeSet] = []
  private let asking: Task<Void, Never>

  /// Asks a log for the head of a partition until it answers.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - log: The log.
  ///   - interval: The time before each question, or `nil` to ask none.
  ///   - error: Why it is suspended.
  ///   - onAnswer: Called on any thread when the log has answered.
  init(
    of partition: Partition, in log: any ChangeLog, every interval: Duration?,
    because error: ChangeLogError, onAnswer: @escaping @Sendable () -> Void
  ) {
    self.error = error
    asking = Task {
      guard let interval else { return }
      while !Task.isCancelled {
        try? await Task.sleep(for: interval)
        if (try? await log.head(of: partition)) != nil { return onAnswer() }
      }
    }
  }

  deinit { asking.cancel() }
}

extension SyncServer {
  /// Suspends open partitions.
  func suspend(
    _ failed: [(partition: OpenPartition, error: ChangeLogError)]
  ) throws {
    let failed = failed.filter { $0.partition.suspension == nil }
    if failed.isEmpty { return }
    func isConcerned(_ fact: NewFact) -> Bool {
      failed.contains { $0.partition === fact.partition }
    }
    let lacking = newFacts.filter {
      isConcerned($0) && $0.position >= $0.partition.head.position.rawValue
    }
    newFacts.removeAll(where: isConcerned)
    unpublished.removeAll { partition in failed.contains { $0.partition === partition } }
    try takeBackAlone(ChangeSet.sum(of: lacking.map(\.changes)))
    for (partition, error) in failed {
      partition.takeBackNew()
      // Submissions that were sent before the next join are ignored.
      renumber(partition)
      partition.suspension = makeSuspension(of: partition.name, because: error)
      // Code that receives a message may close connections.
      for reader in partition.readers.values where isReading(reader) {
        delay(reader, until: partition)
      }
    }
    for fact in lacking { postpone(fact) }
  }

  /// Lets a reader wait until a partition can be reached, its own or one that its commit concerns.
  func delay(_ reader: SyncReader, until suspended: OpenPartition) {
    let partition = reader.partition
    // The log may not have the facts any more.
    let isKnown = reader.sent >= partition.oldest.position.rawValue
    let chain = isKnown ? partition.chain(at: reader.sent) : 0
    delay((reader.session, partition.name, reader.sent, chain), until: suspended)
  }

  /// Lets a session wait until a partition can be reached.
  func delay(_ waiting: Suspension.Waiting, until suspended: OpenPartition) {
    guard let suspension = suspended.suspension else { return }
    let session = waiting.session
    endReader(of: waiting.name, in: session)
    if session.connection.isClosed { return }
    suspension.waiting.append(waiting)
    session.delayed[waiting.name] = suspension
    session.send(.delayed(waiting.name, reason: suspension.error.reasonForUsers))
    if session.readers.isEmpty { emptied.append((session, suspension.error)) }
  }

  /// Ends the waiting of a session for a partition.
  func endDelay(of name: Partition, for session: SyncSession) {
    guard let suspension = session.delayed.removeValue(forKey: name) else { return }
    suspension.waiting.removeAll { $0.session === session && $0.name == name }
  }

  /// Keeps a change of the server itself for the time after the suspension of its partition.
  func postpone(_ fact: NewFact) {
    // Commits are sent again by their authors, and triggers run again with them.
    if fact.submission != nil || fact.isTriggered { return }
    fact.partition.suspension?.changes.append(fact.changes)
  }

  /// Begins another suspension of a partition that still can't be reached.
  func suspendAgain(_ partition: OpenPartition, because error: ChangeLogError) {
    guard let former = partition.suspension else { return }
    let new = makeSuspension(of: partition.name, because: error)
    (new.waiting, new.changes) = (former.waiting, former.changes)
    for waiting in new.waiting { waiting.session.delayed[waiting.name] = new }
    partition.suspension = new
  }

  private func makeSuspension(of name: Partition, because error: ChangeLogError) -> Suspension {
    Suspension(of: name, in: log, every: retryInterval, because: error) { [moved, arrivals] in
      moved.insert(name)
      arrivals.wake()
    }
  }

  /// Ends the suspension of a partition that was read on.
  ///
  /// - Returns: The changes of the server itself that are to be made.
  func resume(_ partition: OpenPartition) -> [ChangeSet] {
    guard let suspension = partition.suspension else { return [] }
    partition.suspension = nil
    noteUse(of: partition)
    resumed += suspension.waiting
    return suspension.changes
  }

  /// Lets the sessions that have waited join again.
  nonisolated(nonsending) func joinAgain() async {
    while !resumed.isEmpty {
      let (session, name, facts, chain) = resumed.removeFirst()
      // It may have left, or joined on its own.
      if session.delayed.removeValue(forKey: name) == nil || session.isEnded { continue }
      do { try await join(name, facts: facts, chain: chain, of: session) } catch {
        end(session, after: error)
      }
    }
  }

  /// Ends the sessions that have nothing but partitions for which they wait.
  func endEmptied() {
    let sessions = emptied
    emptied = []
    for (session, error) in sessions where session.readers.isEmpty && !session.delayed.isEmpty {
      end(session, after: error)
    }
  }
}

extension ChangeLogError {
  /// The description, without the address of a database.
  var reasonForUsers: String {
    if case .unavailable = self { "the server can't reach its log" } else { "\(self)" }
  }
}
