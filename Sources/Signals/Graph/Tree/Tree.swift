// One version of a sequence.
//
// Only the mutating functions of `Tree` change `root` and `count`, always both. Copies of a tree
// share nodes; TreeNode.swift says when a node may be changed.

/// A sequence that can be copied in O(1) and changed anywhere in O(log *n*).
///
/// The same tree serves a list, which is edited by position, and a sorted result, which is searched
/// with ``lowerBound(_:)``.
///
/// Copies share their nodes. An edit changes the nodes on its way in place if no other version uses
/// them, and otherwise copies these few. An old version thus costs memory only for the nodes
/// changed since.
///
/// It is a B+tree: elements are in the leaves. For each child, an inner node has the number of
/// elements and a copy of the first one, so finding a leaf touches no other leaf.
package struct Tree<Element> {
  /// The top node, or nil if the tree is empty, which then uses no memory.
  var root: Node?

  /// The number of elements.
  ///
  /// - Complexity: O(1).
  package internal(set) var count: Int

  /// Creates an empty tree, without allocation.
  ///
  /// - Complexity: O(1).
  package init() {
    root = nil
    count = 0
  }

  /// Creates a tree of the elements in order, with packed nodes.
  ///
  /// - Complexity: O(*n*).
  package init(_ elements: some Sequence<Element>) {
    self.init(Node.make(of: elements))
  }

  /// Creates the tree under a node.
  ///
  /// - Complexity: O(slots).
  init(_ root: Node?) {
    self.root = root
    count = root?.total ?? 0
  }

  /// Whether there are no elements.
  ///
  /// - Complexity: O(1).
  package var isEmpty: Bool { root == nil }

  /// The first element.
  ///
  /// - Complexity: O(1).
  package var first: Element? { root?.first }

  /// The element at a position.
  ///
  /// - Complexity: O(log *n*).
  package subscript(index: Int) -> Element {
    var offset = index
    let leaf = leaf(holding: &offset)
    return leaf[offset]
  }

  /// Returns whether both are the same version, so that their elements need not be compared.
  ///
  /// - Complexity: O(1).
  package func isIdentical(to other: Tree) -> Bool {
    root === other.root
  }
}

// Unchecked, but safe: a tree can be sent wherever its elements can. It consists of a root and a
// count, and the compiler can't see that the shared nodes below the root are safe. They are,
// because an edit changes a node only after `isKnownUniquelyReferenced` has shown that this tree is
// its only owner, and copies it otherwise. So a node that two trees reach is never written again.
// The reference count is atomic, and everything that another thread sees of a node was written
// before the tree was sent there.
extension Tree: @unchecked Sendable where Element: Sendable {}
