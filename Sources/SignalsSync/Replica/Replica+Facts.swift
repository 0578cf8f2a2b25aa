// Applying facts below the pending commits.
//
// Order of events, in one transaction: the overlay is reverted; added objects whose submission was
// refused are deleted; the facts are applied, which is exact; the remaining commits are applied
// again, and their net changes are the new overlay. When the commit is sealed, `didApply` replaces the
// state of the replica, before an effect can make another commit. Refusals and losses are sent last.
//
// Added objects stay in the store meanwhile, so that links to them, and their places, are kept.

internal import Signals

extension Replica {
  /// Receives a message of the server.
  func receive(_ bytes: [UInt8]) {
    do {
      switch try SyncCoding.decode(ServerMessage.self, from: bytes) {
      case .state(let partition, let facts, let state):
        let entry = entry(partition)
        // It may be late, after the replica has left and joined again.
        if entry.facts == 0 { try apply(state, of: entry, answering: [], at: facts) }
        didJoin(entry)
      case .facts(let partition, let first, let facts):
        let entry = entry(partition)
        if first > entry.facts { return disconnect() }
        // After a reconnection some may be known.
        let new = try facts.dropFirst(Int(clamping: entry.facts - first)).map {
          try SyncCoding.decode(Fact.self, from: $0)
        }
        try apply(
          ChangeSet.sum(of: new.map(\.changes)), of: entry, answering: new,
          at: max(entry.facts, first + UInt64(facts.count)))
        didJoin(entry)
      case .closed(let partition, let reason):
        let entry = entry(partition)
        if entry.isWanted { entry.state.value = .refused(reason) }
      }
    } catch {
      disconnect()
    }
  }

  private func didJoin(_ entry: ReplicaPartition) {
    if !entry.isWanted || entry.state.peek() == .joined { return }
    entry.state.value = .joined
    send(pending.filter { $0.partition == entry.partition })
  }

  /// Applies confirmed changes of a partition, below the commits that are still pending.
  private func apply(
    _ confirmed: ChangeSet, of entry: ReplicaPartition, answering facts: [Fact],
    at position: UInt64
  ) throws {
    var rest = pending
    let answered = try takeAnswered(facts, in: entry, from: &rest)
    let remaining = ChangeSet.sum(of: rest.map(\.changes))
    let confirmedIDs = Set(confirmed.inserted.map(\.id))
    let stillAdded = added.intersection(remaining.inserted.map(\.id)).subtracting(confirmedIDs)
    let doomed = added.subtracting(stillAdded).subtracting(confirmedIDs)
    let reversal = ChangeSet.sum(of: overlay).inverted().changes + doomed.map { deletion(of: $0) }
    defer { didApply = nil }
    try store.write(origin: .sync, undoable: false) {
      try apply(ChangeSet(reversal, origin: nil), keys: .theirs)
      try apply(confirmed, keys: .theirs)
      // A pending commit never takes the primary key of a confirmed object.
      let new = try store.netChanges { try apply(remaining, keys: .mine) }
      // One whose primary key is taken is gone.
      let kept = stillAdded.filter { id in untracked { store.object(id) } != nil }
      didApply = { [unowned self] in
        (pending, added, overlay) = (rest, kept, [])
        let others = keepingAdded(new)
        if !others.isEmpty { overlay = [others] }
        pendingIDs = Set(rest.lazy.flatMap(\.changes.changes).map(\.id))
        entry.facts = position
      }
    }
    // The facts had no net change.
    didApply.take()?()
    publish()
    for fact in facts { report(fact, answering: answered[fact.number], in: entry.partition) }
  }

  private func apply(_ changes: ChangeSet, keys policy: ConflictPolicy) throws {
    if changes.isEmpty { return }
    try store.apply(changes, undoable: false, onConflict: .theirs, keys: policy)
  }

  private func deletion(of id: ObjectID) -> ObjectChange {
    let object = untracked { store.object(id) }
    return ObjectChange(
      id: id, kind: .deleted, properties: [], type: object.map { type(of: $0) } ?? Object.self)
  }

  /// Removes the submissions that facts answer, and returns them by their numbers.
  private func takeAnswered(
    _ facts: [Fact], in entry: ReplicaPartition, from rest: inout [Submission]
  ) throws -> [UInt64: Submission] {
    let numbers = facts.lazy.filter { $0.author == self.author }.map(\.number)
    guard let last = numbers.last else { return [:] }
    var answered: [UInt64: Submission] = [:]
    rest.removeAll { submission in
      guard submission.partition == entry.partition, submission.number <= last else { return false }
      answered[submission.number] = submission
      return true
    }
    // Each is answered by its own fact.
    if !answered.keys.allSatisfy(Set(numbers).contains) {
      throw SyncMessageError(reason: "submissions of \(entry.partition) weren't answered")
    }
    return answered
  }

  /// Sends what this replica has lost by a fact.
  private func report(_ fact: Fact, answering submission: Submission?, in partition: Partition) {
    let submission = fact.author == author ? submission : nil
    if let reason = fact.refusal, let submission {
      refusalObservers.send(
        SyncRefusal(partition: partition.name, changes: submission.changes, reason: reason))
    }
    for loss in fact.losses where loss.author == author {
      // The fact of another replica has replaced the value.
      let property = (submission?.changes ?? fact.changes)[loss.object]?[loss.property]
      lossObservers.send(
        SyncLoss(
          partition: partition.name, object: loss.object, property: loss.property,
          value: submission == nil ? property?.old : property?.new))
    }
  }
}
