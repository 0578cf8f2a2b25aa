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
        if stage != nil || !watchedValues.watch(objectTable, for: self) { objectTable.add(self) }
      }
      stage?.add(self)
    }
    // First, because other queries are brought up to date by it. If that releases an object whose
    // `deinit` writes, this query doesn't note it, and reads the result.
    let source = findSource()
    dependencies.reset()
    table.removeAllRows()
    let outgrown = (tree, dirty)
    dirty = [:]
    state = .kept
    Scheduler.current.pointee.depth += 1
    isEvaluating = true
    tree = collectRows(from: source)
    isEvaluating = false
    base = nil
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

  /// The objects that are tested for a build.
  private enum Source {
    case index(FoundObjects, condition: Int)
    case lender(Query)
    case stage(QueryStage)
    case objects
  }

  private func findSource() -> Source {
    if let stage { return .stage(stage) }
    if let (found, condition) = findObjects() { return .index(found, condition: condition) }
    return lender().map(Source.lender) ?? .objects
  }

  /// Finds all rows, enters them into the table, and returns them in order.
  private func collectRows(from source: Source) -> Tree<QueryRow> {
    let rows = SortedRows(in: order)
    switch source {
    case .index(let found, let condition):
      origin = .index(condition: condition, count: found.count, total: objectCount)
      collect(found, of: condition, into: rows)
    case .lender(let lender):
      origin = .query(rows: lender.tree.count)
      return narrow(lender)
    case .stage(let stage):
      origin = .stage
      for object in stage.objects { add(test(object), to: rows) }
    case .objects:
      origin = .objects(objectCount)
      collectObjects(into: rows)
    }
    puttingInOrder { rows.sort() }
    return Tree(rows)
  }

  /// Adds the rows of all objects of the class that satisfy the filters.
  private func collectObjects(into rows: SortedRows) {
    let includesAll = definition.filters.isEmpty
    if includesAll { table.expect(.max) }
    evaluateEach(definition.filters) { passes in
      for objectTable in table.objectTables {
        var isStored = false
        for case let object? in objectTable.objects {
          if !isStored {
            add(test(object), to: rows)
            isStored = keyReaders.readsStorage(of: objectTable)
          } else if includesAll || passes(object) {
            add(storedKey(of: object).map { QueryRow(object, key: $0) } ?? test(object), to: rows)
          }
        }
      }
    }
  }

  func add(_ row: QueryRow?, to rows: SortedRows) {
    guard let row else { return }
    table.set(row.key, of: row.object)
    rows.add(row)
  }

  /// The nearest base query that has been built, or that is sorted and used by other results too, so
  /// that its rows are sorted once for all of them.
  ///
  /// - Returns: The query; nil without one, or if its rows or their order have dependencies that are
  ///   tracked only by its own nodes.
  private func lender() -> Query? {
    var holder = self
    while true {
      let isShared = !isKnownUniquelyReferenced(&holder.base)
      guard let query = holder.base else { return nil }
      if query.state == .kept
        || isShared && query.sharedAs != nil && !query.order.descriptors.isEmpty
      {
        query.refresh()
        return query.isSelfContained ? query : nil
      }
      holder = query
    }
  }

  /// Whether rows and their order depend only on the objects themselves.
  var isSelfContained: Bool {
    dependencies.hasNoExternalDependencies && comparisons?.node.isEmpty ?? true
  }

  /// Finds the rows of a base query that satisfy this query's further filters.
  ///
  /// - Complexity: O(*n*). If all of them do, both queries share the memory of the rows.
  private func narrow(_ lender: Query) -> Tree<QueryRow> {
    dependencies.adopt(lender.dependencies)
    let further = Array(definition.filters.dropFirst(lender.definition.filters.count))
    let all = lender.tree
    if further.isEmpty {
      table.copyRows(of: lender.table)
      return all
    }
    var position = 0
    var narrowed: SortedRows?
    evaluateEach(further) { passes in
      all.forEachLeaf(in: 0..<all.count) { leaf in
        for index in leaf.indices {
          if passes(leaf.elements[index].object) {
            if let narrowed { add(leaf[index], to: narrowed) }
          } else if narrowed == nil {
            let rows = SortedRows(in: order)
            all.forEach(in: 0..<position) { add($0, to: rows) }
            narrowed = rows
          }
          position += 1
        }
      }
    }
    if let narrowed { return Tree(narrowed) }
    table.copyRows(of: lender.table)
    return all
  }

  // MARK: - Derived queries

  /// Returns the same query with one more filter.
  func filtered(by filter: @escaping (Object) -> Bool) -> Query {
    var definition = definition
    definition.filters.append(filter)
    return Query(definition, base: self)
  }

  /// Returns the same query with one more condition that an index may answer.
  func filtered(by condition: any IndexedCondition) -> Query {
    var definition = definition
    definition.indexed.append((condition, definition.filters.count))
    definition.filters.append(condition.isSatisfied)
    return Query(definition, base: self)
  }

  /// Returns the same query, which retains an index that it doesn't need.
  func keeping(_ index: TextIndex) -> Query {
    var definition = definition
    definition.keptIndex = index
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
    let index = exchange(&definition.keptIndex, with: nil)
    let query = SharedQueries.query(definition)
    return index.map(query.keeping) ?? query
  }

  /// Returns a query for the rows that a stage selects, in the same order.
  ///
  /// The filters are evaluated again, so that the new query tracks their dependencies.
  func applying(_ stage: QueryStage) -> Query {
    var definition = definition
    definition.stage = stage
    return Query(definition)
  }
}
