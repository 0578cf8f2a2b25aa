// State: one version of a sequence.
//
// - `root`, the top node, or nil when there are no elements; and `count`, the elements under it.
//   Only the mutating functions of `Tree` change them, always both. Copies of a tree share nodes;
//   who changes a node is said in TreeNode.swift.

/// A sequence that can be copied in O(1) and changed anywhere in O(log *n*).
///
/// The same tree serves a list, which is edited by position, and a sorted result, which is searched
/// with ``lowerBound(_:)``. Copies share their nodes. An edit changes nodes in place where it is
/// their only user and copies the few on its way where it is not, so keeping an old version costs
/// what has changed since.
///
/// It is a B+tree: elements are in the leaves. An inner node keeps for each child the number of
/// elements and a copy of the first one, so that finding a leaf touches no other leaf.
package struct Tree<Element> {
  /// The top node.
  ///
  /// It is nil when the tree is empty, which then costs no memory.
  var root: Node?

  /// The number of elements.
  ///
  /// O(1).
  package internal(set) var count: Int

  /// Makes an empty tree.
  ///
  /// O(1), without allocation.
  package init() {
    root = nil
    count = 0
  }

  /// Makes a tree of the elements in order, its nodes packed.
  ///
  /// O(*n*).
  package init(_ elements: some Sequence<Element>) {
    self.init(Node.make(of: elements))
  }

  /// Makes the tree under a node.
  ///
  /// O(slots).
  init(_ root: Node?) {
    self.root = root
    count = root?.total ?? 0
  }

  /// Whether there are no elements.
  ///
  /// O(1).
  package var isEmpty: Bool { root == nil }

  /// The first element.
  ///
  /// O(1).
  package var first: Element? { root?.first }

  /// The last element.
  ///
  /// O(log *n*).
  package var last: Element? { isEmpty ? nil : self[count - 1] }

  /// The element at a position.
  ///
  /// O(log *n*).
  package subscript(index: Int) -> Element {
    var offset = index
    let leaf = unsafe leaf(holding: &offset)
    return unsafe leaf[offset]
  }

  /// Whether both are the same version, so that nothing has to be compared.
  ///
  /// O(1).
  package func isIdentical(to other: Tree) -> Bool {
    root === other.root
  }
}

// Unchecked, and safe: a tree can go wherever its elements can. It is a root and a count; the compiler
// can't see that the shared nodes below are safe. They are: an edit changes a node only after
// `isKnownUniquelyReferenced` has found this tree to be its one owner, and copies it otherwise, so a node
// that two trees reach is never written again. The count of owners is atomic, and what a reader of another
// thread sees of a node was written before the tree was handed over.
extension Tree: @unchecked Sendable where Element: Sendable {}
