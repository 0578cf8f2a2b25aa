// The rows of a first read, collected in any order and sorted at once.
//
// Order of events: rows are added; `sort` sorts their prefixes (KeyPrefix.swift), which are in flat
// memory and need no reference counting; iterating moves each row out, without retaining it.

/// New rows of a query, which are put in order and moved out once.
final class SortedRows: Sequence, IteratorProtocol {
  /// A row's prefix, and its position in `rows`.
  private struct Entry {
    let high: UInt64
    let low: UInt64
    let position: UInt32
    /// The number of known bytes of the prefix.
    let known: UInt8

    init(_ prefix: KeyPrefix, of position: Int) {
      high = UInt64(truncatingIfNeeded: prefix.bytes >> 64)
      low = UInt64(truncatingIfNeeded: prefix.bytes)
      self.position = UInt32(position)
      known = UInt8(prefix.known)
    }

    /// Whether this row is before another one; nil if the prefixes don't decide.
    @inline(__always)
    func isBefore(_ other: Entry) -> Bool? {
      let difference = high ^ other.high
      let known = Swift.min(known, other.known)
      if difference != 0 {
        return difference.leadingZeroBitCount / 8 < known ? high < other.high : nil
      }
      return (low ^ other.low).leadingZeroBitCount / 8 + 8 < known ? low < other.low : nil
    }
  }

  private let order: RowOrder
  // No user code runs during an access: a row is copied in, or moved out before it is released.
  @safe @exclusivity(unchecked) private var rows: ContiguousArray<QueryRow?> = []
  /// The order of the rows; empty if they are in the order of `rows`.
  private var entries: ContiguousArray<Entry> = []
  /// Whether the rows were added in the order in which their objects were inserted, as those of a
  /// class often are.
  @safe @exclusivity(unchecked) private var isInsertionOrder = true
  @safe @exclusivity(unchecked) private var lastSequence: UInt64 = 0
  /// The position of the next row to be moved out.
  @safe @exclusivity(unchecked) private var moved = 0

  init(in order: RowOrder, _ rows: some Sequence<QueryRow> = EmptyCollection()) {
    self.order = order
    for row in rows { add(row) }
  }

  func add(_ row: QueryRow) {
    if row.sequence < lastSequence { isInsertionOrder = false }
    lastSequence = row.sequence
    rows.append(row)
  }

  /// Puts the rows in order.
  ///
  /// - Complexity: O(*n* log *n*); O(*n*) if they are in order.
  func sort() {
    if rows.count < 2 || order.descriptors.isEmpty && isInsertionOrder { return }
    entries.reserveCapacity(rows.count)
    for position in rows.indices {
      if let row = rows[position] { entries.append(Entry(order.prefix(of: row), of: position)) }
    }
    entries.sort { left, right in
      left.isBefore(right) ?? isRow(at: Int(left.position), before: Int(right.position))
    }
  }

  private func isRow(at left: Int, before right: Int) -> Bool {
    guard let left = rows[left], let right = rows[right] else { return false }
    return order.isBefore(left, right)
  }

  /// Moves the next row out.
  func next() -> QueryRow? {
    guard moved < rows.count else { return nil }
    let position = entries.isEmpty ? moved : Int(entries[moved].position)
    moved += 1
    return rows[position].take()
  }
}
