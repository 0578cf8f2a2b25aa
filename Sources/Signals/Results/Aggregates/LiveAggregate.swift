// A value computed from all rows of a query. Its readers depend on that value only.
//
// The values are in a separate query with the same filters and the value as its sort key. That
// query tracks what the values were read from and which rows have a different value. The aggregate
// follows it.
//
// State: `fold`, the incremental state; `before`, the aggregate at the start of the batch, set when
// a value changes while the aggregate has dependents.

/// A type-erased aggregate of a query.
protocol AnyAggregate: QueryObserver {
  /// Whether the aggregate must be computed from all rows again, because too much has changed since
  /// the last read.
  var isOutdated: Bool { get }
}

/// An aggregate over the rows of a query.
final class LiveAggregate<Fold: AggregateFold>: AnyAggregate {
  private let query: Query
  private let name: String
  private var fold: Fold
  private var before: Fold.Value?
  private lazy var invalidation = InvalidationSource(
    describe: { [unowned self] in description },
    inspect: { [unowned self] in Inspection(kind: .results, value: description) },
    settle: { [unowned self] in settle() })

  private var description: String { "\(name) of \(query.description)" }

  init(_ name: String, _ query: Query, _ fold: Fold) {
    self.name = name
    self.query = query
    self.fold = fold
    query.addObserver(self)
  }

  deinit { query.removeObserver(self) }

  /// The current value; the read depends on the value only.
  func value() -> Fold.Value {
    query.refresh()
    if Node.hasReader { invalidation.track(keeping: self) }
    return present
  }

  private var present: Fold.Value {
    query.comparing(by: query.order) { fold.value(of: FoldRows(query.tree)) }
  }

  private func settle() -> Bool {
    query.refresh()
    guard let before = before.take() else { return false }
    let present = present
    return !query.comparing(by: query.order) { fold.isSame(before, present) }
  }

  // MARK: - Following

  var isOutdated: Bool { query.state == .outdated }

  var isObserved: Bool { invalidation.isObserved }

  func rowsMayChange() { invalidation.mark() }

  func rowsWillChange(_ updates: [RowUpdate]) {
    if before == nil, invalidation.isObserved { before = present }
  }

  func rowsDidChange(_ updates: [RowUpdate]) {
    for update in updates {
      if let old = update.old { fold.remove(old.key) }
      if let new = update.new { fold.add(new.key) }
    }
  }

  func rowsWereRebuilt() {
    before = nil
    fold.reset()
  }
}
