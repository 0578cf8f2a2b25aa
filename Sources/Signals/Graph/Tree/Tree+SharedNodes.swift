// Finding the nodes that two versions of a tree share.

extension Tree {
  /// Calls a function with the runs of leaves that two versions do not share.
  ///
  /// The runs are in ascending order and not adjacent to each other. If a run is one leaf of each
  /// version, the function also receives their elements.
  ///
  /// - Complexity: O(slots) for each node that is not shared.
  static func forEachUnshared(
    from old: Tree, to new: Tree, _ body: (TreeEdit, Leaves?) -> Void
  ) {
    // The search doesn't count references to nodes. The caller holds both versions.
    if let old = old.root, let new = new.root, old.height == new.height {
      return search(Unretained(old), Unretained(new), from: 0, body)
    }
    var search = Sharing()
    var (olds, news) = (Row(root: old.root), Row(root: new.root))
    while olds.height > news.height, news.height >= 0 { olds = Row(below: olds.subtrees[...]) }
    while news.height > olds.height, olds.height >= 0 { news = Row(below: news.subtrees[...]) }
    search.compare(olds, with: news)
    for run in search.runs { body(run, nil) }
  }

  /// The elements of two leaves, valid as long as both versions exist.
  struct Leaves {
    let old: UncheckedPointer<Element>
    let new: UncheckedPointer<Element>
  }

  /// Searches two nodes of equal height that begin at the same position of both versions.
  ///
  /// After most edits only one child differs, and the search continues there without collecting
  /// anything.
  private static func search(
    _ old: Unretained<Node>, _ new: Unretained<Node>, from position: Int,
    _ body: (TreeEdit, Leaves?) -> Void
  ) {
    old.withInstance { old in
      new.withInstance { new in
        if old === new { return }
        if old.isLeaf {
          return body(
            TreeEdit(
              oldRange: position..<position + old.slots, newRange: position..<position + new.slots),
            Leaves(old: old.elements, new: new.elements))
        }
        let least = Swift.min(old.slots, new.slots)
        var (first, skipped) = (0, position)
        while first < least, old.shares(first, with: new) {
          skipped += old.links[first].count
          first += 1
        }
        if old.slots == new.slots, first < least {
          var last = least - 1
          while last > first, old.shares(last, with: new) { last -= 1 }
          if first == last {
            return search(
              Unretained(old.links[first].child), Unretained(new.links[first].child),
              from: skipped, body)
          }
        }
        var search = Sharing(from: position)
        search.compare(Row(root: old), with: Row(root: new))
        for run in search.runs { body(run, nil) }
      }
    }
  }

  /// A node of a version, and the number of elements under it.
  ///
  /// The node is not retained, because the search would otherwise spend most of its time counting
  /// references. The caller of the search holds the version.
  private struct Subtree {
    let node: Unretained<Node>
    let count: Int
  }

  /// All nodes of one height in a part of a version.
  private struct Row {
    var height: Int
    var subtrees: [Subtree] = []

    /// Creates the row of a root, or an empty row.
    init(root: Node?) {
      height = root?.height ?? -1
      if let root {
        subtrees = [Subtree(node: Unretained(root), count: root.total)]
      }
    }

    /// Creates the row of the children of inner nodes.
    init(below parents: ArraySlice<Subtree>) {
      height = -1
      for parent in parents {
        parent.node.withInstance { parent in
          height = parent.height - 1
          for slot in 0..<parent.slots {
            let child = Unretained(parent.links[slot].child)
            subtrees.append(Subtree(node: child, count: parent.links[slot].count))
          }
        }
      }
    }
  }

  /// A search that descends two versions together, in rows of equal height.
  ///
  /// A node keeps its height, and edits never reorder nodes. So the nodes to the left of a shared
  /// node in one version can be shared only with nodes to the left of it in the other. Shared nodes
  /// divide the rows into gaps that are searched one by one.
  private struct Sharing {
    /// The runs found so far.
    var runs: [TreeEdit] = []
    /// The position up to which the old version has been searched.
    private var oldPosition: Int
    /// The position up to which the new version has been searched.
    private var newPosition: Int

    init(from position: Int = 0) { (oldPosition, newPosition) = (position, position) }

    /// Searches two rows of equal height that begin at the current positions.
    mutating func compare(_ olds: Row, with news: Row) {
      var (old, new) = (olds.subtrees[...], news.subtrees[...])
      // After most edits the rows differ in one place. The nodes around it need no dictionary.
      let before = zip(old, new).prefix { $0.node == $1.node }.count
      (old, new) = (old.dropFirst(before), new.dropFirst(before))
      let after = zip(old.reversed(), new.reversed()).prefix { $0.node == $1.node }.count
      (old, new) = (old.dropLast(after), new.dropLast(after))

      skip(olds.subtrees.prefix(before))
      for (x, y) in shared(old, new) where x >= old.startIndex {
        enter(old.prefix(upTo: x), new.prefix(upTo: y), height: olds.height)
        skip(old[x...x])
        (old, new) = (old.suffix(from: x + 1), new.suffix(from: y + 1))
      }
      enter(old, new, height: olds.height)
      skip(olds.subtrees.suffix(after))
    }

    /// The indices of the nodes that are in both rows, in the order of the new row.
    private func shared(
      _ old: ArraySlice<Subtree>, _ new: ArraySlice<Subtree>
    ) -> [(old: Int, new: Int)] {
      guard !old.isEmpty, !new.isEmpty, old.count + new.count > 2 else { return [] }
      var places: [Unretained<Node>: Int] = [:]
      for index in old.indices { places[old[index].node] = index }
      return new.indices.compactMap { index in
        places[new[index].node].map { ($0, index) }
      }
    }

    /// Searches the gap between two shared nodes, one row further down.
    ///
    /// A gap of leaves, or one that is empty on one side, is recorded as a run.
    private mutating func enter(
      _ old: ArraySlice<Subtree>, _ new: ArraySlice<Subtree>, height: Int
    ) {
      guard old.isEmpty || new.isEmpty || height == 0 else {
        return compare(Row(below: old), with: Row(below: new))
      }
      let oldRange = oldPosition..<old.reduce(oldPosition) { $0 + $1.count }
      let newRange = newPosition..<new.reduce(newPosition) { $0 + $1.count }
      (oldPosition, newPosition) = (oldRange.upperBound, newRange.upperBound)
      if !oldRange.isEmpty || !newRange.isEmpty {
        runs.append(TreeEdit(oldRange: oldRange, newRange: newRange))
      }
    }

    /// Skips nodes that both versions share.
    private mutating func skip(_ subtrees: ArraySlice<Subtree>) {
      for subtree in subtrees {
        oldPosition += subtree.count
        newPosition += subtree.count
      }
    }
  }
}
