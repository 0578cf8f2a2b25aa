// The aggregates of a query or of a list of sections, created when they are first read.

/// Identifies an aggregate: reads with an equal key share one aggregate.
struct AggregateKey: Hashable {
  enum Kind {
    case sum, average, least, greatest

    var name: String {
      switch self {
      case .sum: "the sum"
      case .average: "the average"
      case .least: "the least"
      case .greatest: "the greatest"
      }
    }
  }

  let kind: Kind
  let path: AnyKeyPath
}

/// Keeps aggregates between reads.
protocol AggregateOwner: AnyObject {
  var aggregates: [AggregateKey: any AnyAggregate] { get set }
}

extension AggregateOwner {
  /// Returns the aggregate with a key, which is kept for the next read.
  fileprivate func aggregate<Fold: AggregateFold>(
    _ key: AggregateKey, orKeep make: () -> LiveAggregate<Fold>
  ) -> LiveAggregate<Fold> {
    if let known = aggregates[key] as? LiveAggregate<Fold> { return known }
    // Evicts unused aggregates. Key paths with subscripts could make arbitrarily many.
    let all = aggregates
    let isFull = all.count >= 32
    aggregates = all.filter { $0.value.isObserved || !($0.value.isOutdated || isFull) }
    let made = make()
    aggregates[key] = made
    return made
  }
}

extension SectionList: AggregateOwner {
  /// Returns the value of an aggregate of a section.
  func aggregate<Fold: AggregateFold>(
    _ key: AggregateKey, ofSection number: () -> Int?, by makeDescriptor: () -> SortDescriptor,
    _ makeFold: () -> Fold
  ) -> Fold.Value {
    aggregate(key) {
      let rows = query.reordered(by: [grouping.number, makeDescriptor()])
      return LiveAggregate(key.kind.name, of: rows, in: self, by: makeFold())
    }.value(ofSection: number, in: self)
  }
}

extension Query: AggregateOwner {
  /// Returns the value of an aggregate of all rows.
  func aggregate<Fold: AggregateFold>(
    _ key: AggregateKey, by makeDescriptor: () -> SortDescriptor, _ makeFold: () -> Fold
  ) -> Fold.Value {
    aggregate(key) {
      LiveAggregate(
        key.kind.name, of: reordered(by: [makeDescriptor()]), by: makeFold())
    }.value()
  }
}
