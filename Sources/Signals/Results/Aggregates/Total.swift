// Sums from which values can be removed.

/// The sum of a changing set of values.
///
/// Integers of up to 64 bits are added in 128 bits. Floating-point numbers of up to 64 bits are
/// added without rounding (ExactSum.swift). Other types use a running total. If removing a value
/// doesn't undo adding it, as with rounding or NaN, the total is marked as inexact and must be
/// computed again.
struct Total<Value: AdditiveArithmetic> {
  private enum Sum {
    case integer(Int128)
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
    case (.floating(_, let digits, let least, let fromDouble), .floating(let exact)):
      fromDouble(exact.rounded(digits: digits, least: least))
    case (_, .other(let total)): total
    default: nil
    }
  }

  /// The mean; nil if there are no values.
  func average(_ toDouble: (Value) -> Double) -> Double? {
    if count == 0 { return nil }
    switch sum {
    case .integer(let total): return Double(total) / Double(count)
    case .floating(let exact):
      let total = exact.rounded(digits: 53, least: -1074)
      if total.isFinite { return total / Double(count) }
      // The sum can overflow although the mean doesn't.
      let scaled = exact.rounded(digits: 53, least: -1074, scale: 64) / Double(count)
      return Double(sign: .plus, exponent: 64, significand: scaled)
    case .other(let total): return toDouble(total) / Double(count)
    }
  }
}

/// The lossless addition of the values of a type.
private enum TotalConversion<Value> {
  case integer((Value) -> Int128, (Int128) -> Value?)
  /// With the number of binary digits of the type, and the exponent of its least positive number.
  case floating((Value) -> Double, Int, Int, (Double) -> Value)
  case none

  init(_: Value.Type) {
    if let type = Value.self as? any FixedWidthInteger.Type, type.bitWidth <= 64 {
      self = Self.ofInteger(type)
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
