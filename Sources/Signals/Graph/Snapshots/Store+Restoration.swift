// Creating a store from a snapshot.

extension Store {
  /// Creates a store with the objects of a snapshot and an empty undo history.
  ///
  /// Each object is a new instance with its previous id, values, links and position in the order of
  /// adding. Keys, indexes, inverses and the owners of embedded objects are as they were. The
  /// snapshot may have been taken in this process or decoded, and isn't changed. Creating the store
  /// can't fail, because decoding has checked everything. Each object's `init()` runs; links that
  /// it sets are dropped.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot with the objects.
  ///   - undoLimit: The number of steps that can be undone; 0 turns undo off.
  ///   - coalescing: The commits that ``undo(onConflict:)`` takes back as one step.
  /// - Complexity: O(objects).
  public convenience init(
    _ snapshot: Snapshot, undoLimit: Int = 100, coalescing: Coalescing = .never
  ) {
    self.init(undoLimit: undoLimit, coalescing: coalescing)
    fill(from: snapshot)
  }

  /// All objects, in the order in which they were added.
  ///
  /// - Complexity: O(n log n).
  package var objectsInOrder: [Object] {
    tables.values.flatMap { table in table.objects.compactMap { $0 } }
      .sorted { ($0.sequence, $0.objectID) < ($1.sequence, $1.objectID) }
  }

  /// Creates the objects of a snapshot in this new, empty store.
  private func fill(from snapshot: Snapshot) {
    let core = snapshot.core
    // Indexed by slot, so that links are followed without a search.
    var objects: [ContiguousArray<Object?>] = []
    for table in core.tables {
      let type = table.shape.type
      var made: ContiguousArray<Object?> = []
      table.forEachRow { row, slot in
        made.append(contentsOf: repeatElement(nil, count: slot - made.count))
        let object = type.init()
        object.objectID = row.id
        object.sequence = row.sequence
        made.append(object)
        sequence = max(sequence, row.sequence)
        ObjectID.skip(row.id)
        givenIDs = max(givenIDs, row.id.counterHere)
      }
      objects.append(made)
    }
    for (table, made) in zip(core.tables, objects) {
      let objectTable = self.table(of: table.shape.type)
      table.forEachRow { row, slot in
        guard let object = made[slot] else { return }
        row.fill(object) { objects[Int($0.table)][Int($0.slot)] }
        attachUnlinked(object, sequence: object.sequence, in: objectTable)
      }
    }
    for case let object? in objects.joined() { attachLinks(of: object) }
    givenIDs = max(givenIDs, ObjectID.newest.counterHere)
  }
}

extension ObjectID {
  /// The counter of an id that this process has assigned; 0 for an id of another process.
  var counterHere: UInt64 { replica == ObjectID.newest.replica ? counter : 0 }
}
