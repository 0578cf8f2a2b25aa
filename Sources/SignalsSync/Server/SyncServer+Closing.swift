// Closing partitions that no replica has joined.
//
// Order of events: a partition without readers is noted when it is opened and when its last reader
// goes. When messages were handled and more than `unreadLimit` are noted, those that weren't used for
// the longest time are closed: their objects are removed from the store, and nothing from the log,
// from which the partition is opened again.
//
// Invariants: a partition with new facts is open, and so is one with objects to which others link,
// because links that were cleared would be facts, or on which the right of a reader depends. So is one
// with links that wait, because facts don't have their targets, and a suspended one.

internal import Signals

extension SyncServer {
  /// Notes a partition, if it has no readers, as one that can be closed.
  func noteUse(of partition: OpenPartition) {
    if !partition.readers.isEmpty { return }
    useCount += 1
    if partition.lastUse == nil {
      unread.append(partition)
    } else {
      // It may have had readers meanwhile, and others that depended on it.
      unreadEnd = 0
    }
    partition.lastUse = useCount
  }

  /// Closes partitions that no replica has joined, if they are many.
  ///
  /// - Returns: Whether there are new facts, made by code that ran when objects were removed.
  nonisolated(nonsending) func closeUnread() async -> Bool {
    if unread.count <= max(unreadLimit, unreadEnd) { return false }
    let noted = unread.filter { partition in
      let isUnread = partition.readers.isEmpty && partitions[partition.name] === partition
      if !isUnread { partition.lastUse = nil }
      return isUnread
    }
    let sorted = noted.sorted { $0.lastUse ?? 0 < $1.lastUse ?? 0 }
    unread = sorted.suffix(unreadLimit)
    var (isDone, count) = (true, 0)
    for partition in sorted.dropLast(unreadLimit) {
      // Messages aren't held up.
      if count == Self.closingLimit {
        unread.append(partition)
        arrivals.wake()
        continue
      }
      do {
        if try await close(partition) {
          (isDone, count) = (false, count + 1)
        } else {
          unread.append(partition)
        }
      } catch {
        reset(after: error)
        return false
      }
    }
    // Those that can't be closed aren't looked at again each time, unless others were.
    unreadEnd = isDone && unread.count > unreadLimit ? unread.count + unread.count / 8 : 0
    return !unpublished.isEmpty
  }

  /// The number of partitions that are closed between messages.
  private static let closingLimit = 100

  /// Closes a partition, unless others need it.
  ///
  /// - Returns: Whether it is closed.
  private nonisolated(nonsending) func close(_ partition: OpenPartition) async throws -> Bool {
    let name = partition.name
    partition.dependents.removeAll { !isReading($0) }
    if !partition.readers.isEmpty || !partition.new.isEmpty || !partition.dependents.isEmpty
      || partition.suspension != nil
    {
      return false
    }
    if table.isLinked(name, in: store) { return false }
    let objects = untracked { table.objects(of: name).compactMap { store.object($0) } }
    if objects.contains(where: { store.isWaiting($0) }) { return false }
    let deletions = objects.map {
      ObjectChange(id: $0.objectID, kind: .deleted, properties: [], type: type(of: $0))
    }
    let net: [(partition: Partition, changes: ChangeSet)]
    do {
      net = try changes {
        try store.apply(ChangeSet(deletions, origin: nil), undoable: false, onConflict: .theirs)
      }
    } catch {
      // Code of the app that runs before commits doesn't accept it.
      return false
    }
    if !table.objects(of: name).isEmpty {
      throw Refusal(description: "code of the app has added an object to \(name)")
    }
    let dependents = changedRights.filter {
      isReading($0) && $0.refusal != nil && $0.end == nil
    }
    forget(partition)
    if !dependents.isEmpty { try await open(name).dependents = dependents }
    try append(try facts(of: net.filter { $0.partition != name }, at: now()))
    return true
  }
}
