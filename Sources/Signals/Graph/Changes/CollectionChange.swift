/// The exact difference between two consecutive versions of a live collection.
///
/// - Deletions, and the `old` positions of moves and modifications, are positions in the old
///   version. Insertions, and the `new` positions, are positions in the new version.
/// - Applying the change to the old array always gives the new one.
/// - A member is in `modifications` if and only if one of its own fields has changed, or another
///   value that its predicate or sort key reads. A moved member can be modified too. Values read by
///   comparisons of sort keys affect only the order, and modify no member.
/// - Use ``steps`` for targets that take one edit at a time, such as a list of widgets.
///
/// ```swift
/// let token = books.observe { change in change.apply(to: &titles) }
/// ```
public struct CollectionChange<Member> {
  /// The positions of removed members in the old version, ascending.
  public let deletions: [Int]
  /// The positions of inserted members in the new version, ascending.
  public let insertions: [Int]
  /// Members that changed their place among the remaining ones, ordered by their new position.
  public let moves: [PositionPair<Int>]
  /// Remaining members that were modified, ordered by their new position.
  public let modifications: [PositionPair<Int>]
  /// The inserted members, in the order of `insertions`.
  public let inserted: [Member]

  /// Whether the change is empty.
  public var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && moves.isEmpty && modifications.isEmpty
  }

  /// Turns the old version into the new one.
  ///
  /// Traps if a removed or moved position is outside of the array.
  ///
  /// - Parameter array: The old version.
  /// - Complexity: O(*n*).
  public func apply(to array: inout [Member]) { apply(to: &array) { $0 } }

  /// Updates an array that has one item for each member of the old version.
  ///
  /// The items of removed members are dropped. The items of remaining members are kept, including
  /// those of modified members. If `make` throws, the array is unchanged. Traps if a removed or
  /// moved position is outside of the array.
  ///
  /// ```swift
  /// change.apply(to: &labels) { book in Label(book.title) }
  /// ```
  ///
  /// - Parameters:
  ///   - array: The items for the old version.
  ///   - make: Creates an item for each inserted member, called in order.
  /// - Throws: The errors of `make`.
  /// - Complexity: O(*n*).
  public func apply<Item, Failure: Error>(
    to array: inout [Item], make: (Member) throws(Failure) -> Item
  ) throws(Failure) {
    let leaving = Set(deletions).union(moves.map(\.old))
    guard !leaving.isEmpty || !insertions.isEmpty else { return }
    if let last = leaving.max(), last >= array.count {
      trap(
        "a change of \(Member.self) is applied to \(array.count) elements, and takes away the one "
          + "at \(last): it belongs to another array")
    }
    var arriving = moves.map { (position: $0.new, item: array[$0.old]) }
    for (position, member) in zip(insertions, inserted) {
      arriving.append((position, try make(member)))
    }
    array.replace(leaving, with: arriving)
  }

  func map<Other>(_ transform: (Member) -> Other) -> CollectionChange<Other> {
    CollectionChange<Other>(
      deletions: deletions, insertions: insertions, moves: moves, modifications: modifications,
      inserted: inserted.map(transform))
  }
}

extension CollectionChange: Equatable where Member: Equatable {}
extension CollectionChange: Sendable where Member: Sendable {}

extension CollectionChange: CustomStringConvertible {
  /// The deletions, insertions, moves and modifications, as text.
  public var description: String {
    "deletions \(deletions), insertions \(insertions), moves \(moves), modifications \(modifications)"
  }
}

/// The positions of a member before and after a change: numbers, or paths in sections.
public struct PositionPair<Position: Hashable & Sendable>: Hashable, Sendable {
  /// The position in the old version.
  public let old: Position
  /// The position in the new version.
  public let new: Position

  /// Creates a pair of an old and a new position.
  ///
  /// - Parameters:
  ///   - old: The position in the old version.
  ///   - new: The position in the new version.
  public init(old: Position, new: Position) {
    self.old = old
    self.new = new
  }
}

extension PositionPair: CustomStringConvertible {
  /// The pair as `old->new`.
  public var description: String { "\(old)->\(new)" }
}

extension Array {
  /// Removes the elements at some positions, and inserts others so that they are at theirs.
  ///
  /// - Complexity: O(*n* + *m* log *m*) for *m* inserted elements.
  mutating func replace(_ leaving: Set<Int>, with arriving: [(position: Int, item: Element)]) {
    var result: [Element] = []
    result.reserveCapacity(count - leaving.count + arriving.count)
    var staying = indices.lazy.filter { !leaving.contains($0) }.makeIterator()
    for (position, item) in arriving.sorted(by: { $0.position < $1.position }) {
      while result.count < position, let index = staying.next() { result.append(self[index]) }
      result.append(item)
    }
    while let index = staying.next() { result.append(self[index]) }
    self = result
  }
}
