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
        // All messages about the partition from now on follow from the last join.
        (entry.serverNumber, entry.expected, entry.arriving) = (number, facts, nil)
        numbered[number] = entry
        if case .delayed = entry.state.peek() {
          entry.begin = entry.facts
          entry.state.value = .joining(progress: 0)
        }
      case .state(let number, let head, let size, let bytes):
        try receive(bytes, ofSize: size, at: head, of: partition(number))
      case .facts(let number, let first, let facts):
        try receive(facts, from: first, of: partition(number))
      case .closed(let partition, let reason, let answers):
        let entry = entry(partition)
        if !entry.isWanted { break }
        try batch {
          if !answers.isEmpty {
            var reader = ByteReader(answers)
            try refusePending(of: entry, after: PartitionAnswers(from: &reader), reason)
          }
          // A partition that is being left may still have pending commits, if it can't be opened.
          if leaving.contains(entry.partition) { return leave(entry, with: .notJoined) }
          if entry.isWanted { (entry.state.value, entry.present.value) = (.refused(reason), [:]) }
        }
      case .users(let number, let isAll, let present, let gone):
        let entry = try self.partition(number)
        if !entry.isWanted { break }
        var users = isAll ? [:] : entry.present.peek()
        for (user, status) in present { users[user] = status }
        for user in gone { users[user] = nil }
        entry.present.value = users
      case .delayed(let partition, let reason):
        let entry = entry(partition)
        if !entry.isWanted { break }
        (entry.serverNumber, entry.arriving) = (nil, nil)
        batch { (entry.state.value, entry.present.value) = (.delayed(reason), [:]) }
      case .ended(let reason): throw SyncConnectionError.ended(reason: reason)
      }
    } catch {
      disconnect(error)
    }
  }

  /// Takes back the pending commits of a partition that the user may not read, as refused unless the
  /// server has decided about them before.
  private func refusePending(
    of entry: ReplicaPartition, after answers: PartitionAnswers, _ reason: String
  ) throws {
    let rest = pending.filter { $0.partition == entry.partition }
    if rest.isEmpty { return }
    let facts =
      answers.notices.map(\.fact)
      + rest.map { submission in
        var fact = Fact(author: submission.author, number: submission.number, time: 0)
        if fact.number > answers.authors[fact.author]?.number ?? 0 { fact.refusal = reason }
        return fact
      }
    let last = answers.authors[author]?.number ?? 0
    try apply(facts.map { ($0, []) }, of: entry, entry.names, at: entry.head) { [file] _ in
      // The server doesn't know the numbers of the refused ones.
      entry.number = last
      file?.appendRefusal(of: entry.partition)
    }
  }

  private func partition(_ number: UInt64) throws -> ReplicaPartition {
    guard let entry = numbered[number] else {
      throw SyncMessageError(reason: "there is no partition \(number)")
    }
    return entry
  }

  /// Receives a part of a state.
  private func receive(
    _ bytes: [UInt8], ofSize size: Int, at head: LogHead, of entry: ReplicaPartition
  ) throws {
    // It may be late, after the replica has left and joined again.
    if !entry.isWanted || head.position.rawValue <= entry.facts { return }
    var arriving = entry.arriving ?? (head, [])
    if arriving.head != head { arriving = (head, []) }
    entry.arriving = nil
    arriving.bytes += bytes
    if arriving.bytes.count < size, !bytes.isEmpty {
      entry.setProgress(Double(arriving.bytes.count) / Double(size))
      entry.arriving = arriving
      return
    }
    guard arriving.bytes.count == size else {
      throw SyncMessageError(reason: "a state of \(entry.partition) has another size")
    }
    receive(arriving.bytes, at: head, of: entry)
  }

  private func receive(_ state: [UInt8], at head: LogHead, of entry: ReplicaPartition) {
    do {
      let (answers, names, changes) = try read(state)
      try apply(answers.map { ($0, []) } + [(nil, changes)], of: entry, names, at: head) {
        [file] in file?.append(state, at: head, of: entry.partition, pending: $0)
      }
      didJoin(entry)
    } catch {
      leave(entry, with: .refused("\(error)"))
    }
  }

  /// Reads the state of a partition, and the answers to submissions as facts without changes.
  func read(
    _ state: [UInt8]
  ) throws -> (answers: [Fact], names: ChangeReader, changes: [SharedChange]) {
    var reader = ByteReader(state)
    let answers = try PartitionAnswers(from: &reader).facts
    var names = try ChangeReader(namesFrom: &reader)
    var allNames = names
    let changes = try allNames.read(&reader, arriving: isNew).changes
    names.hasUnknown = allNames.hasUnknown
    return (answers, names, changes)
  }

  /// Whether no object has an id, stored or deleted by a pending commit.
  func isNew(_ id: ObjectID) -> Bool {
    untracked { store.object(id) } == nil && deleted[id] == nil
  }

  private func receive(_ facts: [[UInt8]], from first: UInt64, of entry: ReplicaPartition) throws {
    // The replica has left, or joins again.
    if !entry.isWanted || entry.state.peek().isUnderWay && first > entry.facts { return }
    if first > entry.facts {
      throw SyncMessageError(reason: "facts of \(entry.partition) are missing")
    }
    do {
      var (names, head) = (entry.names, entry.head)
      // After a reconnection some may be known.
      let unknown = Array(facts.dropFirst(Int(clamping: entry.facts - first)))
      let new = try unknown.map {
        let (fact, changes) = try Fact.read($0, &names, arriving: isNew)
        head = head.after($0)
        return (Fact?.some(fact), changes)
      }
      try apply(new, of: entry, names, at: head) { [file] _ in
        file?.append(unknown, of: entry.partition)
      }
      if entry.expected > entry.begin, entry.expected < .max {
        let (known, all) = (entry.facts - entry.begin, entry.expected - entry.begin)
        entry.setProgress(Double(known) / Double(all))
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
    // First, because an effect that runs when the partition is joined may make commits. The encoding of
    // a value may make some, too.
    var last = entry.number
    send(pending.filter { $0.partition == entry.partition })
    while last < entry.number {
      let next = pending.filter {
        $0.partition == entry.partition && $0.author == author && $0.number > last
      }
      last = entry.number
      send(next)
    }
    if !entry.status.isEmpty { sendStatus(of: entry) }
    entry.state.value = .joined
  }

  /// Applies facts of a partition, or its state without a fact, below the commits that are still
  /// pending.
  ///
  /// - Parameter save: Called when the facts are in the store, with the commits that are pending on a
  ///   state.
  func apply(
    _ facts: [(fact: Fact?, changes: [SharedChange])], of entry: ReplicaPartition,
    _ names: ChangeReader, at head: LogHead, save: @escaping ([Submission]) -> Void = { _ in }
  ) throws {
    var answered: [Submission.Key: Submission] = [:]
    var losses: [SyncLoss] = []
    // The end of a value may write, and then changes these.
    let former = (pending, overlay)
    defer { withExtendedLifetime(former) {} }
    // Effects run when all is done, since they may write.
    try batch {
      defer { didApply = nil }
      try store.write(origin: .sync, undoable: false) {
        var rest = pending
        let isState = facts.contains { $0.fact == nil }
        answered = try takeAnswered(
          facts.compactMap(\.fact), byState: isState, in: entry, from: &rest)
        var confirmed: Set<ObjectID> = []
        for (_, changes) in facts where !added.isEmpty {
          for change in changes where change.form == .inserted { confirmed.insert(change.id) }
        }
        let unconfirmed = added.subtracting(confirmed)
        var remaining = ChangeSet.sum(of: rest.map(\.changes))
        let stillAdded = unconfirmed.intersection(remaining.inserted.map(\.id))
        let doomed = unconfirmed.subtracting(stillAdded)
        try apply(
          ChangeSet(
            ChangeSet.sum(of: overlay).inverted().changes + doomed.map { deletion(of: $0) },
            origin: nil), keys: .theirs)
        store.waitAgain(waiting, linking: [])
        for (fact, changes) in facts {
          if let fact {
            losses += self.losses(by: fact, of: answered, byState: isState, in: entry.partition)
            let others = changes.filter { !$0.setFields(in: store) }
            try apply(exactly: others, keys: .theirs)
          } else {
            let known = confirmedObjects(of: entry).subtracting(stillAdded)
            let gone = known.subtracting(changes.lazy.map(\.id))
            try apply(ChangeSet(gone.map { deletion(of: $0) }, origin: nil), keys: .theirs)
            // The state has the targets for which they wait.
            for id in known { untracked { store.object(id) }.map { store.stopWaiting($0) } }
            try apply(exactly: changes, keys: .theirs)
          }
        }
        // These objects are here already.
        store.waitAgain(store.allWaitingLinks, linking: added.intersection(confirmed))
        let waiting = store.allWaitingLinks
        // The server may have these commits already, with their former base.
        let isRebased = isState && entry.state.peek() != .joined
        if isRebased {
          losses += rebase(&rest, of: entry, at: head, except: stillAdded)
          remaining = ChangeSet.sum(of: rest.map(\.changes))
        }
        let new = try store.netChanges {
          store.waitAgain(waiting, linking: stillAdded)
          // A pending commit never takes the primary key of a confirmed object.
          try apply(withoutFields(remaining, of: stillAdded), keys: .mine)
        }
        // One whose primary key is taken is gone.
        let kept = stillAdded.filter { id in untracked { store.object(id) } != nil }
        didApply = { [unowned self] in
          (added, self.waiting) = (kept, waiting)
          keep(rest, overlay: new)
          (entry.head, entry.names) = (head, names)
          save(isState ? rest.filter { $0.partition == entry.partition } : [])
        }
      }
      // The facts had no net change.
      didApply.take()?()
      publish()
    }
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

  /// Returns pending changes without the fields of added objects that are here.
  ///
  /// Neither reverting the overlay nor a fact has changed these; links may have lost their targets.
  private func withoutFields(_ changes: ChangeSet, of added: Set<ObjectID>) -> ChangeSet {
    if added.isEmpty { return changes }
    let rest = changes.changes.compactMap { change -> ObjectChange? in
      guard change.kind == .inserted, added.contains(change.id),
        untracked({ store.object(change.id) }) != nil
      else { return change }
      let linking = Schema.shared(of: change.type).linking
      let links = change.properties.filter { edit in linking.contains { $0.name == edit.name } }
      if links.isEmpty { return nil }
      return ObjectChange(id: change.id, kind: .inserted, properties: links, type: change.type)
    }
    return ChangeSet(rest, origin: changes.origin)
  }

  /// Returns the objects of a partition while the overlay is reverted, with those that are added.
  private func confirmedObjects(of entry: ReplicaPartition) -> Set<ObjectID> {
    let deleted = overlay.flatMap(\.changes).filter { $0.kind == .deleted }.map(\.id)
    let confirmed = untracked {
      deleted.filter { store.object($0).flatMap { table.determine($0) } == entry.partition }
    }
    return Set(table.objects(of: entry.partition)).union(confirmed)
  }

  /// Bases the pending commits of a partition on its state, which has replaced the facts since their
  /// base.
  ///
  /// A value lives if the present one is the one that it has replaced.
  ///
  /// - Parameter added: The objects that only pending commits have inserted.
  /// - Returns: The values that don't live.
  private func rebase(
    _ rest: inout [Submission], of entry: ReplicaPartition, at head: LogHead,
    except added: Set<ObjectID>
  ) -> [SyncLoss] {
    var losses: [SyncLoss] = []
    var present: [OpenPartition.Place: any FieldValue] = [:]
    for (index, submission) in rest.enumerated() where submission.partition == entry.partition {
      let changes = submission.changes.changes.map { change -> ObjectChange in
        guard change.kind == .modified, !added.contains(change.id),
          let object = untracked({ store.object(change.id) })
        else { return change }
        let properties = change.properties.filter { edit in
          let known = Schema.shared(of: change.type).encodedProperties
          guard let property = known.first(where: { $0.name == edit.name }),
            property.role != .links, property.mergeRule == .lastWriter
          else { return true }
          let place = OpenPartition.Place(object: change.id, property: edit.name)
          let value =
            present[place] ?? untracked { property.encodedValue(of: property.value(in: object)) }
          let lives = [edit.old, edit.new].contains { ObjectChange.Property.isSame(value, $0) }
          present[place] = lives ? edit.new : value
          if !lives {
            losses.append(
              SyncLoss(
                partition: entry.partition.name, object: change.id, property: edit.name,
                value: edit.new))
          }
          return lives
        }
        return ObjectChange(
          id: change.id, kind: .modified, properties: properties, type: change.type)
      }
      rest[index] = Submission(
        partition: submission.partition, author: submission.author, number: submission.number,
        base: head.position.rawValue, time: submission.time,
        changes: ChangeSet(changes, origin: submission.changes.origin),
        failure: submission.failure)
    }
    return losses
  }

  /// Applies changes that another process has written, as changes of the present values.
  @discardableResult
  func apply(exactly changes: [SharedChange], keys policy: ConflictPolicy) throws -> ChangeSet {
    let exact = ChangeSet(untracked { changes.map { $0.change(in: store) } }, origin: nil)
    try apply(exact, arriving: changes.arriving, keys: policy)
    return exact
  }

  private func apply(
    _ changes: ChangeSet, arriving: [ArrivingObject?] = [], keys policy: ConflictPolicy
  ) throws {
    if changes.isEmpty { return }
    try store.apply(
      changes, arriving: arriving, undoable: false, onConflict: .theirs, keys: policy,
      returning: deleted, isReported: false)
  }

  private func deletion(of id: ObjectID) -> ObjectChange {
    let object = untracked { store.object(id) }
    return ObjectChange(
      id: id, kind: .deleted, properties: [], type: object.map { type(of: $0) } ?? Object.self)
  }

  /// Removes the submissions that facts answer, and returns them.
  private func takeAnswered(
    _ facts: [Fact], byState isState: Bool, in entry: ReplicaPartition,
    from rest: inout [Submission]
  ) throws -> [Submission.Key: Submission] {
    var last: [UInt64: UInt64] = [:]
    for fact in facts where authors.contains(fact.author) {
      last[fact.author] = max(last[fact.author] ?? 0, fact.number)
    }
    if last.isEmpty { return [:] }
    var answered: [Submission.Key: Submission] = [:]
    rest.removeAll { submission in
      guard submission.partition == entry.partition,
        submission.number <= last[submission.author] ?? 0
      else { return false }
      answered[submission.key] = submission
      return true
    }
    // Each is answered by its own fact, unless a state has replaced the fact.
    if !isState, !answered.keys.allSatisfy(Set(facts.map(\.key)).contains) {
      throw SyncMessageError(reason: "submissions of \(entry.partition) weren't answered")
    }
    return answered
  }

  /// Returns what this replica loses by a fact that isn't applied yet.
  private func losses(
    by fact: Fact, of answered: [Submission.Key: Submission], byState isState: Bool,
    in partition: Partition
  ) -> [SyncLoss] {
    fact.losses.filter { authors.contains($0.author) }.map { loss in
      func value(in submission: Submission?) -> (any FieldValue)? {
        submission?.changes[loss.object]?[loss.property]?.new
      }
      var lost: (any FieldValue)?
      if authors.contains(fact.author) {
        lost = value(in: answered[fact.key])
      } else if isState {
        // The fact has replaced the value of an earlier one, which the store doesn't have.
        lost = value(
          in: answered.values.filter { $0.author == loss.author && value(in: $0) != nil }
            .max { $0.number < $1.number })
      }
      if lost == nil, !authors.contains(fact.author),
        let object = untracked({ store.object(loss.object) })
      {
        // The fact of another replica replaces the value.
        let property = Schema.shared(of: type(of: object)).encodedProperties.first {
          $0.name == loss.property
        }
        lost = property.flatMap { $0.encodedValue(of: $0.value(in: object)) }
      }
      return SyncLoss(
        partition: partition.name, object: loss.object, property: loss.property, value: lost)
    }
  }
}
