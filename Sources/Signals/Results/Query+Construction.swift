// The first read of a query, and queries derived from others.

extension Query {
  /// Finds all rows.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of objects of the class or of those that
  ///   an index finds. O(*n*) if a base query in the same order provides its rows.
  func build() {
    Node.noteNested()
    if state == .unread {
      for objectTable in store.tables(covering: type) {
        table.add(objectTable)
        objectTable.add(self)
      }
      stage?.add(self)
    }
    dependencies.reset()
    table.removeAllRows()
    let outgrown = (tree, dirty)
    dirty = [:]
    state = .kept
    Scheduler.current.pointee.depth += 1
    isEvaluating = true
    let rows = candidates().map { sortedRows(of: $0) } ?? narrowedRows() ?? allRows()
    isEvaluating = false
    base = nil
    for row in rows { table.set(row.key, of: row.object) }
    tree = Tree(rows)
    if let path = order.descriptors.first?.path, !rows.isEmpty, dependencies.offsets.isEmpty,
      dependencies.hasNoExternalDependencies, comparisons?.node.isEmpty ?? true
    {
      MissingFieldWarning.warn(about: path, "\(description), sorted by \(path),")
    }
    let observers = observers
    for observer in observers { observer.rowsWereRebuilt() }
    Scheduler.endBatch()
    withExtendedLifetime((outgrown, observers)) {}
  }

  /// The objects that may be rows, if an index or a stage finds them and no base query provides its
  /// rows.
  private func candidates() -> [Object]? {
    guard let stage else { return candidatesFromIndexes() }
    return base == nil ? stage.objects : nil
  }

  private func allRows() -> [QueryRow] {
    if let stage { return sortedRows(of: stage.objects) }
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

  /// The rows of the nearest base query that has been built, reduced by this query's further
  /// filters.
  ///
  /// Nil if no base query has been built, or if its rows or their order have dependencies that are
  /// tracked only by its own nodes.
  private func narrowedRows() -> [QueryRow]? {
    var lender = base
    while let query = lender, query.state != .kept { lender = query.base }
    guard let lender else { return nil }
    lender.refresh()
    guard lender.dependencies.hasNoExternalDependencies, lender.comparisons?.node.isEmpty ?? true
    else { return nil }
    dependencies.adopt(lender.dependencies)
    let further = definition.filters.dropFirst(lender.definition.filters.count)
    var rows: [QueryRow] = []
    for row in lender.tree {
      let passes = evaluate(on: row.object) { further.allSatisfy { $0(row.object) } }
      if passes { rows.append(row) }
    }
    return rows
  }

  // MARK: - Derived queries

  /// Returns the same query with one more filter.
  func filtered(
    lookup: QueryDefinition.Lookup? = nil, by filter: @escaping (Object) -> Bool
  ) -> Query {
    var definition = definition
    definition.filters.append(filter)
    if let lookup { definition.lookups.append(lookup) }
    return Query(definition, base: self)
  }

  /// Returns the same query, with rows that don't depend on the state of views.
  ///
  /// That also applies to all queries derived from it.
  func ignoringViewState() -> Query {
    if definition.ignoresViewState { return self }
    var definition = definition
    definition.ignoresViewState = true
    #if DEBUG
      definition.stateReads = ViewStateReads()
    #endif
    return Query(definition, base: self)
  }

  /// Returns a query for the same rows with other sort keys.
  func reordered(by descriptors: [SortDescriptor]) -> Query {
    var definition = definition
    definition.descriptors = descriptors
    return Query(definition)
  }

  /// Returns a query for the rows that a stage selects, in the same order.
  ///
  /// The filters are evaluated again, so that the new query tracks their dependencies.
  func applying(_ stage: QueryStage) -> Query {
    var definition = definition
    definition.lookups = []
    definition.stage = stage
    return Query(definition)
  }
}
