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
    }
    reads.reset()
    table.removeAllRows()
    dirty = [:]
    state = .kept
    unsafe Turn.current.pointee.depth += 1
    isEvaluating = true
    let rows =
      candidatesFromIndexes().map { sortedRows(of: $0) } ?? narrowedRows() ?? allRows()
    isEvaluating = false
    wider = nil
    for row in rows { table.set(row.key, of: row.object) }
    tree = Tree(rows)
    Turn.endBatch()
  }

  private func allRows() -> [QueryRow] {
    var rows: [QueryRow] = []
    table.forEach { object, _ in
      if let row = test(object) { rows.append(row) }
    }
    rows.sort(by: order.isBefore)
    return rows
  }

  private func sortedRows(of candidates: [Object]) -> [QueryRow] {
    candidates.compactMap(test).sorted(by: order.isBefore)
  }

  /// The rows of the nearest wider query that has some and passes this one's further filters.
  ///
  /// Nil if there is none, or if what decided about its rows is known to its own nodes only.
  private func narrowedRows() -> [QueryRow]? {
    var lender = wider
    while let query = lender, query.state != .kept { lender = query.wider }
    guard let lender else { return nil }
    lender.refresh()
    guard lender.reads.areAllOwn else { return nil }
    reads.adopt(lender.reads)
    let further = filters.dropFirst(lender.filters.count)
    var rows: [QueryRow] = []
    for row in lender.tree {
      let passes = reads.evaluate(row.object) { further.allSatisfy { $0(row.object) } }
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
      wider: self)
  }

  /// The same query with one more sort key.
  func sorted(by descriptor: SortDescriptor) -> Query {
    Query(
      store, type, filters: filters, lookups: lookups,
      descriptors: order.descriptors + [descriptor])
  }
}
