// Sums, extremes and means of the members of a list, which is a value: they are made of it when they are asked
// for, and depend on what is read for that.

extension List {
  /// The sum of a property over the members, as ``Results`` have it.
  ///
  /// O(n).
  public func sum<Value: AdditiveArithmetic>(_ value: (Element) -> Value) -> Value {
    Total(map(value)).checkedValue("values of List<\(Element.self)>")
  }

  /// The sum of an optional property over the members; nil counts for nothing.
  ///
  /// O(n).
  public func sum<Value: AdditiveArithmetic>(_ value: (Element) -> Value?) -> Value {
    Total(compactMap(value)).checkedValue("values of List<\(Element.self)>")
  }

  /// The least value of a property among the members; nil if there is none.
  ///
  /// O(n).
  public func min<Value: Comparable>(_ value: (Element) -> Value?) -> Value? {
    compactMap(value).filter { $0 == $0 }.min()
  }

  /// The greatest value of a property among the members; nil if there is none.
  ///
  /// O(n).
  public func max<Value: Comparable>(_ value: (Element) -> Value?) -> Value? {
    compactMap(value).filter { $0 == $0 }.max()
  }

  /// The mean of an integer property over the members; nil if there are none.
  ///
  /// O(n).
  public func average<Value: BinaryInteger>(_ value: (Element) -> Value?) -> Double? {
    Total(compactMap(value)).average { Double($0) }
  }

  /// The mean of a floating-point property over the members; nil if there are none.
  ///
  /// O(n).
  public func average<Value: BinaryFloatingPoint>(_ value: (Element) -> Value?) -> Double? {
    Total(compactMap(value)).average { Double($0) }
  }
}
