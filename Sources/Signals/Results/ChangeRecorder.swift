// Records the changes of a live result since a starting point.
//
// State: `touched`, the original position of each object whose row has been moved, inserted or
// removed since; `written`, the original values of the properties written since; `elsewhere`, the
// objects whose rows have changed external dependencies; `anchor`, an intermediate version in which
// rows touched later are found.
//
// Untouched rows keep their relative order, so their old positions follow from the current ones. So
// no old version has to be kept for a single commit. A second read within a transaction keeps one,
// so a loop that writes and reads costs O(log n) for each iteration.

/// Collects the changes since its consumers last looked.
final class ChangeRecorder {
  /// The number of consumers that share it.
  var users = 0
  /// The original position of each touched object; nil if it wasn't a member.
  private var touched: [Object: Int?] = [:]
  private var written: [Object: [(offset: Int, value: Any)]] = [:]
  private var elsewhere: Set<Object> = []
  /// Whether the consumer already knows the changes of external dependencies in the open batch,
  /// which are found only when the batch ends.
  ///
  /// It becomes false if more changes in the same batch. Reporting too many modified rows is better
  /// than too few.
  var ignoresExternalChanges = false
  private var anchor: (rows: SearchableVersion<QueryRow>, untouched: StablePositions)?

  func noteModified(_ object: Object) {
    if !ignoresExternalChanges { elsewhere.insert(object) }
  }

  /// Notes the old values of properties, keeping the oldest value of each.
  func noteModified(_ object: Object, from old: [(offset: Int, value: Any)]) {
    for (offset, value) in old {
      let known = written[object]?.contains { $0.offset == offset } ?? false
      if !known { written[object, default: []].append((offset, value)) }
    }
  }

  /// The objects that differ from the start.
  var modified: Set<Object> {
    var modified = elsewhere
    for (object, old) in written {
      guard let objectTable = object.table else { continue }
      if old.contains(where: { !objectTable.isSame($0.value, in: object, at: $0.offset) }) {
        modified.insert(object)
      }
    }
    return modified
  }

  /// Notes rows that are about to change.
  ///
  /// - Complexity: O(log *n*) for each row.
  func note(_ updates: [RowUpdate], in query: Query) {
    if touched.isEmpty {
      for update in updates { touched[update.object] = .some(update.oldPosition) }
      return
    }
    var anchor = anchor ?? makeAnchor(before: updates, in: query)
    for update in updates where touched[update.object] == nil {
      // The row is the same as in the anchor, because it hasn't been touched since.
      let position = update.old.map { row in
        anchor.untouched.oldPosition(of: anchor.rows.position(of: row, in: query))
      }
      touched[update.object] = .some(position)
    }
    self.anchor = anchor
  }

  /// Creates an anchor: the current version, and the rows that haven't been touched so far.
  private func makeAnchor(
    before updates: [RowUpdate], in query: Query
  ) -> (rows: SearchableVersion<QueryRow>, untouched: StablePositions) {
    var rows = SearchableVersion(query.tree, ordering: query.treeOrdering)
    var present: [Int] = []
    var seen: Set<Object> = []
    // Rows of deleted objects are no longer in the table, but still in the tree.
    for update in updates where touched[update.object] != nil {
      seen.insert(update.object)
      if let position = update.oldPosition { present.append(position) }
    }
    for object in touched.keys where !seen.contains(object) {
      if let row = query.table.row(of: object) {
        present.append(rows.position(of: row, in: query))
      }
    }
    let untouched = StablePositions(old: touched.values.compactMap { $0 }, present: present)
    return (rows, untouched)
  }

  /// Whether membership or order differ from the start.
  func changesOrder(in query: Query) -> Bool {
    touched.contains { $0.value != query.position(of: $0.key) }
  }

  /// The exact change since the start.
  ///
  /// - Complexity: O(*t* log *n*) for *t* touched and modified objects.
  func change(in query: Query) -> CollectionChange<Object> {
    CollectionChange(touched: touched, modified: modified) { query.position(of: $0) }
  }
}

extension CollectionChange where Member: Hashable {
  /// Creates the change since an old version in which the other members have the same order.
  ///
  /// - Parameters:
  ///   - touched: The members that may have been inserted, removed or moved, with their old
  ///     positions.
  ///   - modified: The modified members, touched or not.
  ///   - position: Returns the current position of a member, or nil if it has none.
  /// - Complexity: O(*t* log *t*) for *t* touched and modified members, besides the calls of
  ///   `position`.
  init(touched: [Member: Int?], modified: Set<Member>, position: (Member) -> Int?) {
    var deletions: [Int] = []
    var arrivals: [(position: Int, member: Member)] = []
    var survivors: [PositionPair<Int>] = []
    var modifications: [PositionPair<Int>] = []
    for (member, oldPosition) in touched {
      switch (oldPosition, position(member)) {
      case (let old?, let new?):
        survivors.append(.init(old: old, new: new))
        if modified.contains(member) { modifications.append(.init(old: old, new: new)) }
      case (let old?, nil): deletions.append(old)
      case (nil, let new?): arrivals.append((new, member))
      case (nil, nil): break
      }
    }
    deletions.sort()
    arrivals.sort { $0.position < $1.position }
    let insertions = arrivals.map(\.position)
    let untouched = StablePositions(
      old: deletions + survivors.map(\.old), present: insertions + survivors.map(\.new))
    for member in modified where touched[member] == nil {
      if let new = position(member) {
        modifications.append(.init(old: untouched.oldPosition(of: new), new: new))
      }
    }
    self.init(
      deletions: deletions, insertions: insertions, moves: untouched.moves(of: survivors),
      modifications: modifications.sorted { $0.new < $1.new }, inserted: arrivals.map(\.member))
  }
}
