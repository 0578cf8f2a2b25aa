/// The members of a list as projections, for a ``Projected`` property of this type.
///
/// - Like a ``List``, it is a value: one version of the list. The property that shows it is live.
///   Its rows are live projections too, and are the shared instances that results and other lists
///   show.
/// - Two projected lists are equal if they have the same members in the same order.
/// - Creating one is O(1); each row is created when it is accessed.
///
/// ```swift
/// final class LibraryCard: Projection<Library> {
///   @Projected(\Library.members) var members: ProjectedList<MemberRow>
/// }
/// ForEach(card.members) { row in Text(row.name) }
/// ```
public struct ProjectedList<Row: ProjectionProtocol>: RandomAccessCollection
where Row.Root: Object {
  /// The list of the members themselves.
  public let list: List<Row.Root>

  init(_ list: List<Row.Root>) { self.list = list }

  /// The position of the first row, which is always 0.
  public var startIndex: Int { 0 }

  /// The position after the last row, which is the number of rows.
  public var endIndex: Int { list.endIndex }

  /// The row at a position, which must be valid.
  ///
  /// - Parameter position: The position of the row.
  /// - Complexity: O(log *n*).
  public subscript(position: Int) -> Row { Row.shared(for: list[position]) }
}

extension ProjectedList: Equatable {
  /// Returns whether two lists have the same members in the same order.
  ///
  /// - Parameters:
  ///   - lhs: A value to compare.
  ///   - rhs: Another value to compare.
  /// - Returns: Whether the two are equal.
  public static func == (lhs: ProjectedList, rhs: ProjectedList) -> Bool { lhs.list == rhs.list }
}

extension List {
  /// Returns the members as projections.
  ///
  /// - Parameter type: The class of the projections.
  /// - Returns: The projections, created when they are accessed.
  /// - Complexity: O(1).
  public func projected<Row: ProjectionProtocol>(to type: Row.Type) -> ProjectedList<Row>
  where Row.Root == Element { ProjectedList(self) }
}
