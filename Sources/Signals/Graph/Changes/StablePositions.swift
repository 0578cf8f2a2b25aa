/// Maps the positions of untouched rows between two versions; untouched rows keep their relative
/// order.
struct StablePositions {
  /// The positions of the touched rows in both versions, ascending.
  private let old: [Int]
  private let present: [Int]

  /// Creates the map from the positions of the touched rows in both versions.
  init(old: [Int], present: [Int]) {
    self.old = old.sorted()
    self.present = present.sorted()
  }

  /// The old position of the untouched row that is now at a position.
  ///
  /// - Complexity: O(log *t*) for *t* touched rows.
  func oldPosition(of position: Int) -> Int {
    let rank = position - present.partitioningIndex { $0 >= position }
    // The k-th touched position has `old[k] - k` untouched rows before it.
    let before = old.indices.partitioningIndex { old[$0] - $0 > rank }
    return rank + before
  }

  /// The touched rows, among those in both versions, that changed their place among all rows in
  /// both versions.
  ///
  /// - Complexity: O(*t* log *t*).
  func moves(of survivors: [PositionPair<Int>]) -> [PositionPair<Int>] {
    var moves: [PositionPair<Int>] = []
    var candidates: [PositionPair<Int>] = []
    for pair in survivors {
      let before = pair.old - old.partitioningIndex { $0 >= pair.old }
      let after = pair.new - present.partitioningIndex { $0 >= pair.new }
      // It has as many untouched rows before it as in the old version, so it may not have moved.
      if before == after { candidates.append(pair) } else { moves.append(pair) }
    }
    candidates.sort { $0.old < $1.old }
    let staying = Set(candidates.map(\.new).longestIncreasingSubsequence())
    moves += candidates.filter { !staying.contains($0.new) }
    return moves.sorted { $0.new < $1.new }
  }
}

extension RandomAccessCollection {
  /// The first index whose element satisfies `isAfter`, in a collection that is partitioned by it.
  ///
  /// - Complexity: O(log *n*).
  func partitioningIndex(_ isAfter: (Element) -> Bool) -> Index {
    var low = startIndex
    var length = count
    while length > 0 {
      let half = length / 2
      let middle = index(low, offsetBy: half)
      if isAfter(self[middle]) {
        length = half
      } else {
        low = index(after: middle)
        length -= half + 1
      }
    }
    return low
  }
}

extension [Int] {
  /// The longest strictly increasing subsequence of an array of distinct numbers.
  ///
  /// - Complexity: O(*n* log *n*).
  package func longestIncreasingSubsequence() -> [Int] {
    var tails: [Int] = []
    var previous = [Int](repeating: -1, count: count)
    for (index, value) in enumerated() {
      let length = tails.partitioningIndex { self[$0] >= value }
      if length > 0 { previous[index] = tails[length - 1] }
      if length == tails.count { tails.append(index) } else { tails[length] = index }
    }
    var result: [Int] = []
    var index = tails.last ?? -1
    while index >= 0 {
      result.append(self[index])
      index = previous[index]
    }
    return result.reversed()
  }
}
