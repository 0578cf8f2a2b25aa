// Appending new facts to the log, and sending them.
//
// Order of events: facts are appended in groups, those of all partitions at the same time, and are sent
// once the log has them. Facts that triggers make in other partitions are in an earlier round than the
// commit: if the log has only those, the commit is decided again. Then lost rights end, and the users that are present are sent, once for all
// messages that were handled.

internal import Signals

extension SyncServer {
  /// Appends and sends the new facts, and then what else has changed.
  nonisolated(nonsending) func publish() async {
    await appendNewFacts()
    endLostRights()
    sendUsers()
    await catchUpSessions()
  }

  /// Appends the new facts, and sends them.
  nonisolated(nonsending) func appendNewFacts() async {
    while !unpublished.isEmpty {
      let groups = sharedLog != nil ? takeDecisions() : [takeRound()]
      unpublished.removeAll { $0.new.isEmpty }
      var isMoved = false
      let results = await groups.map { $0.map(\.append) }.concurrentResults {
        [log] appends throws(ChangeLogError) in try await log.append(appends)
      }
      var failed: [(partition: OpenPartition, error: ChangeLogError)] = []
      for (group, result) in zip(groups, results) {
        switch result {
        case .success(let heads): didAppend(group, to: heads)
        case .failure(.headMoved) where sharedLog != nil: isMoved = true
        case .failure(let error) where sharedLog != nil && error.mayPass:
          failed += group.map { ($0.partition, error) }
        case .failure(let error): return reset(after: error)
        }
      }
      do {
        try suspend(failed)
        // Another server was first.
        if isMoved { try await decideAgain() }
      } catch {
        return reset(after: error)
      }
      // The store has other new facts already.
      for partition in groups.joined().map(\.partition)
      where partition.new.isEmpty && partition.suspension == nil
        && partition.tail.size > partition.tail.limit
      {
        await replaceSnapshot(of: partition)
      }
    }
    newFacts = []
  }

  /// New facts of a partition that are being appended.
  private typealias Appending = (partition: OpenPartition, append: LogAppend)

  /// Takes the first facts of the earliest round.
  private func takeRound() -> [Appending] {
    let round = unpublished.lazy.compactMap { $0.new.first?.round }.min() ?? 0
    return unpublished.filter { $0.new.first?.round == round }.map { partition in
      let facts = partition.takeNew(in: round, atMost: groupSize)
      return (partition, LogAppend(facts, to: partition.name, expecting: partition.head))
    }
  }

  /// Takes all new facts: in one group those of all partitions in which a decision has facts, so that a
  /// shared log has all of them or none.
  private func takeDecisions() -> [[Appending]] {
    var groups: [[OpenPartition]] = []
    var places: [ObjectIdentifier: Int] = [:]
    var last: (decision: Int, place: Int)?
    for fact in newFacts where fact.position >= fact.partition.head.position.rawValue {
      let id = ObjectIdentifier(fact.partition)
      var place = places[id] ?? groups.count
      if place == groups.count {
        groups.append([fact.partition])
        places[id] = place
      }
      // The facts of a decision follow each other.
      if let last, last.decision == fact.decision, last.place != place {
        for partition in groups[place] { places[ObjectIdentifier(partition)] = last.place }
        groups[last.place] += groups[place]
        groups[place] = []
        place = last.place
      }
      last = (fact.decision, place)
    }
    return groups.filter { !$0.isEmpty }.map { group in
      group.map { partition in
        (partition, LogAppend(partition.takeNew(), to: partition.name, expecting: partition.head))
      }
    }
  }

  /// Sends facts that the log has now.
  private func didAppend(_ group: [Appending], to heads: [LogHead]) {
    for ((partition, append), head) in zip(group, heads) {
      let first = partition.head.position.rawValue
      partition.head = head
      partition.addChains(of: append.entries)
      partition.state = nil
      partition.didAppend()
      partition.failureCount = 0
      send(append.entries, from: first, in: partition)
    }
  }

  /// Replaces the facts before the last snapshot by that one, and makes the next.
  ///
  /// If it fails, the log grows further, and the next attempt is made when it has twice the size.
  nonisolated(nonsending) func replaceSnapshot(of partition: OpenPartition) async {
    partition.tail.limit = 2 * partition.tail.size
    do {
      let snapshot = try partition.snapshot(with: state(of: partition))
      let start = partition.snapshot.head.position
      try await log.storeSnapshot(snapshot, of: partition.name)
      partition.didReplaceSnapshot(size: snapshot.bytes.count, smallest: smallestTail)
      try await log.truncate(partition.name, before: start)
    } catch {}
  }
}
