// Sums from which values can be removed.

/// The sum of a changing set of values.
///
/// Integers of up to 64 bits are added in 128 bits, wider ones with a count of the overflows.
/// Floating-point numbers of up to 64 bits are
/// added without rounding (ExactSum.swift). Other types use a running total. If removing a value
/// doesn't undo adding it, as with rounding or NaN, the total is marked as inexact and must be
/// computed again.
struct Total<Value: AdditiveArithmetic> {
  private enum Sum {
    case integer(Int128)
    /// A sum that has wrapped around, and how often, negative if below the least number.
    case wide(Value, overflows: Int)
    case floating(ExactSum)
    case other(Value)
  }

  private let conversion: TotalConversion<Value>
  private var sum: Sum
  /// The number of values.
  private(set) var count = 0
  /// Whether the total must be computed from all values again.
  private(set) var isInexact = false

  init() {
    conversion = TotalConversion(Value.self)
    switch conversion {
    case .integer: sum = .integer(0)
    case .wide: sum = .wide(.zero, overflows: 0)
    case .floating: sum = .floating(ExactSum())
    case .none: sum = .other(.zero)
    }
  }

  init(_ values: some Sequence<Value>) {
    self.init()
    for value in values { add(value) }
  }

  /// Adds a value, in O(1).
  mutating func add(_ value: Value) {
    count += 1
    combine(value, times: 1)
  }

  /// Removes a value that was added, in O(1).
  mutating func remove(_ value: Value) {
    count -= 1
    combine(value, times: -1)
  }

  private mutating func combine(_ value: Value, times sign: Int) {
    switch (conversion, sum) {
    case (.integer(let toWide, _), .integer(let old)):
      sum = .integer(sign > 0 ? old + toWide(value) : old - toWide(value))
    case (.wide(let combine, _), .wide(let old, let overflows)):
      let (new, overflow) = combine(old, value, sign)
      sum = .wide(new, overflows: overflows + overflow)
    case (.floating(let toDouble, _, _, _), .floating(var exact)):
      // Replaced by a placeholder first, so that the exact sum is uniquely referenced and changes
      // in place.
      sum = .integer(0)
      exact.add(toDouble(value), times: sign)
      sum = .floating(exact)
    case (_, .other(let old)):
      let new = sign > 0 ? old + value : old - value
      if sign < 0, new + value != old || Value.self is any FloatingPoint.Type { isInexact = true }
      sum = .other(new)
    default: break
    }
  }

  /// The sum; nil if the type can't represent it.
  var value: Value? {
    switch (conversion, sum) {
    case (.integer(_, let fromWide), .integer(let total)): fromWide(total)
    case (_, .wide(let total, let overflows)): overflows == 0 ? total : nil
    case (.floating(_, let digits, let least, let fromDouble), .floating(let exact)):
      fromDouble(exact.rounded(digits: digits, least: least))
    case (_, .other(let total)): total
    default: nil
    }
  }

  /// The mean; nil if there are no values.
  func average(_ toDouble: (Value) -> Double) -> Double? {
    if count == 0 { return nil }
    switch (conversion, sum) {
    case (_, .integer(let total)): return Double(total) / Double(count)
    case (.wide(_, let range), .wide(let total, let overflows)):
      return (toDouble(total) + Double(overflows) * range) / Double(count)
    case (_, .floating(let exact)):
      let total = exact.rounded(digits: 53, least: -1074)
      if total.isFinite { return total / Double(count) }
      // The sum can overflow although the mean doesn't.
      let scaled = exact.rounded(digits: 53, least: -1074, scale: 64) / Double(count)
      return Double(sign: .plus, exponent: 64, significand: scaled)
    case (_, .other(let total)), (_, .wide(let total, _)): return toDouble(total) / Double(count)
    }
  }
}

/// The lossless addition of the values of a type.
private enum TotalConversion<Value> {
  case integer((Value) -> Int128, (Int128) -> Value?)
  /// The addition, or subtraction if the sign is negative, with the overflow: -1, 0 or 1; and the
  /// number of the type's values.
  case wide((Value, Value, _ sign: Int) -> (Value, Int), Double)
  /// With the number of binary digits of the type, and the exponent of its least positive number.
  case floating((Value) -> Double, Int, Int, (Double) -> Value)
  case none

  init(_: Value.Type) {
    if let type = Value.self as? any FixedWidthInteger.Type {
      self = type.bitWidth <= 64 ? Self.ofInteger(type) : Self.ofWide(type)
    } else if let type = Value.self as? any BinaryFloatingPoint.Type {
      self = Self.ofFloating(type)
    } else {
      self = .none
    }
  }

  private static func ofInteger<Number: FixedWidthInteger>(_: Number.Type) -> Self {
    .integer { value in
      Int128(truncatingIfNeeded: identityCast(value, to: Number.self))
    } _: { wide in
      Number(exactly: wide).map { identityCast($0, to: Value.self) }
    }
  }

  private static func ofWide<Number: FixedWidthInteger>(_: Number.Type) -> Self {
    .wide(
      { old, value, sign in
        let old = identityCast(old, to: Number.self), value = identityCast(value, to: Number.self)
        let (new, isOver) =
          sign > 0 ? old.addingReportingOverflow(value) : old.subtractingReportingOverflow(value)
        let overflow = isOver ? ((value < 0) == (sign > 0) ? -1 : 1) : 0
        return (identityCast(new, to: Value.self), overflow)
      }, Double(sign: .plus, exponent: Number.bitWidth, significand: 1))
  }

  private static func ofFloating<Number: BinaryFloatingPoint>(_: Number.Type) -> Self {
    guard Number.exponentBitCount <= Double.exponentBitCount,
      Number.significandBitCount <= Double.significandBitCount
    else { return .none }
    return .floating(
      { Double(identityCast($0, to: Number.self)) }, Number.significandBitCount + 1,
      Int(Number.leastNonzeroMagnitude.exponent),
      { identityCast(Number($0), to: Value.self) })
  }
}
