// How a query follows changes: it tests dirty objects again, and moves the rows that have changed.
//
// A refresh is a batch: reactions to its evaluations run when the rows are complete.

/// A row that was inserted, removed or moved, or that has different keys.
struct RowUpdate {
  let object: Object
  let old: QueryRow?
  let new: QueryRow?
  /// The position of the old row.
  var oldPosition: Int?

  /// Fails if both rows have the same place, or if there is neither.
  init?(_ object: Object, from old: QueryRow?, to new: QueryRow?, in order: RowOrder) {
    switch (old, new) {
    case (nil, nil): return nil
    case (let old?, let new?) where order.isSame(old, new): return nil
    default: break
    }
    self.object = object
    self.old = old
    self.new = new
  }

  /// Creates an update of a row with the same keys, which has moved because their comparison
  /// changed.
  init(_ row: QueryRow, from oldPosition: Int) {
    object = row.object
    old = row
    new = row
    self.oldPosition = oldPosition
  }
}

/// Values removed from the rows of a query, which are released once the other rows are in place.
private struct OutgrownRows {
  var rows: [QueryRow] = []
  var tree: Tree<QueryRow>?
}

extension Query {
  /// Brings the rows up to date.
  ///
  /// - Complexity: O(log *n*) for each dirty object. O(*n* log *n*) for the first read, or if a
  ///   dependency of comparisons has changed.
  func refresh() {
    let outer = isRefreshing
    isRefreshing = true
    defer { isRefreshing = outer }
    refreshOnce()
    // Releasing old rows may run a `deinit` that writes. The current reader wouldn't be notified of
    // that, so the rows are refreshed again.
    var rounds = 0
    while state == .kept, !dirty.isEmpty || comparisons?.node.isMarked ?? false, rounds < 100 {
      refreshOnce()
      rounds += 1
    }
  }

  private func refreshOnce() {
    if isEvaluating {
      trap("a predicate, sort key or comparison of \(description) reads those same results")
    }
    stage?.refresh()
    guard state == .kept else { return build() }
    let isEveryRowDirty = dependencies.takeSharedMark()
    let isOrderStale = comparisons?.takeMark() ?? false
    if dirty.isEmpty, !isEveryRowDirty, !isOrderStale { return }
    Node.noteNested()
    Scheduler.current.pointee.depth += 1
    // Released when the rows are complete, because that may release objects and all they own.
    let retested = dirty
    dirty = [:]
    var updates = retest(retested, everyRow: isEveryRowDirty)
    var outgrown = OutgrownRows()
    if isOrderStale {
      let rows = resortedRows(&updates)
      move(updates) {
        replaceRows(by: rows, keeping: &outgrown)
        treeOrdering = orderings
      }
    } else if !updates.isEmpty {
      for index in updates.indices {
        updates[index].oldPosition = updates[index].old.map(position(of:))
      }
      move(updates) { apply(updates, keeping: &outgrown) }
    }
    // Writes during the refresh, for example by a `deinit`, were queued with the rows from before.
    if !dirty.isEmpty {
      for update in updates where dirty[update.object] != nil {
        dirty[update.object] = .some(update.new)
      }
    }
    Scheduler.endBatch()
    // The `deinit` of a key may write a dependency of comparisons, so no row is released while
    // others are being searched for.
    let released = (retested, updates, outgrown)
    // The read of a computed must not run it either: it runs at the end of the batch, or of the next.
    if Node.isPure { Scheduler.deferRelease(released) }
    withExtendedLifetime(released) {}
  }

  /// Moves rows by `body`, and notifies recorders and observers before and after.
  private func move(_ updates: [RowUpdate], by body: () -> Void) {
    consumers.open(withMembership: invalidation.isObserved)
    for recorder in consumers.recorders { recorder.note(updates, in: self) }
    let observers = observers
    for observer in observers { observer.rowsWillChange(updates) }
    for update in updates { table.set(update.new?.key, of: update.object) }
    body()
    for observer in observers { observer.rowsDidChange(updates) }
    for observer in observers { observer.rowsDidSettle() }
    withExtendedLifetime(observers) {}
  }

  /// Brings the rows up to date after a batch, and notes the rows whose external dependencies have
  /// changed.
  func refreshSettled() {
    dependencies.settle {
      consumers.noteModified($0)
    } refresh: {
      refresh()
    }
  }

  // MARK: - Testing

  /// Tests the dirty objects again, and returns the rows that differ.
  private func retest(_ retested: [Object: QueryRow?], everyRow: Bool) -> [RowUpdate] {
    var updates: [RowUpdate] = []
    isEvaluating = true
    for (object, old) in retested {
      let new = test(object)
      if let update = update(object, from: old, to: new) {
        updates.append(update)
      } else {
        // An object that was removed and inserted again has a different slot.
        table.set(new?.key, of: object)
      }
    }
    if everyRow {
      forEachCandidate { object, row in
        if retested[object] == nil, let update = update(object, from: row, to: test(object)) {
          updates.append(update)
        }
      }
    }
    isEvaluating = false
    return updates
  }

  private func update(_ object: Object, from old: QueryRow?, to new: QueryRow?) -> RowUpdate? {
    comparing(by: order) { RowUpdate(object, from: old, to: new, in: order) }
  }

  /// Calls `body` with each object that may be a row, and its current row.
  private func forEachCandidate(_ body: (Object, QueryRow?) -> Void) {
    guard let candidates = stage?.objects ?? findObjects()?.found.all else {
      return table.forEach(body)
    }
    for object in candidates { body(object, table.row(of: object)) }
    let named = Set(candidates)
    for row in tree where !named.contains(row.object) { body(row.object, row) }
  }

  /// Returns the row of an object, or nil if it isn't in the result.
  func test(_ object: Object) -> QueryRow? {
    guard table.covers(object) else { return nil }
    if let stage, !stage.contains(object) {
      // Its dependencies don't matter until it is selected again.
      dependencies.forget(object)
      return nil
    }
    if definition.filters.isEmpty, let key = storedKey(of: object) {
      return QueryRow(object, key: key)
    }
    // One evaluation: it replaces the dependencies of the row's last one.
    return evaluate(on: object) {
      // First, so that a row has no dependencies elsewhere once its object isn't watched.
      guard watchedValues.areSatisfied(by: object), definition.filters.allSatisfy({ $0(object) })
      else { return nil }
      return QueryRow(object, key: storedKey(of: object) ?? order.key(of: object))
    }
  }

  /// The keys of an object, if they are read from its storage.
  func storedKey(of object: Object) -> SortKey? {
    keyReaders.key(of: object, in: order) { dependencies.learn($0) }
  }

  /// Evaluates the user's closures on an object, and tracks their dependencies.
  func evaluate<Result>(on object: Object, _ body: () -> Result) -> Result {
    guard definition.ignoresViewState else { return dependencies.evaluate(on: object, body) }
    return definition.ignoringViewState { dependencies.evaluate(on: object, body) }
  }

  /// Evaluates conditions on many objects, and tracks their dependencies.
  ///
  /// - Parameters:
  ///   - filters: The conditions.
  ///   - body: A closure that evaluates the given condition, which is that all are satisfied.
  func evaluateEach(
    _ filters: [(Object) -> Bool], _ body: (_ isIncluded: (Object) -> Bool) -> Void
  ) {
    let isIncluded = { (object: Object) in filters.allSatisfy { $0(object) } }
    let only = filters.count == 1 ? filters[0] : isIncluded
    guard definition.ignoresViewState else { return dependencies.evaluateEach(only, body) }
    definition.ignoringViewState { dependencies.evaluateEach(only, body) }
  }

  // MARK: - Moving

  private func apply(_ updates: [RowUpdate], keeping outgrown: inout OutgrownRows) {
    comparisons?.didAdd(updates.count)
    if updates.count > 64, updates.count > tree.count / 8 {
      return merge(updates, keeping: &outgrown)
    }
    // From the end, so that the remaining positions stay valid.
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
      "\(description) can't find \(StoreError.Subject(object)) again: a comparison given to `sorted` is no strict weak "
        + "ordering, or depends on what is no field or signal")
  }

  /// Applies updates by merging, which costs less than finding each row if there are many.
  private func merge(_ updates: [RowUpdate], keeping outgrown: inout OutgrownRows) {
    let changed = Set(updates.lazy.map(\.object))
    var merged: [QueryRow] = []
    comparing(by: order) {
      let new = SortedRows(in: order, updates.lazy.compactMap(\.new))
      new.sort()
      let added = Array(new)
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
    replaceRows(by: merged, keeping: &outgrown)
  }

  private func replaceRows(by rows: [QueryRow], keeping outgrown: inout OutgrownRows) {
    outgrown.tree = tree
    tree = Tree(rows)
  }
}

extension QueryDefinition {
  /// Runs the user's closures, excluding reads of the state of views from their dependencies.
  func ignoringViewState<Result>(_ body: () -> Result) -> Result {
    #if DEBUG
      ThreadContext.with(stateReads, for: ViewStateReads.Current.self) {
        ThreadContext.with(true, for: IgnoresViewState.self, body)
      }
    #else
      ThreadContext.with(true, for: IgnoresViewState.self, body)
    #endif
  }
}

/// Whether reads of view state aren't dependencies, as in a condition of `where(on:)`.
enum IgnoresViewState: ThreadContextKey {
  static var defaultValue: Bool { false }
}
