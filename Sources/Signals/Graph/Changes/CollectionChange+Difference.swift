// The difference between two ordered collections of keys: insertions, deletions and moves.

extension CollectionChange where Member: Hashable {
  /// Creates the change that turns one array into another.
  ///
  /// - Applying it to `old` gives `new`.
  /// - Equal elements are matched in order.
  /// - An element of both arrays is a move only if it changed its place among the remaining
  ///   elements. Near the edits, as many elements as possible remain unmoved.
  ///
  /// ```swift
  /// let change = CollectionChange(from: ["a", "b", "c"], to: ["c", "a", "d"])
  /// // deletions [1], insertions [2], moves [2->0]
  /// ```
  ///
  /// - Parameters:
  ///   - old: The array before the change.
  ///   - new: The array after the change.
  /// - Complexity: O(*n* + *t* log *t*) for *t* elements that aren't at their old position.
  @inlinable
  public init(from old: [Member], to new: [Member]) {
    let edits = unsafe old.withUnsafeBufferPointer { old in
      unsafe new.withUnsafeBufferPointer { new in
        TreeEdit.edits(from: old.count, to: new.count) { unsafe old[$0] == new[$1] }
      }
    }
    self.init(edits, from: old, to: new)
  }

  @usableFromInline
  init(_ edits: [TreeEdit], from old: [Member], to new: [Member]) {
    self = CollectionChange<Int>(edits, old: { old[$0] }, new: { new[$0] }).map { new[$0] }
  }
}

extension CollectionChange<Int> {
  /// Creates the change of rows with keys that results from edits; its inserted members are the new
  /// positions.
  init<Key: Hashable>(_ edits: [TreeEdit], old: (Int) -> Key, new: (Int) -> Key) {
    let removed = edits.flatMap(\.oldRange)
    var left = KeyedPositions(removed, key: old)
    var survivors: [PositionPair<Int>] = []
    var insertions: [Int] = []
    for position in edits.lazy.flatMap(\.newRange) {
      if let index = left.take(new(position)) {
        survivors.append(.init(old: removed[index], new: position))
      } else {
        insertions.append(position)
      }
    }
    let deletions = removed.indices.filter { !left.isTaken[$0] }.map { removed[$0] }
    let untouched = StablePositions(old: removed, present: edits.flatMap(\.newRange))
    self.init(
      deletions: deletions, insertions: insertions, moves: untouched.moves(of: survivors),
      modifications: [], inserted: insertions)
  }
}

/// Positions found by key, in order for each key.
private struct KeyedPositions<Key: Hashable> {
  private var first: [Key: Int] = [:]
  /// The next index with the same key, if there is one.
  private var next: [Int: Int] = [:]
  private(set) var isTaken: [Bool]

  init(_ positions: [Int], key: (Int) -> Key) {
    isTaken = Array(repeating: false, count: positions.count)
    first.reserveCapacity(positions.count)
    for index in positions.indices.reversed() {
      if let later = first.updateValue(index, forKey: key(positions[index])) {
        next[index] = later
      }
    }
  }

  /// Returns the index of the first position of a key that hasn't been taken yet, and takes it.
  mutating func take(_ key: Key) -> Int? {
    guard let index = first[key] else { return nil }
    isTaken[index] = true
    first[key] = next.isEmpty ? nil : next[index]
    return index
  }
}
