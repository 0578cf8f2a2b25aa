// The first read of a query, and queries derived from others.

extension Query {
  /// Finds all rows.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of objects of the class or of those that
  ///   an index finds. O(*n*) if a wider query in the same order provides its rows.
  func build() {
    Node.noteNested()
    if state == .unread {
      for objectTable in store.tables(covering: type) {
        table.add(objectTable)
        objectTable.add(self)
      }
      pick?.add(self)
    }
    reads.reset()
    table.removeAllRows()
    let outgrown = (tree, dirty)
    dirty = [:]
    state = .kept
    unsafe Scheduler.current.pointee.depth += 1
    isEvaluating = true
    let rows = candidates().map { sortedRows(of: $0) } ?? narrowedRows() ?? allRows()
    isEvaluating = false
    wider = nil
    for row in rows { table.set(row.key, of: row.object) }
    tree = Tree(rows)
    if let path = order.descriptors.first?.path, !rows.isEmpty, reads.offsets.isEmpty,
      reads.areAllOwn, comparisons?.isEmpty ?? true
    {
      MissingFieldWarning.warn(about: path, "\(description), sorted by \(path),")
    }
    let followers = followers
    for follower in followers { follower.rowsWereMadeAnew() }
    Scheduler.endBatch()
    withExtendedLifetime((outgrown, followers)) {}
  }

  /// The objects that may be rows, if an index or a pick finds them and no wider query provides its
  /// rows.
  private func candidates() -> [Object]? {
    guard let pick else { return candidatesFromIndexes() }
    return wider == nil ? pick.objects : nil
  }

  private func allRows() -> [QueryRow] {
    if let pick { return sortedRows(of: pick.objects) }
    var rows: [QueryRow] = []
    table.forEach { object, _ in
      if let row = test(object) { rows.append(row) }
    }
    puttingInOrder { rows.sort(by: order.isBefore) }
    return rows
  }

  private func sortedRows(of candidates: [Object]) -> [QueryRow] {
    let rows = candidates.compactMap(test)
    return puttingInOrder { rows.sorted(by: order.isBefore) }
  }

  /// The rows of the nearest wider query that has been built, reduced by this query's further
  /// filters.
  ///
  /// Nil if no wider query has been built, or if its rows or their order have dependencies that are
  /// tracked only by its own nodes.
  private func narrowedRows() -> [QueryRow]? {
    var lender = wider
    while let query = lender, query.state != .kept { lender = query.wider }
    guard let lender else { return nil }
    lender.refresh()
    guard lender.reads.areAllOwn, lender.comparisons?.isEmpty ?? true else { return nil }
    reads.adopt(lender.reads)
    let further = filters.dropFirst(lender.filters.count)
    var rows: [QueryRow] = []
    for row in lender.tree {
      let passes = evaluate(row.object) { further.allSatisfy { $0(row.object) } }
      if passes { rows.append(row) }
    }
    return rows
  }

  /// Returns the same query with one more filter.
  func filtered(
    lookup: IndexLookup? = nil, by filter: @escaping (Object) -> Bool
  ) -> Query {
    Query(
      store, type, filters: filters + [filter],
      lookups: lookup.map { lookups + [$0] } ?? lookups, descriptors: order.descriptors,
      ownKeys: ownKeys, pick: pick, wider: self, ignoresViewState: ignoresViewState)
  }

  /// Returns the same query, with rows that don't depend on the state of views.
  ///
  /// That also applies to all queries derived from it.
  func ignoringViewState() -> Query {
    ignoresViewState
      ? self
      : Query(
        store, type, filters: filters, lookups: lookups, descriptors: order.descriptors,
        ownKeys: ownKeys, pick: pick, wider: self, ignoresViewState: true)
  }

  /// Returns the same query with one more sort key, which follows the keys added since the pick.
  func sorted(by descriptor: SortDescriptor) -> Query {
    var descriptors = order.descriptors
    descriptors.insert(descriptor, at: pick == nil ? descriptors.count : ownKeys)
    return Query(
      store, type, filters: filters, lookups: lookups, descriptors: descriptors,
      ownKeys: ownKeys + 1, pick: pick, ignoresViewState: ignoresViewState)
  }

  /// Returns a query for the same rows with other sort keys.
  func reordered(by descriptors: [SortDescriptor]) -> Query {
    Query(
      store, type, filters: filters, lookups: lookups, descriptors: descriptors, pick: pick,
      ignoresViewState: ignoresViewState)
  }

  /// Returns a query for the rows that a pick selects, in the same order.
  ///
  /// The filters are evaluated again, so that the new query tracks their dependencies.
  func picked(by pick: Pick) -> Query {
    Query(
      store, type, filters: filters, descriptors: order.descriptors, pick: pick,
      ignoresViewState: ignoresViewState)
  }
}
