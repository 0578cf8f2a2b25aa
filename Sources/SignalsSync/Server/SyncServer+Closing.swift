// Closing partitions that no replica has joined.
//
// Order of events: a partition without readers is noted when it is opened and when its last reader
// goes. When messages were handled and more than `unreadLimit` are noted, those that weren't used for
// the longest time are closed: their objects are removed from the store, and nothing from the log,
// from which the partition is opened again.
//
// Invariants: a partition with new facts is open, and so is one with objects to which others link,
// because links that were cleared would be facts.

internal import Signals

extension SyncServer {
  /// Notes a partition, if it has no readers, as one that can be closed.
  func noteUse(of partition: OpenPartition) {
    if !partition.readers.isEmpty { return }
    useCount += 1
    if partition.lastUse == nil { unread.append(partition) }
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
    var isDone = true
    for partition in sorted.dropLast(unreadLimit) {
      do {
        if try await close(partition) { isDone = false } else { unread.append(partition) }
      } catch {
        reset(after: error)
        return false
      }
    }
    // Those that can't be closed aren't looked at again each time, unless others were.
    unreadEnd = isDone ? unread.count + unread.count / 8 : 0
    return !unpublished.isEmpty
  }

  /// Closes a partition, unless others need it.
  ///
  /// - Returns: Whether it is closed.
  private nonisolated(nonsending) func close(_ partition: OpenPartition) async throws -> Bool {
    let name = partition.name
    if !partition.readers.isEmpty || !partition.new.isEmpty || partition.isNeeded { return false }
    if table.isLinked(name, in: store) { return false }
    let deletions = untracked { table.objects(of: name).compactMap { store.object($0) } }
      .map { ObjectChange(id: $0.objectID, kind: .deleted, properties: [], type: type(of: $0)) }
    let net: [(partition: Partition, changes: ChangeSet)]
    do {
      net = try changes {
        try store.apply(ChangeSet(deletions, origin: nil), undoable: false, onConflict: .theirs)
      }
    } catch {
      // Code of the app that runs before commits doesn't accept it.
      return false
    }
    let isNeeded = changedRights.contains { $0.refusal != nil && $0.end == nil }
    forget(partition)
    try append(facts(of: net.filter { $0.partition != name }, at: now()))
    // The right of a reader depends on the objects.
    if isNeeded { try await open(name).isNeeded = true }
    return true
  }
}
