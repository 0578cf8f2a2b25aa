/// The rows of a ``ForEach`` in a frame, as an ordered collection of scopes that are made on
/// request.
///
/// ```swift
/// if let rows = frame.rows(of: scope) {
///   for row in rows[top..<bottom] { draw(frame.elements(of: row)) }
/// }
/// ```
public struct FrameRows: RandomAccessCollection {
  let version: ForEachVersion
  let list: ForEachList?
  let frame: Frame

  /// The position of the first row, which is always 0.
  public var startIndex: Int { 0 }

  /// The position after the last row, which is the number of rows.
  public var endIndex: Int { version.data.count }

  /// The scope of the row at a position, which is created if it wasn't requested before.
  ///
  /// Traps if the position is out of range. After the frame was replaced, a row that wasn't
  /// requested of it is a scope without elements.
  ///
  /// - Complexity: O(log *n*).
  public subscript(position: Int) -> ScopeID {
    guard position >= 0, position < endIndex else {
      trap("row \(position) is outside of the \(endIndex) rows of a frame")
    }
    if let list, list.isMounted, frame.isOnScreen, list.shown.data === version.data {
      return list.row(at: position).id
    }
    return version.scope(at: position)?.id ?? ScopeID(number: 0)
  }

  /// Returns the change that turns the rows of an older frame into these rows.
  ///
  /// Modified rows aren't listed: they are in ``Frame/changed``. The inserted rows are created.
  ///
  /// - Parameter old: The rows of the same `ForEach` in an older frame.
  /// - Returns: The change, with the positions of removed rows in `old` and of inserted ones in
  ///   these rows.
  /// - Complexity: O(changed) if the rows are created from ``Results`` or a ``List``, else O(*n*).
  public func change(from old: FrameRows) -> CollectionChange<ScopeID> {
    version.data.change(since: old.version.data).map { self[$0] }
  }
}
