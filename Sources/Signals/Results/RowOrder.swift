/// One row of a live result: an object and the key that it is sorted by.
struct QueryRow: Identifiable {
  let object: Object
  let key: SortKey
  /// Breaks ties.
  ///
  /// It is copied here so that a comparison needn't access the object, and because an object that
  /// is deleted and added again gets a different one.
  let sequence: UInt64

  var id: ObjectIdentifier { ObjectIdentifier(object) }

  init(_ object: Object, key: SortKey) {
    self.object = object
    self.key = key
    sequence = object.sequence
  }
}

/// The order of rows: by each descriptor, the first one first, and by insertion if all are equal.
struct RowOrder {
  let descriptors: [SortDescriptor]
  /// Whether a comparison of two rows runs code outside of this library; see
  /// ComparisonDependencies.swift.
  let callsUserCode: Bool
  private let areDescending: [Bool]
  /// Compares values that the order considers equal; only for aggregates.
  private let isSameBox: ((AnyObject, AnyObject) -> Bool)?

  init(descriptors: [SortDescriptor]) {
    self.descriptors = descriptors
    callsUserCode = descriptors.contains(where: \.callsUserCode)
    areDescending = descriptors.map(\.isDescending)
    isSameBox = descriptors.last?.isSameBox
  }

  /// Returns the key of an object, for all descriptors.
  func key(of object: Object) -> SortKey {
    SortKey.joining(descriptors) { $0.key(object) }
  }

  /// Returns the first bytes of a row's encoded keys.
  func prefix(of row: QueryRow) -> KeyPrefix {
    var prefix = KeyPrefix()
    var key = row.key
    var index = 0
    while case .pair(let head, let tail) = key {
      guard prefix.append(head, isDescending: areDescending[index]) else { return prefix }
      key = tail
      index += 1
    }
    let isDescending = !areDescending.isEmpty && areDescending[index]
    if prefix.append(key, isDescending: isDescending) { prefix.append(sequence: row.sequence) }
    return prefix
  }

  func isBefore(_ lhs: QueryRow, _ rhs: QueryRow) -> Bool {
    isBefore(lhs.key, lhs.sequence, rhs.key, rhs.sequence)
  }

  @inline(__always)
  func isBefore(
    _ left: SortKey, _ leftSequence: UInt64, _ right: SortKey, _ rightSequence: UInt64
  ) -> Bool {
    let order = compare(left, right)
    return order == 0 ? leftSequence < rightSequence : order < 0
  }

  /// Whether two rows of one object have the same place.
  func isSame(_ lhs: QueryRow, _ rhs: QueryRow) -> Bool {
    guard lhs.sequence == rhs.sequence, compare(lhs.key, rhs.key) == 0 else { return false }
    if let isSameBox, case .other(let left) = lhs.key.last, case .other(let right) = rhs.key.last {
      return isSameBox(left, right)
    }
    return true
  }

  @inline(__always)
  private func compare(_ lhs: SortKey, _ rhs: SortKey) -> Int {
    switch (lhs, rhs) {
    case (.unsorted, .unsorted): return 0
    case (.pair, .pair): return compareAll(lhs, rhs)
    default: return compare(lhs, rhs, by: 0)
    }
  }

  @inline(__always)
  private func compare(_ lhs: SortKey, _ rhs: SortKey, by index: Int) -> Int {
    // Most comparisons don't use the descriptor.
    let order = SortKey.compare(lhs, rhs) { descriptors[index].compareBoxes($0, $1) }
    return order != 0 && areDescending[index] ? -order : order
  }

  private func compareAll(_ lhs: SortKey, _ rhs: SortKey) -> Int {
    var left = lhs
    var right = rhs
    var index = 0
    while case .pair(let leftHead, let leftTail) = left,
      case .pair(let rightHead, let rightTail) = right
    {
      let order = compare(leftHead, rightHead, by: index)
      if order != 0 { return order }
      left = leftTail
      right = rightTail
      index += 1
    }
    return compare(left, right, by: index)
  }
}
