/// A range of rows of one version of live results, as returned by `dropFirst()`, `suffix(_:)` and
/// `results[1...]`.
///
/// A slice shows the rows at the time it was created, whatever happens to the results later. So a
/// loop over it may delete objects. Its positions are those in the results. In contrast,
/// ``Results/limit(_:)`` returns a live result.
///
/// Creating a slice is O(1), besides the read of the results.
public struct RowSlice<Element: _ResultElement>: RandomAccessCollection {
  let rows: Tree<QueryRow>
  let range: Range<Int>

  init(_ rows: Tree<QueryRow>, in range: Range<Int>) {
    if range.lowerBound < 0 || range.upperBound > rows.count {
      trap("positions \(range) are outside of the \(rows.count) rows of \(Element.self)")
    }
    self.rows = rows
    self.range = range
  }

  /// The rows of the slice as a separate tree.
  ///
  /// - Complexity: O(log *n*).
  var tree: Tree<QueryRow> {
    var part = rows
    _ = part.split(at: range.upperBound)
    return part.split(at: range.lowerBound)
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
    return Element._element(of: rows[position].object)
  }

  /// The rows in a range of positions of the slice; positions outside of it trap.
  public subscript(bounds: Range<Int>) -> RowSlice {
    if bounds.lowerBound < range.lowerBound || bounds.upperBound > range.upperBound {
      trap("positions \(bounds) are outside of a slice of the rows \(range) of \(Element.self)")
    }
    return RowSlice(rows, in: bounds)
  }

  /// Iterates over the rows in order.
  public func makeIterator() -> RowIterator<Element> { RowIterator(rows, in: range) }
}

/// An iterator over one version of live rows.
public struct RowIterator<Element: _ResultElement>: IteratorProtocol {
  private var base: Tree<QueryRow>.Iterator
  private var left: Int

  init(_ rows: Tree<QueryRow>, in range: Range<Int>) {
    base = rows.makeIterator(from: range.lowerBound)
    left = range.count
  }

  /// Advances to the next row and returns it, or nil after the last one.
  public mutating func next() -> Element? {
    if left == 0 { return nil }
    left -= 1
    return base.next().map { Element._element(of: $0.object) }
  }
}
