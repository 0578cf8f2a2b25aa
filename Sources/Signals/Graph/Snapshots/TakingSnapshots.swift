// Making a snapshot: all rows the first time, and later those of the objects that were noted since.
//
// State: `Store.snapshots` has the tables of the last one. While a snapshot of them lives their nodes have
// several owners and are copied where they change; when none does any more they are changed in place.

private import CSignalsThread

/// What a store keeps for its next snapshot.
final class SnapshotBase {
  var tables: [SnapshotTable] = []
  /// The last snapshot, which is handed out again if nothing has changed since.
  weak var latest: SnapshotCore?
  /// Whether an object has come back that had left the store.
  var hasReturned = false
}

extension Store {
  /// An immutable copy of everything that is stored; see ``Snapshot``.
  ///
  /// - The first snapshot of a store copies every value, O(objects); the store keeps these copies, and
  ///   from then on it notes which objects change, at a few nanoseconds for the first change of each.
  /// - A later one costs O(k log n) for k changed objects, whatever the size of the store, and O(1) if
  ///   nothing has changed. A list costs its edits.
  /// - It is a dependency on nothing, and no code of yours runs before it is made.
  ///
  /// Traps inside a transaction, in which some of a change may be missing: in a `write`, in `beforeCommit`,
  /// and in an intent, effect or observer after it has written to this store. Traps as well in the
  /// middle of a change of a property: `tags.removeAll { … }`.
  ///
  /// ```swift
  /// let snapshot = store.snapshot()
  /// Task.detached { try JSONEncoder().encode(snapshot).write(to: file) }
  /// ```
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
      followers += 1
    }
    let isCurrent = extents.values.allSatisfy { $0.notes?.isEmpty ?? ($0.count == 0) }
    if isCurrent, let latest = base.latest { return Snapshot(core: latest) }
    // Every class has its table before the first link is followed.
    var arriving: [Extent] = []
    for extent in extents.values where extent.notes == nil && extent.count > 0 {
      extent.notes = SnapshotNotes(table: base.tables.count + arriving.count)
      extent.snapshotTable = Int32(base.tables.count + arriving.count)
      arriving.append(extent)
    }
    for extent in extents.values {
      guard let notes = extent.notes, notes.table < base.tables.count else { continue }
      notes.update(
        &base.tables[notes.table], extent.objects, returned: base.hasReturned)
    }
    for extent in arriving {
      base.tables.append(SnapshotTable(SnapshotShape.of(extent.schema.type), extent.objects))
    }
    base.hasReturned = false
    let core = SnapshotCore(base.tables)
    base.latest = core
    // What rows had and nobody else may write, when the snapshot is made.
    Turn.letGo()
    return Snapshot(core: core)
  }

  /// How many changed objects are noted for the next snapshot, for tests.
  package var notedChanges: Int { extents.values.reduce(0) { $0 + ($1.notes?.count ?? 0) } }
}
