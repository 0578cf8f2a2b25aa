// A live query: which objects of a class satisfy its filters, in which order, kept up to date.
//
// Mutable state, and who may touch it:
// - `state`: nothing is kept before the first read, nor after more has changed than is worth queueing;
// - `tree`: the rows in order, a persistent version that iterators and frames copy in O(1); and
//   `table`, which finds the row of an object (QueryBuilding.swift, QueryRefreshing.swift);
// - `dirty`: the objects to re-test, each with the row it had; filled by what the extents tell and by
//   what rows read elsewhere (RowReads.swift), emptied by `refresh`;
// - `comparisons`: what the user's comparisons read (ComparisonReads.swift); `orderings` counts how often that made
//   the order anew, and `treeOrdering` is the count at which the rows of `tree` were put into theirs;
// - `isEvaluating`: the user's closures run;
// - `consumers`: who wants exact changes, each with what it has not seen (QueryConsumers.swift);
// - `following`: what is derived from the rows and kept up to date with them (RowFollower.swift); and
//   `aggregates`, those of them that stay between two reads (Aggregate.swift).
//
// Order of events: a write tells the extents, which fill `dirty` and mark the trigger and consumers.
// The first read after it, or the end of the batch, re-tests what is dirty; consumers are given the
// change when their turn comes.

/// A live query, whatever the type of its elements.
final class Query: ExtentObserver {
  enum Freshness {
    /// Nobody has read it.
    case unread
    /// The rows are kept up to date.
    case kept
    /// So much has changed while nobody looked that the next read starts anew.
    case outdated
  }

  let store: Store
  let type: Object.Type
  let filters: [(Object) -> Bool]
  /// Those of the filters that an index may answer.
  let lookups: [IndexLookup]
  let order: RowOrder
  /// Which rows of another query are tested at all; nil if all objects of the class are.
  let pick: Pick?
  /// How many of the sort keys were given since the pick; those before say how its rows stood.
  let ownKeys: Int
  /// How many picks there are between the rows and the objects of the class.
  let depth: Int
  /// The query that this one narrows, until its rows were lent.
  var wider: Query?
  /// Whether reads of the state of views are no dependencies of its rows.
  let ignoresViewState: Bool

  var state = Freshness.unread
  var tree = Tree<QueryRow>()
  var table = RowTable()
  var dirty: [Object: QueryRow?] = [:]
  var comparisons: ComparisonReads?
  var orderings = 0
  var treeOrdering = 0
  var isEvaluating = false
  var consumers = QueryConsumers()
  var following: [Following] = []
  var aggregates: [AggregateKey: any AnyAggregate] = [:]
  private(set) lazy var reads = RowReads(self)
  private(set) lazy var trigger = Trigger(
    describe: { [unowned self] in description }, inspect: { [unowned self] in inspection },
    settle: { [unowned self] in settle() })

  var description: String { "the results of \(type)" }

  init(
    _ store: Store, _ type: Object.Type, filters: [(Object) -> Bool] = [],
    lookups: [IndexLookup] = [], descriptors: [SortDescriptor] = [], ownKeys: Int = 0,
    pick: Pick? = nil, wider: Query? = nil, ignoresViewState: Bool = false
  ) {
    self.store = store
    self.type = type
    self.filters = filters
    self.lookups = lookups
    self.wider = wider
    self.ownKeys = ownKeys
    self.pick = pick
    self.ignoresViewState = ignoresViewState
    depth = pick.map { $0.upstream.depth + 1 } ?? 0
    order = RowOrder(descriptors: descriptors)
    if depth > Query.deepest {
      trap(
        "the results of \(type) are made of others \(depth) deep, by limit or distinct: at most "
          + "\(Query.deepest) can be")
    }
  }

  /// Marks, changes and reads go from pick to pick on the stack, which takes up to 2 KB each in a debug build: so deep
  /// they fit into the smallest that a thread has, of 512 KB.
  static let deepest = 200

  deinit {
    for extent in table.extents { extent.remove(self) }
    pick?.remove(self)
    // Of a long chain of conditions each would be released within the one before.
    var next = wider.take()
    while isKnownUniquelyReferenced(&next), let query = next { next = query.wider.take() }
  }

  // MARK: - Reading

  /// The rows as they are now; the read is a dependency on membership and order.
  func rows() -> Tree<QueryRow> {
    refresh()
    if unsafe Node.reader != nil {
      trigger.track(keeping: self)
      RowWitness.note(self, LiveVersion(rows: tree))
    }
    return tree
  }

  /// The position of an object, or nil if it is no member.
  ///
  /// O(log n).
  func position(of object: Object) -> Int? { table.row(of: object).map(position(of:)) }

  func position(of row: QueryRow) -> Int {
    comparing(by: order) { tree.lowerBound { order.isBefore($0, row) } }
  }

  // MARK: - What the extents tell

  // Even if a pick decides: to it, an object that went and came back at once is the same row.
  func didInsert(_ object: Object, in extent: Extent) { enqueue(object, nil) }

  func didRemove(_ object: Object, from extent: Extent) {
    guard state == .kept else { return }
    if let row = table.takeRow(of: object) { enqueue(object, row) }
    reads.forget(object)
  }

  func didChange(_ object: Object, at offset: Int, in extent: Extent) {
    guard state == .kept, reads.offsets.contains(offset) else { return }
    enqueue(object, table.row(of: object))
  }

  func didModify(_ object: Object, _ old: OldValues, in extent: Extent) {
    guard consumers.areWaiting else { return }
    consumers.noteModified(object, old.all)
    consumers.wake()
  }

  func didAppear(_ extent: Extent) { table.add(extent) }

  // MARK: - What the rows' reads tell

  /// A row's predicate or key read something elsewhere that may have changed.
  func didChangeElsewhere(_ object: Object) {
    if table.covers(object) { enqueue(object, table.row(of: object)) }
  }

  /// Something that many rows read, or that comparisons read, may have changed.
  func didChangeEverywhere() { announce() }

  // MARK: - What the pick tells

  /// The rows that are picked may be others now.
  func candidatesMayChange() { if state == .kept { announce() } }

  /// These objects were picked, or are not any more; it has been said before that they may be.
  func candidatesDidChange(_ objects: [Object]) {
    guard state == .kept else { return }
    for object in objects where dirty[object] == nil {
      dirty[object] = .some(table.row(of: object))
    }
    dropQueueIfLong()
  }

  /// All candidates may be others.
  func candidatesWereMadeAnew() {
    if state == .kept { becomeOutdated() }
  }

  // MARK: - The queue

  private func enqueue(_ object: Object, _ row: QueryRow?) {
    guard state == .kept else { return }
    // The first row is the one that the tree holds, whatever became of the object since.
    if dirty[object] == nil { dirty[object] = .some(row) }
    dropQueueIfLong()
    announce()
  }

  private func dropQueueIfLong() {
    if dirty.count > 64, dirty.count > tree.count / 8, !isFollowed { becomeOutdated() }
  }

  // Nothing is let go of here, in the middle of a write: what these rows own is the user's.
  private func becomeOutdated() { state = .outdated }

  /// Whether somebody will be told of the next change.
  var isFollowed: Bool {
    trigger.isObserved || consumers.areFollowing
      || following.contains { $0.follower.isFollowed }
  }

  private func announce() {
    trigger.mark()
    consumers.wake()
    for entry in following { entry.follower.rowsMayChange() }
  }
}
