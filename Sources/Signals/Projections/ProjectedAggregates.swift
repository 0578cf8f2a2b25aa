// Sums, extremes and means of the rows of projected results: live numbers, as those of results are.

extension ProjectedResults {
  /// The sum of a property over the rows, zero if there are none.
  public func sum<Value: AdditiveArithmetic>(
    _ path: KeyPath<Row, Value>
  ) -> Value {
    results.query.sum(path) { Row.evaluate(on: $0) { $0[keyPath: path] } }
  }

  /// The sum of an optional property over the rows; nil counts for nothing.
  public func sum<Value: AdditiveArithmetic>(
    _ path: KeyPath<Row, Value?>
  ) -> Value {
    results.query.sum(path) { Row.evaluate(on: $0) { $0[keyPath: path] } }
  }

  /// The sum of a value that is made of each row.
  public func sum<Value: AdditiveArithmetic>(
    _ value: @escaping (Row) -> Value
  ) -> Value {
    results.query.sum(nil) { Row.evaluate(on: $0, value) }
  }

  /// The sum of a value that is made of each row; nil counts for nothing.
  public func sum<Value: AdditiveArithmetic>(
    _ value: @escaping (Row) -> Value?
  ) -> Value {
    results.query.sum(nil) { Row.evaluate(on: $0, value) }
  }

  /// The least value of a property among the rows; nil if there is none.
  public func min<Value: Comparable>(
    _ path: KeyPath<Row, Value>
  ) -> Value? {
    results.query.extreme(false, path) { Row.evaluate(on: $0) { $0[keyPath: path] } }
  }

  /// The least value of an optional property among the rows; nil values are passed over.
  public func min<Value: Comparable>(
    _ path: KeyPath<Row, Value?>
  ) -> Value? {
    results.query.extreme(false, path) { Row.evaluate(on: $0) { $0[keyPath: path] } }
  }

  /// The least of a value that is made of each row; each call costs O(n log n).
  public func min<Value: Comparable>(
    _ value: @escaping (Row) -> Value
  ) -> Value? {
    results.query.extreme(false, nil) { Row.evaluate(on: $0, value) }
  }

  /// The least of a value that is made of each row; nil values are passed over.
  public func min<Value: Comparable>(
    _ value: @escaping (Row) -> Value?
  ) -> Value? {
    results.query.extreme(false, nil) { Row.evaluate(on: $0, value) }
  }

  /// The greatest value of a property among the rows; nil if there is none.
  public func max<Value: Comparable>(
    _ path: KeyPath<Row, Value>
  ) -> Value? {
    results.query.extreme(true, path) { Row.evaluate(on: $0) { $0[keyPath: path] } }
  }

  /// The greatest value of an optional property among the rows; nil values are passed over.
  public func max<Value: Comparable>(
    _ path: KeyPath<Row, Value?>
  ) -> Value? {
    results.query.extreme(true, path) { Row.evaluate(on: $0) { $0[keyPath: path] } }
  }

  /// The greatest of a value that is made of each row; each call costs O(n log n).
  public func max<Value: Comparable>(
    _ value: @escaping (Row) -> Value
  ) -> Value? {
    results.query.extreme(true, nil) { Row.evaluate(on: $0, value) }
  }

  /// The greatest of a value that is made of each row; nil values are passed over.
  public func max<Value: Comparable>(
    _ value: @escaping (Row) -> Value?
  ) -> Value? {
    results.query.extreme(true, nil) { Row.evaluate(on: $0, value) }
  }

  /// The mean of an integer property over the rows; nil if there are none.
  public func average<Value: BinaryInteger>(
    _ path: KeyPath<Row, Value>
  ) -> Double? {
    results.query.average(path, { Double($0) }) { Row.evaluate(on: $0) { $0[keyPath: path] } }
  }

  /// The mean of an integer property over the rows; nil values are passed over.
  public func average<Value: BinaryInteger>(
    _ path: KeyPath<Row, Value?>
  ) -> Double? {
    results.query.average(path, { Double($0) }) { Row.evaluate(on: $0) { $0[keyPath: path] } }
  }

  /// The mean of an integer value that is made of each row; each call costs O(n log n).
  public func average<Value: BinaryInteger>(
    _ value: @escaping (Row) -> Value
  ) -> Double? {
    results.query.average(nil, { Double($0) }) { Row.evaluate(on: $0, value) }
  }

  /// The mean of an integer value that is made of each row; nil values are passed over.
  public func average<Value: BinaryInteger>(
    _ value: @escaping (Row) -> Value?
  ) -> Double? {
    results.query.average(nil, { Double($0) }) { Row.evaluate(on: $0, value) }
  }

  /// The mean of a floating-point property over the rows; nil if there are none.
  public func average<Value: BinaryFloatingPoint>(
    _ path: KeyPath<Row, Value>
  ) -> Double? {
    results.query.average(path, { Double($0) }) { Row.evaluate(on: $0) { $0[keyPath: path] } }
  }

  /// The mean of a floating-point property over the rows; nil values are passed over.
  public func average<Value: BinaryFloatingPoint>(
    _ path: KeyPath<Row, Value?>
  ) -> Double? {
    results.query.average(path, { Double($0) }) { Row.evaluate(on: $0) { $0[keyPath: path] } }
  }

  /// The mean of a floating-point value that is made of each row; each call costs O(n log n).
  public func average<Value: BinaryFloatingPoint>(
    _ value: @escaping (Row) -> Value
  ) -> Double? {
    results.query.average(nil, { Double($0) }) { Row.evaluate(on: $0, value) }
  }

  /// The mean of a floating-point value that is made of each row; nil values are passed over.
  public func average<Value: BinaryFloatingPoint>(
    _ value: @escaping (Row) -> Value?
  ) -> Double? {
    results.query.average(nil, { Double($0) }) { Row.evaluate(on: $0, value) }
  }
}
