/// A range of rows of one version of live results, as returned by `dropFirst()`, `suffix(_:)` and
/// `results[1...]`.
///
/// A slice shows the rows at the time it was created, whatever happens to the results later. So a
/// loop over it may delete objects. Its positions are those in the results. In contrast,
/// ``Results/limit(_:)`` returns a live result.
///
/// Creating a slice is O(1), besides the read of the results.
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

  /// The position of the slice's first row in the results.
  public var startIndex: Int { range.lowerBound }

  /// The position after the slice's last row in the results.
  public var endIndex: Int { range.upperBound }

  /// The row at a position; a position outside of the slice traps.
  ///
  /// - Complexity: O(log *n*).
  public subscript(position: Int) -> Element {
    guard range.contains(position) else {
      trap("index \(position) is outside of a slice of the rows \(range) of \(Element.self)")
    }
    return row(rows[position].object)
  }

  /// The rows in a range of positions of the slice; positions outside of it trap.
  public subscript(bounds: Range<Int>) -> RowSlice {
    if bounds.lowerBound < range.lowerBound || bounds.upperBound > range.upperBound {
      trap("positions \(bounds) are outside of a slice of the rows \(range) of \(Element.self)")
    }
    return RowSlice(rows, bounds, row)
  }

  /// Iterates over the rows in order.
  public func makeIterator() -> RowIterator<Element> { RowIterator(rows, range, row) }
}

/// An iterator over one version of live rows.
public struct RowIterator<Element>: IteratorProtocol {
  private var base: Tree<QueryRow>.Iterator
  private var left: Int
  private let row: (Object) -> Element

  init(_ rows: Tree<QueryRow>, _ range: Range<Int>, _ row: @escaping (Object) -> Element) {
    base = rows.makeIterator(from: range.lowerBound)
    left = range.count
    self.row = row
  }

  /// Advances to the next row and returns it, or nil after the last one.
  public mutating func next() -> Element? {
    if left == 0 { return nil }
    left -= 1
    return base.next().map { row($0.object) }
  }
}
