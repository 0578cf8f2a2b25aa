/// What turned one version of a live collection into the next, exactly.
///
/// Deletions and the first halves of moves are positions in the old version, insertions and the second
/// halves positions in the new one. Applying it to the old array gives the new one, always. A member is
/// in `modifications` if and only if one of its own fields changed, or something that its predicate or
/// sort key read elsewhere did; a member that moved may be modified too. What comparisons of sort keys read decides
/// about the order alone, and modifies no member.
///
/// What takes one edit after the other, like a list of widgets, follows ``steps``.
///
/// ```swift
/// let token = books.observe { change in change.apply(to: &titles) }
/// ```
public struct CollectionChange<Member> {
  /// A member's position before and after.
  public struct Pair: Hashable, Sendable, CustomStringConvertible {
    /// The position in the old version.
    public let old: Int
    /// The position in the new version.
    public let new: Int

    /// Creates a pair.
    public init(old: Int, new: Int) {
      self.old = old
      self.new = new
    }

    /// `old->new`.
    public var description: String { "\(old)->\(new)" }
  }

  /// Where members went, in the old version, ascending.
  public let deletions: [Int]
  /// Where members came, in the new version, ascending.
  public let insertions: [Int]
  /// Members that changed their place among the others, by their new position.
  public let moves: [Pair]
  /// Members that stayed and were modified, by their new position.
  public let modifications: [Pair]
  /// The members that came, in the order of `insertions`.
  public let inserted: [Member]

  /// Whether nothing changed.
  public var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && moves.isEmpty && modifications.isEmpty
  }

  /// Turns the old version into the new one.
  ///
  /// O(n).
  public func apply(to array: inout [Member]) { apply(to: &array) { $0 } }

  /// Brings an array that has something for each member of the old version to the new one.
  ///
  /// `make` is called for each member that came, in order; what stands for members that went is dropped, and what
  /// stands for those that stayed is kept, those that were modified too.
  ///
  /// ```swift
  /// change.apply(to: &labels) { book in Label(book.title) }
  /// ```
  ///
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
  /// The four lists of positions.
  public var description: String {
    "deletions \(deletions), insertions \(insertions), moves \(moves), modifications \(modifications)"
  }
}
