// The numbers of counters that have been added to on several replicas.

internal import Signals

/// A counter that has been added to: without rounding, and whatever its type can hold.
struct CounterState: Equatable {
  var base: CounterNumber
  /// The sum of all additions; of floating-point numbers a sum for each author, since the order of
  /// additions would matter.
  var sum: Int128 = 0
  var sums: [ReplicaID: Double] = [:]

  mutating func add(_ number: CounterNumber, by author: ReplicaID) {
    switch number {
    case .integer(let number): sum &+= number
    case .floating(let number): sums[author, default: 0] += number
    }
  }

  /// The number that the counter has now, with the additions to others under the same key.
  func total(with others: [CounterState] = []) -> CounterNumber {
    switch base {
    case .integer(let base): return .integer(others.reduce(base &+ sum) { $0 &+ $1.sum })
    case .floating(let base):
      var all = sums
      for other in others { all.merge(other.sums) { $0 + $1 } }
      return .floating(all.sorted { $0.key < $1.key }.reduce(base) { $0 + $1.value })
    }
  }
}

/// A number of a counter, without rounding for integers.
enum CounterNumber: Equatable {
  case integer(Int128)
  case floating(Double)
}

/// The arithmetic of a counter whose values are numbers.
struct CounterArithmetic {
  /// The number in a value.
  let number: (Any) -> CounterNumber?
  /// The value of a number, clamped to what the type can hold.
  let value: (CounterNumber) -> Any
  /// Whether a value of the type can hold a number.
  let fits: (CounterNumber) -> Bool
  let isFloating: Bool

  init?(_ type: Any.Type) {
    if let type = type as? any FixedWidthInteger.Type {
      self = Self.integers(type)
    } else if let type = type as? any BinaryFloatingPoint.Type {
      self = Self.floats(type)
    } else {
      return nil
    }
  }

  private init(
    number: @escaping (Any) -> CounterNumber?, value: @escaping (CounterNumber) -> Any,
    fits: @escaping (CounterNumber) -> Bool, isFloating: Bool
  ) {
    self.number = number
    self.value = value
    self.fits = fits
    self.isFloating = isFloating
  }

  private static func integers<Number: FixedWidthInteger>(_ type: Number.Type) -> Self {
    Self(
      number: { ($0 as? Number).flatMap { Int128(exactly: $0) }.map { .integer($0) } },
      value: {
        guard case .integer(let number) = $0 else { return Number.zero }
        return Number(clamping: number)
      },
      fits: {
        guard case .integer(let number) = $0 else { return false }
        return Number(exactly: number) != nil
      }, isFloating: false)
  }

  private static func floats<Number: BinaryFloatingPoint>(_ type: Number.Type) -> Self {
    Self(
      number: { ($0 as? Number).map { .floating(Double($0)) } },
      value: {
        guard case .floating(let number) = $0 else { return Number.zero }
        let value = Number(number)
        if value.isFinite { return value }
        return value < 0 ? -Number.greatestFiniteMagnitude : Number.greatestFiniteMagnitude
      },
      fits: {
        guard case .floating(let number) = $0 else { return false }
        return Number(number).isFinite
      }, isFloating: true)
  }
}

extension CounterNumber {
  /// The difference to another number of the same kind.
  func subtracting(_ other: CounterNumber) -> CounterNumber {
    switch (self, other) {
    case (.integer(let one), .integer(let other)): .integer(one &- other)
    case (.floating(let one), .floating(let other)): .floating(one - other)
    case (.integer, .floating), (.floating, .integer): self
    }
  }

  /// The number that a counter must be set to, so that with all additions it is this one.
  func subtracting(_ state: CounterState) -> CounterNumber {
    switch self {
    case .integer(let number): .integer(number &- state.sum)
    case .floating(let number):
      .floating(number - state.sums.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value })
    }
  }
}
