// Open partitions that a shared log can't reach, for instance because one of its databases is down.
//
// Order of events: such a partition is suspended. Its new facts are taken back, its objects stay as the log had
// them last, and its readers wait. A commit that changes it through a trigger isn't decided, and its author waits
// too. After a second, and then after pauses that grow, the log is asked for the head. When it answers, the facts
// that the log has are read, the changes of the server itself are made again, and the readers join again from the
// facts that they were sent: their replicas send again what isn't decided. A session of which no partition is left
// ends, so that its replica may connect to another server.
//
// Invariant: a suspended partition has no new facts and no readers.

internal import Signals

/// The reason why a partition is suspended, and the sessions that wait for it.
final class Suspension {
  /// A session that waits to join a partition, and the facts that its replica has.
  typealias Waiting = (session: SyncSession, name: Partition, facts: UInt64, chain: UInt64)

  let error: ChangeLogError
  /// The sessions that wait, and those that don't any more, which are at most half.
  private(set) var waiting: [Waiting] = []
  private var endedCount = 0
  /// The changes of the server itself that are to be made again.
  var changes: [ChangeSet] = []
  private let asking: Task<Void, Never>

  /// Asks a log for the head of a partition until it answers.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - log: The log.
  ///   - interval: The time before the first question, or `nil` to ask none.
  ///   - error: Why it is suspended.
  ///   - onAnswer: Called on any thread when the log has answered.
  init(
    of partition: Partition, in log: any ChangeLog, after interval: Duration?,
    because error: ChangeLogError, onAnswer: @escaping @Sendable () -> Void
  ) {
    self.error = error
    asking = Task {
      guard var interval else { return }
      while !Task.isCancelled {
        try? await Task.sleep(for: interval)
        do throws(ChangeLogError) {
          _ = try await log.head(of: partition)
          return onAnswer()
        } catch {
          if error == .closed { return }
        }
        interval = min(interval * 2, .seconds(8))
      }
    }
  }

  deinit { asking.cancel() }

  func add(_ join: Waiting) {
    waiting.append(join)
    join.session.delayed[join.name] = self
  }

  /// Notes that a session waits no more.
  func didEnd() {
    endedCount += 1
    if 2 * endedCount <= waiting.count { return }
    waiting.removeAll { $0.session.delayed[$0.name] !== self }
    endedCount = 0
  }
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
      partition.suspension = makeSuspension(of: partition, because: error)
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
    endDelay(of: waiting.name, for: session)
    suspension.add(waiting)
    session.send(.delayed(waiting.name, reason: suspension.error.reasonForUsers))
    if session.readers.isEmpty { emptied.append(session) }
  }

  /// Ends the waiting of a session for a partition.
  func endDelay(of name: Partition, for session: SyncSession) {
    session.delayed.removeValue(forKey: name)?.didEnd()
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
    let new = makeSuspension(of: partition, because: error)
    new.changes = former.changes
    for join in former.waiting where join.session.delayed[join.name] === former { new.add(join) }
    partition.suspension = new
  }

  private func makeSuspension(
    of partition: OpenPartition, because error: ChangeLogError
  ) -> Suspension {
    let name = partition.name
    // The head may be read though nothing can be appended.
    let interval = retryInterval.map { $0 * (1 << min(partition.failureCount, 5)) }
    partition.failureCount += 1
    return Suspension(of: name, in: log, after: interval, because: error) { [answered, arrivals] in
      answered.insert(name)
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
    for join in suspension.waiting where join.session.delayed[join.name] === suspension {
      join.session.delayed[join.name] = nil
      resumed.append(join)
    }
    // It may have been dropped, because its facts can't be applied.
    return partitions[partition.name] === partition ? suspension.changes : []
  }

  /// Lets the sessions that have waited join again.
  nonisolated(nonsending) func joinAgain() async {
    let joins = resumed
    resumed = []
    for (session, name, facts, chain) in joins {
      // A partition is read without new facts.
      await appendNewFacts()
      // It may have left, or joined on its own.
      let isWaiting = session.readers[name] == nil && session.delayed[name] == nil
      if !isWaiting || session.isEnded || session.connection.isClosed { continue }
      do {
        try await join(name, facts: facts, chain: chain, of: session, isKnown: true)
        session.readers[name]?.mayLack = true
      } catch {
        end(session, after: error)
      }
    }
  }

  /// Ends the sessions that have nothing but partitions for which they wait.
  func endEmptied() {
    let sessions = emptied
    emptied = []
    for session in sessions where session.readers.isEmpty {
      if let error = session.delayed.values.first?.error { end(session, after: error) }
    }
  }
}

extension ChangeLogError {
  /// The description, without the address of a database.
  var reasonForUsers: String {
    if case .unavailable = self { "the server can't reach its log" } else { "\(self)" }
  }
}
