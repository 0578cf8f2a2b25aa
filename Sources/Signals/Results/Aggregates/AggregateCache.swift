// The aggregates of a query, created when they are first read.

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

extension Query {
  /// Returns the value of an aggregate, which is kept for the next read.
  func aggregate<Fold: AggregateFold>(
    _ key: AggregateKey, by makeDescriptor: () -> SortDescriptor, _ makeFold: (Query?) -> Fold
  ) -> Fold.Value {
    if let known = aggregates[key] as? LiveAggregate<Fold> { return known.value() }
    // Evicts unused aggregates. Key paths with subscripts could make arbitrarily many.
    let isFull = aggregates.count >= 32
    aggregates = aggregates.filter { $0.value.isObserved || !($0.value.isOutdated || isFull) }
    let made = LiveAggregate(key.kind.name, reordered(by: [makeDescriptor()]), makeFold(self))
    aggregates[key] = made
    return made.value()
  }

  /// The name of the property that is added up, for messages: `Book.pages`.
  func nameOfAdded<Value>(_ value: (Object) -> Value?) -> String {
    let property = rows().first.flatMap { row in
      PropertyResolver.property(of: row.object) { _ = value(row.object) }
    }
    return property.map { "\(type).\($0.name)" } ?? "values of \(type)"
  }
}
