// Opening a partition: its log is applied to the store.
//
// Order of events: the snapshot is read, and then the head; the facts before the snapshot are known for the
// conflicts of later ones alone; the state of the snapshot and the facts after it are applied in one commit.

internal import Signals

extension SyncServer {
  /// Returns a partition, whose log is applied to the store when it is first opened.
  nonisolated(nonsending) func open(_ name: Partition) async throws -> OpenPartition {
    var attempts = 0
    while true {
      do { return try await read(name) } catch {
        // Another server has replaced the snapshot meanwhile.
        guard sharedLog != nil, case .truncated? = error as? ChangeLogError, attempts < 10
        else {
          throw error
        }
        attempts += 1
      }
    }
  }

  private nonisolated(nonsending) func read(_ name: Partition) async throws -> OpenPartition {
    if let known = partitions[name] { return known }
    let partition = makePartition(name)
    partition.tail.limit = smallestTail
    // Before the head is read, so that no later fact is missed.
    follow(partition)
    var names = ChangeReader()
    var (state, hasUnknown) = ((start: LogHead, reader: ByteReader)?.none, false)
    let snapshot = try await log.snapshot(of: name)
    // After the snapshot, so that it isn't before it.
    let end = try await log.head(of: name)
    if let snapshot {
      let begun = try partition.begin(with: snapshot)
      (names, state) = (begun.names, (snapshot.head, begun.state))
    }
    var facts: [(fact: Fact?, changes: [SharedChange])] = []
    var position = partition.oldest.position
    while position < end.position || state != nil {
      let last = state?.start.position ?? end.position
      if position == last, var reader = state?.reader {
        // The facts before are known for the conflicts of later ones alone.
        for case (let fact?, let changes) in facts { partition.note(fact, exact(changes)) }
        let answers = try PartitionAnswers(from: &reader)
        names = try ChangeReader(namesFrom: &reader)
        partition.resume(with: answers, names)
        // The classes that the state describes have no numbers in facts.
        var all = names
        (facts, state) = ([(nil, try all.read(&reader, arriving: isNew).changes)], nil)
        hasUnknown = all.hasUnknown
        continue
      }
      let entries: [LogEntry]
      do throws(ChangeLogError) {
        entries = try await log.entries(
          of: name, from: position, limit: min(1_000, position.distance(to: last)))
      } catch {
        // Another server has stored a later snapshot before, and truncated the log. The state is enough.
        guard case .truncated = error, let start = state?.start else { throw error }
        partition.beginLater(at: start)
        (position, facts) = (start.position, [])
        continue
      }
      // Those before the snapshot aren't applied.
      let isApplied = state == nil
      facts += try entries.map {
        try Fact.read($0.bytes, &names, arriving: { isApplied && isNew($0) })
      }
      partition.addChains(of: entries.map(\.bytes))
      position = position.advanced(by: entries.count)
    }
    if names.hasUnknown || hasUnknown { throw unknownNames }
    // The entries have the hash that the log says.
    if partition.chain(at: end.position.rawValue) != end.chain {
      throw ChangeLogError.otherHistory(name, position: end.position)
    }
    let net = try apply(facts, to: partition)
    for (id, author) in partition.answers.authors { noteOwner(author.user, of: id) }
    (partition.head, partition.names) = (end, ChangeWriter(after: names))
    add(partition)
    noteUse(of: partition)
    // Links in other partitions that waited for the objects are set.
    try append(try self.facts(of: net, at: now()))
    return partition
  }

  var unknownNames: SyncMessageError {
    SyncMessageError(reason: "the log has classes or values that the server lacks")
  }

  /// Applies the facts of a partition, all or none.
  ///
  /// - Returns: The net changes of other partitions.
  private func apply(
    _ facts: [(fact: Fact?, changes: [SharedChange])], to partition: OpenPartition
  ) throws -> [(partition: Partition, changes: ChangeSet)] {
    try changes(except: partition.name) {
      try store.write(undoable: false) {
        for (fact, changes) in facts {
          let exact = exact(changes)
          let report = try store.apply(
            exact, arriving: changes.arriving, undoable: false, onConflict: .theirs,
            keys: .theirs)
          if let conflict = report.conflicts.first(where: \.isOfIdentity) {
            // An object of another partition has its id or its key.
            throw Refusal(description: "\(partition.name) can't be opened: \(conflict)")
          }
          if let fact { partition.note(fact, exact) }
        }
      }
    }
  }

  private func isNew(_ id: ObjectID) -> Bool { untracked { store.object(id) } == nil }

  func exact(_ changes: [SharedChange]) -> ChangeSet {
    ChangeSet(untracked { changes.map { $0.change(in: store) } }, origin: nil)
  }
}
