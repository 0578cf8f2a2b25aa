// Conditions that a property is in a range, or begins with a text.
//
// The index of the property's order is the live result of the class sorted by the property, which
// all such conditions and all results in that order share (SharedQueries.swift). It is sorted by the
// first read, kept up to date like any result, and released with the last condition that uses it.

/// All objects of a class, sorted by a property, for the conditions on it.
private final class SortedObjects {
  /// The query; nil once the property is known not to be indexed.
  ///
  /// It is shared from the time when the condition is created, so that the objects aren't sorted again
  /// if the condition replaces another one.
  var query: Query?

  init(_ query: Query, by descriptor: SortDescriptor) {
    let (store, type) = (query.store, query.type)
    self.query = SharedQueries.query(
      QueryDefinition(store: store, type: type, descriptors: [descriptor]))
  }
}

/// A condition whose objects are next to each other in the order of a property.
struct OrderedCondition: IndexedCondition {
  /// The bounds of a range of values.
  struct Bounds<Value: Comparable> {
    var lower: Value?
    var upper: Value?
    /// Whether the upper bound is in the range.
    var includesUpper = false

    /// Fails if the type of the range isn't known.
    init?(_ range: some RangeExpression<Value>) {
      switch range {
      case let range as Range<Value>: (lower, upper) = (range.lowerBound, range.upperBound)
      case let range as ClosedRange<Value>:
        (lower, upper, includesUpper) = (range.lowerBound, range.upperBound, true)
      case let range as PartialRangeFrom<Value>: lower = range.lowerBound
      case let range as PartialRangeUpTo<Value>: upper = range.upperBound
      case let range as PartialRangeThrough<Value>:
        (upper, includesUpper) = (range.upperBound, true)
      default: return nil
      }
    }
  }

  /// The range or the prefix, for `explain()`.
  private let restriction: String
  private let isIncluded: (Object) -> Bool
  private let path: AnyKeyPath
  private let sorted: SortedObjects
  /// Whether a key is before the first one that satisfies the condition.
  private let isBelow: (SortKey) -> Bool
  /// Whether a key isn't behind the last one.
  private let isNotAbove: (SortKey) -> Bool
  /// Whether exactly the keys between the two satisfy the condition.
  private let isExact: Bool

  /// Creates the condition that a property is in a range.
  ///
  /// - Parameters:
  ///   - descriptor: The natural order of the property.
  ///   - value: Reads the property.
  init<Value: Comparable>(
    _ range: some RangeExpression<Value>, _ bounds: Bounds<Value>, of query: Query,
    by descriptor: SortDescriptor, path: AnyKeyPath, _ value: @escaping (Object) -> Value?
  ) {
    restriction = "in \(range)"
    self.path = path
    sorted = SortedObjects(query, by: descriptor)
    let pack = SortDescriptor.packer(Value.self)
    let lower = bounds.lower.map(pack) ?? .missing
    let includesLower = bounds.lower != nil
    let isBelow: (SortKey) -> Bool = {
      let order = SortKey.compare($0, lower, descriptor.compareBoxes)
      return order < 0 || order == 0 && !includesLower
    }
    let upper = bounds.upper.map(pack)
    let includesUpper = bounds.includesUpper
    let isNotAbove: (SortKey) -> Bool = {
      guard let upper else { return true }
      let order = SortKey.compare($0, upper, descriptor.compareBoxes)
      return order < 0 || order == 0 && includesUpper
    }
    (self.isBelow, self.isNotAbove) = (isBelow, isNotAbove)
    // The operators of `String` don't always have the order of the results; see TextOrder.swift.
    let isText = Value.self is String.Type
    isIncluded = { object in
      guard let value = value(object) else { return false }
      guard isText else { return range.contains(value) }
      let key = pack(value)
      return !isBelow(key) && isNotAbove(key)
    }
    // Without an upper bound, values that don't equal themselves follow the range, and no value is in
    // a range with such a bound. Comparisons of other types are user code.
    let hasBounds =
      bounds.upper != nil && bounds.upper == bounds.upper && bounds.lower == bounds.lower
    isExact =
      Value.self is Int.Type || Value.self is String.Type || Value.self is Double.Type && hasBounds
  }

  /// Creates the condition that a text begins with another one.
  init(
    hasPrefix prefix: String, of query: Query, by descriptor: SortDescriptor, path: AnyKeyPath,
    _ value: @escaping (Object) -> String?
  ) {
    restriction = "with prefix \(prefix)"
    isIncluded = { value($0)?.hasPrefix(prefix) ?? false }
    self.path = path
    sorted = SortedObjects(query, by: descriptor)
    isBelow = { SortKey.compare($0, .string(prefix), descriptor.compareBoxes) < 0 }
    // Texts that begin with the same bytes, but not with the same characters, are in between, such as
    // those with a combining mark behind the prefix.
    let last = prefix + "\u{10FFFF}"
    isNotAbove = {
      guard case .string(let text) = $0 else { return true }
      return TextOrder.compare(text, to: last) < 0 || text.hasPrefix(prefix)
    }
    isExact = false
  }

  func describe(_ name: (AnyKeyPath) -> String) -> String { "\(name(path)) \(restriction)" }

  func isSatisfied(by object: Object) -> Bool { isIncluded(object) }

  var isReady: Bool { sorted.query?.state == .kept }

  /// - Complexity: O(log *n*) for *n* objects, once they are sorted.
  func find(for query: Query) -> FoundObjects? {
    guard let sorted = sorted.query else { return nil }
    for table in query.table.objectTables where table.count > 0 {
      guard let property = table.property(at: path), table.index(at: property.offset) != nil else {
        self.sorted.query = nil
        return nil
      }
    }
    sorted.refresh()
    let rows = sorted.tree
    let (first, end) = sorted.comparing(by: sorted.order) {
      (rows.lowerBound { isBelow($0.key) }, rows.lowerBound { isNotAbove($0.key) })
    }
    // A comparison may have read more than the objects.
    guard sorted.isSelfContained else { return nil }
    query.dependencies.adopt(sorted.dependencies)
    let range = first..<max(first, end)
    return FoundObjects(count: range.count) { body in
      rows.forEach(in: range) { body($0.object, isExact) }
    }
  }
}

extension Results where Element: Object {
  /// Returns the rows whose property is in a range.
  ///
  /// If the property is `@Indexed` or the `@PrimaryKey`, the rows are found by binary search in the
  /// objects sorted by it. These are sorted by the first read, and shared by all results that need
  /// them, as long as there are any. With another property, this is as slow as a closure.
  ///
  /// ```swift
  /// let recent = store.results(Message.self).where(\.sent, in: yesterday...)
  /// ```
  ///
  /// - Parameters:
  ///   - path: The property.
  ///   - range: A range of any kind. Values that no comparison orders, such as NaN, are in none.
  /// - Complexity: O(log *n* + *r*) for the first read of *r* rows, once the *n* objects are sorted.
  public func `where`<Value: Comparable>(
    _ path: KeyPath<Element, Value>, in range: some RangeExpression<Value>
  ) -> Results {
    narrowed(to: range, path, sortedBy: .ascending(path)) { $0[keyPath: path] }
  }

  /// Returns the rows whose optional property is in a range, which nil isn't.
  ///
  /// An index is used as for other properties.
  ///
  /// - Parameters:
  ///   - path: The property.
  ///   - range: A range of any kind.
  /// - Complexity: O(log *n* + *r*) for the first read of *r* rows, once the *n* objects are sorted.
  public func `where`<Value: Comparable>(
    _ path: KeyPath<Element, Value?>, in range: some RangeExpression<Value>
  ) -> Results {
    narrowed(to: range, path, sortedBy: .ascending(path)) { $0[keyPath: path] }
  }

  /// Returns the rows whose text begins with another one, as `String.hasPrefix(_:)` compares them.
  ///
  /// An index is used as for ranges. Upper and lower case differ; ``matching(_:in:)``
  /// finds words in any case.
  ///
  /// ```swift
  /// let libraries = store.results(Package.self).where(\.name, hasPrefix: "lib")
  /// ```
  ///
  /// - Parameters:
  ///   - path: The property.
  ///   - prefix: The beginning of the text. Every text begins with the empty one.
  /// - Complexity: O(log *n* + *r*) for the first read of *r* rows, once the *n* objects are sorted.
  public func `where`(_ path: KeyPath<Element, String>, hasPrefix prefix: String) -> Results {
    let condition = OrderedCondition(
      hasPrefix: prefix, of: query, by: RowSort<Element>.ascending(path).descriptor, path: path,
      Element.onObject { $0[keyPath: path] })
    return Results(query: query.filtered(by: condition))
  }

  private func narrowed<Value: Comparable>(
    to range: some RangeExpression<Value>, _ path: AnyKeyPath, sortedBy sort: RowSort<Element>,
    _ value: @escaping (Element) -> Value?
  ) -> Results {
    let value = Element.onObject(value)
    guard let bounds = OrderedCondition.Bounds(range) else {
      return Results(query: query.filtered { value($0).map(range.contains) ?? false })
    }
    let condition = OrderedCondition(
      range, bounds, of: query, by: sort.descriptor, path: path, value)
    return Results(query: query.filtered(by: condition))
  }
}
