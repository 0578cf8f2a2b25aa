// Deciding about a submission.
//
// Order of events: properties that a later write has replaced are left out of the submission; in one
// transaction the rest is applied, the rules are asked, and the triggers run. The net changes are
// appended, with the values that lost. If anything throws, the refusal is appended instead.

internal import Signals

extension SyncServer {
  /// The reason why a submission was refused.
  private struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  /// Applies a submission, and appends the fact or the refusal.
  nonisolated(nonsending) func commit(
    _ submission: Submission, of session: SyncSession
  ) async throws {
    let author = session.author
    // A clock that is ahead doesn't win.
    let time = min(submission.time, now())
    var net: [(partition: Partition, changes: ChangeSet)] = []
    var losses: [Fact.Loss] = []
    var refusal: String?
    let token = store.observeCommits { [unowned self] in net += table.split($0.changes, in: store) }
    do {
      let changes = resolve(submission, of: author, at: time, losses: &losses)
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
        try checkPartition(of: made, is: submission.partition)
        for rule in rules.writes { try rule(made, store, session.connection.user) }
        for trigger in rules.triggers { try trigger(made, store, session.connection.user) }
      }
    } catch {
      refusal = "\(error)"
    }
    token.cancel()
    // Code that runs after the commit may have made others.
    let own = ChangeSet.sum(
      of: net.filter { $0.partition == submission.partition }.map(\.changes))
    var facts = [
      (
        submission.partition,
        Fact(
          author: author, number: submission.number, time: time, changes: own,
          losses: refusal == nil ? losses : [], refusal: refusal)
      )
    ]
    for (partition, changes) in net where partition != submission.partition {
      facts.append(
        (partition, Fact(author: 0, number: 0, time: time, changes: changes)))
    }
    checkReaders()
    for (name, fact) in facts {
      let partition = try await open(name)
      partition.new.append(try SyncCoding.encode(fact))
      partition.note(fact)
    }
  }

  /// Refuses changes of objects in another partition, or in none.
  private func checkPartition(of changes: ChangeSet, is partition: Partition) throws {
    for change in changes.changes {
      guard let object = untracked({ store.object(change.id) }) else {
        let former = table.partition(of: change.id)
        if former == partition || former == nil && change.kind == .deleted { continue }
        throw Refusal(description: "\(change.className) of \(change.id) isn't in \(partition)")
      }
      let known = table.partition(of: change.id)
      let present = untracked { table.determine(object) }
      if present == partition, known == nil || known == partition { continue }
      throw Refusal(
        description: "\(change.className) of \(change.id) is in "
          + "\((known == partition ? present : known ?? present)?.name ?? "no partition"), not in \(partition)"
      )
    }
  }

  /// Returns the changes without the properties that a later write has replaced.
  private func resolve(
    _ submission: Submission, of author: UInt64, at time: UInt64, losses: inout [Fact.Loss]
  ) -> ChangeSet {
    guard let partition = partitions[submission.partition] else { return submission.changes }
    let changes = submission.changes.changes.compactMap { change -> ObjectChange? in
      if change.kind == .inserted { return change }
      let properties = change.properties.filter { property in
        let place = OpenPartition.Place(object: change.id, property: property.name)
        guard let stamp = partition.stamps[place], stamp.position >= submission.base,
          stamp.author != author, !mergingNames(of: change.type).contains(property.name)
        else { return true }
        // The side that loses.
        let isLater = change.kind == .deleted || stamp.time <= time
        losses.append(
          Fact.Loss(
            author: isLater ? stamp.author : author, object: change.id, property: property.name))
        return isLater
      }
      if change.kind == .modified, properties.isEmpty { return nil }
      return ObjectChange(
        id: change.id, kind: change.kind, properties: properties, type: change.type,
        isDerived: change.isDerived)
    }
    return ChangeSet(changes, origin: nil)
  }

  /// Returns the names of the properties of which both writes live.
  private func mergingNames(of type: Object.Type) -> Set<String> {
    if let known = mergingNames[ObjectIdentifier(type)] { return known }
    let properties = Schema(of: type).encodedProperties
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
