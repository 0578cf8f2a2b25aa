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
    let rows = SortedRows(in: order)
    collect(into: rows)
    isEvaluating = false
    base = nil
    tree = Tree(rows)
    if let path = order.descriptors.first?.path, !tree.isEmpty, dependencies.offsets.isEmpty,
      dependencies.hasNoExternalDependencies, comparisons?.node.isEmpty ?? true
    {
      MissingFieldWarning.warn(about: path, "\(description), sorted by \(path),")
    }
    let observers = observers
    for observer in observers { observer.rowsWereRebuilt() }
    Scheduler.endBatch()
    withExtendedLifetime((outgrown, observers)) {}
  }

  /// Adds all rows and puts them in order.
  private func collect(into rows: SortedRows) {
    if stage == nil, let candidates = candidatesFromIndexes() {
      for object in candidates { add(test(object), to: rows) }
    } else if narrow(into: rows) {
      return
    } else if let stage {
      for object in stage.objects { add(test(object), to: rows) }
    } else {
      for objectTable in table.objectTables {
        for case let object? in objectTable.objects { add(test(object), to: rows) }
      }
    }
    puttingInOrder { rows.sort() }
  }

  private func add(_ row: QueryRow?, to rows: SortedRows) {
    guard let row else { return }
    table.set(row.key, of: row.object)
    rows.add(row)
  }

  /// Adds the rows of the nearest base query that has been built, in its order, reduced by this
  /// query's further filters.
  ///
  /// - Returns: Whether there is such a query; false also if its rows or their order have
  ///   dependencies that are tracked only by its own nodes.
  private func narrow(into rows: SortedRows) -> Bool {
    var lender = base
    while let query = lender, query.state != .kept { lender = query.base }
    guard let lender else { return false }
    lender.refresh()
    guard lender.dependencies.hasNoExternalDependencies, lender.comparisons?.node.isEmpty ?? true
    else { return false }
    dependencies.adopt(lender.dependencies)
    let further = definition.filters.dropFirst(lender.definition.filters.count)
    for row in lender.tree {
      let passes = evaluate(on: row.object) { further.allSatisfy { $0(row.object) } }
      if passes { add(row, to: rows) }
    }
    return true
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
