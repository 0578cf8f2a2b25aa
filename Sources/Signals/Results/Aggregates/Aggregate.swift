// A number made of a value of each row: live, and nothing but that number for those who read it.
//
// The values stand in a query of their own, with the same filters and the value as the key: so it knows what
// the values were read from, and which of them come out different. The aggregate follows that query.
//
// State: `fold`, what is kept of the values; `before`, the aggregate when the batch began, once one of them
// changed while somebody depends on it.

/// What several aggregates of one value can share, and what tells them apart.
struct AggregateKey: Hashable {
  enum Kind { case sum, average, least, greatest }

  let kind: Kind
  let path: AnyKeyPath
}

/// An aggregate whatever it is of.
protocol AnyAggregate: RowFollower {}

/// What is kept of the values of rows, and what is made of them.
protocol AggregateFold {
  associatedtype Value

  /// All values are others.
  mutating func reset()
  mutating func add(_ key: SortKey)
  mutating func remove(_ key: SortKey)
  mutating func value(of rows: Tree<QueryRow>) -> Value
  func isSame(_ old: Value, _ new: Value) -> Bool
}

/// An aggregate over the rows of a query.
final class Aggregate<Fold: AggregateFold>: AnyAggregate {
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
    return fold.value(of: query.tree)
  }

  private func settle() -> Bool {
    query.refresh()
    guard let before = before.take() else { return false }
    return !fold.isSame(before, fold.value(of: query.tree))
  }

  // MARK: - Following

  var isFollowed: Bool { trigger.isObserved }

  func rowsMayChange() { trigger.mark() }

  func rowsWillChange(_ updates: [RowUpdate]) {
    if before == nil, trigger.isObserved { before = fold.value(of: query.tree) }
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

/// The least or the greatest value that equals itself.
struct ExtremeFold<Element: Comparable>: AggregateFold {
  let isGreatest: Bool

  mutating func reset() {}
  mutating func add(_ key: SortKey) {}
  mutating func remove(_ key: SortKey) {}

  // nil stands before all values, and what does not equal itself after them.
  mutating func value(of rows: Tree<QueryRow>) -> Element? {
    func isValue(_ element: Element?) -> Element? { element.flatMap { $0 == $0 ? $0 : nil } }
    if isGreatest {
      let end = rows.lowerBound { row in
        row.key.value(as: Element.self).map { $0 == $0 } ?? true
      }
      return end == 0 ? nil : isValue(rows[end - 1].key.value(as: Element.self))
    }
    let start = rows.lowerBound { row in if case .missing = row.key { true } else { false } }
    return start == rows.count ? nil : isValue(rows[start].key.value(as: Element.self))
  }

  func isSame(_ old: Element?, _ new: Element?) -> Bool { old == new }
}

/// A sum, or what is made of it.
///
/// State: `total`, nil if it is to be added up anew.
struct TotalFold<Element: AdditiveArithmetic, Value>: AggregateFold {
  let make: (Total<Element>) -> Value
  let areSame: (Value, Value) -> Bool
  private var total: Total<Element>?

  init(areSame: @escaping (Value, Value) -> Bool, _ make: @escaping (Total<Element>) -> Value) {
    self.make = make
    self.areSame = areSame
  }

  mutating func reset() { total = nil }

  mutating func add(_ key: SortKey) {
    if let value = key.value(as: Element.self) { total?.add(value) }
  }

  mutating func remove(_ key: SortKey) {
    if let value = key.value(as: Element.self) { total?.remove(value) }
  }

  mutating func value(of rows: Tree<QueryRow>) -> Value {
    if let total, !total.isInexact { return make(total) }
    let total = Total(rows.lazy.compactMap { $0.key.value(as: Element.self) })
    self.total = total
    return make(total)
  }

  func isSame(_ old: Value, _ new: Value) -> Bool { areSame(old, new) }
}

extension Query {
  /// An aggregate that stays for the next who asks for it; without a path it is the caller's alone.
  func aggregate<Fold: AggregateFold>(
    _ kind: AggregateKey.Kind, _ path: AnyKeyPath?, _ name: String, _ fold: Fold,
    by descriptor: SortDescriptor
  ) -> Fold.Value {
    guard let path else {
      return Aggregate(name, reordered(by: [descriptor]), fold).value()
    }
    let key = AggregateKey(kind: kind, path: path)
    if let known = aggregates[key] as? Aggregate<Fold> { return known.value() }
    // Paths with subscripts may be many.
    if aggregates.count >= 32 { aggregates = aggregates.filter { $0.value.isFollowed } }
    let made = Aggregate(name, reordered(by: [descriptor]), fold)
    aggregates[key] = made
    return made.value()
  }

  func sum<Value: AdditiveArithmetic>(
    _ path: AnyKeyPath?, _ value: @escaping (Object) -> Value?
  ) -> Value {
    let fold = TotalFold<Value, Value> {
      $0 == $1 || ($0 != $0 && $1 != $1)
    } _: {
      $0.checkedValue
    }
    return aggregate(.sum, path, "the sum", fold, by: SortDescriptor(keeping: value))
  }

  func average<Value: AdditiveArithmetic>(
    _ path: AnyKeyPath?, _ toDouble: @escaping (Value) -> Double,
    _ value: @escaping (Object) -> Value?
  ) -> Double? {
    let fold = TotalFold<Value, Double?> {
      $0 == $1 || ($0 != $0 && $1 != $1)
    } _: {
      $0.average(toDouble)
    }
    return aggregate(.average, path, "the average", fold, by: SortDescriptor(keeping: value))
  }

  func extreme<Value: Comparable>(
    _ isGreatest: Bool, _ path: AnyKeyPath?, _ value: @escaping (Object) -> Value?
  ) -> Value? {
    aggregate(
      isGreatest ? .greatest : .least, path, isGreatest ? "the greatest" : "the least",
      ExtremeFold<Value>(isGreatest: isGreatest), by: SortDescriptor(ranking: value))
  }
}
