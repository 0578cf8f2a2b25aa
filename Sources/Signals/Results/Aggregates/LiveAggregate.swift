// A number made of a value of each row: live, and nothing but that number for those who read it.
//
// The values stand in a query of their own, with the same filters and the value as the key: so it knows what
// the values were read from, and which of them come out different. The aggregate follows that query.
//
// State: `fold`, what is kept of the values; `before`, the aggregate when the batch began, once one of them
// changed while somebody depends on it.

/// An aggregate whatever it is of.
protocol AnyAggregate: RowFollower {
  /// Whether so much has changed since it was read last that it must be made anew.
  var isOutdated: Bool { get }
}

/// An aggregate over the rows of a query.
final class LiveAggregate<Fold: AggregateFold>: AnyAggregate {
  private let query: Query
  private let name: String
  private var fold: Fold
  private var before: Fold.Value?
  private lazy var trigger = Trigger(
    describe: { [unowned self] in description },
    inspect: { [unowned self] in Inspection(kind: .results, value: description) },
    settle: { [unowned self] in settle() })

  private var description: String { "\(name) of \(query.description)" }

  init(_ name: String, _ query: Query, _ fold: Fold) {
    self.name = name
    self.query = query
    self.fold = fold
    query.follow(self)
  }

  deinit { query.unfollow(self) }

  /// The value as it is now; the read is a dependency on it alone.
  func value() -> Fold.Value {
    query.refresh()
    if unsafe Node.reader != nil { trigger.track(keeping: self) }
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

  var isFollowed: Bool { trigger.isObserved }

  func rowsMayChange() { trigger.mark() }

  func rowsWillChange(_ updates: [RowUpdate]) {
    if before == nil, trigger.isObserved { before = present }
  }

  func rowsDidChange(_ updates: [RowUpdate]) {
    for update in updates {
      if let old = update.old { fold.remove(old.key) }
      if let new = update.new { fold.add(new.key) }
    }
  }

  func rowsWereMadeAnew() {
    before = nil
    fold.reset()
  }
}
