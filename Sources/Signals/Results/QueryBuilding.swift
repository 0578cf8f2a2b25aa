// The first read of a query, and queries made of others.

extension Query {
  /// Finds all rows.
  ///
  /// O(n log n), or O(n) if a wider query in the same order lends its rows; n are the objects of the
  /// class, or those that an index names.
  func build() {
    Node.noteNested()
    if state == .unread {
      for extent in store.extents(covering: type) {
        table.add(extent)
        extent.add(self)
      }
      pick?.add(self)
    }
    reads.reset()
    table.removeAllRows()
    let outgrown = (tree, dirty)
    dirty = [:]
    state = .kept
    unsafe Turn.current.pointee.depth += 1
    isEvaluating = true
    let rows = candidates().map { sortedRows(of: $0) } ?? narrowedRows() ?? allRows()
    isEvaluating = false
    wider = nil
    for row in rows { table.set(row.key, of: row.object) }
    tree = Tree(rows)
    if let path = order.descriptors.first?.path, !rows.isEmpty, reads.offsets.isEmpty,
      reads.areAllOwn, comparisons?.isEmpty ?? true
    {
      Unfollowed.tell(of: path, "\(description), sorted by \(path),")
    }
    let followers = followers
    for follower in followers { follower.rowsWereMadeAnew() }
    Turn.endBatch()
    withExtendedLifetime((outgrown, followers)) {}
  }

  /// The objects that may be rows, if an index or a pick names them and no wider query lends its rows.
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

  /// The rows of the nearest wider query that has some and passes this one's further filters.
  ///
  /// Nil if there is none, or if what decided about its rows and their order is known to its own nodes only.
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

  /// The same query with one more filter.
  func filtered(
    lookup: IndexLookup? = nil, by filter: @escaping (Object) -> Bool
  ) -> Query {
    Query(
      store, type, filters: filters + [filter],
      lookups: lookup.map { lookups + [$0] } ?? lookups, descriptors: order.descriptors,
      ownKeys: ownKeys, pick: pick, wider: self, ignoresViewState: ignoresViewState)
  }

  /// The same query, of whose rows, and of those of all that is made from it, the state of views is none of
  /// the dependencies.
  func ignoringViewState() -> Query {
    ignoresViewState
      ? self
      : Query(
        store, type, filters: filters, lookups: lookups, descriptors: order.descriptors,
        ownKeys: ownKeys, pick: pick, wider: self, ignoresViewState: true)
  }

  /// The same query with one more sort key, after those given since the pick.
  func sorted(by descriptor: SortDescriptor) -> Query {
    var descriptors = order.descriptors
    descriptors.insert(descriptor, at: pick == nil ? descriptors.count : ownKeys)
    return Query(
      store, type, filters: filters, lookups: lookups, descriptors: descriptors,
      ownKeys: ownKeys + 1, pick: pick, ignoresViewState: ignoresViewState)
  }

  /// The same rows by other keys.
  func reordered(by descriptors: [SortDescriptor]) -> Query {
    Query(
      store, type, filters: filters, lookups: lookups, descriptors: descriptors, pick: pick,
      ignoresViewState: ignoresViewState)
  }

  /// Those of these rows, in the same order, that a pick names.
  ///
  /// The filters are asked again, so that the query knows what they read.
  func picked(by pick: Pick) -> Query {
    Query(
      store, type, filters: filters, descriptors: order.descriptors, pick: pick,
      ignoresViewState: ignoresViewState)
  }
}
