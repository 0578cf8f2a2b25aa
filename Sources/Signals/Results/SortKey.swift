// The keys that rows are sorted by. They are kept in the tree, so that a row can be found by its
// old key.
//
// Keys of the most common types are compared without calling user code. Other keys are boxed, and
// compared by their descriptor.

/// The direction in which a key sorts.
public enum SortDirection: Sendable {
  /// Smallest first; nil before everything.
  case ascending
  /// Largest first; nil after everything.
  case descending
}

/// The value of one or more sort keys of a row.
enum SortKey {
  /// The key of rows without sort keys, which are in the order of insertion.
  case unsorted
  /// The key for nil.
  case missing
  case int(Int)
  case double(Double)
  case string(String)
  /// A value of any other type, which the descriptor can compare.
  case other(AnyObject)
  indirect case pair(SortKey, SortKey)
}

/// A sort key: its value for an object, and the comparison of two values.
struct SortDescriptor {
  let key: (Object) -> SortKey
  let isDescending: Bool
  /// Whether comparing two keys runs code outside of this library, which may read the graph.
  let callsUserCode: Bool
  let compareBoxes: (AnyObject, AnyObject) -> Int
  /// Compares boxed values that the order considers equal; only for the keys of aggregates.
  private(set) var isSameBox: ((AnyObject, AnyObject) -> Bool)?
  /// The property that is sorted by its natural order, if there is one.
  private(set) var path: AnyKeyPath?

  /// Sorts by a known number.
  init(number: @escaping (Object) -> Int) {
    key = { .int(number($0)) }
    isDescending = false
    callsUserCode = false
    compareBoxes = { _, _ in 0 }
  }

  /// Keeps a value for an aggregate.
  ///
  /// Values of types that aren't packed compare as equal, so their rows are in the order of
  /// insertion.
  init<Value: Equatable>(keeping value: @escaping (Object) -> Value?) {
    let pack = SortDescriptor.packer(Value.self)
    key = { object in value(object).map(pack) ?? .missing }
    isDescending = false
    callsUserCode = !SortDescriptor.isPacked(Value.self)
    compareBoxes = { _, _ in 0 }
    isSameBox = { KeyBox<Value>.value(of: $0) == KeyBox<Value>.value(of: $1) }
  }

  /// Sorts by a value, for an aggregate that needs the least or the greatest.
  init<Value: Comparable>(ranking value: @escaping (Object) -> Value?) {
    self.init(.ascending, value)
    isSameBox = { KeyBox<Value>.value(of: $0) == KeyBox<Value>.value(of: $1) }
  }

  /// Sorts by the natural order of a comparable value; `path` is the property that has the value.
  init<Value: Comparable>(
    _ order: SortDirection, path: AnyKeyPath? = nil, _ value: @escaping (Object) -> Value?
  ) {
    self.path = path
    let pack = SortDescriptor.packer(Value.self)
    key = { object in value(object).map(pack) ?? .missing }
    isDescending = order == .descending
    callsUserCode = !SortDescriptor.isPacked(Value.self)
    compareBoxes = { KeyBox<Value>.naturally(KeyBox.value(of: $0), KeyBox.value(of: $1)) }
  }

  /// Sorts by the user's comparison.
  ///
  /// - Parameters:
  ///   - order: The direction of the order.
  ///   - key: Returns the boxed value of an object; not needed for keys of sections.
  ///   - isBefore: A strict weak ordering of the values.
  init<Value>(
    _ order: SortDirection, key: @escaping (Object) -> SortKey = { _ in .unsorted },
    using isBefore: @escaping (Value, Value) -> Bool
  ) {
    self.key = key
    isDescending = order == .descending
    callsUserCode = true
    let isNaN = SortDescriptor.nanTest(Value.self)
    compareBoxes = {
      let (left, right) = (KeyBox<Value>.value(of: $0), KeyBox<Value>.value(of: $1))
      if let isNaN, isNaN(left) || isNaN(right) {
        return (isNaN(left) ? 1 : 0) - (isNaN(right) ? 1 : 0)
      }
      return isBefore(left, right) ? -1 : isBefore(right, left) ? 1 : 0
    }
  }

  /// Returns the conversion of values of a type to keys that only their descriptor can compare.
  static func boxer<Value>(_: Value.Type) -> (Value) -> SortKey { { .other(KeyBox($0)) } }

  /// Finds the values that no comparison orders; nil for types without such values.
  private static func nanTest<Value>(_: Value.Type) -> ((Value) -> Bool)? {
    guard Value.self is any FloatingPoint.Type else { return nil }
    return { ($0 as? any FloatingPoint)?.isNaN ?? false }
  }

  /// Whether keys of a type are compared without calling code outside of this library.
  private static func isPacked<Value>(_: Value.Type) -> Bool {
    Value.self is Int.Type || Value.self is Double.Type || Value.self is String.Type
  }

  /// Returns the conversion of values of a type to keys.
  static func packer<Value>(_: Value.Type) -> (Value) -> SortKey {
    switch Value.self {
    case is Int.Type: { .int(identityCast($0, to: Int.self)) }
    case is Double.Type: { .double(identityCast($0, to: Double.self)) }
    case is String.Type: { ($0 as? String).map { .string($0) } ?? .missing }
    default: { .other(KeyBox($0)) }
    }
  }
}

extension SortKey {
  /// Compares two keys, with nil first: negative if the first key is smaller, positive if it is
  /// larger.
  ///
  /// `compareBoxes` compares values of the less common types.
  @inline(__always)
  static func compare(
    _ lhs: SortKey, _ rhs: SortKey,
    _ compareBoxes: (AnyObject, AnyObject) -> Int
  ) -> Int {
    switch (lhs, rhs) {
    case (.int(let left), .int(let right)): left < right ? -1 : left == right ? 0 : 1
    case (.string(let left), .string(let right)): TextOrder.compare(left, to: right)
    case (.double(let left), .double(let right)): KeyBox.naturally(left, right)
    case (.other(let left), .other(let right)): compareBoxes(left, right)
    case (.missing, .missing): 0
    case (.missing, _): -1
    case (_, .missing): 1
    default: 0
    }
  }
}

extension SortKey {
  /// Returns the key that consists of the keys of several parts, the first one first.
  @inline(__always)
  static func joining<Part>(_ parts: [Part], by key: (Part) -> SortKey) -> SortKey {
    guard let last = parts.last else { return .unsorted }
    if parts.count == 1 { return key(last) }
    return parts.dropLast().reversed().reduce(key(last)) { .pair(key($1), $0) }
  }

  /// The last of several keys.
  var last: SortKey {
    var key = self
    while case .pair(_, let tail) = key { key = tail }
    return key
  }

  /// The value that a descriptor of the type converted to this key; nil if there was none.
  func value<Value>(as type: Value.Type) -> Value? {
    switch self {
    case .int(let value): identityCast(value, to: Value.self)
    case .double(let value): identityCast(value, to: Value.self)
    case .string(let value): value as? Value
    case .other(let box): KeyBox<Value>.value(of: box)
    case .unsorted, .missing, .pair: nil
    }
  }
}

/// A key of a type that only its descriptor knows.
private final class KeyBox<Value> {
  private let value: Value

  init(_ value: Value) { self.value = value }

  /// The value in a box, which was created by a descriptor of the same type.
  static func value(of box: AnyObject) -> Value {
    knownDowncast(box, to: KeyBox.self).value
  }
}

extension KeyBox where Value: Comparable {
  /// A total order, in which values that don't equal themselves, such as NaN, come last.
  static func naturally(_ left: Value, _ right: Value) -> Int {
    if left < right { return -1 }
    if right < left { return 1 }
    return (left == left ? 0 : 1) - (right == right ? 0 : 1)
  }
}
