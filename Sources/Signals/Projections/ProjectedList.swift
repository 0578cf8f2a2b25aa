/// The members of a list as projections: what a ``Projected`` property declared so shows.
///
/// - It is a version of the list, as a ``List`` is a value; the property that shows it is live. Its rows are live
///   projections, and those that are shared: the same ones that results and other lists show.
/// - Two are equal if they hold the same members in the same order.
///
/// Making it is O(1); a row is made when it is asked for.
///
/// ```swift
/// final class LibraryCard: Projection<Library> {
///   @Projected(\Library.members) var members: ProjectedList<MemberRow>
/// }
/// ForEach(card.members) { row in Text(row.name) }
/// ```
public struct ProjectedList<Row: RootedProjection>: RandomAccessCollection
where Row.Root: Object {
  /// The members themselves.
  public let list: List<Row.Root>

  init(_ list: List<Row.Root>) { self.list = list }

  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of rows.
  public var endIndex: Int { list.endIndex }

  /// The row at a position, which must be one.
  ///
  /// O(log n).
  public subscript(position: Int) -> Row { Row.shared(for: list[position]) }
}

extension ProjectedList: Equatable {
  /// Two are equal if they hold the same members in the same order.
  public static func == (lhs: ProjectedList, rhs: ProjectedList) -> Bool { lhs.list == rhs.list }
}

extension List {
  /// The members as projections.
  ///
  /// O(1).
  public func projected<Row: RootedProjection>(to type: Row.Type) -> ProjectedList<Row>
  where Row.Root == Element { ProjectedList(self) }
}
