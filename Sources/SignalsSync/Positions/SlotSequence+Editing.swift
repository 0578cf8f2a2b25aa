extension SlotSequence {
  /// Inserts a piece after another, or at the start if the other is 0, and returns its number.
  mutating func insert(_ piece: Piece, after previous: UInt32) -> UInt32 {
    let new = makeNode(piece)
    attach(new, after: previous)
    add(Int(piece.visible), from: pieces[Int(new)].parent)
    raise(new)
    return new
  }

  /// Splits a piece, and returns the number of the piece that holds its end.
  ///
  /// - Precondition: `offset` is in `1..<count`.
  mutating func split(_ piece: UInt32, at offset: UInt32) -> UInt32 {
    let whole = pieces[Int(piece)]
    var tail = Piece(
      bunch: whole.bunch, offset: whole.offset + offset, count: whole.count - offset,
      state: whole.state)
    pieces[Int(piece)].count = offset
    tail.sum = tail.visible
    let new = makeNode(tail)
    attach(new, after: piece)
    // The visible positions stay below the piece: only the sums on the way up to it change.
    var nodes = pieces.mutableSpan
    var node = nodes[Int(new)].parent
    while node != piece {
      nodes[Int(node)].sum += tail.visible
      node = nodes[Int(node)].parent
    }
    raise(new)
    return new
  }

  /// Makes a piece longer at its end.
  mutating func extend(_ piece: UInt32, by count: UInt32) {
    pieces[Int(piece)].count += count
    if pieces[Int(piece)].state == .visible { add(Int(count), from: piece) }
  }

  /// Sets what the positions of a piece show.
  mutating func set(_ state: SlotState, of piece: UInt32) {
    let before = Int(pieces[Int(piece)].visible)
    pieces[Int(piece)].state = state
    add(Int(pieces[Int(piece)].visible) - before, from: piece)
  }

  /// Removes a piece, and makes the one before it as much longer.
  ///
  /// - Precondition: The piece before it continues in it.
  mutating func join(_ piece: UInt32, to previous: UInt32) {
    let count = pieces[Int(piece)].count
    remove(piece)
    extend(previous, by: count)
  }
}

extension SlotSequence {
  // MARK: - The treap

  private mutating func remove(_ piece: UInt32) {
    add(-Int(pieces[Int(piece)].visible), from: piece)
    let (seed, wasRoot) = (seed, root == piece)
    var nodes = pieces.mutableSpan
    nodes[Int(piece)].count = 0
    var top: UInt32 = 0
    while case let (left, right) = (nodes[Int(piece)].left, nodes[Int(piece)].right),
      left != 0, right != 0
    {
      let isLeft = Self.priority(of: left, seed) > Self.priority(of: right, seed)
      Self.rotateUp(isLeft ? left : right, in: &nodes)
      if top == 0 { top = isLeft ? left : right }
    }
    let child = max(nodes[Int(piece)].left, nodes[Int(piece)].right)
    Self.replace(piece, by: child, under: nodes[Int(piece)].parent, in: &nodes)
    if wasRoot { root = top == 0 ? child : top }
    free.append(piece)
  }

  private mutating func makeNode(_ piece: Piece) -> UInt32 {
    var piece = piece
    piece.sum = piece.visible
    if let number = free.popLast() {
      pieces[Int(number)] = piece
      return number
    }
    pieces.append(piece)
    return UInt32(pieces.count - 1)
  }

  /// Links a new leaf.
  private mutating func attach(_ new: UInt32, after previous: UInt32) {
    if previous != 0, pieces[Int(previous)].right == 0 {
      pieces[Int(previous)].right = new
      pieces[Int(new)].parent = previous
      return
    }
    let next = leftmost(of: previous == 0 ? root : pieces[Int(previous)].right)
    pieces[Int(new)].parent = next
    if next == 0 { root = new } else { pieces[Int(next)].left = new }
  }

  /// Adds to the sums of the piece and of all above it.
  private mutating func add(_ count: Int, from piece: UInt32) {
    guard count != 0 else { return }
    let count = UInt32(truncatingIfNeeded: count)
    var nodes = pieces.mutableSpan
    var node = Int(piece)
    while node != 0 {
      nodes[node].sum &+= count
      node = Int(nodes[node].parent)
    }
  }

  /// Rotates a new leaf up to where its priority belongs.
  private mutating func raise(_ piece: UInt32) {
    let (seed, priority) = (seed, Self.priority(of: piece, seed))
    var nodes = pieces.mutableSpan
    while case let parent = nodes[Int(piece)].parent, parent != 0,
      Self.priority(of: parent, seed) < priority
    { Self.rotateUp(piece, in: &nodes) }
    if nodes[Int(piece)].parent == 0 { root = piece }
  }

  /// Rotates a node up, but leaves it to the caller to set a new root.
  private static func rotateUp(_ piece: UInt32, in nodes: inout MutableSpan<Piece>) {
    let parent = nodes[Int(piece)].parent
    let isLeft = nodes[Int(parent)].left == piece
    let moved = isLeft ? nodes[Int(piece)].right : nodes[Int(piece)].left
    if isLeft {
      nodes[Int(parent)].left = moved
      nodes[Int(piece)].right = parent
    } else {
      nodes[Int(parent)].right = moved
      nodes[Int(piece)].left = parent
    }
    if moved != 0 { nodes[Int(moved)].parent = parent }
    replace(parent, by: piece, under: nodes[Int(parent)].parent, in: &nodes)
    nodes[Int(parent)].parent = piece
    let sum = nodes[Int(parent)].sum
    nodes[Int(parent)].sum = sum - nodes[Int(piece)].sum + nodes[Int(moved)].sum
    nodes[Int(piece)].sum = sum
  }

  /// Links a node, or none, in the place of another.
  private static func replace(
    _ old: UInt32, by new: UInt32, under parent: UInt32, in nodes: inout MutableSpan<Piece>
  ) {
    if new != 0 { nodes[Int(new)].parent = parent }
    guard parent != 0 else { return }
    if nodes[Int(parent)].left == old {
      nodes[Int(parent)].left = new
    } else {
      nodes[Int(parent)].right = new
    }
  }

  /// Returns the priority of a node: its number, mixed with the seed.
  private static func priority(of piece: UInt32, _ seed: UInt32) -> UInt32 {
    var bits = (piece ^ seed) &* 0x85EB_CA6B
    bits ^= bits >> 13
    bits &*= 0xC2B2_AE35
    return bits ^ (bits >> 16)
  }
}
