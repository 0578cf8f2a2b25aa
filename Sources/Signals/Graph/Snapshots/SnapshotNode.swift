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

  // Private to the node that owns the memory, like the objects it refers to.
  @safe struct Header {
    /// The layout of a leaf's rows, which is never released; nil in a branch.
    let shape: Unmanaged<SnapshotShape>?
    var mask: UInt32 = 0
    /// The distance to the leaves.
    let level: Int32
  }

  static func leaf(_ shape: SnapshotShape) -> SnapshotNode {
    let bytes = shape.size + shape.alignment - 8
    let node = create(minimumCapacity: (bytes + 7) / 8) { _ in
      unsafe Header(shape: Unmanaged.passUnretained(shape), level: 0)
    }
    // `create` returns an instance of the class it is called on.
    return unsafe unsafeDowncast(node, to: SnapshotNode.self)
  }

  static func branch(level: Int) -> SnapshotNode {
    let node = create(minimumCapacity: children) { _ in
      unsafe Header(shape: nil, level: Int32(level))
    }
    let branch = unsafe unsafeDowncast(node, to: SnapshotNode.self)
    unsafe branch.memory.bindMemory(to: SnapshotNode?.self, capacity: children)
      .initialize(repeating: nil, count: children)
    return branch
  }

  deinit {
    guard isLeaf else {
      unsafe links.deinitialize(count: SnapshotNode.children)
      return
    }
    let (operations, start) = unsafe (shape.operations, start)
    for index in operations.indices where unsafe operations[index].isManaged {
      let operation = unsafe operations[index]
      forEachRun { slot, count in
        let values = unsafe start + operation.start + slot * operation.stride
        unsafe operation.column._withUnsafeGuaranteedRef { unsafe $0.destroy(values, count: count) }
      }
    }
  }
}

extension SnapshotNode {
  private var state: UnsafeMutablePointer<Header> {
    unsafe withUnsafeMutablePointerToHeader { unsafe $0 }
  }

  private var memory: UnsafeMutableRawPointer {
    unsafe withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
  }

  var level: Int { unsafe Int(state.pointee.level) }
  var isLeaf: Bool { unsafe state.pointee.level == 0 }

  /// The slots of a leaf that have rows, as bits.
  var mask: UInt32 { unsafe state.pointee.mask }

  /// The layout of a leaf's rows.
  var shape: SnapshotShape {
    unsafe state.pointee.shape.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0 }
  }

  /// The children of a branch.
  var links: UnsafeMutablePointer<SnapshotNode?> {
    unsafe memory.assumingMemoryBound(to: SnapshotNode?.self)
  }

  /// The address of a leaf's rows.
  private var start: UnsafeMutableRawPointer {
    unsafe memory.alignedUp(toMultipleOf: shape.alignment)
  }

  /// The address of a value.
  func value(at slot: Int, of column: SnapshotColumn) -> UnsafeMutableRawPointer {
    unsafe start + column.start + slot * column.stride
  }

  private var ids: UnsafeMutablePointer<ObjectID> {
    unsafe start.assumingMemoryBound(to: ObjectID.self)
  }

  private var sequences: UnsafeMutablePointer<UInt64> {
    unsafe (start + SnapshotNode.rows * MemoryLayout<ObjectID>.stride)
      .assumingMemoryBound(to: UInt64.self)
  }

  func has(_ slot: Int) -> Bool { mask & (1 << UInt32(slot)) != 0 }
  func id(_ slot: Int) -> ObjectID { unsafe ids[slot] }
  func sequence(_ slot: Int) -> UInt64 { unsafe sequences[slot] }

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
      unsafe copy.state.pointee.mask = fetchChildren()
      for slot in 0..<SnapshotNode.children { unsafe copy.links[slot] = links[slot] }
      return copy
    }
    let shape = shape
    let copy = SnapshotNode.leaf(shape)
    unsafe copy.start.copyMemory(from: start, byteCount: SnapshotNode.columnsStart)
    let (operations, start, target) = unsafe (shape.operations, start, copy.start)
    for index in operations.indices {
      let operation = unsafe operations[index]
      guard unsafe operation.isManaged else {
        let bytes = unsafe operation.stride * SnapshotNode.rows
        unsafe (target + operation.start).copyMemory(
          from: start + operation.start, byteCount: bytes)
        continue
      }
      forEachRun { slot, count in
        let location = unsafe operation.start + slot * operation.stride
        unsafe operation.column._withUnsafeGuaranteedRef {
          unsafe $0.copy(start + location, to: target + location, count: count)
        }
      }
    }
    unsafe copy.state.pointee.mask = mask
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
    unsafe (ids + slot).initialize(to: object.objectID)
    unsafe (sequences + slot).initialize(to: object.sequence)
    let (operations, start) = unsafe (shape.operations, start)
    let memory = unsafe Unmanaged.passUnretained(object).toOpaque()
    for index in operations.indices {
      let operation = unsafe operations[index]
      let value = unsafe start + operation.start + slot * operation.stride
      if unsafe operation.takeBits(from: memory, to: value) { continue }
      unsafe operation.column._withUnsafeGuaranteedRef { unsafe $0.take(from: object, to: value) }
    }
    unsafe state.pointee.mask |= 1 << UInt32(slot)
  }

  /// Adds a row whose values a decoder has already put in place.
  func add(_ id: ObjectID, sequence: UInt64, at slot: Int) {
    unsafe (ids + slot).initialize(to: id)
    unsafe (sequences + slot).initialize(to: sequence)
    unsafe state.pointee.mask |= 1 << UInt32(slot)
  }

  /// Removes the row of a slot.
  func remove(_ slot: Int) {
    for column in shape.columns where !column.isTrivial {
      unsafe column.leave(value(at: slot, of: column))
    }
    unsafe state.pointee.mask &= ~(1 << UInt32(slot))
  }

  /// Updates a row to the current values of its object.
  ///
  /// `old` returns the old versions of the lists that changed.
  func update(_ object: Object, at slot: Int, lists old: (ListColumn) -> Tree<Object>?) {
    unsafe sequences[slot] = object.sequence
    let (operations, start) = unsafe (shape.operations, start)
    let memory = unsafe Unmanaged.passUnretained(object).toOpaque()
    for index in operations.indices {
      let operation = unsafe operations[index]
      let value = unsafe start + operation.start + slot * operation.stride
      if unsafe operation.takeBits(from: memory, to: value) { continue }
      // Equal bits are an equal value, which needn't be replaced. Most values of an object don't
      // change.
      if unsafe operation.kind == .managed,
        unsafe hasSameBits(value, memory + operation.offset, operation.size)
      {
        continue
      }
      unsafe operation.column._withUnsafeGuaranteedRef { column in
        if let column = column as? ListColumn {
          if let old = old(column) { unsafe column.update(value, from: object, old: old) }
        } else {
          unsafe column.leave(value)
          unsafe column.take(from: object, to: value)
        }
      }
    }
  }

  private func hasSameBits(
    _ value: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer, _ count: Int
  ) -> Bool {
    for offset in stride(from: 0, to: count & ~7, by: 8) {
      let (one, two) = unsafe (
        value.load(fromByteOffset: offset, as: UInt64.self),
        other.load(fromByteOffset: offset, as: UInt64.self)
      )
      if one != two { return false }
    }
    for offset in count & ~7..<count {
      let (one, two) = unsafe (
        value.load(fromByteOffset: offset, as: UInt8.self),
        other.load(fromByteOffset: offset, as: UInt8.self)
      )
      if one != two { return false }
    }
    return true
  }
}
