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
    var net: [(partition: Partition, changes: ChangeSet)] = []
    var losses: [Fact.Loss] = []
    var refusal: String?
    let token = store.observeCommits { [unowned self] in net += table.split($0.changes, in: store) }
    do {
      let changes = resolve(submission, of: author, losses: &losses)
      try store.write(undoable: false) {
        let report = try store.apply(
          changes, undoable: false, onConflict: .theirs, keys: .mine)
        for conflict in report.conflicts {
          try settle(conflict, of: author, in: changes, losses: &losses)
        }
        for rule in rules.writes { try rule(changes, store, session.connection.user) }
        for trigger in rules.triggers { try trigger(changes, store, session.connection.user) }
      }
    } catch {
      refusal = "\(error)"
    }
    token.cancel()
    let own = net.first { $0.partition == submission.partition }?.changes ?? ChangeSet()
    var facts = [
      (
        submission.partition,
        Fact(
          author: author, number: submission.number, time: submission.time, changes: own,
          losses: refusal == nil ? losses : [], refusal: refusal)
      )
    ]
    for (partition, changes) in net where partition != submission.partition {
      facts.append(
        (partition, Fact(author: 0, number: 0, time: submission.time, changes: changes)))
    }
    checkReaders()
    for (partition, fact) in facts { try await append(fact, to: partition) }
  }

  private nonisolated(nonsending) func append(_ fact: Fact, to name: Partition) async throws {
    let partition = try await open(name)
    let position = partition.head.position.rawValue
    do {
      partition.head = try await log.append(
        [try SyncCoding.encode(fact)], to: name, expecting: partition.head)
    } catch {
      try store.apply(fact.changes.inverted(), undoable: false, onConflict: .theirs)
      throw error
    }
    partition.note(fact)
    publish(fact, at: position, in: name)
  }

  /// Returns the changes without the properties that a later write has replaced.
  private func resolve(
    _ submission: Submission, of author: UInt64, losses: inout [Fact.Loss]
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
        let isLater = change.kind == .deleted || stamp.time <= submission.time
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
