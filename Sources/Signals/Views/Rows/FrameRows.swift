/// The rows of a ``ForEach`` in a frame, as scopes in order, each made when it is asked for.
///
/// ```swift
/// if let rows = frame.rows(of: scope) {
///   for row in rows[top..<bottom] { draw(frame.elements(of: row)) }
/// }
/// ```
public struct FrameRows: RandomAccessCollection {
  let version: RowVersion
  let list: RowList?
  let frame: Frame

  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of rows.
  public var endIndex: Int { version.data.count }

  /// The scope of the row at a position; O(log n), and a trap outside of the rows.
  ///
  /// A row that the frame was not asked for before it was replaced is a scope without elements.
  public subscript(position: Int) -> ScopeID {
    guard position >= 0, position < endIndex else {
      trap("row \(position) is outside of the \(endIndex) rows of a frame")
    }
    if let list, list.isMounted, frame.isOnScreen, list.shown.data === version.data {
      return list.row(at: position).id
    }
    return version.scope(at: position)?.id ?? ScopeID(number: 0)
  }

  /// What turned the rows of an older frame into these; modified rows are named by ``Frame/changed``.
  ///
  /// O(changed) where the rows are made from ``Results`` or a ``List``, else O(n). It makes the rows that were
  /// inserted.
  public func change(from old: FrameRows) -> CollectionChange<ScopeID> {
    version.data.change(since: old.version.data).map { self[$0] }
  }
}
