/// A value computed from a property of all elements: a sum, an extreme or a mean.
///
/// Pass it to the `value(_:)` method of results, a section or a list:
///
/// ```swift
/// let pages = Computed { books.value(.sum(\.pages)) }
/// ForEach(shelves) { shelf in
///   Section("\(shelf.key): \(shelf.value(.sum(\.pages)) ?? 0) pages") { … }
/// }
/// ```
///
/// The property may be computed. ``Results/value(_:)`` describes what is kept between two reads.
public struct Aggregate<Element: _ResultElement, Value> {
  let ofQuery: (Query) -> Value
  let ofSection: (SectionList, _ number: () -> Int?) -> Value
  let ofList: (Tree<Object>) -> Value

  private init<Fold: AggregateFold>(
    _ key: AggregateKey, _ makeFold: @escaping () -> Fold,
    by makeDescriptor: @escaping () -> SortDescriptor, ofList: @escaping (Tree<Object>) -> Value
  ) where Fold.Value == Value {
    ofQuery = { $0.aggregate(key, by: makeDescriptor, makeFold) }
    ofSection = { $0.aggregate(key, ofSection: $1, by: makeDescriptor, makeFold) }
    self.ofList = ofList
  }
}

// MARK: - Sums

extension Aggregate {
  /// The sum of a property; zero if there are no elements, and nil if the property's type can't
  /// represent it.
  ///
  /// - The sum of integers is exact while it is too large, so it is there again as soon as it fits.
  /// - Other types use a running sum, which is never nil. If their addition isn't exact, the first
  ///   read after the removal of a value adds all values again, in O(n).
  @_disfavoredOverload
  public static func sum<Number: AdditiveArithmetic>(
    _ path: KeyPath<Element, Number>
  ) -> Aggregate where Value == Number? {
    sum(path, Element.onObject { $0[keyPath: path] }, \.value)
  }

  /// The sum of an optional property, in which nil is skipped; nil if the property's type can't
  /// represent it.
  @_disfavoredOverload
  public static func sum<Number: AdditiveArithmetic>(
    _ path: KeyPath<Element, Number?>
  ) -> Aggregate where Value == Number? {
    sum(path, Element.onObject { $0[keyPath: path] }, \.value)
  }

  fileprivate static func sum<Number: AdditiveArithmetic>(
    _ path: AnyKeyPath, _ value: @escaping (Object) -> Number?,
    _ make: @escaping (Total<Number>) -> Value
  ) -> Aggregate where Value: Equatable {
    Aggregate(
      AggregateKey(kind: .sum, path: path), { TotalFold(make) },
      by: { SortDescriptor(keeping: value) },
      ofList: { make(Total($0.lazy.compactMap(value))) })
  }
}

extension Aggregate where Value: BinaryFloatingPoint {
  /// The sum of a floating-point property; zero if there are no elements.
  ///
  /// Numbers of up to 64 bits are added without rounding, and the sum is rounded when it is read. It
  /// doesn't depend on the order of the elements, and removing an element removes its whole
  /// contribution, even if it was NaN. `Float80` uses a running sum.
  public static func sum(_ path: KeyPath<Element, Value>) -> Aggregate {
    sum(path, Element.onObject { $0[keyPath: path] }, { $0.value ?? .nan })
  }

  /// The sum of an optional floating-point property; nil is skipped.
  public static func sum(_ path: KeyPath<Element, Value?>) -> Aggregate {
    sum(path, Element.onObject { $0[keyPath: path] }, { $0.value ?? .nan })
  }
}

extension Aggregate where Value == String {
  /// Unavailable, because strings have no sum.
  @available(*, unavailable, message: "a sum is of numbers: join texts by map { … }.joined()")
  public static func sum(_ path: KeyPath<Element, String>) -> Aggregate {
    fatalError("unavailable")
  }
}

// MARK: - Extremes

extension Aggregate {
  /// The least value of a property; nil if there are no elements.
  ///
  /// Values that don't equal themselves, such as NaN, are skipped.
  public static func min<Property: Comparable>(
    _ path: KeyPath<Element, Property>
  ) -> Aggregate where Value == Property? {
    extreme(.least, path, Element.onObject { $0[keyPath: path] })
  }

  /// The least value of an optional property; nil is skipped.
  public static func min<Property: Comparable>(
    _ path: KeyPath<Element, Property?>
  ) -> Aggregate where Value == Property? {
    extreme(.least, path, Element.onObject { $0[keyPath: path] })
  }

  /// The greatest value of a property; nil if there are no elements.
  ///
  /// Values that don't equal themselves, such as NaN, are skipped.
  public static func max<Property: Comparable>(
    _ path: KeyPath<Element, Property>
  ) -> Aggregate where Value == Property? {
    extreme(.greatest, path, Element.onObject { $0[keyPath: path] })
  }

  /// The greatest value of an optional property; nil is skipped.
  public static func max<Property: Comparable>(
    _ path: KeyPath<Element, Property?>
  ) -> Aggregate where Value == Property? {
    extreme(.greatest, path, Element.onObject { $0[keyPath: path] })
  }

  private static func extreme<Property: Comparable>(
    _ kind: AggregateKey.Kind, _ path: AnyKeyPath, _ value: @escaping (Object) -> Property?
  ) -> Aggregate where Value == Property? {
    Aggregate(
      AggregateKey(kind: kind, path: path),
      { ExtremeFold(isGreatest: kind == .greatest) },
      by: { SortDescriptor(ranking: value) },
      ofList: { list in
        let values = list.lazy.compactMap(value).filter { $0 == $0 }
        return kind == .greatest ? values.max() : values.min()
      })
  }
}

// MARK: - Means

extension Aggregate where Value == Double? {
  /// The mean of an integer property, computed from the exact sum; nil if there are no elements.
  public static func average(_ path: KeyPath<Element, some BinaryInteger>) -> Aggregate {
    average(path, { Double($0) }, Element.onObject { $0[keyPath: path] })
  }

  /// The mean of an optional integer property, computed from the exact sum; nil values are skipped.
  ///
  /// - Returns: The mean, or nil if no element has a value.
  public static func average<Property: BinaryInteger>(
    _ path: KeyPath<Element, Property?>
  ) -> Aggregate {
    average(path, { Double($0) }, Element.onObject { $0[keyPath: path] })
  }

  /// The mean of a floating-point property, computed from the exact sum.
  ///
  /// - Returns: The mean, or nil if there are no elements.
  public static func average(_ path: KeyPath<Element, some BinaryFloatingPoint>) -> Aggregate {
    average(path, { Double($0) }, Element.onObject { $0[keyPath: path] })
  }

  /// The mean of an optional floating-point property, computed from the exact sum; nil values are
  /// skipped.
  ///
  /// - Returns: The mean, or nil if no element has a value.
  public static func average<Property: BinaryFloatingPoint>(
    _ path: KeyPath<Element, Property?>
  ) -> Aggregate {
    average(path, { Double($0) }, Element.onObject { $0[keyPath: path] })
  }

  private static func average<Property: AdditiveArithmetic>(
    _ path: AnyKeyPath, _ toDouble: @escaping (Property) -> Double,
    _ value: @escaping (Object) -> Property?
  ) -> Aggregate {
    Aggregate(
      AggregateKey(kind: .average, path: path), { TotalFold(mean: toDouble) },
      by: { SortDescriptor(keeping: value) },
      ofList: { Total($0.lazy.compactMap(value)).average(toDouble) })
  }
}

// MARK: - Sources

extension Results {
  /// Returns an aggregate of the elements, which is kept up to date.
  ///
  /// - A read depends on the value only: a reader runs again only if the value differs.
  /// - The results keep up to 32 aggregates between reads. Aggregates with dependents are always
  ///   kept.
  ///
  /// - Complexity: O(*n* log *n*) for the first read, then O(log *n*) for each element that
  ///   changes.
  public func value<Value>(_ aggregate: Aggregate<Element, Value>) -> Value {
    aggregate.ofQuery(query)
  }
}

extension Sections.Section {
  /// Returns an aggregate of the elements of the section, which is kept up to date.
  ///
  /// A read depends only on the value of this section.
  ///
  /// - Complexity: O(*n* log *n*) for the first read of any section, then O(log *n*) for each
  ///   element that changes, however many sections are read.
  public func value<Value>(_ aggregate: Aggregate<Element, Value>) -> Value {
    aggregate.ofSection(list) { keys.known(key) }
  }
}

extension List {
  /// Computes an aggregate of the members.
  ///
  /// The call depends on everything that the computation reads.
  ///
  /// - Complexity: O(*n*).
  public func value<Value>(_ aggregate: Aggregate<Element, Value>) -> Value {
    aggregate.ofList(tree)
  }
}
