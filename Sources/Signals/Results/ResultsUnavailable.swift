// Unavailable methods of results whose messages say what to write instead. Their bodies never run.

extension Results {
  /// The smallest value is an aggregate: ``value(_:)``.
  @available(*, unavailable, message: "write `value(.min(path))`, which is live")
  public func min<Value>(_ path: KeyPath<Element, Value>) -> Value? { nil }

  /// The largest value is an aggregate: ``value(_:)``.
  @available(*, unavailable, message: "write `value(.max(path))`, which is live")
  public func max<Value>(_ path: KeyPath<Element, Value>) -> Value? { nil }

  /// A sum is an aggregate: ``value(_:)``.
  @available(*, unavailable, message: "write `value(.sum(path))`, which is live")
  public func sum<Value>(_ path: KeyPath<Element, Value>) -> Value? { nil }

  /// A mean is an aggregate: ``value(_:)``.
  @available(*, unavailable, message: "write `value(.average(path))`, which is live")
  public func average<Value>(_ path: KeyPath<Element, Value>) -> Double? { nil }
}

extension RowSlice {
  /// A slice isn't live: use ``Results/limit(_:)``.
  @available(
    *, unavailable, message: "a slice isn't live: write `limit(count)` for `prefix(count)`"
  )
  public func `where`(_ isIncluded: (Element) -> Bool) -> RowSlice { self }

  /// A slice isn't live: use ``Results/limit(_:)``.
  @available(
    *, unavailable, message: "a slice isn't live: write `limit(count)` for `prefix(count)`"
  )
  public func sorted<Value>(by path: KeyPath<Element, Value>, order: SortDirection = .ascending)
    -> RowSlice
  { self }
}
