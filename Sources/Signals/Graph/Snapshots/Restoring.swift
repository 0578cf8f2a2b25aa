// A store made of a snapshot: the objects, their values and links, and what follows from them.

extension Store {
  /// Creates a store with the objects of a snapshot, and nothing to undo.
  ///
  /// Each is a new instance with the id, values, links and place in the order of adding that it had; keys,
  /// indexes, inverses and owners of embedded objects are as they were. The snapshot can be of this
  /// process or decoded, and stays what it is. It can't fail, since decoding checks everything that could
  /// make a snapshot useless.
  ///
  /// O(objects). Each object's `init()` runs; what it links to is dropped.
  public convenience init(_ snapshot: Snapshot, undoLimit: Int = 100) {
    self.init(undoLimit: undoLimit)
    fill(from: snapshot)
  }

  /// Creates a store likewise whose steps to undo may be several commits, as in an empty one.
  public convenience init(_ snapshot: Snapshot, undoLimit: Int = 100, coalescing: Coalescing) {
    self.init(undoLimit: undoLimit, coalescing: coalescing)
    fill(from: snapshot)
  }

  /// Makes the objects of a snapshot, in a new store.
  private func fill(from snapshot: Snapshot) {
    let core = snapshot.core
    // Slot by slot, so that a link is followed without a search.
    var objects: [ContiguousArray<Object?>] = []
    for table in core.tables {
      let type = table.shape.type
      var made: ContiguousArray<Object?> = []
      table.forEachRow { row, slot in
        made.append(contentsOf: repeatElement(nil, count: slot - made.count))
        let object = type.init()
        object.objectID = row.id
        unsafe object.sequence = row.sequence
        made.append(object)
        sequence = max(sequence, row.sequence)
        ObjectID.skip(row.id)
        givenIDs = max(givenIDs, row.id.counterHere)
      }
      objects.append(made)
    }
    for (table, made) in zip(core.tables, objects) {
      let extent = extent(of: table.shape.type)
      table.forEachRow { row, slot in
        guard let object = made[slot] else { return }
        row.fill(object) { objects[Int($0.table)][Int($0.slot)] }
        unsafe attachUnlinked(object, sequence: object.sequence, extent)
      }
    }
    for case let object? in objects.joined() { attachLinks(of: object) }
    givenIDs = max(givenIDs, ObjectID.newest.counterHere)
  }
}

extension ObjectID {
  /// The counter of an id that this process has given; 0 for those of others.
  var counterHere: UInt64 { replica == ObjectID.newest.replica ? counter : 0 }
}
