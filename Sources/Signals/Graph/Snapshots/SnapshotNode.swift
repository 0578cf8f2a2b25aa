// State: the memory of one node of a table.
//
// - A leaf has the rows of a few neighboring slots, column by column: ids, places in the order of
//   adding, then the values of each property. `mask` tells which slots have a row; theirs are the only
//   initialized values.
// - A branch has links to its children, nil where there is nothing below.
//
// Only a caller that holds the one reference to a node changes it; it makes sure with
// `isKnownUniquelyReferenced`, or has just made the node. A node with several owners is frozen.

/// Some rows of a class, or what leads to them.
final class SnapshotNode: ManagedBuffer<SnapshotNode.Header, UInt64> {
  /// The rows of a leaf.
  ///
  /// Measured with 1,000,000 objects: four times as many, and the copy of a leaf for one changed row
  /// touches too many strings of the others.
  static let rows = 4
  /// The children of a branch; each copy of it touches all of them.
  static let children = 8
  /// Where the columns begin: behind ids and places.
  static let columnsStart = rows * (MemoryLayout<ObjectID>.stride + MemoryLayout<UInt64>.stride)

  // Private to the node that owns the memory, like what it refers to.
  @safe struct Header {
    /// What the rows of a leaf look like, which is never released; nil in a branch.
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
    // `create` makes an instance of the class it is called on.
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
    let (steps, start) = unsafe (shape.steps, start)
    for index in steps.indices where unsafe steps[index].isManaged {
      let step = unsafe steps[index]
      forEachRun { slot, count in
        let values = unsafe start + step.start + slot * step.stride
        unsafe step.column._withUnsafeGuaranteedRef { unsafe $0.destroy(values, count: count) }
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

  /// Which slots of a leaf have rows.
  var mask: UInt32 { unsafe state.pointee.mask }

  /// What the rows of a leaf look like.
  var shape: SnapshotShape {
    unsafe state.pointee.shape.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0 }
  }

  /// The children of a branch.
  var links: UnsafeMutablePointer<SnapshotNode?> {
    unsafe memory.assumingMemoryBound(to: SnapshotNode?.self)
  }

  /// Where the rows of a leaf begin.
  private var start: UnsafeMutableRawPointer {
    unsafe memory.alignedUp(toMultipleOf: shape.alignment)
  }

  func values(of column: SnapshotColumn) -> UnsafeMutableRawPointer {
    unsafe start + column.start
  }

  /// Where a value is.
  func value(_ slot: Int, _ column: SnapshotColumn) -> UnsafeMutableRawPointer {
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

  /// Calls `body` with each run of slots that have rows: where it begins, and how long it is.
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

  /// A node with the same rows, or the same children.
  func copy() -> SnapshotNode {
    guard isLeaf else {
      let copy = SnapshotNode.branch(level: level)
      // Children lie apart. A plain read of each gets all of them into the cache side by side, where
      // one atomic retain after the other would wait for them in turn.
      unsafe copy.state.pointee.mask = fetchChildren()
      for slot in 0..<SnapshotNode.children { unsafe copy.links[slot] = links[slot] }
      return copy
    }
    let shape = shape
    let copy = SnapshotNode.leaf(shape)
    unsafe copy.start.copyMemory(from: start, byteCount: SnapshotNode.columnsStart)
    let (steps, start, target) = unsafe (shape.steps, start, copy.start)
    for index in steps.indices {
      let step = unsafe steps[index]
      guard unsafe step.isManaged else {
        let bytes = unsafe step.stride * SnapshotNode.rows
        unsafe (target + step.start).copyMemory(from: start + step.start, byteCount: bytes)
        continue
      }
      forEachRun { slot, count in
        let place = unsafe step.start + slot * step.stride
        unsafe step.column._withUnsafeGuaranteedRef {
          unsafe $0.copy(start + place, to: target + place, count: count)
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

  /// Makes the row of a slot that has none.
  func add(_ object: Object, at slot: Int) {
    unsafe (ids + slot).initialize(to: object.objectID)
    unsafe (sequences + slot).initialize(to: object.sequence)
    let (steps, start) = unsafe (shape.steps, start)
    let memory = unsafe Unmanaged.passUnretained(object).toOpaque()
    for index in steps.indices {
      let step = unsafe steps[index]
      let value = unsafe start + step.start + slot * step.stride
      if unsafe step.takeBits(from: memory, to: value) { continue }
      unsafe step.column._withUnsafeGuaranteedRef { unsafe $0.take(from: object, to: value) }
    }
    unsafe state.pointee.mask |= 1 << UInt32(slot)
  }

  /// Makes the row of a slot from what a decoder has read, whose values are in place.
  func add(_ id: ObjectID, sequence: UInt64, at slot: Int) {
    unsafe (ids + slot).initialize(to: id)
    unsafe (sequences + slot).initialize(to: sequence)
    unsafe state.pointee.mask |= 1 << UInt32(slot)
  }

  /// Takes the row of a slot away.
  func remove(_ slot: Int) {
    for column in shape.columns where !column.isTrivial {
      unsafe column.leave(value(slot, column))
    }
    unsafe state.pointee.mask &= ~(1 << UInt32(slot))
  }

  /// Brings a row up to date with its object; `old` has what the lists were that changed.
  func update(_ object: Object, at slot: Int, lists old: (ListColumn) -> Tree<Object>?) {
    unsafe sequences[slot] = object.sequence
    let (steps, start) = unsafe (shape.steps, start)
    let memory = unsafe Unmanaged.passUnretained(object).toOpaque()
    for index in steps.indices {
      let step = unsafe steps[index]
      let value = unsafe start + step.start + slot * step.stride
      if unsafe step.takeBits(from: memory, to: value) { continue }
      // The same bits are the same value, which need not be touched: most of an object stays.
      if unsafe step.kind == .managed, unsafe hasSameBits(value, memory + step.offset, step.size) {
        continue
      }
      unsafe step.column._withUnsafeGuaranteedRef { column in
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
