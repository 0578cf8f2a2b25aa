// Applying facts below the pending commits.
//
// Order of events, in one transaction: the overlay is reverted; added objects whose submission was
// refused are deleted; links wait again for their targets; the facts are applied, which is exact; the
// remaining commits are applied again, and their net changes are the new overlay. When the commit is
// sealed, `didApply` replaces the state of the replica and saves the facts, before an effect can make
// another commit. Refusals and losses are sent last.
//
// Added objects stay in the store meanwhile, so that links to them, and their places, are kept.

internal import Signals

extension Replica {
  /// Receives a message of the server.
  func receive(_ bytes: [UInt8]) {
    do {
      switch try ServerMessage(bytes) {
      case .welcome(let versions):
        _ = try SyncVersion.common(with: versions)
        didConnect()
      case .named(let partition, let number, let facts):
        let entry = entry(partition)
        (entry.serverNumber, entry.expected) = (number, facts)
        numbered[number] = entry
      case .state(let number, let facts, let chain, let state):
        try receive(
          state, at: LogHead(position: LogPosition(rawValue: facts), chain: chain),
          of: partition(number))
      case .facts(let number, let first, let facts):
        try receive(facts, from: first, of: partition(number))
      case .closed(let partition, let reason):
        let entry = entry(partition)
        if entry.isWanted { (entry.state.value, entry.present.value) = (.refused(reason), [:]) }
      case .users(let number, let isAll, let present, let gone):
        let entry = try self.partition(number)
        if !entry.isWanted { break }
        var users = isAll ? [:] : entry.present.peek()
        for (user, status) in present { users[user] = status }
        for user in gone { users[user] = nil }
        entry.present.value = users
      case .ended(let reason): throw SyncConnectionError.ended(reason: reason)
      }
    } catch {
      disconnect(error)
    }
  }

  private func partition(_ number: UInt64) throws -> ReplicaPartition {
    guard let entry = numbered[number] else {
      throw SyncMessageError(reason: "there is no partition \(number)")
    }
    return entry
  }

  private func receive(_ state: [UInt8], at head: LogHead, of entry: ReplicaPartition) {
    // It may be late, after the replica has left and joined again.
    if !entry.isWanted { return }
    if entry.facts > 0 {
      if head.position.rawValue > entry.facts { sendJoin(entry) }
      return
    }
    do {
      let (names, changes) = try Self.read(state)
      try apply([(nil, changes)], of: entry, names, at: head) { [file] in
        file?.append(state, at: head, of: entry.partition)
      }
      didJoin(entry)
    } catch {
      leave(entry, with: .refused("\(error)"))
    }
  }

  /// Reads the state of a partition.
  static func read(_ state: [UInt8]) throws -> (names: ChangeReader, changes: [SharedChange]) {
    var reader = ByteReader(state)
    let names = try ChangeReader(namesFrom: &reader)
    var allNames = names
    return (names, try allNames.read(&reader).changes)
  }

  private func receive(_ facts: [[UInt8]], from first: UInt64, of entry: ReplicaPartition) throws {
    // The replica has left, or joins again.
    if !entry.isWanted || entry.state.peek() == .joining && first > entry.facts { return }
    if first > entry.facts {
      throw SyncMessageError(reason: "facts of \(entry.partition) are missing")
    }
    do {
      var (names, head) = (entry.names, entry.head)
      // After a reconnection some may be known.
      let unknown = Array(facts.dropFirst(Int(clamping: entry.facts - first)))
      let new = try unknown.map {
        let (fact, changes) = try Fact.read($0, &names)
        head = head.after($0)
        return (Fact?.some(fact), changes)
      }
      try apply(new, of: entry, names, at: head) { [file] in
        file?.append(unknown, of: entry.partition)
      }
      didJoin(entry)
    } catch {
      leave(entry, with: .refused("\(error)"))
    }
  }

  private func didJoin(_ entry: ReplicaPartition) {
    // An effect of the facts may have left, or closed the connection.
    guard entry.isWanted, entry.serverNumber != nil, entry.state.peek() != .joined,
      entry.facts >= entry.expected
    else { return }
    // First, because an effect that runs when the partition is joined may make commits.
    send(pending.filter { $0.partition == entry.partition })
    if !entry.status.isEmpty { sendStatus(of: entry) }
    entry.state.value = .joined
  }

  /// Applies facts of a partition, or its state, below the commits that are still pending.
  ///
  /// - Parameter save: Called when the facts are in the store.
  func apply(
    _ facts: [(fact: Fact?, changes: [SharedChange])], of entry: ReplicaPartition,
    _ names: ChangeReader, at head: LogHead, save: @escaping () -> Void = {}
  ) throws {
    var rest = pending
    let answered = try takeAnswered(facts.compactMap(\.fact), in: entry, from: &rest)
    let remaining = ChangeSet.sum(of: rest.map(\.changes))
    var confirmed: Set<ObjectID> = []
    for (_, changes) in facts where !added.isEmpty {
      for change in changes where change.form == .inserted { confirmed.insert(change.id) }
    }
    let stillAdded = added.intersection(remaining.inserted.map(\.id)).subtracting(confirmed)
    let doomed = added.subtracting(stillAdded).subtracting(confirmed)
    var losses: [SyncLoss] = []
    defer { didApply = nil }
    try store.write(origin: .sync, undoable: false) {
      try apply(
        ChangeSet(
          ChangeSet.sum(of: overlay).inverted().changes + doomed.map { deletion(of: $0) },
          origin: nil), keys: .theirs)
      store.waitAgain(waiting, linking: [])
      for (fact, changes) in facts {
        if let fact {
          losses += self.losses(by: fact, answering: answered[fact.key], in: entry.partition)
        }
        try apply(exactly: changes, keys: .theirs)
      }
      // These objects are here already.
      store.waitAgain(store.allWaitingLinks, linking: added.intersection(confirmed))
      let waiting = store.allWaitingLinks
      let new = try store.netChanges {
        store.waitAgain(waiting, linking: stillAdded)
        // A pending commit never takes the primary key of a confirmed object.
        try apply(remaining, keys: .mine)
      }
      // One whose primary key is taken is gone.
      let kept = stillAdded.filter { id in untracked { store.object(id) } != nil }
      didApply = { [unowned self] in
        (added, self.waiting) = (kept, waiting)
        keep(rest, overlay: new)
        (entry.head, entry.names) = (head, names)
        save()
      }
    }
    // The facts had no net change.
    didApply.take()?()
    publish()
    for fact in facts.compactMap(\.fact) {
      if let reason = fact.refusal, let submission = answered[fact.key] {
        refusalObservers.send(
          SyncRefusal(
            partition: entry.partition.name, changes: submission.changes, reason: reason))
      }
    }
    for loss in losses { lossObservers.send(loss) }
    compactIfDue()
  }

  /// Applies changes that another process has written, as changes of the present values.
  @discardableResult
  func apply(exactly changes: [SharedChange], keys policy: ConflictPolicy) throws -> ChangeSet {
    let exact = ChangeSet(untracked { changes.map { $0.change(in: store) } }, origin: nil)
    try apply(exact, keys: policy)
    return exact
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

  /// Removes the submissions that facts answer, and returns them.
  private func takeAnswered(
    _ facts: [Fact], in entry: ReplicaPartition, from rest: inout [Submission]
  ) throws -> [Submission.Key: Submission] {
    var last: [UInt64: UInt64] = [:]
    for fact in facts where authors.contains(fact.author) { last[fact.author] = fact.number }
    if last.isEmpty { return [:] }
    var answered: [Submission.Key: Submission] = [:]
    rest.removeAll { submission in
      guard submission.partition == entry.partition,
        submission.number <= last[submission.author] ?? 0
      else { return false }
      answered[submission.key] = submission
      return true
    }
    // Each is answered by its own fact.
    if !answered.keys.allSatisfy(Set(facts.map(\.key)).contains) {
      throw SyncMessageError(reason: "submissions of \(entry.partition) weren't answered")
    }
    return answered
  }

  /// Returns what this replica loses by a fact that isn't applied yet.
  private func losses(
    by fact: Fact, answering submission: Submission?, in partition: Partition
  ) -> [SyncLoss] {
    fact.losses.filter { authors.contains($0.author) }.map { loss in
      var value: (any FieldValue)?
      if authors.contains(fact.author) {
        value = submission?.changes[loss.object]?[loss.property]?.new
      } else if let object = untracked({ store.object(loss.object) }) {
        // The fact of another replica replaces the value.
        let property = Schema.shared(of: type(of: object)).encodedProperties.first {
          $0.name == loss.property
        }
        value = property.flatMap { $0.encodedValue(of: $0.value(in: object)) }
      }
      return SyncLoss(
        partition: partition.name, object: loss.object, property: loss.property, value: value)
    }
  }
}
