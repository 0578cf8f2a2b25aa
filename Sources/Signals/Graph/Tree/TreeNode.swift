// The memory of one node.
//
// Only a caller that holds the one reference to a node may change `header.slots` and the contents of
// the slots: it has checked `isKnownUniquelyReferenced`, or has just made the node. A node with
// several owners is frozen. `header.height` and the address of the links never change.
//
// An inner node borrows the first elements of its children: it has their bits, but does not retain
// them, because copying a node would otherwise retain twice as many references. They are never
// released either. They are updated before an edit returns, and an element that a child has lost is
// alive until then.
//
// Each access through `elements` and `links` relies on this. Memory is initialized, moved and freed
// in this file only, and `slots` always says which part of it is in use. Other files read and assign
// through `elements` and `links`, only below `slots`, and only while they or a node above hold the
// node.

extension Tree {
  /// One child of an inner node, and the number of elements under it.
  struct Link {
    /// The subtree.
    var child: Node

    /// The number of elements under `child`.
    var count: Int
  }

  /// The fields of a node besides its elements and links.
  struct Header {
    /// The number of slots in use.
    fileprivate var slots: Int

    /// The distance to the leaves, which have height 0.
    fileprivate let height: Int

    /// The links of an inner node; nil in a leaf.
    fileprivate let links: UncheckedPointer<Link>?
  }

  /// A leaf or an inner node.
  ///
  /// A node has slots. Each holds an element, and in an inner node also a link to the child that
  /// begins with this element. This is the only difference, so leaves and inner nodes are searched,
  /// split and merged by the same code. Only inner nodes decide which leaf a search enters.
  ///
  /// The elements follow the header in the node's own allocation, so a leaf is one piece of memory.
  final class Node: ManagedBuffer<Header, Element> {
    deinit {
      // This releases the last reference, and the first `slots` places are initialized.
      if let links = state.pointee.links {
        links.deinitialize(slots)
        links.deallocate()
      } else {
        elements.deinitialize(slots)
      }
    }
  }
}

extension Tree.Node {
  /// The number of slots that a node has memory for.
  ///
  /// A node that fills up is split immediately, so there is always room for one more.
  ///
  /// Measured with 1,000,000 elements: leaves half as wide are iterated half as fast, leaves twice
  /// as wide are searched more slowly. Inner nodes are narrower because copying one retains each of
  /// its children, and so touches it.
  static func room(height: Int) -> Int { height == 0 ? 64 : 32 }

  /// The largest number of slots between edits.
  ///
  /// - Complexity: O(1).
  var most: Int { Self.room(height: height) - 1 }

  /// The smallest number of slots between edits, unless the node is the root.
  ///
  /// It is a quarter of the room rather than a half: merges become rare, and a node that grows at
  /// its end can leave most of its slots behind when it splits.
  ///
  /// - Complexity: O(1).
  var least: Int { Self.room(height: height) / 4 }

  /// Creates an empty node.
  ///
  /// - Complexity: O(1).
  static func make(height: Int) -> Tree.Node {
    let room = room(height: height)
    let node = create(minimumCapacity: room) { _ in
      Tree.Header(slots: 0, height: height, links: height == 0 ? nil : .allocate(room))
    }
    // `create` makes an instance of the class it is called on.
    return knownDowncast(node, to: Tree.Node.self)
  }

  /// Creates the inner node over two siblings.
  ///
  /// - Complexity: O(1).
  static func make(over left: Tree.Node, _ right: Tree.Node) -> Tree.Node {
    let node = make(height: left.height + 1)
    node.insert(left, at: 0)
    node.insert(right, at: 1)
    return node
  }

  /// Returns a new node with the same elements and the same children.
  ///
  /// - Complexity: O(slots).
  func copy() -> Tree.Node {
    let copy = Self.make(height: height)
    // `copy` has room for every slot, and is still empty. The loops retain directly, whereas a bulk
    // copy by the runtime would ask the type of each slot how to copy it.
    if isLeaf {
      for slot in 0..<slots { copy.elements.advanced(by: slot).initialize(to: elements[slot]) }
    } else {
      copy.borrow(slots, from: elements, at: 0)
      for slot in 0..<slots { copy.links.advanced(by: slot).initialize(to: links[slot]) }
    }
    copy.slots = slots
    return copy
  }

  /// The number of slots in use.
  ///
  /// - Complexity: O(1).
  fileprivate(set) var slots: Int {
    get { state.pointee.slots }
    set { state.pointee.slots = newValue }
  }

  /// The distance to the leaves.
  ///
  /// - Complexity: O(1).
  var height: Int { state.pointee.height }

  /// Whether the slots own elements, rather than borrow them from children.
  ///
  /// - Complexity: O(1).
  var isLeaf: Bool { height == 0 }

  /// The header, without the run-time exclusivity checks of a stored property.
  ///
  /// Access is exclusive because only the single owner of a node changes it.
  private var state: UncheckedPointer<Tree.Header> {
    unsafe UncheckedPointer(withUnsafeMutablePointerToHeader { unsafe $0 })
  }

  /// The first element under this node.
  ///
  /// - Complexity: O(1).
  var first: Element { elements[0] }

  /// The number of elements under this node.
  ///
  /// - Complexity: O(slots).
  var total: Int {
    guard !isLeaf else { return slots }
    var total = 0
    for slot in 0..<slots { total &+= links[slot].count }
    return total
  }

  /// The elements of the slots.
  ///
  /// Valid below `slots`, as long as the node exists.
  ///
  /// - Complexity: O(1).
  var elements: UncheckedPointer<Element> {
    unsafe UncheckedPointer(withUnsafeMutablePointerToElements { unsafe $0 })
  }

  /// The links of the slots.
  ///
  /// Valid below `slots`, as long as the node exists.
  ///
  /// - Precondition: The node is not a leaf.
  /// - Complexity: O(1).
  var links: UncheckedPointer<Tree.Link> {
    // An inner node has the address.
    unsafe state.pointee.links.unsafelyUnwrapped
  }
}

extension Tree.Node {
  /// Inserts an element into a leaf.
  ///
  /// - Complexity: O(slots).
  func insert(_ element: Element, at slot: Int) {
    open(slot)
    elements.advanced(by: slot).initialize(to: element)
  }

  /// Inserts a child into an inner node.
  ///
  /// - Complexity: O(slots), of the node and of the child.
  func insert(_ child: Tree.Node, at slot: Int) {
    let link = Tree.Link(child: child, count: child.total)
    open(slot)
    borrow(1, from: child.elements, at: slot)
    links.advanced(by: slot).initialize(to: link)
  }

  /// Updates this inner node's copy of the first element of a child.
  ///
  /// - Complexity: O(1).
  func noteFirst(_ slot: Int) {
    withChild(at: slot) { borrow(1, from: $0.elements, at: slot) }
  }

  /// Copies the bits of elements that the children own.
  private func borrow(_ n: Int, from source: UncheckedPointer<Element>, at slot: Int) {
    unsafe UnsafeMutableRawPointer(elements.address + slot).copyMemory(
      from: source.address, byteCount: n * MemoryLayout<Element>.stride)
  }

  /// Removes an element from a leaf.
  ///
  /// - Complexity: O(slots).
  func removeElement(at slot: Int) -> Element {
    let element = elements.advanced(by: slot).move()
    close(slot)
    return element
  }

  /// Removes a child from an inner node.
  ///
  /// - Complexity: O(slots).
  @discardableResult func removeChild(at slot: Int) -> Tree.Node {
    let link = links.advanced(by: slot).move()
    close(slot)
    return link.child
  }

  /// Moves the slots from `cut` on into a new node.
  ///
  /// - Complexity: O(slots).
  func split(at cut: Int) -> Tree.Node {
    let rest = Self.make(height: height)
    rest.take(slots - cut, from: self, at: cut, to: 0)
    return rest
  }

  /// Moves `n` slots of `other`, from `source` on, to `target`, and shifts the later slots there
  /// back.
  ///
  /// - Complexity: O(slots).
  func take(_ n: Int, from other: Tree.Node, at source: Int, to target: Int) {
    // The caller is the only owner of both nodes, which are different, so the ranges can't overlap.
    // The places at `target` are vacated first, and those at `source` are closed afterwards.
    shift(from: target, by: n)
    elements.advanced(by: target).moveInitialize(from: other.elements.advanced(by: source), n)
    if !isLeaf {
      links.advanced(by: target).moveInitialize(from: other.links.advanced(by: source), n)
    }
    slots += n
    other.shift(from: source + n, by: -n)
    other.slots -= n
  }

  /// Appends elements until the node is as full as a packed one.
  ///
  /// - Returns: Whether the node is that full; false if there were too few elements.
  /// - Complexity: O(slots).
  func fill(from source: inout some IteratorProtocol<Element>) -> Bool {
    let most = most
    var filled = slots
    while filled < most, let element = source.next() {
      elements.advanced(by: filled).initialize(to: element)
      filled += 1
    }
    slots = filled
    return filled == most
  }

  /// Makes room for one slot at `slot`, which the caller initializes.
  private func open(_ slot: Int) {
    shift(from: slot, by: 1)
    slots += 1
  }

  /// Closes the gap at `slot`, which the caller has emptied.
  private func close(_ slot: Int) {
    shift(from: slot + 1, by: -1)
    slots -= 1
  }

  /// Moves the slots from `slot` on by `distance` places, to places that are not initialized.
  private func shift(from slot: Int, by distance: Int) {
    let n = slots - slot
    let target = slot + distance
    elements.advanced(by: target).moveInitialize(from: elements.advanced(by: slot), n)
    if !isLeaf { links.advanced(by: target).moveInitialize(from: links.advanced(by: slot), n) }
  }
}
