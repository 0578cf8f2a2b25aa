// State: the memory of one node of a table.
//
// - A leaf has the rows of a few neighboring slots, column by column: the ids, the sequence numbers
//   of adding, then the values of each property. `mask` has a bit for each slot with a row; only
//   the values of these rows are initialized.
// - A branch has links to its children; a link is nil if there is nothing below.
//
// Only a caller with the single reference to a node changes it. The caller has checked that with
// `isKnownUniquelyReferenced`, or has just created the node. A node with several owners is frozen.

/// A node of a table: a leaf with rows of a class, or a branch above such leaves.
final class SnapshotNode: ManagedBuffer<SnapshotNode.Header, UInt64> {
  /// The number of rows in a leaf.
  ///
  /// Measured with 1,000,000 objects: with four times as many rows, copying a leaf for one changed
  /// row retains too many strings of the other rows.
  static let rows = 4
  /// The number of children of a branch; each copy of a branch retains all of them.
  static let children = 8
  /// The offset of the columns, which follow the ids and sequence numbers.
  static let columnsStart = rows * (MemoryLayout<ObjectID>.stride + MemoryLayout<UInt64>.stride)

  struct Header {
    /// The layout of a leaf's rows, which is never released; nil in a branch.
    let shape: Unretained<SnapshotShape>?
    var mask: UInt32 = 0
    /// The distance to the leaves.
    let level: Int32
  }

  static func leaf(_ shape: SnapshotShape) -> SnapshotNode {
    let bytes = shape.size + shape.alignment - 8
    let node = create(minimumCapacity: (bytes + 7) / 8) { _ in
      Header(shape: Unretained(shape), level: 0)
    }
    // `create` returns an instance of the class it is called on.
    return knownDowncast(node, to: SnapshotNode.self)
  }

  static func branch(level: Int) -> SnapshotNode {
    let node = create(minimumCapacity: children) { _ in
      Header(shape: nil, level: Int32(level))
    }
    let branch = knownDowncast(node, to: SnapshotNode.self)
    unsafe branch.memory.bindMemory(to: SnapshotNode?.self, capacity: children)
      .initialize(repeating: nil, count: children)
    return branch
  }

  deinit {
    guard isLeaf else {
      links.deinitialize(SnapshotNode.children)
      return
    }
    let (operations, start) = (shape.operations, start)
    for index in 0..<shape.operationCount where operations[index].isManaged {
      let operation = operations[index]
      forEachRun { slot, count in
        let values = operation.value(at: slot, of: start)
        operation.column.withInstance { $0.destroy(values, count: count) }
      }
    }
  }
}

extension SnapshotNode {
  private var state: UncheckedPointer<Header> {
    unsafe UncheckedPointer(withUnsafeMutablePointerToHeader { unsafe $0 })
  }

  private var memory: UnsafeMutableRawPointer {
    unsafe withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
  }

  var level: Int { Int(state.pointee.level) }
  var isLeaf: Bool { state.pointee.level == 0 }

  /// The slots of a leaf that have rows, as bits.
  var mask: UInt32 { state.pointee.mask }

  /// The layout of a leaf's rows.
  var shape: SnapshotShape {
    // A leaf has one.
    unsafe state.pointee.shape.unsafelyUnwrapped.withInstance { $0 }
  }

  /// The children of a branch.
  var links: UncheckedPointer<SnapshotNode?> {
    unsafe UncheckedPointer(memory.assumingMemoryBound(to: SnapshotNode?.self))
  }

  /// The address of a leaf's rows.
  private var start: UntypedPointer {
    unsafe UntypedPointer(
      memory.alignedUp(toMultipleOf: shape.alignment).assumingMemoryBound(to: Never.self))
  }

  /// The place of a value.
  func value(at slot: Int, of column: SnapshotColumn) -> UntypedPointer {
    start.untyped(at: column.start + slot * column.stride)
  }

  private var ids: UncheckedPointer<ObjectID> { unsafe start.field(as: ObjectID.self) }

  private var sequences: UncheckedPointer<UInt64> {
    unsafe start.field(at: SnapshotNode.rows * MemoryLayout<ObjectID>.stride, as: UInt64.self)
  }

  func has(_ slot: Int) -> Bool { mask & (1 << UInt32(slot)) != 0 }
  func id(_ slot: Int) -> ObjectID { ids[slot] }
  func sequence(_ slot: Int) -> UInt64 { sequences[slot] }

  /// Calls `body` with the start and length of each run of slots that have rows.
  private func forEachRun(_ body: (Int, Int) -> Void) {
    var rest = mask
    var begin = 0
    while rest != 0 {
      let gap = rest.trailingZeroBitCount
      begin += gap
      rest >>= UInt32(gap)
      let count = (~rest).trailingZeroBitCount
      body(begin, count)
      begin += count
      rest = count == 32 ? 0 : rest >> UInt32(count)
    }
  }

  // MARK: - Changing

  /// A copy of the node with the same rows or children.
  func copy() -> SnapshotNode {
    guard isLeaf else {
      let copy = SnapshotNode.branch(level: level)
      // Children are scattered in memory. Plain reads of all of them load their cache lines in
      // parallel, while atomic retains would wait for one after the other.
      copy.state.pointee.mask = fetchChildren()
      for slot in 0..<SnapshotNode.children { copy.links[slot] = links[slot] }
      return copy
    }
    let shape = shape
    let copy = SnapshotNode.leaf(shape)
    unsafe copy.start.copyBytes(from: start, SnapshotNode.columnsStart)
    let (operations, start, target) = (shape.operations, start, copy.start)
    for index in 0..<shape.operationCount {
      let operation = operations[index]
      guard operation.isManaged else {
        unsafe operation.value(at: 0, of: target).copyBytes(
          from: operation.value(at: 0, of: start), operation.stride * SnapshotNode.rows)
        continue
      }
      forEachRun { slot, count in
        let (values, place) = (
          operation.value(at: slot, of: start), operation.value(at: slot, of: target)
        )
        operation.column.withInstance { $0.copy(values, to: place, count: count) }
      }
    }
    copy.state.pointee.mask = mask
    return copy
  }

  private func fetchChildren() -> UInt32 {
    var sum: UInt32 = 0
    let links = unsafe memory.assumingMemoryBound(to: UnsafeRawPointer?.self)
    for slot in 0..<SnapshotNode.children {
      guard let child = unsafe links[slot] else { continue }
      // The word with the reference count.
      unsafe sum &+= child.load(fromByteOffset: 8, as: UInt32.self)
    }
    return sum
  }

  /// Adds the row of an object at an empty slot.
  func add(_ object: Object, at slot: Int) {
    ids.advanced(by: slot).initialize(to: object.objectID)
    sequences.advanced(by: slot).initialize(to: object.sequence)
    let (operations, start) = (shape.operations, start)
    for index in 0..<shape.operationCount {
      let operation = operations[index]
      let value = operation.value(at: slot, of: start)
      if operation.takeBits(from: object, to: value) { continue }
      operation.column.withInstance { $0.take(from: object, to: value) }
    }
    state.pointee.mask |= 1 << UInt32(slot)
  }

  /// Adds a row whose values a decoder has already put in place.
  func add(_ id: ObjectID, sequence: UInt64, at slot: Int) {
    ids.advanced(by: slot).initialize(to: id)
    sequences.advanced(by: slot).initialize(to: sequence)
    state.pointee.mask |= 1 << UInt32(slot)
  }

  /// Removes the row of a slot.
  func remove(_ slot: Int) {
    for column in shape.columns where !column.isTrivial {
      column.leave(value(at: slot, of: column))
    }
    state.pointee.mask &= ~(1 << UInt32(slot))
  }

  /// Updates a row to the current values of its object.
  ///
  /// `old` returns the old versions of the lists that changed.
  func update(_ object: Object, at slot: Int, lists old: (ListColumn) -> Tree<Object>?) {
    sequences[slot] = object.sequence
    let (operations, start) = (shape.operations, start)
    for index in 0..<shape.operationCount {
      let operation = operations[index]
      let value = operation.value(at: slot, of: start)
      if operation.takeBits(from: object, to: value) { continue }
      // Equal bits are an equal value, which needn't be replaced. Most values of an object don't
      // change.
      if operation.kind == .managed,
        unsafe value.hasSameBytes(as: operation.storage(in: object), operation.size)
      {
        continue
      }
      operation.column.withInstance { column in
        if let column = column as? ListColumn {
          if let old = old(column) { column.update(value, from: object, old: old) }
        } else {
          column.leave(value)
          column.take(from: object, to: value)
        }
      }
    }
  }
}
