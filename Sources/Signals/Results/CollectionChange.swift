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
  /// The positions of a member before and after the change.
  public struct Pair: Hashable, Sendable, CustomStringConvertible {
    /// The position in the old version.
    public let old: Int
    /// The position in the new version.
    public let new: Int

    /// Creates a pair of an old and a new position.
    public init(old: Int, new: Int) {
      self.old = old
      self.new = new
    }

    /// The pair as `old->new`.
    public var description: String { "\(old)->\(new)" }
  }

  /// The positions of removed members in the old version, ascending.
  public let deletions: [Int]
  /// The positions of inserted members in the new version, ascending.
  public let insertions: [Int]
  /// Members that changed their place among the remaining ones, ordered by their new position.
  public let moves: [Pair]
  /// Remaining members that were modified, ordered by their new position.
  public let modifications: [Pair]
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
    var arriving = moves.map { ($0.new, array[$0.old]) }
    for (position, member) in zip(insertions, inserted) {
      arriving.append((position, try make(member)))
    }
    var result: [Item] = []
    result.reserveCapacity(array.count - leaving.count + arriving.count)
    var staying = array.indices.lazy.filter { !leaving.contains($0) }.makeIterator()
    for (position, element) in arriving.sorted(by: { $0.0 < $1.0 }) {
      while result.count < position, let index = staying.next() { result.append(array[index]) }
      result.append(element)
    }
    while let index = staying.next() { result.append(array[index]) }
    array = result
  }

  func map<Other>(_ transform: (Member) -> Other) -> CollectionChange<Other> {
    CollectionChange<Other>(
      deletions: deletions, insertions: insertions,
      moves: moves.map { .init(old: $0.old, new: $0.new) },
      modifications: modifications.map { .init(old: $0.old, new: $0.new) },
      inserted: inserted.map(transform))
  }
}

extension CollectionChange: CustomStringConvertible {
  /// The deletions, insertions, moves and modifications, as text.
  public var description: String {
    "deletions \(deletions), insertions \(insertions), moves \(moves), modifications \(modifications)"
  }
}
