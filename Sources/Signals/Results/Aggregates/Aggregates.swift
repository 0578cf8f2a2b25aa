// Sums, extremes and means of the rows of results: live numbers.

extension Results {
  /// The sum of a property over the rows, zero if there are none.
  ///
  /// - A read is a dependency on the sum alone: what reads it runs again only if that differs.
  /// - It is kept between reads with these results, if they don't have more than 32 aggregates: O(log n) for each
  ///   row that changes. The first read costs O(n log n).
  /// - Integers are added with 128 bits; a sum that its type has no number for traps.
  /// - Floating-point numbers up to `Double` are added without rounding, and the sum is rounded when it is read:
  ///   it is the same however the rows came about, and nothing of numbers that are gone stays in it, NaN neither.
  /// - Of other types it is the running sum; if they don't add exactly, like `Float80`, the first read after a
  ///   value has gone adds all up again, in O(n).
  ///
  /// ```swift
  /// let pages = Computed { books.sum(\.pages) }
  /// ```
  public func sum<Value: AdditiveArithmetic>(
    _ path: KeyPath<Element, Value>
  ) -> Value {
    query.sum(path, Element.onObject { $0[keyPath: path] })
  }

  /// The sum of an optional property over the rows; nil counts for nothing.
  public func sum<Value: AdditiveArithmetic>(
    _ path: KeyPath<Element, Value?>
  ) -> Value {
    query.sum(path, Element.onObject { $0[keyPath: path] })
  }

  /// The sum of a value that is made of each row.
  ///
  /// Two closures can't be compared: it is kept for who reads it, until that reads again. Each call costs
  /// O(n log n).
  public func sum<Value: AdditiveArithmetic>(
    _ value: @escaping (Element) -> Value
  ) -> Value {
    query.sum(nil, Element.onObject(value))
  }

  /// The sum of a value that is made of each row; nil counts for nothing.
  public func sum<Value: AdditiveArithmetic>(
    _ value: @escaping (Element) -> Value?
  ) -> Value {
    query.sum(nil, Element.onObject(value))
  }

  /// The least value of a property among the rows; nil if there is none.
  ///
  /// A read is a dependency on that value alone. What does not equal itself, like NaN, is passed over.
  ///
  /// O(log n) for each row that changes; the first read costs O(n log n).
  public func min<Value: Comparable>(
    _ path: KeyPath<Element, Value>
  ) -> Value? {
    query.extreme(false, path, Element.onObject { $0[keyPath: path] })
  }

  /// The least value of an optional property among the rows; nil values are passed over.
  public func min<Value: Comparable>(
    _ path: KeyPath<Element, Value?>
  ) -> Value? {
    query.extreme(false, path, Element.onObject { $0[keyPath: path] })
  }

  /// The least of a value that is made of each row; each call costs O(n log n).
  public func min<Value: Comparable>(
    _ value: @escaping (Element) -> Value
  ) -> Value? {
    query.extreme(false, nil, Element.onObject(value))
  }

  /// The least of a value that is made of each row; nil values are passed over.
  public func min<Value: Comparable>(
    _ value: @escaping (Element) -> Value?
  ) -> Value? {
    query.extreme(false, nil, Element.onObject(value))
  }

  /// The greatest value of a property among the rows; nil if there is none.
  ///
  /// A read is a dependency on that value alone. What does not equal itself, like NaN, is passed over.
  ///
  /// O(log n) for each row that changes; the first read costs O(n log n).
  public func max<Value: Comparable>(
    _ path: KeyPath<Element, Value>
  ) -> Value? {
    query.extreme(true, path, Element.onObject { $0[keyPath: path] })
  }

  /// The greatest value of an optional property among the rows; nil values are passed over.
  public func max<Value: Comparable>(
    _ path: KeyPath<Element, Value?>
  ) -> Value? {
    query.extreme(true, path, Element.onObject { $0[keyPath: path] })
  }

  /// The greatest of a value that is made of each row; each call costs O(n log n).
  public func max<Value: Comparable>(
    _ value: @escaping (Element) -> Value
  ) -> Value? {
    query.extreme(true, nil, Element.onObject(value))
  }

  /// The greatest of a value that is made of each row; nil values are passed over.
  public func max<Value: Comparable>(
    _ value: @escaping (Element) -> Value?
  ) -> Value? {
    query.extreme(true, nil, Element.onObject(value))
  }

  /// The mean of an integer property over the rows; nil if there are none.
  ///
  /// It is made of the exact sum.
  ///
  /// O(log n) for each row that changes; the first read costs O(n log n).
  public func average<Value: BinaryInteger>(
    _ path: KeyPath<Element, Value>
  ) -> Double? {
    query.average(path, { Double($0) }, Element.onObject { $0[keyPath: path] })
  }

  /// The mean of an integer property over the rows; nil values are passed over.
  public func average<Value: BinaryInteger>(
    _ path: KeyPath<Element, Value?>
  ) -> Double? {
    query.average(path, { Double($0) }, Element.onObject { $0[keyPath: path] })
  }

  /// The mean of an integer value that is made of each row; each call costs O(n log n).
  public func average<Value: BinaryInteger>(
    _ value: @escaping (Element) -> Value
  ) -> Double? {
    query.average(nil, { Double($0) }, Element.onObject(value))
  }

  /// The mean of an integer value that is made of each row; nil values are passed over.
  public func average<Value: BinaryInteger>(
    _ value: @escaping (Element) -> Value?
  ) -> Double? {
    query.average(nil, { Double($0) }, Element.onObject(value))
  }

  /// The mean of a floating-point property over the rows; nil if there are none.
  ///
  /// It is made of the exact sum.
  ///
  /// O(log n) for each row that changes; the first read costs O(n log n).
  public func average<Value: BinaryFloatingPoint>(
    _ path: KeyPath<Element, Value>
  ) -> Double? {
    query.average(path, { Double($0) }, Element.onObject { $0[keyPath: path] })
  }

  /// The mean of a floating-point property over the rows; nil values are passed over.
  public func average<Value: BinaryFloatingPoint>(
    _ path: KeyPath<Element, Value?>
  ) -> Double? {
    query.average(path, { Double($0) }, Element.onObject { $0[keyPath: path] })
  }

  /// The mean of a floating-point value that is made of each row; each call costs O(n log n).
  public func average<Value: BinaryFloatingPoint>(
    _ value: @escaping (Element) -> Value
  ) -> Double? {
    query.average(nil, { Double($0) }, Element.onObject(value))
  }

  /// The mean of a floating-point value that is made of each row; nil values are passed over.
  public func average<Value: BinaryFloatingPoint>(
    _ value: @escaping (Element) -> Value?
  ) -> Double? {
    query.average(nil, { Double($0) }, Element.onObject(value))
  }
}
