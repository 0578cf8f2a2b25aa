/// The positions of a list in their order, as pieces: runs of positions that follow each other.
///
/// The pieces are the nodes of a treap, a binary tree that is balanced by random priorities.
/// Each node counts the visible positions of its subtree, which gives the index of a piece and the
/// piece at an index in O(log *n*). Nodes are numbers into one array; number 0 is none.
///
/// The state is `pieces`, `free` and `root`. Only `SlotSequence+Editing.swift` changes it, and
/// only `PositionTree` calls that.
struct SlotSequence: Sendable {
  /// What a position shows.
  enum SlotState: UInt8, Sendable {
    /// The position shows its element.
    case visible
    /// The element of the position is elsewhere, or the position lost to another.
    case vacant
    /// The element, whose first position this is, has been deleted.
    case deleted
  }

  /// Positions of one bunch that follow each other and are in the same state.
  struct Piece: Sendable {
    var bunch: UInt32 = 0
    /// The number of the first position in the bunch.
    var offset: UInt32 = 0
    var count: UInt32 = 0
    var left: UInt32 = 0
    var right: UInt32 = 0
    var parent: UInt32 = 0
    /// The number of visible positions in the subtree.
    var sum: UInt32 = 0
    var state = SlotState.vacant

    /// The number of visible positions in the piece.
    var visible: UInt32 { state == .visible ? count : 0 }

    init() {}

    init(bunch: UInt32, offset: UInt32, count: UInt32, state: SlotState) {
      self.bunch = bunch
      self.offset = offset
      self.count = count
      self.state = state
    }

    /// Returns whether the other piece goes on where this one ends.
    func continues(in other: Piece) -> Bool {
      bunch == other.bunch && offset + count == other.offset && state == other.state
    }
  }

  var pieces = [Piece()]
  var free: [UInt32] = []
  var root: UInt32 = 0
  /// Priorities depend on it, so that no operations of others can make the tree deep.
  let seed = UInt32.random(in: 0...UInt32.max)

  subscript(piece: UInt32) -> Piece { pieces[Int(piece)] }

  /// The number of visible positions.
  var visibleCount: Int { Int(pieces[Int(root)].sum) }

  /// The number of pieces.
  var pieceCount: Int { pieces.count - 1 - free.count }
}

extension SlotSequence {
  // MARK: - Reading

  /// The first piece, or 0 if there is none.
  var first: UInt32 { leftmost(of: root) }

  /// Returns the piece that follows, or 0 at the end.
  func piece(after piece: UInt32) -> UInt32 {
    if pieces[Int(piece)].right != 0 { return leftmost(of: pieces[Int(piece)].right) }
    var child = piece
    var parent = pieces[Int(child)].parent
    while parent != 0, pieces[Int(parent)].right == child {
      child = parent
      parent = pieces[Int(child)].parent
    }
    return parent
  }

  /// Returns the piece that comes before, or 0 at the start.
  func piece(before piece: UInt32) -> UInt32 {
    if pieces[Int(piece)].left != 0 { return rightmost(of: pieces[Int(piece)].left) }
    var child = piece
    var parent = pieces[Int(child)].parent
    while parent != 0, pieces[Int(parent)].left == child {
      child = parent
      parent = pieces[Int(child)].parent
    }
    return parent
  }

  /// Returns the number of visible positions before the piece.
  func index(of piece: UInt32) -> Int {
    var child = piece
    var index = pieces[Int(pieces[Int(child)].left)].sum
    var parent = pieces[Int(child)].parent
    while parent != 0 {
      let node = pieces[Int(parent)]
      if node.right == child { index += pieces[Int(node.left)].sum + node.visible }
      child = parent
      parent = node.parent
    }
    return Int(index)
  }

  /// Returns the piece that shows the element at the index, and the place of the element in it.
  ///
  /// - Precondition: `index` is in `0..<visibleCount`.
  func piece(at index: Int) -> (piece: UInt32, offset: UInt32) {
    var rest = UInt32(index)
    var piece = root
    while true {
      let node = pieces[Int(piece)]
      let before = pieces[Int(node.left)].sum
      if rest < before {
        piece = node.left
      } else if rest - before < node.visible {
        return (piece, rest - before)
      } else {
        rest -= before + node.visible
        piece = node.right
      }
    }
  }

  func leftmost(of piece: UInt32) -> UInt32 {
    var piece = piece
    while pieces[Int(piece)].left != 0 { piece = pieces[Int(piece)].left }
    return piece
  }

  private func rightmost(of piece: UInt32) -> UInt32 {
    var piece = piece
    while pieces[Int(piece)].right != 0 { piece = pieces[Int(piece)].right }
    return piece
  }
}
