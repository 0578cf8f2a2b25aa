// One log for several servers.
//
// Order of events: the log notifies the server that a partition may have further facts. Before it handles
// messages, the server applies these facts as they are, and sends them to its readers. An append that finds
// another head was decided without the facts of others: all new facts are taken back, the others' facts are
// applied, and the submissions are decided again.
//
// Invariant: while facts of others are applied, their partition has no new facts.

internal import Signals
import Synchronization

/// The partitions whose logs may have further facts, as any thread may say.
final class MovedPartitions: Sendable {
  private let names = Mutex<Set<Partition>>([])

  func insert(_ name: Partition) { names.withLock { _ = $0.insert(name) } }

  /// Returns the partitions since the last call.
  func take() -> Set<Partition> {
    names.withLock { names in
      defer { names = [] }
      return names
    }
  }
}

/// A fact that the log may lack, with everything to decide about it again.
struct NewFact {
  /// The number of the decision that has made it, with others in other partitions perhaps.
  let decision: Int
  let partition: OpenPartition
  /// The number of facts before.
  let position: UInt64
  let changes: ChangeSet
  /// The submission, of a fact that has an author.
  let submission: (ReceivedSubmission, SyncSession)?
  /// Whether a trigger has made the changes, and makes them again.
  let isTriggered: Bool
}

extension SyncServer {
  /// Follows the log of a partition, if others may append to it.
  func follow(_ partition: OpenPartition) {
    guard let sharedLog else { return }
    let name = partition.name
    partition.following = sharedLog.follow(name) { [moved, arrivals] in
      moved.insert(name)
      arrivals.wake()
    }
  }

  /// Applies the facts of other servers that the log says it has.
  nonisolated(nonsending) func readMoved() async {
    let (names, answers) = (moved.take(), answered.take())
    if names.isEmpty, answers.isEmpty { return }
    // Appends of others don't show that a suspended one can be appended to here.
    await readOn(names.compactMap { partitions[$0] }.filter { $0.suspension == nil })
    await readOn(answers.compactMap { partitions[$0] })
    await joinAgain()
  }

  /// Applies the facts that the log has beyond those of partitions without new facts, and sends them.
  ///
  /// Partitions that the log can't reach are suspended, and others aren't any more.
  ///
  /// - Returns: Whether the facts could be read and applied. If not, all partitions are forgotten.
  @discardableResult
  nonisolated(nonsending) func readOn(_ partitions: [OpenPartition]) async -> Bool {
    do {
      var made: [ChangeSet] = []
      for partition in partitions {
        do {
          try await readOn(partition, adding: &made)
          made += resume(partition)
        } catch let error as ChangeLogError where error.mayPass && partition.suspension != nil {
          // A new suspension asks again.
          suspendAgain(partition, because: error)
        } catch let error as ChangeLogError where error.mayPass {
          try suspend([(partition, error)])
        }
      }
      for changes in made { try decide(changes) }
      return true
    } catch {
      reset(after: error)
      return false
    }
  }

  private nonisolated(nonsending) func readOn(
    _ partition: OpenPartition, adding made: inout [ChangeSet]
  ) async throws {
    let name = partition.name
    // Later facts are read next time, so that others that append all the time don't hold this server up.
    let end = try await log.head(of: name)
    while partition.head.position < end.position {
      let entries = try await log.entries(
        of: name, from: partition.head.position,
        limit: min(1_000, partition.head.position.distance(to: end.position))
      ).map(\.bytes)
      if entries.isEmpty { break }
      let first = partition.head.position.rawValue
      do {
        var names = try ChangeReader(after: partition.names)
        for bytes in entries {
          let (fact, changes) = try Fact.read(bytes, &names)
          if names.hasUnknown { throw unknownNames }
          try apply(fact, changing: exact(changes), in: partition, adding: &made)
          partition.head = partition.head.after(bytes)
          partition.addChains(of: [bytes])
        }
        partition.names = ChangeWriter(after: names)
      } catch {
        return try drop(partition, because: error)
      }
      partition.state = nil
      send(entries, from: first, in: partition)
    }
    // A database that has lost commits has another history.
    if partition.head != end { throw ChangeLogError.otherHistory(name, position: end.position) }
  }

  /// Closes a partition whose facts can't be applied here, and keeps the links of others to its objects
  /// waiting.
  private func drop(_ partition: OpenPartition, because error: any Error) throws {
    let name = partition.name
    for reader in partition.readers.values {
      reader.session.send(.closed(name, reason: "\(error)"))
      endReader(of: name, in: reader.session)
    }
    let objects = untracked { table.objects(of: name).compactMap { store.object($0) } }
    let deletions = objects.map {
      ObjectChange(id: $0.objectID, kind: .deleted, properties: [], type: type(of: $0))
    }
    let net = try changes {
      try store.apply(ChangeSet(deletions, origin: nil), undoable: false, onConflict: .theirs)
    }
    forget(partition)
    try takeBack(net.filter { $0.partition != name })
  }

  /// Applies a fact of another server as it is.
  ///
  /// Links that waited for its objects here, and not at the other server, are set with it. They are added to
  /// `made` and taken back, because the log may have further facts.
  private func apply(
    _ fact: Fact, changing changes: ChangeSet, in partition: OpenPartition,
    adding made: inout [ChangeSet]
  ) throws {
    let net = try self.changes {
      try store.write(undoable: false) {
        let report = try store.apply(changes, undoable: false, onConflict: .theirs)
        if let conflict = report.conflicts.first(where: \.isOfIdentity) {
          // An object of another partition has its id or its key.
          throw Refusal(description: "a fact of \(partition.name) can't be applied: \(conflict)")
        }
      }
    }
    partition.note(fact, changes)
    endLostRights(by: partition)
    if let user = fact.user { noteOwner(user, of: fact.author) }
    let further = changes.inverted().merging(ChangeSet.sum(of: net.map(\.changes)))
    if further.isEmpty { return }
    made.append(further)
    try takeBack([(partition.name, further)])
  }

  /// Makes changes of the server itself.
  private func decide(_ made: ChangeSet) throws {
    // A write of others that came meanwhile lives.
    let net = try changes { try store.apply(made, undoable: false, onConflict: .mine) }
    try append(try facts(of: net, at: now()))
  }

  /// Decides again about the facts that the log lacks, after an append that found another head.
  nonisolated(nonsending) func decideAgain() async throws {
    let lacking = newFacts.filter { $0.position >= $0.partition.head.position.rawValue }
    (newFacts, unpublished) = ([], [])
    try takeBackAlone(ChangeSet.sum(of: lacking.map(\.changes)))
    var touched: [OpenPartition] = []
    for fact in lacking where !touched.contains(where: { $0 === fact.partition }) {
      touched.append(fact.partition)
      fact.partition.takeBackNew()
      fact.partition.endReadersAtLast()
    }
    guard await readOn(touched) else { return }
    // Those of partitions that can't be open any more aren't decided.
    for fact in lacking where partitions[fact.partition.name] === fact.partition {
      if fact.partition.suspension != nil {
        postpone(fact)
        continue
      }
      if let (submission, session) = fact.submission {
        // A replica that is gone sends it again, and one that waits does. An append of several partitions may have
        // put it into the log.
        let last = fact.partition.answers.authors[submission.key.author]?.number ?? 0
        let isGone = session.isEnded || session.connection.isClosed
        if isGone || submission.key.number != last + 1 { continue }
        if let reader = session.readers[fact.partition.name], reader.end != nil {
          reader.hasIgnored = true
          continue
        }
        do { try await commit(submission, to: fact.partition.name, of: session) } catch {
          guard let error = error as? ChangeLogError, error.mayPass else { throw error }
          end(session, after: error)
        }
      } else if !fact.isTriggered {
        try decide(fact.changes)
      }
    }
  }

  /// Takes changes back without those that follow in partitions whose facts the log has: there, links to
  /// objects that are gone wait.
  func takeBackAlone(_ made: ChangeSet) throws {
    func apply(_ changes: ChangeSet) throws -> ChangeSet {
      ChangeSet.sum(
        of: try self.changes {
          let report = try store.apply(changes, undoable: false, onConflict: .theirs)
          if let conflict = report.conflicts.first(where: \.isOfIdentity) {
            throw Refusal(description: "a decision can't be taken back: \(conflict)")
          }
        }.map(\.changes))
    }
    let further = made.merging(try apply(made.inverted()))
    if !further.isEmpty { _ = try apply(further.inverted()) }
  }
}
