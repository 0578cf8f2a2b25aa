// Deciding about a submission.
//
// Order of events: properties that a later write has replaced are left out of the submission; in one
// transaction the rest is applied, the rules are asked, and the triggers run. The net changes are
// appended, with the values that lost. If anything throws, the refusal is appended instead.

internal import Signals

/// The reason why a submission, or a join, was refused.
struct Refusal: Error, CustomStringConvertible {
  let description: String
}

extension SyncServer {

  /// Applies a submission, and appends the fact or the refusal.
  nonisolated(nonsending) func commit(
    _ submission: ReceivedSubmission, to partition: Partition, of session: SyncSession
  ) async throws {
    // A clock that is ahead doesn't win.
    let time = min(submission.time, now())
    var losses: [Fact.Loss] = []
    var refusal: String?
    var net = changes {
      do { losses = try apply(submission, at: time, to: partition, of: session) } catch {
        refusal = "\(error)"
      }
    }
    let suspended = net.lazy.compactMap { [partitions] in partitions[$0.partition] }.first {
      $0.suspension != nil
    }
    if let suspended {
      try takeBack(net)
      if let reader = session.readers[partition] { delay(reader, until: suspended) }
      return
    }
    let closed = net.map(\.partition).filter { partitions[$0] == nil }
    if !closed.isEmpty {
      // Their logs may have objects that the triggers would have found.
      try takeBack(net)
      do {
        for other in closed { try other.checkLimits() }
        for other in closed { _ = try await open(other) }
      } catch {
        if let error = error as? ChangeLogError, error.mayPass { throw error }
        (net, refusal) = ([], "\(error)")
      }
      if refusal == nil { return try await commit(submission, to: partition, of: session) }
    }
    var fact = Fact(author: submission.key.author, number: submission.key.number, time: time)
    if fact.number == 1 { fact.user = session.connection.user }
    // A replica can send a reason of any length.
    if refusal == nil {
      fact.losses = losses
    } else {
      fact.refusal = refusal.map { "\($0.prefix(1_000))" }
    }
    let target = try await open(partition)
    let own = net.first { $0.partition == partition }?.changes ?? ChangeSet()
    let others = try facts(of: net.filter { $0.partition != partition }, at: time)
    do throws(StoreFileError) {
      try append([(target, fact, own)] + others, for: (submission, session))
    } catch {
      // A value can't be encoded, or the fact is too large.
      try takeBack(net)
      fact.losses = []
      fact.refusal = "\(error)"
      try append([(target, fact, ChangeSet())], for: (submission, session))
    }
  }

  /// Reverts commits that aren't in the log.
  func takeBack(_ net: [(partition: Partition, changes: ChangeSet)]) throws {
    let all = ChangeSet.sum(of: net.map(\.changes))
    _ = try changes { try store.apply(all.inverted(), undoable: false, onConflict: .theirs) }
  }

  /// Applies a submission in a transaction with the rules and triggers.
  ///
  /// - Returns: The values that lost.
  /// - Throws: The reason of a refusal.
  private func apply(
    _ submission: ReceivedSubmission, at time: UInt64, to partition: Partition,
    of session: SyncSession
  ) throws -> [Fact.Loss] {
    if let failure = submission.failure { throw Refusal(description: failure) }
    if let name = submission.unknown { throw Refusal(description: "the server lacks \(name)") }
    let author = submission.key.author
    var losses: [Fact.Loss] = []
    let received = untracked {
      submission.changes.map { change in
        change.change(in: store) { name in
          losses.append(Fact.Loss(author: author, object: change.id, property: name))
        }
      }
    }
    let changes = resolve(
      received, in: partition, since: submission.base, of: author, at: time, losses: &losses)
    try store.write(undoable: false) {
      var conflicts: [ChangeConflict] = []
      let made = try store.netChanges {
        conflicts = try store.apply(
          changes, undoable: false, onConflict: .theirs, keys: .mine
        ).conflicts
      }
      for conflict in conflicts {
        try settle(conflict, of: author, in: changes, losses: &losses)
      }
      let own = try self.changes(
        made, in: partition, naming: Set(changes.changes.lazy.map(\.id)))
      for rule in rules.writes { try rule(own, store, session.connection.user) }
      for trigger in rules.triggers { try trigger(own, store, session.connection.user) }
    }
    return losses
  }

  /// Returns the facts of the server itself about changes in open partitions.
  ///
  /// Changes in suspended partitions are taken back, and made again later.
  func facts(
    of net: [(partition: Partition, changes: ChangeSet)], at time: UInt64
  ) throws -> [(OpenPartition, Fact, ChangeSet)] {
    try net.compactMap { name, changes in
      guard let partition = partitions[name] else { return nil }
      if let suspension = partition.suspension {
        try takeBack([(name, changes)])
        suspension.changes.append(changes)
        return nil
      }
      return (partition, Fact(author: 0, number: 0, time: time), changes)
    }
  }

  /// Appends facts of different partitions.
  ///
  /// - Parameters:
  ///   - facts: The facts with their changes.
  ///   - submission: The submission that they decide about.
  /// - Throws: ``StoreFileError/valueRefused(_:reason:)`` if a value can't be encoded. Nothing is
  ///   appended then.
  func append(
    _ facts: [(OpenPartition, Fact, ChangeSet)],
    for submission: (ReceivedSubmission, SyncSession)? = nil
  ) throws(StoreFileError) {
    if facts.isEmpty { return }
    var encoded: [(names: ChangeWriter, bytes: [UInt8])] = []
    for (partition, fact, changes) in facts {
      var names = partition.names
      let bytes = try fact.encoded(with: changes, &names)
      encoded.append((names, bytes))
    }
    endLostRights()
    decisionCount += 1
    let triggered = facts.filter { $0.1.author == 0 }.map(\.0.lastRound).max()
    for ((partition, fact, changes), (names, bytes)) in zip(facts, encoded) {
      let former = partition.names
      partition.names = names
      if sharedLog != nil {
        newFacts.append(
          NewFact(
            decision: decisionCount, partition: partition, position: partition.count,
            changes: changes,
            submission: fact.author == 0 ? nil : submission,
            isTriggered: fact.author == 0 && submission != nil))
      }
      if partition.new.isEmpty { unpublished.append(partition) }
      partition.addNew(bytes, in: fact.author == 0 ? 0 : triggered.map { $0 + 1 } ?? 0)
      noteUse(of: partition)
      partition.note(fact, changes, after: sharedLog == nil ? nil : former)
      if let user = fact.user { noteOwner(user, of: fact.author) }
    }
  }

  /// Returns the changes in a partition, and refuses changes of objects in another one, or in none,
  /// that a submission names.
  ///
  /// Links from other partitions may be set or cleared, when their targets arrive or are deleted.
  private func changes(
    _ made: ChangeSet, in partition: Partition, naming named: Set<ObjectID>
  ) throws -> ChangeSet {
    let own = try made.changes.filter { change in
      let former = table.partition(of: change.id)
      let object = untracked { store.object(change.id) }
      let present = object.map { object in untracked { table.determine(object) } } ?? former
      if present == partition, former == partition || former == nil && change.kind == .inserted {
        return true
      }
      if !named.contains(change.id), isLink(change) { return false }
      let other = former == partition ? present : former ?? present
      throw Refusal(
        description: "\(change.className) of \(change.id) is in "
          + "\(other?.name ?? "no partition"), not in \(partition)")
    }
    return ChangeSet(own, origin: nil)
  }

  /// Whether a change sets or clears links only, and none of a part.
  private func isLink(_ change: ObjectChange) -> Bool {
    if change.kind != .modified { return false }
    let schema = Schema.shared(of: change.type)
    return change.properties.allSatisfy { property in
      schema.linking.contains { $0.name == property.name }
        && !schema.embedding.contains { $0.name == property.name }
    }
  }

  /// Returns the changes without the properties that a later write has replaced.
  private func resolve(
    _ received: [ObjectChange], in name: Partition, since base: UInt64, of author: UInt64,
    at time: UInt64, losses: inout [Fact.Loss]
  ) -> ChangeSet {
    guard let partition = partitions[name] else { return ChangeSet(received, origin: nil) }
    /// Whether a write lives; the side that loses is noted.
    func lives(_ property: String, of change: ObjectChange) -> Bool {
      guard let stamp = partition.stamp(of: property, in: change.id, since: base),
        stamp.author != author, !mergingNames(of: change.type).contains(property)
      else { return true }
      let isLater = change.kind == .deleted || stamp.time <= time
      let loser = isLater ? stamp.author : author
      if loser != 0 {
        losses.append(Fact.Loss(author: loser, object: change.id, property: property))
      }
      return isLater
    }
    let changes = received.compactMap { change -> ObjectChange? in
      switch change.kind {
      case .inserted: return change
      case .deleted:
        for property in Schema.shared(of: change.type).encodedProperties {
          _ = lives(property.name, of: change)
        }
        return change
      case .modified:
        let properties = change.properties.filter { lives($0.name, of: change) }
        if properties.isEmpty { return nil }
        return ObjectChange(
          id: change.id, kind: .modified, properties: properties, type: change.type)
      }
    }
    return ChangeSet(changes, origin: nil)
  }

  /// Returns the names of the properties of which both writes live.
  private func mergingNames(of type: Object.Type) -> Set<String> {
    if let known = mergingNames[ObjectIdentifier(type)] { return known }
    let properties = Schema.shared(of: type).encodedProperties
    let names = Set(
      properties.filter { $0.role == .links || $0.mergeRule != .lastWriter }.map(\.name))
    mergingNames[ObjectIdentifier(type)] = names
    return names
  }

  /// Refuses the submission for a conflict, or notes the values that it has lost.
  private func settle(
    _ conflict: ChangeConflict, of author: UInt64, in changes: ChangeSet,
    losses: inout [Fact.Loss]
  ) throws {
    switch conflict.reason {
    case .keyTaken, .otherClass, .alreadyThere, .outOfRange:
      throw Refusal(description: "\(conflict)")
    case .missing:
      let lost = changes[conflict.subject.id]
      for property in lost?.properties ?? [] where lost?.kind == .modified {
        losses.append(
          Fact.Loss(author: author, object: conflict.subject.id, property: property.name))
      }
    case .changed, .danglingLink, .owned: break
    }
  }
}

extension ChangeConflict {
  /// Whether two objects have one id or one primary key.
  var isOfIdentity: Bool {
    switch reason {
    case .keyTaken, .otherClass, .alreadyThere: true
    default: false
    }
  }
}
