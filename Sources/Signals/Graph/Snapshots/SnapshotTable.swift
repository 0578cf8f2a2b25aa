// State: one version of the rows of a class, which is `root`, and their `count`. Copies share
// nodes. SnapshotNode.swift says who may change a node.

/// The rows of one class by slot, in a tree that shares its unchanged nodes with other versions.
///
/// The tree of lists isn't suitable here: it would have to be searched by id, and its nodes refer
/// to each element, so copying a node would touch all of its rows. In this tree the slot determines
/// the path, and rows are stored inline in their leaf.
struct SnapshotTable {
  let shape: SnapshotShape
  private(set) var root: SnapshotNode?
  /// The number of rows.
  private(set) var count = 0

  /// The number of slots below a node of a level.
  private static func span(_ level: Int) -> Int {
    SnapshotNode.rows << (level * SnapshotNode.children.trailingZeroBitCount)
  }

  /// The number of slots that fit into the tree.
  private var room: Int { root.map { Self.span($0.level) } ?? 0 }

  /// Creates the rows of all objects of a table.
  ///
  /// - Complexity: O(n).
  init(_ shape: SnapshotShape, of objects: ContiguousArray<Object?>) {
    self.shape = shape
    var level: [SnapshotNode?] = []
    for first in stride(from: 0, to: objects.count, by: SnapshotNode.rows) {
      let leaf = SnapshotNode.leaf(shape)
      for slot in first..<min(first + SnapshotNode.rows, objects.count) {
        guard let object = objects[slot] else { continue }
        leaf.add(object, at: slot - first)
        count += 1
      }
      level.append(leaf.mask == 0 ? nil : leaf)
    }
    root = Self.root(over: level)
  }

  /// Builds the branches above leaves.
  static func root(over leaves: [SnapshotNode?]) -> SnapshotNode? {
    var (nodes, level) = (leaves, 0)
    while nodes.count > 1 {
      level += 1
      nodes = stride(from: 0, to: nodes.count, by: SnapshotNode.children).map { first in
        let children = nodes[first..<min(first + SnapshotNode.children, nodes.count)]
        if children.allSatisfy({ $0 == nil }) { return nil }
        let branch = SnapshotNode.branch(level: level)
        for (slot, child) in children.enumerated() { branch.links[slot] = child }
        return branch
      }
    }
    return nodes.first ?? nil
  }

  /// Creates a table from leaves that were filled one after the other.
  init(_ shape: SnapshotShape, leaves: [SnapshotNode], count: Int) {
    self.shape = shape
    self.count = count
    root = Self.root(over: leaves)
  }

  // MARK: - Reading

  /// The row of a slot.
  ///
  /// - Complexity: O(log n).
  func row(_ slot: Int) -> SnapshotRow? {
    guard slot >= 0, slot < room, var node = root else { return nil }
    while !node.isLeaf {
      guard let child = node.links[Self.child(of: node.level, slot)] else { return nil }
      node = child
    }
    let location = slot % SnapshotNode.rows
    return node.has(location) ? SnapshotRow(leaf: node, slot: location) : nil
  }

  /// The index of the child that leads to a slot, in a node of a level.
  private static func child(of level: Int, _ slot: Int) -> Int {
    slot / span(level - 1) % SnapshotNode.children
  }

  /// Calls `body` with each leaf and its first slot, in order.
  func forEachLeaf(_ body: (SnapshotNode, Int) throws -> Void) rethrows {
    func visit(_ node: SnapshotNode, from first: Int) throws {
      if node.isLeaf { return try body(node, first) }
      let span = Self.span(node.level - 1)
      for child in 0..<SnapshotNode.children {
        if let next = node.links[child] { try visit(next, from: first + child * span) }
      }
    }
    if let root { try visit(root, from: 0) }
  }

  /// Calls `body` with each row and its slot, in order.
  func forEachRow(_ body: (SnapshotRow, Int) throws -> Void) rethrows {
    try forEachLeaf { leaf, first in
      for slot in 0..<SnapshotNode.rows where leaf.has(slot) {
        try body(SnapshotRow(leaf: leaf, slot: slot), first + slot)
      }
    }
  }

  /// Calls `body` with the leaves that differ between two versions, and their first slot, until it
  /// returns false.
  ///
  /// Shared subtrees are skipped.
  static func forEachDifference(
    _ old: SnapshotNode?, _ new: SnapshotNode?,
    _ body: (SnapshotNode?, SnapshotNode?, Int) -> Bool
  ) {
    func child(_ index: Int, of node: SnapshotNode?, below level: Int) -> SnapshotNode? {
      guard let node else { return nil }
      // A lower tree is the first child of the tree it would grow to.
      if node.level < level { return index == 0 ? node : nil }
      return node.links[index]
    }
    func visit(_ old: SnapshotNode?, _ new: SnapshotNode?, from first: Int) -> Bool {
      if old === new { return true }
      let level = max(old?.level ?? 0, new?.level ?? 0)
      if level == 0 { return body(old, new, first) }
      let span = span(level - 1)
      return (0..<SnapshotNode.children).allSatisfy { index in
        visit(
          child(index, of: old, below: level), child(index, of: new, below: level),
          from: first + index * span)
      }
    }
    _ = visit(old, new, from: 0)
  }

  /// Prefetches the memory that `update` needs for the given slots.
  ///
  /// `update` would wait for the memory of one object after the other. Plain, independent reads
  /// wait in parallel.
  ///
  /// - Returns: A meaningless sum, which keeps the compiler from removing the reads.
  func fetch(_ slots: ArraySlice<Int32>, of objects: ContiguousArray<Object?>) -> UInt64 {
    var sum: UInt64 = 0
    let last = shape.columns.last?.property.offset ?? 16
    unsafe objects.withUnsafeBufferPointer { objects in
      for slot in slots {
        guard let object = unsafe objects[Int(slot)] else { continue }
        // The word with the reference count.
        unsafe sum &+= UncheckedPointer<UInt64>(at: 8, of: object).pointee
        unsafe sum &+= UInt64(UncheckedPointer<UInt8>(at: last, of: object).pointee)
        sum &+= fetchPath(Int(slot))
      }
      for slot in slots {
        guard let object = unsafe objects[Int(slot)] else { continue }
        for column in shape.links {
          let offset = column.property.offset
          let link = unsafe UncheckedPointer<UncheckedPointer<UInt64>?>(at: offset, of: object)
          if let target = link.pointee { sum &+= target[1] }
        }
      }
    }
    return sum
  }

  /// Reads the nodes on the path to a slot, without retaining them.
  private func fetchPath(_ slot: Int) -> UInt64 {
    guard slot < room, let root else { return 0 }
    return withExtendedLifetime(root) {
      var node = Unretained(root)
      while true {
        let next = node.withInstance { node -> Unretained<SnapshotNode>? in
          guard !node.isLeaf else { return nil }
          return node.links[Self.child(of: node.level, slot)].map { Unretained($0) }
        }
        guard let next else { break }
        node = next
      }
      return node.withInstance {
        $0.isLeaf ? $0.sequence(slot % SnapshotNode.rows) : 0
      }
    }
  }

  // MARK: - Changing

  /// Updates the row of a slot to the object that is there now, or removes it if `object` is nil.
  ///
  /// `isNew` states whether the object was added after the row was written.
  ///
  /// - Complexity: O(log n), plus the cost of the list edits.
  mutating func update(
    _ slot: Int, to object: Object?, isNew: Bool, lists: (ListColumn) -> Tree<Object>?
  ) {
    if slot >= room {
      if object == nil { return }
      grow(to: slot)
    }
    guard let object else {
      guard row(slot) != nil else { return }
      count -= 1
      Self.withLeaf(&root, slot, shape) { $0.remove(slot % SnapshotNode.rows) }
      return
    }
    var came = false
    Self.withLeaf(&root, slot, shape) { leaf in
      let location = slot % SnapshotNode.rows
      let had = leaf.has(location)
      if had, !isNew {
        leaf.update(object, at: location, lists: lists)
      } else {
        if had { leaf.remove(location) }
        leaf.add(object, at: location)
        came = !had
      }
    }
    if came { count += 1 }
  }

  private mutating func grow(to slot: Int) {
    if root == nil { root = SnapshotNode.leaf(shape) }
    while slot >= room, let old = root {
      let branch = SnapshotNode.branch(level: old.level + 1)
      branch.links[0] = old
      root = branch
    }
  }

  /// Passes the leaf of a slot to `body` as a uniquely owned node; nodes on the path are created or
  /// copied as needed.
  ///
  /// The path is followed by addresses. That is safe because each node is owned by its link, and
  /// the table isn't accessed otherwise during the call.
  private static func withLeaf(
    _ root: inout SnapshotNode?, _ slot: Int, _ shape: SnapshotShape,
    _ body: (SnapshotNode) -> Void
  ) {
    UncheckedPointer.with(&root) { root in
      var (link, level) = (root, root.pointee?.level ?? 0)
      while true {
        let node = own(link, level, shape)
        if level == 0 { return node.withInstance(body) }
        link = node.withInstance { $0.links.advanced(by: child(of: level, slot)) }
        level -= 1
      }
    }
  }

  /// Makes a link the only owner of its node, creating or copying the node if needed.
  private static func own(
    _ link: UncheckedPointer<SnapshotNode?>, _ level: Int, _ shape: SnapshotShape
  ) -> Unretained<SnapshotNode> {
    if !isKnownUniquelyReferenced(&link.pointee) {
      if let shared = link.pointee {
        link.pointee = shared.copy()
      } else {
        link.pointee = level == 0 ? .leaf(shape) : .branch(level: level)
      }
    }
    guard let node = link.pointee.map({ Unretained($0) }) else { trap("a link has no node") }
    return node
  }
}

/// The values of one object in a snapshot.
struct SnapshotRow {
  let leaf: SnapshotNode
  let slot: Int

  var shape: SnapshotShape { leaf.shape }
  var id: ObjectID { leaf.id(slot) }
  var sequence: UInt64 { leaf.sequence(slot) }

  /// The place of a value, valid as long as the row.
  func value(_ column: SnapshotColumn) -> UntypedPointer { leaf.value(at: slot, of: column) }

  /// The description of a property of the object, for errors.
  func subject(_ property: String) -> StoreError.Subject {
    StoreError.Subject(
      id, className: shape.name, property: property,
      key: shape.primaryKey.map { ($0.property.name, $0.encodedValue(at: value($0))) })
  }

  /// Returns the location of a link's target.
  func target(_ column: LinkColumn) -> SnapshotLocation {
    value(column).location.pointee
  }

  /// Returns the locations of a list's members.
  func members(_ column: ListColumn) -> Tree<SnapshotLocation> {
    value(column).members.pointee
  }
}
