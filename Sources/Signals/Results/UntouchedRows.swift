/// The rows that nobody touched, between those that somebody did: they keep their order.
struct UntouchedRows {
  /// The positions of the touched rows in both versions, ascending.
  private let old: [Int]
  private let present: [Int]

  /// Creates it from the positions of the touched rows in both versions.
  init(old: [Int], present: [Int]) {
    self.old = old.sorted()
    self.present = present.sorted()
  }

  /// Where the untouched row that is now at a position was.
  ///
  /// O(log t).
  func oldPosition(of position: Int) -> Int {
    let rank = position - present.partitioningIndex { $0 >= position }
    // The k-th touched position has `old[k] - k` untouched rows before it.
    let before = old.indices.partitioningIndex { old[$0] - $0 > rank }
    return rank + before
  }

  /// Which of the touched rows that stay changed their place among all rows that stay.
  ///
  /// O(t log t).
  func moves(of survivors: [RowPositions]) -> [RowPositions] {
    var moves: [RowPositions] = []
    var candidates: [RowPositions] = []
    for pair in survivors {
      let before = pair.old - old.partitioningIndex { $0 >= pair.old }
      let after = pair.new - present.partitioningIndex { $0 >= pair.new }
      // As many untouched rows before it as there were: it may have stayed.
      if before == after { candidates.append(pair) } else { moves.append(pair) }
    }
    candidates.sort { $0.old < $1.old }
    let staying = Set(candidates.map(\.new).longestIncreasingSubsequence())
    moves += candidates.filter { !staying.contains($0.new) }
    return moves.sorted { $0.new < $1.new }
  }
}

extension RandomAccessCollection {
  /// The first index whose element satisfies `isAfter`, in a collection partitioned by it.
  ///
  /// O(log n).
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
  /// The longest strictly increasing subsequence of distinct numbers.
  ///
  /// O(n log n).
  func longestIncreasingSubsequence() -> [Int] {
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
