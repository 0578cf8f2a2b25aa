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
      let round = unpublished.lazy.compactMap { $0.new.first?.round }.min() ?? 0
      let group = unpublished.filter { $0.new.first?.round == round }
      let appends = group.map { partition in
        LogAppend(
          partition.takeNew(in: round, atMost: groupSize), to: partition.name,
          expecting: partition.head)
      }
      unpublished.removeAll { $0.new.isEmpty }
      let heads: [LogHead]
      do { heads = try await log.append(appends) } catch { return reset(after: error) }
      for ((partition, append), head) in zip(zip(group, appends), heads) {
        let first = partition.head.position.rawValue
        partition.head = head
        partition.addChains(of: append.entries)
        partition.state = nil
        send(append.entries, from: first, in: partition)
      }
      // The store has other new facts already.
      for partition in group
      where partition.new.isEmpty && partition.tail.size > partition.tail.limit {
        await replaceSnapshot(of: partition)
      }
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
