// Sums, extremes and means of the rows of a section: live numbers, as those of results are.

extension Sections.Section {
  /// The sum of a property over the rows of the section, zero if there are none.
  ///
  /// - A read is a dependency on the sum of this section alone.
  /// - All sections share what is kept: O(log n) for each row that changes, however many sections are read. The
  ///   first read costs O(n log n).
  ///
  /// ```swift
  /// ForEach(shelves) { shelf in Section("\(shelf.key): \(shelf.sum(\.pages)) pages") { … } }
  /// ```
  public func sum<Value: AdditiveArithmetic>(_ path: KeyPath<Element, Value>) -> Value {
    sum(path) { $0[keyPath: path] }
  }

  /// The sum of an optional property over the rows of the section; nil counts for nothing.
  public func sum<Value: AdditiveArithmetic>(_ path: KeyPath<Element, Value?>) -> Value {
    sum(path) { $0[keyPath: path] }
  }

  /// The least value of a property among the rows of the section; nil if there is none.
  public func min<Value: Comparable>(_ path: KeyPath<Element, Value>) -> Value? {
    extreme(.least, path) { $0[keyPath: path] }
  }

  /// The least value of an optional property among the rows of the section; nil values are passed over.
  public func min<Value: Comparable>(_ path: KeyPath<Element, Value?>) -> Value? {
    extreme(.least, path) { $0[keyPath: path] }
  }

  /// The greatest value of a property among the rows of the section; nil if there is none.
  public func max<Value: Comparable>(_ path: KeyPath<Element, Value>) -> Value? {
    extreme(.greatest, path) { $0[keyPath: path] }
  }

  /// The greatest value of an optional property among the rows of the section; nil values are passed over.
  public func max<Value: Comparable>(_ path: KeyPath<Element, Value?>) -> Value? {
    extreme(.greatest, path) { $0[keyPath: path] }
  }

  /// The mean of an integer property over the rows of the section; nil if there are none.
  public func average<Value: BinaryInteger>(_ path: KeyPath<Element, Value>) -> Double? {
    average(path, { Double($0) }) { $0[keyPath: path] }
  }

  /// The mean of an integer property over the rows of the section; nil values are passed over.
  public func average<Value: BinaryInteger>(_ path: KeyPath<Element, Value?>) -> Double? {
    average(path, { Double($0) }) { $0[keyPath: path] }
  }

  /// The mean of a floating-point property over the rows of the section; nil if there are none.
  public func average<Value: BinaryFloatingPoint>(_ path: KeyPath<Element, Value>) -> Double? {
    average(path, { Double($0) }) { $0[keyPath: path] }
  }

  /// The mean of a floating-point property over the rows of the section; nil values are passed over.
  public func average<Value: BinaryFloatingPoint>(_ path: KeyPath<Element, Value?>) -> Double? {
    average(path, { Double($0) }) { $0[keyPath: path] }
  }

  private var number: () -> Int? { { keys.known(key) } }

  private func sum<Value: AdditiveArithmetic>(
    _ path: AnyKeyPath, _ value: @escaping (Element) -> Value?
  ) -> Value {
    let value = Element.onObject(value)
    return list.aggregate(
      of: number, .sum, path, "the sum",
      TotalFold<Value, Value> { [weak query = list.query] in
        query?.nameOfAdded(value) ?? "values"
      }, by: SortDescriptor(keeping: value))
  }

  private func average<Value: AdditiveArithmetic>(
    _ path: AnyKeyPath, _ toDouble: @escaping (Value) -> Double,
    _ value: @escaping (Element) -> Value?
  ) -> Double? {
    list.aggregate(
      of: number, .average, path, "the average", TotalFold<Value, Double?>(mean: toDouble),
      by: SortDescriptor(keeping: Element.onObject(value)))
  }

  private func extreme<Value: Comparable>(
    _ kind: AggregateKey.Kind, _ path: AnyKeyPath, _ value: @escaping (Element) -> Value?
  ) -> Value? {
    list.aggregate(
      of: number, kind, path, kind == .greatest ? "the greatest" : "the least",
      ExtremeFold<Value>(isGreatest: kind == .greatest),
      by: SortDescriptor(ranking: Element.onObject(value)))
  }
}
