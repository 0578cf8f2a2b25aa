/// One row of a live result: an object and the key by which it was sorted in.
struct QueryRow {
  let object: Object
  let key: SortKey
  /// Breaks ties; kept here so that a comparison need not touch the object, and because an object that
  /// is deleted and added again gets another.
  let sequence: UInt64

  init(_ object: Object, _ key: SortKey) {
    self.object = object
    self.key = key
    sequence = unsafe object.sequence
  }
}

/// The order of rows: by each descriptor in turn, and in the order of insertion where all tie.
struct RowOrder {
  let descriptors: [SortDescriptor]

  /// Takes the key of an object, for all the descriptors.
  func key(of object: Object) -> SortKey {
    guard let last = descriptors.last else { return .unsorted }
    return descriptors.dropLast().reversed().reduce(last.key(object)) { key, descriptor in
      .pair(descriptor.key(object), key)
    }
  }

  func isBefore(_ lhs: QueryRow, _ rhs: QueryRow) -> Bool {
    let order = compare(lhs.key, rhs.key)
    return order == 0 ? lhs.sequence < rhs.sequence : order < 0
  }

  /// Whether two rows of one object stand in the same place.
  func isSame(_ lhs: QueryRow, _ rhs: QueryRow) -> Bool {
    lhs.sequence == rhs.sequence && compare(lhs.key, rhs.key) == 0
  }

  private func compare(_ lhs: SortKey, _ rhs: SortKey) -> Int {
    var left = lhs
    var right = rhs
    for index in descriptors.indices {
      guard case .pair(let leftHead, let leftTail) = left,
        case .pair(let rightHead, let rightTail) = right
      else { return descriptors[index].compare(left, right) }
      let order = descriptors[index].compare(leftHead, rightHead)
      if order != 0 { return order }
      left = leftTail
      right = rightTail
    }
    return 0
  }
}
