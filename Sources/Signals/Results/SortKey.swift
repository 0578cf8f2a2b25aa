// The keys that rows are sorted by, kept in the tree so that a row can be found by the key it had.

/// In which direction a key sorts.
public enum SortOrder: Sendable {
  /// Smallest first; nil before everything.
  case ascending
  /// Largest first; nil after everything.
  case descending
}

/// The value of one or several sort keys of a row.
enum SortKey {
  case none
  case missing
  case int(Int)
  case double(Double)
  case string(String)
  /// A value of any other type, which the descriptor knows how to compare.
  case other(AnyObject)
  indirect case pair(SortKey, SortKey)
}

/// How to take a key from an object and compare two.
struct SortDescriptor {
  let key: (Object) -> SortKey
  /// Negative if the first is smaller, positive if it is larger; in the direction of the order.
  let compare: (SortKey, SortKey) -> Int

  /// Sorts by the natural order of a comparable value.
  init<Value: Comparable>(_ order: SortOrder, _ value: @escaping (Object) -> Value?) {
    key = { object in value(object).map { SortDescriptor.pack($0) } ?? .missing }
    compare = SortDescriptor.directed(order) { KeyBox<Value>.naturally($0, $1) }
  }

  /// Sorts by a comparison of the user's.
  init<Value>(
    _ order: SortOrder, _ value: @escaping (Object) -> Value,
    using isBefore: @escaping (Value, Value) -> Bool
  ) {
    key = { .other(KeyBox(value($0))) }
    compare = SortDescriptor.directed(order) { lhs, rhs in
      guard case .other(let leftBox) = lhs, case .other(let rightBox) = rhs else { return 0 }
      let (left, right) = (KeyBox<Value>.value(of: leftBox), KeyBox<Value>.value(of: rightBox))
      return isBefore(left, right) ? -1 : isBefore(right, left) ? 1 : 0
    }
  }

  private static func directed(
    _ order: SortOrder, _ compare: @escaping (SortKey, SortKey) -> Int
  ) -> (SortKey, SortKey) -> Int {
    switch order {
    case .ascending: compare
    case .descending: { compare($1, $0) }
    }
  }

  private static func pack<Value: Comparable>(_ value: Value) -> SortKey {
    switch value {
    case let value as Int: .int(value)
    case let value as String: .string(value)
    case let value as any BinaryFloatingPoint: .double(Double(value))
    default: .other(KeyBox(value))
    }
  }
}

/// A key of a type that only its descriptor knows.
private final class KeyBox<Value> {
  private let value: Value

  init(_ value: Value) { self.value = value }

  /// The value in a box that a descriptor of the same type made.
  static func value(of box: AnyObject) -> Value {
    unsafe unsafeDowncast(box, to: KeyBox.self).value
  }
}

extension KeyBox where Value: Comparable {
  /// Compares two keys of one descriptor; nil is before everything.
  static func naturally(_ lhs: SortKey, _ rhs: SortKey) -> Int {
    switch (lhs, rhs) {
    case (.int(let left), .int(let right)): left < right ? -1 : left == right ? 0 : 1
    case (.string(let left), .string(let right)): left == right ? 0 : left < right ? -1 : 1
    case (.double(let left), .double(let right)): compare(left, right)
    case (.other(let left), .other(let right)): compare(value(of: left), value(of: right))
    case (.missing, .missing): 0
    case (.missing, _): -1
    case (_, .missing): 1
    default: 0
    }
  }

  private static func compare(_ left: Value, _ right: Value) -> Int {
    left < right ? -1 : right < left ? 1 : 0
  }

  /// A total order: not-a-number stands after everything, and beside itself.
  private static func compare(_ left: Double, _ right: Double) -> Int {
    if left < right { return -1 }
    if left > right { return 1 }
    return (left.isNaN ? 1 : 0) - (right.isNaN ? 1 : 0)
  }
}

/// One row of a live result: an object and the key by which it was sorted in.
struct QueryRow {
  let object: Object
  let key: SortKey
  /// Breaks ties; kept here so that a comparison need not touch the object.
  let sequence: UInt64

  init(_ object: Object, _ key: SortKey) {
    self.object = object
    self.key = key
    sequence = unsafe object.sequence
  }
}

/// The order of rows: by each descriptor in turn, and in the order of insertion where all tie.
struct RowOrder {
  let descriptors: [SortDescriptor]

  /// Takes the key of an object, for all the descriptors.
  func key(of object: Object) -> SortKey {
    guard let last = descriptors.last else { return .none }
    return descriptors.dropLast().reversed().reduce(last.key(object)) { key, descriptor in
      .pair(descriptor.key(object), key)
    }
  }

  func isBefore(_ lhs: QueryRow, _ rhs: QueryRow) -> Bool {
    let order = compare(lhs.key, rhs.key)
    return order == 0 ? lhs.sequence < rhs.sequence : order < 0
  }

  func compare(_ lhs: SortKey, _ rhs: SortKey) -> Int {
    if descriptors.isEmpty { return 0 }
    if descriptors.count == 1 { return descriptors[0].compare(lhs, rhs) }
    var left = lhs
    var right = rhs
    for index in 0..<(descriptors.count - 1) {
      guard case .pair(let leftHead, let leftTail) = left,
        case .pair(let rightHead, let rightTail) = right
      else { return 0 }
      let order = descriptors[index].compare(leftHead, rightHead)
      if order != 0 { return order }
      left = leftTail
      right = rightTail
    }
    return descriptors[descriptors.count - 1].compare(left, right)
  }
}
