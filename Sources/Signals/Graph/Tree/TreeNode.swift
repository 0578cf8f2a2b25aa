// State: the memory of one node.
//
// - `header.slots`, the initialized part of the node's memory, and what lies in it. Only a caller
//   that holds the one reference to a node may change them; it makes sure with
//   `isKnownUniquelyReferenced`, or it has just made the node. A node with several owners is frozen.
// - `header.height` and the address of the links never change.
//
// An inner node borrows the first elements of its children: it has their bits, and does not retain
// them, since copying a node would else count references twice over. They are never released either,
// and are brought up to date before an edit returns; what a child has lost is alive until then.
//
// What is `unsafe` rests on this. Memory is initialized, moved and freed in this file only, where
// `slots` always says which part of it is in use. Other files read and assign through `elements` and
// `links`, below `slots` only, and while the node is held by them or by a node above it.

extension Tree {
  /// One child of an inner node, and the number of elements under it.
  struct Link {
    /// The subtree.
    var child: Node

    /// The number of elements under `child`.
    var count: Int
  }

  /// What a node knows besides its elements and links.
  ///
  /// Marked safe because the address it holds is private to the node that owns the memory.
  @safe struct Header {
    /// The number of slots in use.
    fileprivate var slots: Int

    /// The distance to the leaves, which have height 0.
    fileprivate let height: Int

    /// The links of an inner node.
    ///
    /// It is nil in a leaf.
    fileprivate let links: UnsafeMutablePointer<Link>?
  }

  /// A leaf or an inner node, which differ in one thing only.
  ///
  /// A node has slots. Each holds an element, and in an inner node also a link to the child that
  /// begins with this element. So leaves and inner nodes are searched, split and merged by the same
  /// code, and the inner nodes alone decide into which leaf a search goes.
  ///
  /// The elements follow the header in the node's own allocation: a leaf is one piece of memory.
  final class Node: ManagedBuffer<Header, Element> {
    deinit {
      // The owner of the last reference is here, and the first `slots` places are initialized.
      if let links = unsafe state.pointee.links {
        unsafe links.deinitialize(count: slots)
        unsafe links.deallocate()
      } else {
        unsafe elements.deinitialize(count: slots)
      }
    }
  }
}

extension Tree.Node {
  /// The slots there is memory for.
  ///
  /// A node that fills up is split at once, so there is always room for one more.
  ///
  /// Measured with 1,000,000 elements: leaves half as wide are iterated half as fast, leaves twice
  /// as wide are searched more slowly. Inner nodes are narrower because copying one touches each of
  /// its children, to retain it.
  static func room(height: Int) -> Int { height == 0 ? 64 : 32 }

  /// The most slots the node has between edits.
  ///
  /// O(1).
  var most: Int { Self.room(height: height) - 1 }

  /// The fewest slots the node has between edits, unless it is the root.
  ///
  /// O(1).
  ///
  /// A quarter rather than a half: merges become rare, and a node that grows at its end can leave
  /// most of its slots behind when it splits.
  var least: Int { Self.room(height: height) / 4 }

  /// Makes an empty node.
  ///
  /// O(1).
  static func make(height: Int) -> Tree.Node {
    let room = room(height: height)
    let node = create(minimumCapacity: room) { _ in
      unsafe Tree.Header(
        slots: 0, height: height, links: height == 0 ? nil : .allocate(capacity: room))
    }
    // `create` makes an instance of the class it is called on.
    return unsafe unsafeDowncast(node, to: Tree.Node.self)
  }

  /// Makes the inner node over two siblings.
  ///
  /// O(1).
  static func make(over left: Tree.Node, _ right: Tree.Node) -> Tree.Node {
    let node = make(height: left.height + 1)
    node.insert(left, at: 0)
    node.insert(right, at: 1)
    return node
  }

  /// A node with the same elements and the same children.
  ///
  /// O(slots).
  func copy() -> Tree.Node {
    let copy = Self.make(height: height)
    // `copy` has room for every slot, and nothing is in it yet. The loops retain directly, where the
    // runtime would ask the type of each slot how to copy it.
    if isLeaf {
      for slot in 0..<slots { unsafe (copy.elements + slot).initialize(to: elements[slot]) }
    } else {
      unsafe copy.borrow(slots, from: elements, at: 0)
      for slot in 0..<slots { unsafe (copy.links + slot).initialize(to: links[slot]) }
    }
    copy.slots = slots
    return copy
  }

  /// The number of slots in use.
  ///
  /// O(1).
  fileprivate(set) var slots: Int {
    get { unsafe state.pointee.slots }
    set { unsafe state.pointee.slots = newValue }
  }

  /// The distance to the leaves.
  ///
  /// O(1).
  var height: Int { unsafe state.pointee.height }

  /// Whether the slots hold elements of the tree itself.
  ///
  /// O(1).
  var isLeaf: Bool { height == 0 }

  /// The header, without the run-time exclusivity checks of a stored property.
  ///
  /// Access is exclusive because only a node's one owner changes it.
  private var state: UnsafeMutablePointer<Tree.Header> {
    unsafe withUnsafeMutablePointerToHeader { unsafe $0 }
  }

  /// The first element under this node.
  ///
  /// O(1).
  var first: Element { unsafe elements[0] }

  /// The number of elements under this node.
  ///
  /// O(slots).
  var total: Int {
    guard !isLeaf else { return slots }
    var total = 0
    for slot in 0..<slots { unsafe total &+= links[slot].count }
    return total
  }

  /// The slots' elements.
  ///
  /// O(1). Valid below `slots`, for as long as the node is.
  var elements: UnsafeMutablePointer<Element> {
    unsafe withUnsafeMutablePointerToElements { unsafe $0 }
  }

  /// The slots' links.
  ///
  /// O(1). Valid below `slots`, for as long as the node is.
  ///
  /// - Precondition: The node is not a leaf.
  var links: UnsafeMutablePointer<Tree.Link> {
    unsafe state.pointee.links.unsafelyUnwrapped
  }
}

extension Tree.Node {
  /// Puts an element into a leaf.
  ///
  /// O(slots).
  func insert(_ element: Element, at slot: Int) {
    open(slot)
    unsafe (elements + slot).initialize(to: element)
  }

  /// Puts a child into an inner node.
  ///
  /// O(slots), of the node and of the child.
  func insert(_ child: Tree.Node, at slot: Int) {
    let link = Tree.Link(child: child, count: child.total)
    open(slot)
    unsafe borrow(1, from: child.elements, at: slot)
    unsafe (links + slot).initialize(to: link)
  }

  /// Brings what this inner node knows of a child's first element up to date.
  ///
  /// O(1).
  func noteFirst(_ slot: Int) {
    withChild(at: slot) { unsafe borrow(1, from: $0.elements, at: slot) }
  }

  /// Takes the bits of elements that the children own.
  @unsafe private func borrow(_ n: Int, from source: UnsafePointer<Element>, at slot: Int) {
    unsafe UnsafeMutableRawPointer(elements + slot).copyMemory(
      from: source, byteCount: n * MemoryLayout<Element>.stride)
  }

  /// Takes an element out of a leaf.
  ///
  /// O(slots).
  func removeElement(at slot: Int) -> Element {
    let element = unsafe (elements + slot).move()
    close(slot)
    return element
  }

  /// Takes a child out of an inner node.
  ///
  /// O(slots).
  @discardableResult func removeChild(at slot: Int) -> Tree.Node {
    let link = unsafe (links + slot).move()
    close(slot)
    return link.child
  }

  /// Moves the slots from `cut` on into a new node.
  ///
  /// O(slots).
  func split(at cut: Int) -> Tree.Node {
    let rest = Self.make(height: height)
    rest.take(slots - cut, from: self, at: cut, to: 0)
    return rest
  }

  /// Moves `n` slots of `other` from `source` on to `target`, where they push later ones back.
  ///
  /// O(slots).
  func take(_ n: Int, from other: Tree.Node, at source: Int, to target: Int) {
    // Both nodes have one owner, which is the caller, and are two: ranges cannot overlap. The
    // places at `target` are made free first, those at `source` are closed after.
    unsafe shift(from: target, by: n)
    unsafe (elements + target).moveInitialize(from: other.elements + source, count: n)
    if !isLeaf { unsafe (links + target).moveInitialize(from: other.links + source, count: n) }
    slots += n
    unsafe other.shift(from: source + n, by: -n)
    other.slots -= n
  }

  /// Appends elements until the node is as full as a packed one, and says whether it is.
  ///
  /// O(slots).
  func fill(from source: inout some IteratorProtocol<Element>) -> Bool {
    let most = most
    var filled = slots
    while filled < most, let element = source.next() {
      unsafe (elements + filled).initialize(to: element)
      filled += 1
    }
    slots = filled
    return filled == most
  }

  /// Makes one place at `slot`, which the caller initializes.
  private func open(_ slot: Int) {
    unsafe shift(from: slot, by: 1)
    slots += 1
  }

  /// Closes the place at `slot`, which the caller has emptied.
  private func close(_ slot: Int) {
    unsafe shift(from: slot + 1, by: -1)
    slots -= 1
  }

  /// Moves the slots from `slot` on by `distance` places, onto places that are not initialized.
  @unsafe private func shift(from slot: Int, by distance: Int) {
    let n = slots - slot
    unsafe (elements + slot + distance).moveInitialize(from: elements + slot, count: n)
    if !isLeaf {
      unsafe (links + slot + distance).moveInitialize(from: links + slot, count: n)
    }
  }
}
