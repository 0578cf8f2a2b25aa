// A live query: the objects of a class that satisfy its filters, in order, kept up to date.
//
// Mutable state, used only in the isolation domain of the store:
// - `state`: nothing is kept before the first read, nor after so many changes that queueing them
//   isn't worthwhile.
// - `tree`: the rows in order, a persistent version that iterators and frames copy in O(1).
// - `table`: finds the row of an object (Query+Construction.swift, Query+Refresh.swift).
// - `watchedValues`: the values in indexes that are watched instead of whole classes.
// - `keyReaders`: reads the sort keys of objects (KeyReaders.swift).
// - `dirty`: the objects to test again, each with its row in `tree`. Object tables add to it, and so
//   do changes of the external dependencies of rows, which are reads outside of the row's object
//   (RowDependencies.swift). `refresh` empties it.
// - `comparisons`: the dependencies of the user's comparisons (ComparisonDependencies.swift).
//   `orderings` counts how often these made all rows be sorted again, and `treeOrdering` is the
//   count at which `tree` was sorted.
// - `isEvaluating`: whether the user's closures are running.
// - `consumers`: the consumers of exact changes, each with the changes it hasn't seen
//   (QueryConsumers.swift).
// - `observations`: values derived from the rows and kept up to date with them
//   (QueryObserver.swift); `aggregates` holds those that are kept between reads (Aggregate.swift).
//
// Order of events: a write notifies the object tables, which fill `dirty` and mark the settling
// source and the consumers. The next read, or the end of the batch, tests the dirty objects again.
// Consumers receive the change when the scheduler runs them. Without dependents, that is done at the
// end of the transaction if an object was removed, so that no row keeps a removed object alive until
// the next read, which must not run its `deinit`.

/// What a query shows: the objects of a class that satisfy conditions, in an order.
struct QueryDefinition {
  let store: Store
  let type: Object.Type
  var filters: [(Object) -> Bool] = []
  /// The conditions that an index may answer, each with the position of its filter.
  var indexed: [(condition: any IndexedCondition, filter: Int)] = []
  /// An index that later conditions on the same rows need.
  var keptIndex: TextIndex?
  var descriptors: [SortDescriptor] = []
  /// Selects the rows of another query that are tested; nil if all objects of the class are.
  var stage: QueryStage?
  /// Whether reads of the state of views are excluded from the dependencies of rows.
  var ignoresViewState = false
  /// The state of views that the closures have read in a debug build.
  var stateReads: ViewStateReads?
}

/// A live query, independent of the type of its elements.
final class Query: TableObserver {
  enum Freshness {
    /// Before the first read.
    case unread
    /// The rows are kept up to date.
    case kept
    /// So much has changed while there were no dependents that the next read builds the rows again.
    case outdated
  }

  let definition: QueryDefinition
  let order: RowOrder
  /// The number of stages between the rows and the objects of the class.
  let depth: Int
  /// The query that this one narrows, until the first build has used its rows.
  var base: Query?
  /// The description by which other results find the query; nil if it is used by one result only.
  let sharedAs: QueryDescription?

  var state = Freshness.unread
  var tree = Tree<QueryRow>()
  var table: RowTable
  @safe @exclusivity(unchecked) var keyReaders = KeyReaders()
  var watchedValues = WatchedValues()
  /// The source in which the rows were found when they were built.
  var origin: RowOrigin?
  var dirty: [Object: QueryRow?] = [:]
  var comparisons: ComparisonDependencies?
  var orderings = 0
  var treeOrdering = 0
  var isEvaluating = false
  /// Whether the rows are being brought up to date.
  var isRefreshing = false
  /// Whether the store refreshes the query at the end of the transaction.
  private var isReleasing = false
  var consumers = QueryConsumers()
  var observations: [QueryObservation] = []
  var aggregates: [AggregateKey: any AnyAggregate] = [:]
  private(set) lazy var dependencies = RowDependencies(self)
  private(set) lazy var invalidation = SettlingSource<Void>(
    describe: { [unowned self] in description }, inspect: { [unowned self] in inspection },
    refresh: { [unowned self] in refresh() },
    hasChanged: { [unowned self] _ in takeOrderChange() })

  var store: Store { definition.store }
  var type: Object.Type { definition.type }
  var stage: QueryStage? { definition.stage }

  var description: String { "the results of \(type)" }

  /// Creates a query.
  ///
  /// - Parameters:
  ///   - definition: The definition of the rows.
  ///   - base: A query that has these rows, in the same order, if it is narrowed.
  ///   - sharedAs: The description by which other results find the query.
  init(_ definition: QueryDefinition, base: Query? = nil, sharedAs: QueryDescription? = nil) {
    self.definition = definition
    self.base = base
    self.sharedAs = sharedAs
    depth = definition.stage.map { $0.upstream.depth + 1 } ?? 0
    order = RowOrder(descriptors: definition.descriptors)
    table = RowTable(isSorted: !definition.descriptors.isEmpty)
    if depth > Query.deepest {
      trap(
        "the results of \(type) are made of others \(depth) deep, by limit or distinct: at most "
          + "\(Query.deepest) can be")
    }
  }

  /// The maximum depth of stages.
  ///
  /// Marking, changes and reads recurse through the stages. Each level takes up to 2 KB of stack in
  /// a debug build, so this depth fits into the smallest thread stack, 512 KB.
  static let deepest = 200

  deinit {
    if let sharedAs { SharedQueries.remove(sharedAs, of: store) }
    for objectTable in table.objectTables { objectTable.remove(self) }
    watchedValues.end(self)
    stage?.remove(self)
    // Releases a long chain of conditions iteratively. Otherwise each query would be released
    // within the release of the previous one.
    var next = base.take()
    while isKnownUniquelyReferenced(&next), let query = next { next = query.base.take() }
  }

  // MARK: - Reading

  /// The current rows; the read depends on membership and order.
  func rows() -> Tree<QueryRow> {
    refresh()
    if Node.hasReader {
      invalidation.track(keeping: self)
      ReadRecorder.note(self, LiveVersion(rows: tree))
    }
    return tree
  }

  /// The number of rows; the read depends on membership and order, but puts no row on screen.
  func rowCount() -> Int {
    refresh()
    if Node.hasReader { invalidation.track(keeping: self) }
    return tree.count
  }

  /// The position of an object, or nil if it isn't a member.
  ///
  /// - Complexity: O(log *n*).
  func position(of object: Object) -> Int? { table.row(of: object).map(position(of:)) }

  func position(of row: QueryRow) -> Int { position(of: row, in: tree) }

  /// The position of a row in a version that has the current order.
  func position(of row: QueryRow, in tree: Tree<QueryRow>) -> Int {
    comparing(by: order) { tree.lowerBound { order.isBefore($0, row) } }
  }

  // MARK: - Changes of objects

  // Enqueued even if there is a stage: to the stage, an object that is removed and inserted again
  // within a batch is an unchanged row.
  func didInsert(_ object: Object, in objectTable: ObjectTable) { enqueue(object, row: nil) }

  func didRemove(_ object: Object, from objectTable: ObjectTable) {
    guard state == .kept else {
      if state == .outdated { releaseAtEnd() }
      return
    }
    let row = table.takeRow(of: object)
    if row != nil || dirty[object] != nil {
      releaseAtEnd()
      enqueue(object, row: row)
    }
    dependencies.forget(object)
  }

  /// Has objects that were removed, or aren't watched any more, released at the end of the
  /// transaction, unless there are dependents, which then ask for the rows.
  private func releaseAtEnd() {
    if isReleasing || store.transaction == nil || isObserved { return }
    isReleasing = true
    store.queriesToRelease.append(self)
  }

  /// Releases the rows of removed objects, unless a refresh that has run the user's code does so.
  func releaseRemovedObjects() {
    isReleasing = false
    if isObserved { return }
    var upstream: Query? = self
    while let query = upstream {
      if query.isRefreshing { return }
      upstream = query.stage?.upstream
    }
    if state == .kept || !observations.isEmpty { return refresh() }
    let released = (tree, table, dirty)
    tree = Tree()
    table.removeAllRows()
    dirty = [:]
    withExtendedLifetime(released) {}
  }

  func willChange(_ object: Object, at offset: Int, in objectTable: ObjectTable) {
    guard state == .kept, dependencies.offsets.contains(offset) else { return }
    guard watchedValues.depend(on: offset) else {
      return enqueue(object, row: table.row(of: object))
    }
    // An object with another value isn't watched, so its deletion isn't noticed: neither the table
    // nor, beyond the transaction, a row may keep it.
    enqueue(object, row: table.takeRow(of: object))
    releaseAtEnd()
  }

  func didModify(_ object: Object, from old: OldValues, in objectTable: ObjectTable) {
    guard consumers.areWaiting else { return }
    consumers.noteModified(object, from: old.all)
    consumers.wake()
  }

  func didAppear(_ objectTable: ObjectTable) {
    if !objectTable.isCovered(by: type) { return }
    table.add(objectTable)
    objectTable.add(self)
  }

  // MARK: - Changes of dependencies

  /// Called when an external dependency of a row's predicate or key may have changed.
  func didChangeElsewhere(_ object: Object) {
    if table.covers(object) { enqueue(object, row: table.row(of: object)) }
  }

  /// Called when a dependency of many rows, or of comparisons, may have changed.
  func didChangeEverywhere() { announce() }

  // MARK: - Changes of the selection

  /// Called when the selected rows may change.
  func candidatesMayChange() { if state == .kept { announce() } }

  /// Called with objects that entered or left the selected rows, after `candidatesMayChange`.
  func candidatesDidChange(_ objects: [Object]) {
    guard state == .kept else { return }
    for object in objects where dirty[object] == nil {
      dirty[object] = .some(table.row(of: object))
    }
    dropQueueIfLong()
  }

  /// Called when all candidates may be different.
  func candidatesWereRebuilt() {
    if state == .kept { becomeOutdated() }
  }

  // MARK: - The queue

  private func enqueue(_ object: Object, row: QueryRow?) {
    guard state == .kept else { return }
    // Keeps the first row noted, which is the one in the tree, whatever happens to the object
    // later.
    if dirty[object] == nil { dirty[object] = .some(row) }
    dropQueueIfLong()
    announce()
  }

  private func dropQueueIfLong() {
    if dirty.count > 64, dirty.count > tree.count / 8, !isObserved { becomeOutdated() }
  }

  // Releases nothing, because this runs in the middle of a write, and the rows may own values whose
  // `deinit` is user code.
  private func becomeOutdated() {
    state = .outdated
    releaseAtEnd()
  }

  /// Whether the query has dependents that will be notified of the next change.
  var isObserved: Bool {
    invalidation.isObserved || consumers.areFollowing
      || observations.contains { $0.observer.isObserved }
  }

  private func announce() {
    invalidation.mark()
    consumers.wake()
    for entry in observations { entry.observer.rowsMayChange() }
  }
}
