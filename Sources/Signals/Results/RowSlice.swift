/// Some rows of one version of live results: what `dropFirst()`, `suffix(_:)` and `results[1...]` give.
///
/// It shows the rows that stood there when it was taken, whatever happens to the results: a loop over it may delete
/// as it goes. Its positions are those in the results. ``Results/limit(_:)`` is something else: a live
/// result of its own.
///
/// Taking one is O(1) beside the read of the results.
public struct RowSlice<Element>: RandomAccessCollection {
  private let rows: Tree<QueryRow>
  private let range: Range<Int>
  private let row: (Object) -> Element

  init(_ rows: Tree<QueryRow>, _ range: Range<Int>, _ row: @escaping (Object) -> Element) {
    if range.lowerBound < 0 || range.upperBound > rows.count {
      trap("positions \(range) are outside of the \(rows.count) rows of \(Element.self)")
    }
    self.rows = rows
    self.range = range
    self.row = row
  }

  /// The position of the first row in the results.
  public var startIndex: Int { range.lowerBound }

  /// The position after the last row in the results.
  public var endIndex: Int { range.upperBound }

  /// The row at a position; O(log n), and a trap outside of the slice.
  public subscript(position: Int) -> Element {
    guard range.contains(position) else {
      trap("index \(position) is outside of a slice of the rows \(range) of \(Element.self)")
    }
    return row(rows[position].object)
  }

  /// Some of these rows.
  public subscript(bounds: Range<Int>) -> RowSlice {
    if bounds.lowerBound < range.lowerBound || bounds.upperBound > range.upperBound {
      trap("positions \(bounds) are outside of a slice of the rows \(range) of \(Element.self)")
    }
    return RowSlice(rows, bounds, row)
  }

  /// The rows in order.
  public func makeIterator() -> RowIterator<Element> { RowIterator(rows, range, row) }
}

/// Walks one version of live rows.
public struct RowIterator<Element>: IteratorProtocol {
  private var base: Tree<QueryRow>.Iterator
  private var left: Int
  private let row: (Object) -> Element

  init(_ rows: Tree<QueryRow>, _ range: Range<Int>, _ row: @escaping (Object) -> Element) {
    base = rows.makeIterator(from: range.lowerBound)
    left = range.count
    self.row = row
  }

  /// The next row, or nil after the last.
  public mutating func next() -> Element? {
    if left == 0 { return nil }
    left -= 1
    return base.next().map { row($0.object) }
  }
}
