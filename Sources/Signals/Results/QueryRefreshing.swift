// How a query follows changes: what is dirty is tested again, and the rows that come out different are
// moved.
//
// A refresh is a batch: whatever its evaluations set off runs when the rows are complete.

/// A row that is not what it was.
struct RowUpdate {
  let object: Object
  let old: QueryRow?
  let new: QueryRow?
  /// Where the old row stands.
  var oldPosition: Int?

  /// Nil if both rows stand in the same place, or there is neither.
  init?(_ object: Object, _ old: QueryRow?, _ new: QueryRow?, _ order: RowOrder) {
    switch (old, new) {
    case (nil, nil): return nil
    case (let old?, let new?) where order.isSame(old, new): return nil
    default: break
    }
    self.object = object
    self.old = old
    self.new = new
  }

  /// A row with the same keys, which stands in another place because their comparison changed.
  init(_ row: QueryRow, from oldPosition: Int) {
    object = row.object
    old = row
    new = row
    self.oldPosition = oldPosition
  }
}

/// What was taken out of the rows of a query, to be let go of when the others are in their places.
private struct OutgrownRows {
  var rows: [QueryRow] = []
  var tree: Tree<QueryRow>?
}

extension Query {
  /// Brings the rows up to date.
  ///
  /// O(log n) for each object to re-test, O(n) for the first read; O(n log n) if what comparisons read has changed.
  func refresh() {
    refreshOnce()
    // What was let go of may have had a `deinit` that wrote: nobody who reads now would be told.
    var rounds = 0
    while state == .kept, !dirty.isEmpty || comparisons?.isMarked ?? false, rounds < 100 {
      refreshOnce()
      rounds += 1
    }
  }

  private func refreshOnce() {
    if isEvaluating {
      trap("a predicate, sort key or comparison of \(description) reads those same results")
    }
    pick?.refresh()
    guard state == .kept else { return build() }
    let isEveryRowDirty = reads.takeSharedMark()
    let isOrderStale = comparisons?.takeMark() ?? false
    if dirty.isEmpty, !isEveryRowDirty, !isOrderStale { return }
    Node.noteNested()
    unsafe Turn.current.pointee.depth += 1
    // What was dirty is let go of when the rows are complete: with it may go an object, and what that owns.
    let retested = dirty
    dirty = [:]
    var updates = retest(retested, everyRow: isEveryRowDirty)
    var outgrown = OutgrownRows()
    if isOrderStale {
      let rows = rowsInOrderAnew(&updates)
      move(updates) {
        replaceRows(by: rows, &outgrown)
        treeOrdering = orderings
      }
    } else if !updates.isEmpty {
      for index in updates.indices {
        updates[index].oldPosition = updates[index].old.map(position(of:))
      }
      move(updates) { apply(updates, &outgrown) }
    }
    // What was written meanwhile, as by a `deinit`, found the rows as they were before.
    if !dirty.isEmpty {
      for update in updates where dirty[update.object] != nil {
        dirty[update.object] = .some(update.new)
      }
    }
    Turn.endBatch()
    // The `deinit` of a key may write what comparisons read: no row is let go of while others are looked for.
    withExtendedLifetime((retested, updates, outgrown)) {}
  }

  /// Moves rows by `body`, and tells those who follow before and after.
  private func move(_ updates: [RowUpdate], by body: () -> Void) {
    consumers.open(withMembership: trigger.isObserved)
    for recorder in consumers.recorders { recorder.note(updates, in: self) }
    let followers = followers
    for follower in followers { follower.rowsWillChange(updates) }
    for update in updates { table.set(update.new?.key, of: update.object) }
    body()
    for follower in followers { follower.rowsDidChange(updates) }
    for follower in followers { follower.rowsDidSettle() }
    withExtendedLifetime(followers) {}
  }

  /// Brings the rows up to date after a batch, and notes those for which something elsewhere changed.
  func refreshSettled() {
    reads.settle {
      consumers.noteModified($0)
    } refresh: {
      refresh()
    }
  }

  // MARK: - Testing

  /// Tests what was dirty, and returns what differs.
  private func retest(_ retested: [Object: QueryRow?], everyRow: Bool) -> [RowUpdate] {
    var updates: [RowUpdate] = []
    isEvaluating = true
    for (object, old) in retested {
      let new = test(object)
      if let update = update(object, old, new) {
        updates.append(update)
      } else {
        // An object that went and came back has another slot.
        table.set(new?.key, of: object)
      }
    }
    if everyRow {
      forEachCandidate { object, row in
        if retested[object] == nil, let update = update(object, row, test(object)) {
          updates.append(update)
        }
      }
    }
    isEvaluating = false
    return updates
  }

  private func update(_ object: Object, _ old: QueryRow?, _ new: QueryRow?) -> RowUpdate? {
    comparing(by: order) { RowUpdate(object, old, new, order) }
  }

  /// Calls `body` with each object that may be a row, and its row.
  private func forEachCandidate(_ body: (Object, QueryRow?) -> Void) {
    guard let candidates = pick?.objects ?? candidatesFromIndexes() else {
      return table.forEach(body)
    }
    for object in candidates { body(object, table.row(of: object)) }
    let named = Set(candidates)
    for row in tree where !named.contains(row.object) { body(row.object, row) }
  }

  /// The row of an object that belongs into the result, else nil.
  func test(_ object: Object) -> QueryRow? {
    guard table.covers(object) else { return nil }
    if let pick, !pick.contains(object) {
      // What it read is nobody's business until it is picked again.
      reads.forget(object)
      return nil
    }
    return evaluate(object) {
      filters.allSatisfy { $0(object) } ? QueryRow(object, order.key(of: object)) : nil
    }
  }

  /// Evaluates the user's closures on an object, and follows what they read.
  func evaluate<Result>(_ object: Object, _ body: () -> Result) -> Result {
    guard ignoresViewState else { return reads.evaluate(object, body) }
    return Query.ignoringViewState { reads.evaluate(object, body) }
  }

  /// Runs the user's closures so that what they read of the state of views is none of their dependencies.
  static func ignoringViewState<Result>(_ body: () -> Result) -> Result {
    let turn = unsafe Turn.current
    let outer = unsafe turn.pointee.ignoresViewState
    unsafe turn.pointee.ignoresViewState = true
    defer { unsafe turn.pointee.ignoresViewState = outer }
    return body()
  }

  // MARK: - Moving

  private func apply(_ updates: [RowUpdate], _ outgrown: inout OutgrownRows) {
    comparisons?.didAdd(updates.count)
    if updates.count > 64, updates.count > tree.count / 8 { return merge(updates, &outgrown) }
    // From the end, so that the positions before stay what they are.
    let leaving = updates.compactMap { update in update.oldPosition.map { (update.object, $0) } }
    for (object, position) in leaving.count > 1 ? leaving.sorted(by: { $0.1 > $1.1 }) : leaving {
      guard position < tree.count else { trapLost(object) }
      let row = tree.remove(at: position)
      if row.object !== object { trapLost(object) }
      if order.callsUserCode { outgrown.rows.append(row) }
    }
    for case let row? in updates.map(\.new) { tree.insert(row, at: position(of: row)) }
  }

  private func trapLost(_ object: Object) -> Never {
    trap(
      "\(description) can't find \(object) again: a comparison given to `sorted` is no strict weak "
        + "ordering, or depends on what is no field or signal")
  }

  /// Replaces so many rows that merging them costs less than finding each.
  private func merge(_ updates: [RowUpdate], _ outgrown: inout OutgrownRows) {
    let changed = Set(updates.lazy.map(\.object))
    var merged: [QueryRow] = []
    comparing(by: order) {
      let added = updates.compactMap(\.new).sorted(by: order.isBefore)
      merged.reserveCapacity(tree.count + added.count)
      var next = 0
      for row in tree where !changed.contains(row.object) {
        while next < added.count, order.isBefore(added[next], row) {
          merged.append(added[next])
          next += 1
        }
        merged.append(row)
      }
      merged += added[next...]
    }
    replaceRows(by: merged, &outgrown)
  }

  private func replaceRows(by rows: [QueryRow], _ outgrown: inout OutgrownRows) {
    outgrown.tree = tree
    tree = Tree(rows)
  }
}
