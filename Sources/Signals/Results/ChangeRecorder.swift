// What has happened to a live result since one moment.
//
// State: `touched` holds, for each object whose row was moved, added or removed since, its position at that
// moment; `written`, the values that properties had then which were written since, and `elsewhere`, the objects about
// which something decides that changed on others; and `anchor`, a version on the way in which later rows are found.
// Untouched rows keep their order, so their old positions follow from the present ones: no old version has
// to be kept for the sake of one commit. A second look within a transaction keeps one, so that a loop that
// writes and reads costs O(log n) each time.

/// Collects what changed since some consumers last looked.
final class ChangeRecorder {
  /// How many consumers wait for it.
  var users = 0
  /// The old position of each touched object; nil if it was no member.
  private var touched: [Object: Int?] = [:]
  private var written: [Object: [(offset: Int, value: Any)]] = [:]
  private var elsewhere: Set<Object> = []
  /// Whether what changed elsewhere in the open batch is known to its consumer: it is found out when that is over.
  ///
  /// Not if more changes in the batch: then too many rows are modified rather than too few.
  var knowsElsewhere = false
  private var anchor: (rows: FoundRows, untouched: UntouchedRows)?

  func noteModified(_ object: Object) {
    if !knowsElsewhere { elsewhere.insert(object) }
  }

  /// Keeps the oldest value of each property.
  func noteModified(_ object: Object, _ old: [(offset: Int, value: Any)]) {
    for (offset, value) in old {
      let known = written[object]?.contains { $0.offset == offset } ?? false
      if !known { written[object, default: []].append((offset, value)) }
    }
  }

  /// The objects that are not what they were.
  var modified: Set<Object> {
    var modified = elsewhere
    for (object, old) in written {
      guard let extent = unsafe object.extent else { continue }
      if old.contains(where: { !extent.isSame($0.value, object, at: $0.offset) }) {
        modified.insert(object)
      }
    }
    return modified
  }

  /// Notes rows that are about to change.
  ///
  /// O(log n) each.
  func note(_ updates: [RowUpdate], in query: Query) {
    if touched.isEmpty {
      for update in updates { touched[update.object] = .some(update.oldPosition) }
      return
    }
    var anchor = anchor ?? makeAnchor(before: updates, in: query)
    for update in updates where touched[update.object] == nil {
      // The row is the one it was at the anchor: nobody touched it.
      let position = update.old.map { row in
        anchor.untouched.oldPosition(of: anchor.rows.position(of: row, in: query))
      }
      touched[update.object] = .some(position)
    }
    self.anchor = anchor
  }

  /// The present version, and the rows that nobody has touched so far.
  private func makeAnchor(
    before updates: [RowUpdate], in query: Query
  ) -> (rows: FoundRows, untouched: UntouchedRows) {
    var rows = FoundRows(query)
    var present: [Int] = []
    var seen: Set<Object> = []
    // Of what was deleted since, the table knows nothing any more, but the tree still has the row.
    for update in updates where touched[update.object] != nil {
      seen.insert(update.object)
      if let position = update.oldPosition { present.append(position) }
    }
    for object in touched.keys where !seen.contains(object) {
      if let row = query.table.row(of: object) {
        present.append(rows.position(of: row, in: query))
      }
    }
    let untouched = UntouchedRows(old: touched.values.compactMap { $0 }, present: present)
    return (rows, untouched)
  }

  /// Whether membership or order differ from then.
  func changesOrder(in query: Query) -> Bool {
    touched.contains { $0.value != query.position(of: $0.key) }
  }

  /// The exact change from then to now.
  ///
  /// O(t log n) for t touched and modified objects.
  func change(in query: Query) -> CollectionChange<Object> {
    var deletions: [Int] = []
    var arrivals: [(position: Int, object: Object)] = []
    var survivors: [RowPositions] = []
    var modifications: [RowPositions] = []
    let modified = modified
    for (object, oldPosition) in touched {
      switch (oldPosition, query.position(of: object)) {
      case (let old?, let new?):
        survivors.append(.init(old: old, new: new))
        if modified.contains(object) { modifications.append(.init(old: old, new: new)) }
      case (let old?, nil): deletions.append(old)
      case (nil, let new?): arrivals.append((new, object))
      case (nil, nil): break
      }
    }
    deletions.sort()
    arrivals.sort { $0.position < $1.position }
    let insertions = arrivals.map(\.position)
    let untouched = UntouchedRows(
      old: deletions + survivors.map(\.old), present: insertions + survivors.map(\.new))
    for object in modified where touched[object] == nil {
      if let new = query.position(of: object) {
        modifications.append(.init(old: untouched.oldPosition(of: new), new: new))
      }
    }
    return CollectionChange(
      deletions: deletions, insertions: insertions, moves: untouched.moves(of: survivors),
      modifications: modifications.sorted { $0.new < $1.new }, inserted: arrivals.map(\.object))
  }
}

typealias RowPositions = CollectionChange<Object>.Pair
