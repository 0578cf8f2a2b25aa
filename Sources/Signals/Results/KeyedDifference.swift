// What turned one ordered collection of keys into another: insertions, deletions and, for keys that stand in
// both, moves.

extension CollectionChange where Member: Hashable {
  /// The change that turns one array into another; equal elements are told apart by their order.
  ///
  /// Applying it to `old` gives `new`. An element of both is a move only if it changed its place among
  /// those that stayed, of which there are as many as possible near the edits. O(n + t log t) for t elements
  /// that do not stand where they stood.
  ///
  /// ```swift
  /// let change = CollectionChange(from: ["a", "b", "c"], to: ["c", "a", "d"])
  /// // deletions [1], insertions [2], moves [2->0]
  /// ```
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
  /// The change that edits make, of rows with keys; what is inserted are the new positions.
  init<Key: Hashable>(_ edits: [TreeEdit], old: (Int) -> Key, new: (Int) -> Key) {
    let removed = edits.flatMap(\.oldRange)
    var left = KeyedPositions(removed, key: old)
    var survivors: [RowPositions] = []
    var insertions: [Int] = []
    for position in edits.lazy.flatMap(\.newRange) {
      if let index = left.take(new(position)) {
        survivors.append(.init(old: removed[index], new: position))
      } else {
        insertions.append(position)
      }
    }
    let deletions = removed.indices.filter { !left.isTaken[$0] }.map { removed[$0] }
    let untouched = UntouchedRows(old: removed, present: edits.flatMap(\.newRange))
    self.init(
      deletions: deletions, insertions: insertions,
      moves: untouched.moves(of: survivors).map { .init(old: $0.old, new: $0.new) },
      modifications: [], inserted: insertions)
  }
}

/// Positions found by key, those of one key in order.
private struct KeyedPositions<Key: Hashable> {
  private var first: [Key: Int] = [:]
  /// The next index of the same key, where there is one.
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

  /// The index of the first position of a key that was not taken yet.
  mutating func take(_ key: Key) -> Int? {
    guard let index = first[key] else { return nil }
    isTaken[index] = true
    first[key] = next.isEmpty ? nil : next[index]
    return index
  }
}
