/// The edits that turn one version of a list into the next, by position.
///
/// The positions of removals, and the old positions of moves, refer to the old list. The positions
/// of insertions, and the new positions of moves, refer to the new list. All other members keep
/// their order. The number of moves is minimal.
public struct ListEdits: Sendable, Equatable {
  /// A removed or inserted member with its position.
  public struct Member: Sendable, Equatable {
    /// The position in the old list for a removal, in the new list for an insertion.
    public let position: Int
    /// The id of the member.
    public let id: ObjectID
  }

  /// A member whose order among the remaining members changed.
  public struct Move: Sendable, Equatable {
    /// The position in the old list.
    public let old: Int
    /// The position in the new list.
    public let new: Int
    /// The id of the member.
    public let id: ObjectID
  }

  /// The removed members, by ascending old position.
  public let removals: [Member]
  /// The inserted members, by ascending new position.
  public let insertions: [Member]
  /// The moved members, by ascending new position.
  public let moves: [Move]

  /// Whether both versions are equal.
  public var isEmpty: Bool { removals.isEmpty && insertions.isEmpty && moves.isEmpty }

  /// Compares two versions.
  ///
  /// Several occurrences of an object are matched in order, the first with the first.
  ///
  /// - Complexity: O(n log n) for n members between the first and the last difference.
  init(from old: [ObjectID], to new: [ObjectID]) {
    var start = 0
    var (oldEnd, newEnd) = (old.count, new.count)
    while start < oldEnd, start < newEnd, old[start] == new[start] { start += 1 }
    while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
      oldEnd -= 1
      newEnd -= 1
    }
    // The positions of each object in the old version, in descending order.
    var places: [ObjectID: [Int]] = [:]
    for position in (start..<oldEnd).reversed() {
      places[old[position], default: []].append(position)
    }
    var (pairs, insertions): ([Move], [Member]) = ([], [])
    for position in start..<newEnd {
      let id = new[position]
      if let from = places[id]?.popLast() {
        pairs.append(Move(old: from, new: position, id: id))
      } else {
        insertions.append(Member(position: position, id: id))
      }
    }
    removals = places.flatMap { id, left in left.map { Member(position: $0, id: id) } }
      .sorted { $0.position < $1.position }
    self.insertions = insertions
    let staying = Self.longestRise(pairs.map(\.old))
    moves = pairs.indices.filter { !staying.contains($0) }.map { pairs[$0] }
  }

  /// Turns the old version into the new one.
  ///
  /// - Complexity: O(n).
  public func apply(to list: inout [ObjectID]) {
    let leaving = Set(removals.map(\.position)).union(moves.map(\.old))
    let arriving =
      (insertions + moves.map { Member(position: $0.new, id: $0.id) })
      .sorted { $0.position < $1.position }
    guard !leaving.isEmpty || !arriving.isEmpty else { return }
    var staying = list.indices.lazy.filter { !leaving.contains($0) }.makeIterator()
    var result: [ObjectID] = []
    for member in arriving {
      while result.count < member.position, let index = staying.next() {
        result.append(list[index])
      }
      result.append(member.id)
    }
    while let index = staying.next() { result.append(list[index]) }
    list = result
  }

  /// The indices of a longest increasing subsequence.
  ///
  /// - Complexity: O(n log n).
  private static func longestRise(_ values: [Int]) -> Set<Int> {
    // For each length, the index of the smallest value that ends an increasing subsequence of it;
    // and for each index, its predecessor.
    var (ends, before): ([Int], [Int?]) = ([], [])
    for index in values.indices {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if values[ends[middle]] < values[index] { low = middle + 1 } else { high = middle }
      }
      before.append(low == 0 ? nil : ends[low - 1])
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var rise: Set<Int> = []
    var next = ends.last
    while let index = next {
      rise.insert(index)
      next = before[index]
    }
    return rise
  }
}
