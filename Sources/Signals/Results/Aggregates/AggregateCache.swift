// The aggregates of a query, made when they are first asked for.

/// What several aggregates of one value can share, and what tells them apart.
struct AggregateKey: Hashable {
  enum Kind { case sum, average, least, greatest }

  let kind: Kind
  let path: AnyKeyPath
}

extension Query {
  /// An aggregate that stays for the next who asks for it; without a path it is the caller's alone.
  private func aggregate<Fold: AggregateFold>(
    _ kind: AggregateKey.Kind, _ path: AnyKeyPath?, _ name: String, _ fold: Fold,
    by descriptor: SortDescriptor
  ) -> Fold.Value {
    guard let path else {
      return Aggregate(name, reordered(by: [descriptor]), fold).value()
    }
    let key = AggregateKey(kind: kind, path: path)
    if let known = aggregates[key] as? Aggregate<Fold> { return known.value() }
    // What nobody has read for long goes; of paths with subscripts there may be many.
    let isFull = aggregates.count >= 32
    aggregates = aggregates.filter { $0.value.isFollowed || !($0.value.isOutdated || isFull) }
    let made = Aggregate(name, reordered(by: [descriptor]), fold)
    aggregates[key] = made
    return made.value()
  }

  func sum<Value: AdditiveArithmetic>(
    _ path: AnyKeyPath?, _ value: @escaping (Object) -> Value?
  ) -> Value {
    aggregate(
      .sum, path, "the sum",
      TotalFold<Value, Value> { [weak self] in self?.nameOfAdded(value) ?? "values" },
      by: SortDescriptor(keeping: value))
  }

  /// Names what is added of each row: `Book.pages`.
  func nameOfAdded<Value>(_ value: (Object) -> Value?) -> String {
    let property = rows().first.flatMap { row in
      PropertyPaths.name(on: row.object) { _ = value(row.object) }
    }
    return property.map { "\(type).\($0)" } ?? "values of \(type)"
  }

  func average<Value: AdditiveArithmetic>(
    _ path: AnyKeyPath?, _ toDouble: @escaping (Value) -> Double,
    _ value: @escaping (Object) -> Value?
  ) -> Double? {
    aggregate(
      .average, path, "the average", TotalFold<Value, Double?>(mean: toDouble),
      by: SortDescriptor(keeping: value))
  }

  func extreme<Value: Comparable>(
    _ isGreatest: Bool, _ path: AnyKeyPath?, _ value: @escaping (Object) -> Value?
  ) -> Value? {
    aggregate(
      isGreatest ? .greatest : .least, path, isGreatest ? "the greatest" : "the least",
      ExtremeFold<Value>(isGreatest: isGreatest), by: SortDescriptor(ranking: value))
  }
}
