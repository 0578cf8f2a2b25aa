// The aggregates of a query, made when they are first asked for.

/// What several aggregates of one value can share, and what tells them apart.
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
  /// An aggregate, kept for the next read.
  func aggregate<Fold: AggregateFold>(
    _ key: AggregateKey, by makeDescriptor: () -> SortDescriptor, _ makeFold: (Query?) -> Fold
  ) -> Fold.Value {
    if let known = aggregates[key] as? LiveAggregate<Fold> { return known.value() }
    // What nobody has read for long goes; of paths with subscripts there may be many.
    let isFull = aggregates.count >= 32
    aggregates = aggregates.filter { $0.value.isFollowed || !($0.value.isOutdated || isFull) }
    let made = LiveAggregate(key.kind.name, reordered(by: [makeDescriptor()]), makeFold(self))
    aggregates[key] = made
    return made.value()
  }

  /// Names what is added of each row: `Book.pages`.
  func nameOfAdded<Value>(_ value: (Object) -> Value?) -> String {
    let property = rows().first.flatMap { row in
      PropertyPaths.name(on: row.object) { _ = value(row.object) }
    }
    return property.map { "\(type).\($0)" } ?? "values of \(type)"
  }
}
