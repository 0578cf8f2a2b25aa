// What has happened to a live result since one consumer last looked.
//
// State: `touched` holds, for each object that was re-tested since, its position at that time; and
// `modified`, who changed. The recorder needs no old version of the tree: the position that an untouched
// row had follows from its present one, because untouched rows keep their order.

/// Collects what changed since a consumer last looked.
final class ChangeRecorder {
  /// The old position of each touched object; nil if it was no member.
  private(set) var touched: [Object: Int?] = [:]
  private(set) var modified: Set<Object> = []

  var isEmpty: Bool { touched.isEmpty && modified.isEmpty }

  func noteModified(_ object: Object) { modified.insert(object) }

  /// Notes objects about to be re-tested, with their present positions.
  ///
  /// `present` gives the present position of a touched object. O((k + t) log (k + t)) for k new and t
  /// touched objects.
  func note(_ rows: [(object: Object, position: Int?)], present: (Object) -> Int?) {
    if touched.isEmpty {
      for row in rows { touched[row.object] = .some(row.position) }
      return
    }
    let new = rows.filter { touched[$0.object] == nil }
    guard !new.isEmpty else { return }
    let untouched = Untouched(
      old: touched.values.compactMap { $0 }, present: touched.keys.compactMap(present))
    for row in new {
      touched[row.object] = .some(row.position.map(untouched.oldPosition(of:)))
    }
  }

  /// Whether membership or order differ from then.
  func changesOrder(present: (Object) -> Int?) -> Bool {
    touched.contains { $0.value != present($0.key) }
  }

  /// The exact change, given the present position of each object.
  func change(present: (Object) -> Int?) -> CollectionChange<Object> {
    var deletions: [Int] = []
    var arrivals: [(position: Int, object: Object)] = []
    var survivors: [CollectionChange<Object>.Pair] = []
    var modifications: [CollectionChange<Object>.Pair] = []
    for (object, oldPosition) in touched {
      switch (oldPosition, present(object)) {
      case (let old?, let new?):
        survivors.append(.init(old: old, new: new))
        if modified.contains(object) { modifications.append(.init(old: old, new: new)) }
      case (let old?, nil): deletions.append(old)
      case (nil, let new?): arrivals.append((new, object))
      case (nil, nil): break
      }
    }
    let presentPositions = survivors.map(\.new) + arrivals.map(\.position)
    let untouched = Untouched(
      old: deletions + survivors.map(\.old), present: presentPositions)
    for object in modified where touched[object] == nil {
      if let new = present(object) {
        modifications.append(.init(old: untouched.oldPosition(of: new), new: new))
      }
    }
    deletions.sort()
    arrivals.sort { $0.position < $1.position }
    return CollectionChange(
      deletions: deletions, insertions: arrivals.map(\.position),
      moves: moves(survivors, deletions, arrivals.map(\.position)),
      modifications: modifications.sorted { $0.new < $1.new }, inserted: arrivals.map(\.object))
  }

  /// The touched survivors that changed their place among all rows that stay.
  private func moves(
    _ survivors: [CollectionChange<Object>.Pair], _ deletions: [Int], _ insertions: [Int]
  ) -> [CollectionChange<Object>.Pair] {
    guard !survivors.isEmpty else { return [] }
    let oldTouched = (deletions + survivors.map(\.old)).sorted()
    let newTouched = (insertions + survivors.map(\.new)).sorted()
    var moves: [CollectionChange<Object>.Pair] = []
    var candidates: [CollectionChange<Object>.Pair] = []
    for pair in survivors {
      let before = pair.old - oldTouched.partitioningIndex { $0 >= pair.old }
      let after = pair.new - newTouched.partitioningIndex { $0 >= pair.new }
      // As many untouched rows before it as there were: it may have stayed.
      if before == after { candidates.append(pair) } else { moves.append(pair) }
    }
    candidates.sort { $0.old < $1.old }
    let staying = Set(candidates.map(\.new).longestIncreasingSubsequence())
    moves += candidates.filter { !staying.contains($0.new) }
    return moves.sorted { $0.new < $1.new }
  }
}

/// The rows that nobody touched, between those that somebody did: they keep their order.
private struct Untouched {
  private let old: [Int]
  private let present: [Int]

  /// Creates it from the positions of the touched rows in both versions.
  init(old: [Int], present: [Int]) {
    self.old = old.sorted()
    self.present = present.sorted()
  }

  /// Where the untouched row that is now at a position was. O(log t).
  func oldPosition(of position: Int) -> Int {
    let rank = position - present.partitioningIndex { $0 >= position }
    // The k-th touched position has `old[k] - k` untouched rows before it.
    var low = 0
    var high = old.count
    while low < high {
      let middle = (low + high) / 2
      if old[middle] - middle <= rank { low = middle + 1 } else { high = middle }
    }
    return rank + low
  }
}

extension RandomAccessCollection {
  /// The first index whose element satisfies `isAfter`, in a collection partitioned by it. O(log n).
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
  /// The longest strictly increasing subsequence of distinct numbers. O(n log n).
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
