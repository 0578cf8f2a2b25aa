// Compacting a partition's log: a snapshot replaces the entries that nothing needs any more.

internal import Signals

extension Replica {
  /// Replaces a partition's entries by a snapshot with those operations that still count.
  ///
  /// It returns without doing anything while commits of this replica aren't in the log, and if the
  /// log has grown meanwhile. Replicas that haven't read the entries begin at the snapshot, with
  /// what they have pending.
  ///
  /// - Parameters:
  ///   - partition: A joined partition.
  ///   - kept: The number of entries that remain for readers that aren't far behind.
  /// - Returns: Whether the log was compacted.
  /// - Throws: ``ReplicaError``.
  /// - Complexity: O(entries and bytes of the snapshot).
  @discardableResult
  public func compact(
    _ partition: Partition, keeping kept: Int = 0,
    isolation: isolated (any Actor)? = #isolation
  ) async throws(ReplicaError) -> Bool {
    guard let place = places[partition] else { throw .notJoined(partition) }
    try await place.whenLoaded()
    let contents = try await PartitionReplica.read(partition, in: log) ?? LoadedPartition()
    guard place.head == contents.head, place.pendingCount == 0 else { return false }
    let snapshot = place.merging.compacted(contents)
    let head = contents.head
    let bytes = snapshot.encoded()
    let first = max(
      LogPosition.start, head.position.advanced(by: -min(kept, Int(head.position.rawValue))))
    do throws(ChangeLogError) {
      try await log.storeSnapshot(LogSnapshot(head: head, bytes: bytes), of: partition)
      try await log.truncate(partition, before: first)
    } catch {
      throw .log(error)
    }
    return true
  }
}

extension MergingStore {
  /// What is needed of all that a log has, which this merge state has merged.
  func compacted(_ contents: LoadedPartition) -> PartitionSnapshot {
    var snapshot = PartitionSnapshot()
    snapshot.next = contents.snapshot.next
    for set in contents.sets {
      snapshot.next[set.replica] = max(snapshot.next[set.replica] ?? 1, set.sequence + 1)
    }
    snapshot.sets = (contents.snapshot.sets + contents.sets).compactMap { set in
      set.filtered { counts($0, of: set) }
    }
    return snapshot
  }

  /// Whether an operation that was merged has an effect on what is visible, or may have one later.
  private func counts(_ operation: Operation, of set: SharedChangeSet) -> Bool {
    guard let entity = state.entities.find(operation.object),
      let shared = state.classState(entity), !shared.editsRevive
    else { return true }
    let isNeeded =
      state.isAlive(entity) || state.flags[Int(entity)].contains(.isStructural)
    switch operation.kind {
    case .create:
      return isNeeded && state.stamps[state.created[Int(entity)]] == set.stamp
    case .delete:
      return state.tombstones[entity].map { state.stamps[$0] == set.stamp } ?? false
    case .add, .list: return isNeeded
    case .set, .maximum:
      guard isNeeded else { return false }
      guard let index = shared.field(named: set.name(of: operation)) else { return true }
      let field = shared.fields[index]
      if field.owns || field.rule == .maximum { return true }
      return state.stamps[state.stamp(FieldKey(entity, index))] == set.stamp
    }
  }
}
