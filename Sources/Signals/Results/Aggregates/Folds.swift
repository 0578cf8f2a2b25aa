// Folds: the state that an aggregate keeps about the values of rows, and the result computed from
// it.

/// An aggregate's incremental state, and the value computed from it.
protocol AggregateFold {
  associatedtype Value

  /// Discards the state, because all values may have changed.
  mutating func reset()
  mutating func add(_ key: SortKey)
  mutating func remove(_ key: SortKey)
  mutating func value(of rows: FoldRows) -> Value
  func isSame(_ old: Value, as new: Value) -> Bool
}

/// The rows to fold, sorted by value: all rows of a query, or the rows of one group.
struct FoldRows {
  private let tree: Tree<QueryRow>
  private let group: Int?
  let range: Range<Int>

  init(_ tree: Tree<QueryRow>) {
    self.tree = tree
    group = nil
    range = 0..<tree.count
  }

  /// The rows of a group, which are contiguous.
  init(_ tree: Tree<QueryRow>, of group: Int) {
    self.tree = tree
    self.group = group
    let start = tree.lowerBound { $0.group < group }
    range = start..<tree.lowerBound { $0.group <= group }
  }

  /// The key of the value at a position.
  func key(at position: Int) -> SortKey { key(of: tree[position]) }

  private func key(of row: QueryRow) -> SortKey { group == nil ? row.key : row.keyInGroup }

  /// The first position whose key doesn't satisfy `isBefore`.
  func lowerBound(_ isBefore: (SortKey) -> Bool) -> Int {
    guard let group else { return tree.lowerBound { isBefore($0.key) } }
    return tree.lowerBound {
      $0.group < group || ($0.group == group && isBefore($0.keyInGroup))
    }
  }

  func forEachKey(_ body: (SortKey) -> Void) {
    tree.forEach(in: range) { body(key(of: $0)) }
  }
}

/// The least or greatest value, ignoring values that don't equal themselves.
struct ExtremeFold<Element: Comparable>: AggregateFold {
  let isGreatest: Bool

  mutating func reset() {}
  mutating func add(_ key: SortKey) {}
  mutating func remove(_ key: SortKey) {}

  // nil sorts before all values, and values that don't equal themselves sort after them.
  mutating func value(of rows: FoldRows) -> Element? {
    func value(at position: Int) -> Element? {
      rows.key(at: position).value(as: Element.self).flatMap { $0 == $0 ? $0 : nil }
    }
    if isGreatest {
      let end = rows.lowerBound { key in key.value(as: Element.self).map { $0 == $0 } ?? true }
      return end == rows.range.lowerBound ? nil : value(at: end - 1)
    }
    let start = rows.lowerBound { key in if case .missing = key { true } else { false } }
    return start == rows.range.upperBound ? nil : value(at: start)
  }

  func isSame(_ old: Element?, as new: Element?) -> Bool { old == new }
}

/// A sum, or a value computed from it.
///
/// State: `total`, nil if it must be computed from the rows again.
struct TotalFold<Element: AdditiveArithmetic, Value>: AggregateFold {
  let make: (Total<Element>) -> Value
  let areSame: (Value, Value) -> Bool
  private var total: Total<Element>?

  init(areSame: @escaping (Value, Value) -> Bool, _ make: @escaping (Total<Element>) -> Value) {
    self.make = make
    self.areSame = areSame
  }

  mutating func reset() { total = nil }

  mutating func add(_ key: SortKey) {
    if let value = key.value(as: Element.self) { total?.add(value) }
  }

  mutating func remove(_ key: SortKey) {
    if let value = key.value(as: Element.self) { total?.remove(value) }
  }

  mutating func value(of rows: FoldRows) -> Value {
    if let total, !total.isInexact { return make(total) }
    var total = Total<Element>()
    rows.forEachKey { key in
      if let value = key.value(as: Element.self) { total.add(value) }
    }
    self.total = total
    return make(total)
  }

  func isSame(_ old: Value, as new: Value) -> Bool { areSame(old, new) }
}

extension TotalFold where Value: Equatable {
  /// A value that is the same as another if it equals it, or if both don't equal themselves.
  init(_ make: @escaping (Total<Element>) -> Value) {
    self.init(areSame: { $0 == $1 || ($0 != $0 && $1 != $1) }, make)
  }
}

extension TotalFold where Value == Double? {
  /// The mean.
  init(mean toDouble: @escaping (Element) -> Double) { self.init { $0.average(toDouble) } }
}
