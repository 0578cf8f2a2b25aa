// Taking a snapshot: the first one writes all rows, later ones only those of the objects that
// changed since.
//
// `Store.snapshots` keeps the tables of the last snapshot. While a snapshot with these tables exists,
// their nodes have several owners and are copied on change. Otherwise they are changed in place.

private import CSignalsThread

/// The data that a store keeps for its next snapshot.
final class SnapshotBase {
  var tables: [SnapshotTable] = []
  /// The last snapshot, which is returned again if nothing has changed since.
  weak var latest: SnapshotCore?
  /// Whether a removed object was added to the store again.
  var hasReturned = false
}

extension Store {
  /// Takes an immutable copy of all stored objects.
  ///
  /// - The first snapshot of a store copies every value. The store keeps these copies, and from
  ///   then on it notes the changed objects, which takes a few nanoseconds for the first change of
  ///   each.
  /// - Taking a snapshot creates no dependency, and no user code runs before it is complete.
  ///
  /// Traps inside a transaction, where part of a change may be missing: in a `write`, in
  /// `beforeCommit`, and in an intent, effect or observer after it has written to this store. Also
  /// traps during a mutation of a property, such as in the closure of `tags.removeAll { … }`.
  ///
  /// ```swift
  /// let snapshot = store.snapshot()
  /// Task.detached { try JSONEncoder().encode(snapshot).write(to: file) }
  /// ```
  ///
  /// - Returns: The snapshot.
  /// - Complexity: O(objects) for the first snapshot of a store. For later ones O(k log n) for k
  ///   changed objects, independent of the size of the store, and O(1) if nothing has changed. Each
  ///   changed list adds the number of its edits.
  public func snapshot() -> Snapshot {
    if transaction != nil {
      trap("a snapshot was asked for inside a transaction: it could show half of a change")
    }
    if signals_is_changing_property() {
      trap("a snapshot was asked for while a property is being changed")
    }
    let base = snapshots ?? SnapshotBase()
    if snapshots == nil {
      snapshots = base
      fullWriteReasons += 1
    }
    let isCurrent = tables.values.allSatisfy { $0.dirtySet?.isEmpty ?? ($0.count == 0) }
    if isCurrent, let latest = base.latest { return Snapshot(core: latest) }
    // Every class has its table before the first link is followed.
    var arriving: [ObjectTable] = []
    for table in tables.values where table.dirtySet == nil && table.count > 0 {
      table.dirtySet = SnapshotDirtySet(table: base.tables.count + arriving.count)
      table.snapshotTable = Int32(base.tables.count + arriving.count)
      arriving.append(table)
    }
    for table in tables.values {
      guard let dirtySet = table.dirtySet, dirtySet.table < base.tables.count else { continue }
      dirtySet.update(
        &base.tables[dirtySet.table], to: table.objects, returned: base.hasReturned)
    }
    for table in arriving {
      base.tables.append(SnapshotTable(SnapshotShape.of(table.schema.type), of: table.objects))
    }
    base.hasReturned = false
    let core = SnapshotCore(base.tables)
    base.latest = core
    // Releases the values removed from rows, which may run user code, now that the snapshot is
    // complete.
    Scheduler.release()
    return Snapshot(core: core)
  }

  /// The number of changed objects noted for the next snapshot, for tests.
  package var notedChanges: Int { tables.values.reduce(0) { $0 + ($1.dirtySet?.count ?? 0) } }
}
